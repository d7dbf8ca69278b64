#pragma once

#include "daedal/expr/graph.hpp"

namespace daedal::expr {

/// Leaves out instances, outputs and families that no row needs.
void prune(Function& f);

}  // namespace daedal::expr
