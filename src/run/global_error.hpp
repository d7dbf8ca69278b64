// The global error of a trajectory, estimated by a second run.
//
// The second run solves the same problem with the same method and half the steps: equal steps of half the length, or the
// tolerance at which controlled steps become half as long, and never one step from a break point to the next. Its error is
// smaller by 2^p, so that the difference of the two is the error of the first within the factor 1 -+ 2^-p. It takes its own
// steps: where rounding rules, or where the motion is unstable, the two runs go apart as each of them goes apart from the
// exact motion. Local errors that are added up would see neither.
//
// A second run that does not come to the end, at a singular pose say, is followed by a third with twice the tolerance or
// step: its own error is included, and the estimate is conservative. Where that one fails as well, rows are left
// without estimate.
#pragma once

#include "daedal/run/simulate.hpp"
#include "motion_size.hpp"

#include <span>

namespace daedal::solve {

/// The method of the second run, which takes at most `most_steps` of them. A tolerance that cannot be tightened is doubled.
Method finer(const Method& method, std::uint64_t most_steps);
/// Twice the tolerance, or twice the step where steps are equal.
Method coarser(const Method& method, std::uint64_t most_steps);

/// How far the rows of two runs of the same problem are apart. Rows at events are left out, and rows between the times of an
/// event in the one and in the other run: there is nothing to compare. Two runs that took the same steps say nothing, unless
/// nothing is `integrated`: then rows are exact whatever the steps. Rows at times `between` those requested, in their order,
/// count for the verdict, not for the columns.
GlobalError difference(const Trajectory& first, const Trajectory& second, const MotionSize& motion,
                       bool integrated = true, std::span<const double> between = {});

/// Compares `first`, which simulate() made of the other arguments, with a second run.
GlobalError estimate_global_error(const Trajectory& first, std::span<const double> between,
                                  const formulate::Problem& problem, const ConsistentPoint& start,
                                  const SimulateOptions& options);

}  // namespace daedal::solve
