// Rest-to-rest polynomials written out as expressions, for code that evaluates many derivatives of one at the same time.
#pragma once

#include "daedal/expr/graph.hpp"

#include <span>
#include <vector>

namespace daedal::solve {

/// The same expressions in which rest-to-rest polynomials of low smoothness m and their derivatives up to m are sums and
/// products; the others stay as they are.
std::vector<expr::Expr> with_trajectories_written_out(expr::Graph& graph,
                                                      std::span<const expr::Expr> roots);

}  // namespace daedal::solve
