// Where functions of time are still for long and then change within a short while (daedal/expr/pulses.hpp).
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/break_points.hpp"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace daedal::solve {

struct Pulses {
  std::vector<double> times;                               // sorted, in (t0, t1): their ends
  double until = std::numeric_limits<double>::infinity();  // all of them up to here
  std::string too_many_of;                                 // the expression that has more; "" none
};
/// Of all expressions of inputs and equations that contain time alone. `known`: the break points, where a run stops anyway. What
/// depends on the state as well is not examined.
Pulses pulses(const formulate::Problem& problem, std::span<const double> known, double t0,
              double t1);

/// Break points, and ends of pulses: a run whose steps end there misses neither. A warning where pulses are too many.
std::vector<double> stops_of_a_run(const formulate::Problem& problem, double t0, double t1,
                                   std::vector<Diagnostic>& warnings);

}  // namespace daedal::solve
