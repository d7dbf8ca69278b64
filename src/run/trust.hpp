// The verdict on a run, computed once from estimates and monitoring:
//
//   none     the estimated error exceeds a quarter of the motion; or energy comes or goes that neither work nor the estimated
//            error explains; or velocities turned at a singular pose (turn_monitor.hpp)
//   partial  rows are left without an estimate
//   full     neither
//   unknown  no estimate was requested
//
// Rows can be relied on until the error passes a tenth of the motion; one that stays below a quarter is a warning only.
//
// Energy is judged against the estimated error, at every tolerance: an error of the share e of the motion explains an error of
// the energy of about 10 e of the kinetic energy, and it lessens with the steps. What the second run loses as well is
// lost by both, as after a singular pose.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/run/simulate.hpp"

namespace daedal::solve {

/// Sets the trust of a trajectory that has its estimated error, and adds the warning where there is doubt.
void judge(const formulate::Problem& problem, const ConsistentPoint& start,
           const SimulateOptions& options, Trajectory& trajectory);

}  // namespace daedal::solve
