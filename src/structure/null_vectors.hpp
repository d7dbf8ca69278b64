// Null vectors of the system Jacobian: located numerically, written symbolically.
//
// Singular values at a random point show which rows depend on each other; Cramer's rule then writes the factors of their
// combination as minors, without division.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/structure/regularity.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <optional>
#include <vector>

namespace daedal::structure {

/// Sets of rows that depend on each other, each of which loses that when a row is left out: supports of a basis of the left
/// null space in reduced echelon form, smallest first.
std::vector<std::vector<std::uint32_t>> dependent_rows(const Eigen::MatrixXd& matrix);

/// A few rows of a matrix as expressions and as numbers at a random point.
struct SymbolicRows {
  std::vector<std::vector<expr::Expr>> entry;  // [row][column]
  Eigen::MatrixXd value;
  Point start;                   // the start values as the model gives them, at rest
  std::vector<Point> elsewhere;  // random points
};
/// Factors u with u^T rows = 0, for rows that depend on each other; nullopt when their rank is not one less than their
/// number, or when they are too many for their minors to be written. They do not all vanish at the start values where
/// that can be had.
std::optional<std::vector<expr::Expr>> combining_factors(const SymbolicRows& rows,
                                                         expr::Graph& graph);

}  // namespace daedal::structure
