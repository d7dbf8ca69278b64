// Trajectories in quadruple precision: reference values for everything else.
//
// Taylor's method in 34 digits: series, sums and residuals in Quad; factorisations in double, whose solutions are refined
// until every digit is right. Some thousand times slower than the method in double.
#pragma once

#include "daedal/compile/jet.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/system.hpp"

#include <span>
#include <vector>

namespace daedal::solve {

struct ReferenceRow {
  double t = 0;                             // [s]
  std::vector<compile::Quad> states, tops;  // as in the problem's layout
};
struct ReferenceTrajectory {
  Failure failure = Failure::none;
  std::vector<ReferenceRow> rows;  // up to the failure
};

/// Rows at `times`, ascending, none before start.t. The start is first made consistent to all digits. Events, branches and
/// kinks within the run are not located: the equations must be smooth over it.
ReferenceTrajectory reference_trajectory(const formulate::Problem& problem,
                                         const ConsistentPoint& start,
                                         std::span<const double> times, double tolerance = 1e-30);

}  // namespace daedal::solve
