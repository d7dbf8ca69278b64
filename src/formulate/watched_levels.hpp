// Constraints that follow from others and are left out, on every level that a run watches.
#pragma once

#include "daedal/expr/calculus.hpp"
#include "daedal/formulate/problem.hpp"

#include <vector>

namespace daedal::formulate {

std::vector<WatchedLevel> watched_levels(const Problem& problem, const expr::VariesInTime& varies);

}  // namespace daedal::formulate
