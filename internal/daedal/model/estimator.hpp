// What a controller's `observe` line stands for while a model runs. The language (module laws) only names it; filters
// come from the module `control`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace daedal::model {

/// How far an estimate is from the truth: e^T P^-1 e, with the filter's own covariance P of the errors e that the constraints
/// leave; on average its degrees of freedom where model and noise are as the filter assumes. NaN where P is not positive definite.
struct EstimationError {
  double squared = 0;
  std::size_t degrees = 0;
};

/// During one run, by one thread.
class Estimator {
 public:
  virtual ~Estimator() = default;
  /// From one sample to the next, at t [s]: `inputs` acted since the last one, `measured` is what arrives now, of which only the
  /// `fresh` entries are new. Returns why the filter cannot go on, or "".
  virtual std::string sample(double t, std::span<const double> inputs,
                             std::span<const double> measured,
                             std::span<const std::uint8_t> fresh) = 0;
  /// The states, their standard deviations, and the normalised innovation: squared, by the number of measurements, 1 on
  /// average where model and noise are as the filter assumes.
  virtual std::span<const double> estimates() const = 0;
  /// The states are those of the plant, in the order of the estimates. For figures of merit: no filter knows them.
  virtual EstimationError error_of(std::span<const double> states) = 0;
};

/// A filter about a point: s <- drift + a s + b v from sample to sample, y = h s + j v, x = basis s; y, v and x are departures from
/// the point, and the drift is 0 where it is a rest. Matrices row by row.
struct LinearObserver {
  std::size_t states = 0;
  std::vector<double> a, b, h, j, basis;
  std::vector<double> process, noise;  // covariances that a period adds; of the measurements
  std::vector<double> x, v, y;         // at the point
  std::vector<double> drift;
};

class ObserverDesign {
 public:
  virtual ~ObserverDesign() = default;
  /// Nothing where its gains depend on the motion.
  virtual const LinearObserver* linear() const { return nullptr; }
  /// What it is for small departures from estimates `x` and inputs `v`, as it takes them at a sample. Throws ModelError where the
  /// mechanism has no motion at the point.
  virtual LinearObserver linear_at(std::span<const double> x, std::span<const double> v) const = 0;
  /// A filter at its start.
  virtual std::unique_ptr<Estimator> begin() const = 0;
};

}  // namespace daedal::model
