// The global error of a trajectory, estimated by a second run.
//
// The second run solves the same problem with the same method and half the steps: equal steps of half the length, or the
// tolerance at which controlled steps become half as long. Its error is smaller by 2^p, so that the difference of the two
// is the error of the first within the factor 1 -+ 2^-p. It takes its own steps: where rounding rules, or where the motion
// is unstable, the two runs go apart as each of them goes apart from the exact motion. Local errors that are added up
// would see neither.
#pragma once

#include "daedal/solve/simulate.hpp"

namespace daedal::solve {

/// The method of the second run, which takes at most `most_steps` of them. A tolerance that cannot be tightened is doubled:
/// then the second error counts too, and the estimate is cautious.
Method finer(const Method& method, std::uint64_t most_steps);

/// Compares the rows of `first`, which simulate() made of the other arguments, with those of a second run. Rows at events
/// are left out, and rows between the times of an event in the one and in the other run: there is nothing to compare.
GlobalError estimate_global_error(const Trajectory& first, const formulate::Problem& problem,
                                  const ConsistentPoint& start, const SimulateOptions& options);

}  // namespace daedal::solve
