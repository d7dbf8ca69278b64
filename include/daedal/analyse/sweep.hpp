// The same question for many parameter values: root loci, maps of verdicts, sensitivities.
#pragma once

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/continuation.hpp"
#include "daedal/analyse/pencil.hpp"
#include "daedal/base/progress.hpp"

#include <atomic>
#include <complex>
#include <string>
#include <vector>

namespace daedal::analyse {

struct SweepOptions {
  double t = 0;                                  // [s], of the equilibria
  std::vector<std::string> free_inputs;          // hold the pose
  bool at_start = false;                         // at the start values, in motion, not at rest
  std::vector<std::string> outputs;              // empty: the servo-constraints, else all outputs
  int threads = 0;                               // 0: as many as the machine has
  ProgressSink progress;                         // may be empty
  const std::atomic<bool>* interrupt = nullptr;  // when it turns true the rest is left out
};

/// What a model is at one choice of parameters.
enum class Class {
  not_asked,  // interrupted before
  no_model,   // these values are refused
  no_equilibrium,
  no_inverse,  // no zeros to speak of: not as many outputs as inputs, or not independent
  flat,
  minimum_phase,
  marginal,
  non_minimum_phase
};
/// "flat", "minimum phase", ...
const char* word(Class c);

struct Sample {
  std::vector<double> parameters;
  Class kind = Class::not_asked;
  Spectrum poles, zeros;
  Margin stability, phase;
};
/// At each of `points`, in parallel; the order, and every bit, is that of one thread.
std::vector<Sample> sweep(const DaeAt& dae_at, const std::vector<std::vector<double>>& points,
                          const SweepOptions& options);

/// One eigenvalue on its way: a value for each sample, NaN where it is not there.
using Track = std::vector<std::complex<double>>;
/// Where a track crosses the imaginary axis.
struct AxisCrossing {
  bool zero = false;  // of a zero, not of a pole
  double parameter = 0;
  double frequency = 0;  // [rad/s]
  bool to_the_right = false;
};
struct RootLocus {
  std::vector<Sample> samples;
  std::vector<Track> poles, zeros;
  std::vector<AxisCrossing> crossings;  // located to rounding between the samples
};
RootLocus root_locus(const DaeAt& dae_at, const std::vector<double>& values,
                     const SweepOptions& options);

/// Derivatives by one parameter, of what the model has at its own value.
struct ParameterSensitivity {
  struct Rate {
    double value = 0, error = 0;  // error: between two difference formulas
  };
  struct ComplexRate {
    std::complex<double> of;    // the pole or zero (mean of its cluster)
    std::complex<double> rate;  // its derivative
    double error = 0;
  };
  std::string parameter;
  double value = 0;
  std::vector<std::pair<std::string, Rate>> equilibrium;  // unknowns, then inputs
  std::vector<ComplexRate> poles, zeros;
  std::string missing;  // why there is nothing
};
/// By central differences of the whole computation, extrapolated: parameters that follow from this one count.
ParameterSensitivity sensitivity(const DaeAt& dae_at, const std::string& parameter, double value,
                                 const SweepOptions& options);

}  // namespace daedal::analyse
