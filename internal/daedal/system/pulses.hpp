// Where functions of time are still for long and then change within a short while (daedal/expr/pulses.hpp).
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/break_points.hpp"

#include <span>
#include <vector>

namespace daedal::solve {

/// Sorted times in (t0, t1): ends of the pulses of all expressions of inputs and equations that contain time alone. `known`: the
/// break points, where a run stops anyway. What depends on the state as well is seen by whoever steps through it, or not.
std::vector<double> pulses(const formulate::Problem& problem, std::span<const double> known,
                           double t0, double t1);

/// Break points, and ends of pulses: a run whose steps end there misses neither.
std::vector<double> stops_of_a_run(const formulate::Problem& problem, double t0, double t1);

}  // namespace daedal::solve
