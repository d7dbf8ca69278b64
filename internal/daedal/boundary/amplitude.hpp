// Continuation in the amplitude of a motion: from rest to all of it, on one mesh.
//
// Newton's method finds the bounded solution of a fast motion from near it only. A small share of the motion is near rest,
// and a little more of it is near that: the share grows twice as fast where Newton's method gets there and half as fast where
// it does not, each start extrapolated from the last two solutions.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/boundary/boundary_value.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace daedal::boundary {

/// The desired motion, its departure from rest in the pose of its beginning scaled.
class ScaledMotion {
 public:
  ScaledMotion(const Desired& desired, double begin, std::uint32_t signals,
               const std::function<bool(std::uint32_t)>& is_rate);
  void operator()(double amplitude, double t, double* w) const;

 private:
  const Desired& desired_;
  std::vector<double> first_;
};

/// Whether Newton's method will converge: those that grow once the first few have been made do not come back in time.
class NewtonWatch {
 public:
  explicit NewtonWatch(int first_few = 2) : first_few_(first_few) {}
  /// `step` relative to the size of what it changes, which is 0 where that was at rest: the first step says nothing.
  bool hopeless(double step);
  /// Shrinks by less than a half: rounding, where steps are small.
  bool stagnates(double step) const { return step > 0.5 * before_; }

 private:
  double before_ = std::numeric_limits<double>::infinity();
  int first_few_, steps_ = 0;
};

class AmplitudePath {
 public:
  struct Attempt {
    bool solved = false;
    int iterations = 0;
  };

  /// `unknowns` hold the solution at rest, amplitude 0. `attempt` solves for an amplitude from what they are then, in place.
  AmplitudePath(std::vector<std::span<double>> unknowns, Watch watch)
      : unknowns_(std::move(unknowns)), watch_(std::move(watch)) {}
  /// True when the whole motion was reached; else the unknowns are those of the amplitude that was.
  bool follow(const std::function<Attempt(double amplitude)>& attempt);

  double reached() const { return reached_; }
  int steps() const { return steps_; }

 private:
  void keep(double amplitude);
  void start(double amplitude);
  void tell() const;

  std::vector<std::span<double>> unknowns_;
  Watch watch_;
  std::vector<double> last_, last_but_one_;
  double reached_ = 0, reached_before_ = 0;
  int steps_ = 0, iterations_ = 0;
};

}  // namespace daedal::boundary
