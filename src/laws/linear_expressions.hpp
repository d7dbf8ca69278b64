// Small linear systems of expressions.
#pragma once

#include "daedal/expr/graph.hpp"

#include <vector>

namespace daedal::model {

/// x of m x = right: rows with one unknown first, then Cramer's rule, which fails only where m is singular. Empty where m is
/// singular identically. Determinants have as many terms as there are permutations: for four unknowns or so.
std::vector<expr::Expr> solved(expr::Graph& graph, const std::vector<std::vector<expr::Expr>>& m,
                               std::vector<expr::Expr> right);

}  // namespace daedal::model
