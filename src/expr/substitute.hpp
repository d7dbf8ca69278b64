// Copying the same roots many times with different leaves, as the instances of a family.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/expr/walk.hpp"

namespace daedal::expr {

/// copy() along a walk from the same roots, made once.
std::vector<Expr> copy(const Walk& walk, const Graph& from, std::span<const Expr> roots, Graph& to,
                       const LeafMap& map);

}  // namespace daedal::expr
