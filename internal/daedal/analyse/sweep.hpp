// The same analysis for many parameter values: root loci, maps of verdicts, sensitivities.
#pragma once

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/continuation.hpp"
#include "daedal/analyse/count_doubt.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/pencil/pencil.hpp"

#include <complex>
#include <string>
#include <vector>

namespace daedal::analysis {

struct SweepOptions {
  double t = 0;                          // [s], of the equilibria
  std::vector<std::string> free_inputs;  // hold the pose
  bool at_start = false;                 // at the start values, in motion, not at rest
  std::vector<std::string> outputs;      // empty: the servo-constraints, else all outputs
  int threads = 0;                       // 0: as many as the machine has
  bool doubts = true;                    // each number of poles and zeros is questioned
  Watch watch;  // called from one thread at a time; asked to stop, the rest is left out
};

/// The analysis of a model at one choice of parameters.
enum class Class {
  not_asked,  // interrupted before
  no_model,   // these values are refused
  no_equilibrium,
  no_inverse,  // no meaningful zeros: not as many outputs as inputs, or not independent
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
  std::vector<CountDoubt> doubts;  // about the numbers of poles and zeros
};
/// At each of `points`, in parallel; the order, and every bit, is that of one thread.
std::vector<Sample> sweep(const DaeAt& dae_at, const std::vector<std::vector<double>>& points,
                          const SweepOptions& options);

/// The track of one eigenvalue: a value for each sample, NaN where it does not exist.
using Track = std::vector<std::complex<double>>;
/// Where a track crosses the imaginary axis.
struct AxisCrossing {
  bool zero = false;  // of a zero, not of a pole
  double parameter = 0;
  double frequency = 0;  // [rad/s]
  bool to_the_right = false;
  bool in_doubt = false;  // as the number of poles or zeros beside it or there
};
struct RootLocus {
  std::vector<Sample> samples;
  std::vector<Track> poles, zeros;
  std::vector<AxisCrossing> crossings;  // located to rounding between the samples
};
RootLocus root_locus(const DaeAt& dae_at, const std::vector<double>& values,
                     const SweepOptions& options);

/// Derivatives with respect to one parameter, at the model's own value.
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
  std::string missing;  // why there is no result
};
/// By central differences of the whole computation, extrapolated: dependent parameters follow.
ParameterSensitivity sensitivity(const DaeAt& dae_at, const std::string& parameter, double value,
                                 const SweepOptions& options);

}  // namespace daedal::analysis
