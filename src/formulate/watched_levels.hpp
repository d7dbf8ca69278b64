// Redundant constraints that are left out, on every level that a run monitors.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/formulate/problem.hpp"

#include <vector>

namespace daedal::formulate {

std::vector<WatchedLevel> watched_levels(const Problem& problem, const expr::VariesInTime& varies);

}  // namespace daedal::formulate
