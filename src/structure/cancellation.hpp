// Unknowns that are written in an expression but cancel.
//
// The signature reads what is written: in (x'' + y'') - x'' it sees x''. Combinations of equations are made to cancel their
// highest derivatives, and parameters may do it by their values (cos(pi/2)). Instead of hoping for symbolic simplification,
// derivatives by leaves are evaluated at random points; a leaf on which nothing depends is replaced by a number.
#pragma once

#include "daedal/structure/regularity.hpp"

#include <memory>
#include <vector>

namespace daedal::structure {

struct Cleaned {
  expr::Expr value;
  std::vector<expr::Leaf> removed;  // that were the highest derivatives of their unknowns
};
/// `e` without the leaves of unknowns it does not depend on, as seen at all of `points`.
Cleaned without_cancelled_leaves(expr::Graph& graph, expr::Expr e, const derive::Dae& dae,
                                 const std::vector<Point>& points);

/// Row `equation` of the Dae's residual replaced by `value`, a node of `graph`.
void replace_row(derive::Dae& dae, std::uint32_t equation, std::shared_ptr<const expr::Graph> graph,
                 expr::Expr value);

/// The rows `equations` of the Dae's residual, written out in `graph`.
std::vector<expr::Expr> written_rows(const derive::Dae& dae,
                                     const std::vector<std::uint32_t>& equations,
                                     expr::Graph& graph);

}  // namespace daedal::structure
