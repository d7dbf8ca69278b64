// What conversions need to know about a singular system Jacobian.
#pragma once

#include "daedal/structure/regularity.hpp"
#include "null_vectors.hpp"
#include "numeric_jacobian.hpp"

#include <map>
#include <string>
#include <vector>

namespace daedal::structure {

class SingularJacobian {
 public:
  SingularJacobian(const derive::Dae& dae, const Offsets& offsets);

  /// Two points at which everything is finite; empty when they were not found.
  const std::vector<Point>& points() const { return points_; }
  /// At the first of them, scaled.
  const Eigen::MatrixXd& values() const { return values_; }

  SymbolicRows rows(const std::vector<std::uint32_t>& equations, expr::Graph& graph) const;
  /// Columns, as rows of the transpose.
  SymbolicRows columns(const std::vector<std::uint32_t>& unknowns, expr::Graph& graph) const;

  /// The start values as the model gives them, at rest.
  const Point& start() const { return start_; }
  /// Index of an unknown by symbol, or -1.
  int unknown(expr::SymbolId symbol) const;

 private:
  std::vector<std::vector<expr::Expr>> dense(expr::Graph& graph) const;

  expr::SparseFunction jacobian_;
  std::map<expr::SymbolId, int> unknown_;
  std::vector<Point> points_;
  Point start_;
  Eigen::MatrixXd values_;
};

/// Whether an expression changes with time: then it may vanish somewhere.
bool varies(const derive::Dae& dae, const expr::Graph& graph, expr::Expr e);
/// For messages, at most 200 characters.
std::string text(const derive::Dae& dae, const expr::Graph& graph, expr::Expr e);

}  // namespace daedal::structure
