// The six formulations of stable inversion [Druecker2022, section 6.1.4], compared on one model:
//
//     bvp-ode, bvp-dae        boundary value problem, conditions at the ends from the modes
//     opt-ode, opt-dae        optimisation, solved directly (Ipopt): the motion nearest to rest, no conditions
//     idopt-ode, idopt-dae    the same optimisation by its necessary conditions, a boundary value problem of twice the size
//
// each of the internal dynamics alone (ode: the desired motion substituted for coordinates) and of the whole inverse model with
// the servo-constraint at acceleration level (dae). All of them by Simpson's rule on one mesh, as there; the error is
// that of the inputs against Gauss collocation of order 6. They serve for comparison; the solver to use is stable_inversion.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/stable_inversion.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::inversion {

struct FormulationsOptions {
  std::optional<double> step;           // [s], > 0; default a hundredth of the motion
  std::optional<double> before, after;  // [s], >= 0; default until the slowest modes are 1e-8
  int repetitions = 3;                  // > 0: times are the median of so many runs
  compile::Options compile;
  Watch watch;
};
/// Faults in the user's terms.
std::vector<Diagnostic> check(const FormulationsOptions& options);

struct Formulation {
  std::string name;      // "bvp-ode"
  std::string obstacle;  // why there is no solution; empty: there is one
  std::size_t unknowns = 0;
  int iterations = 0;
  double seconds = 0;          // to solve, kernels and modes ready
  double error = 0;            // of the inputs at the nodes, the largest
  std::vector<double> inputs;  // [node * inputs + i]
};

struct Formulations {
  std::vector<Formulation> all;
  std::vector<double> times;        // nodes
  std::vector<std::string> inputs;  // names
  double step = 0, largest = 0;     // [s]; the largest of the inputs
};

/// Throws ModelError as stable_inversion does, and where that finds no solution; Interrupted.
Formulations compare_formulations(const InverseModel& inverse, const FormulationsOptions& options);

}  // namespace daedal::inversion
