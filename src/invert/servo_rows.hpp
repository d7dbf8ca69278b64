// The equations of an inverse model, written out, and what index reductions need: which derivatives are highest, which
// equations determine them, how often a servo-constraint is to be differentiated until it contains them.
#pragma once

#include "daedal/invert/index_reduction.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace daedal::inversion {

/// Entries of a dense matrix of expressions with their values at the start.
struct SampledMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<expr::Expr> entries;  // [row * columns + column]
  std::vector<double> sample;
  expr::Expr operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
  double at(std::size_t i, std::size_t j) const { return sample[i * columns + j]; }
};

class ServoRows {
 public:
  ServoRows(const derive::Dae& tracking, const structure::Point& start);

  const derive::Dae& dae() const { return dae_; }
  expr::Graph& graph() { return *graph_; }
  std::shared_ptr<expr::Graph> shared_graph() const { return graph_; }
  const std::vector<expr::Expr>& rows() const { return rows_; }
  std::uint32_t first_servo() const { return first_servo_; }
  /// Highest derivative of an unknown that occurs.
  int highest(expr::SymbolId unknown) const { return highest_.at(unknown); }
  /// x_j^(m): the highest derivatives of what moves, coordinates and variables with derivatives.
  const std::vector<expr::Leaf>& tops() const { return tops_; }

  /// How often a row that contains nothing but what moves is differentiated until a highest derivative occurs; 0 for others.
  int missing(std::uint32_t row) const;
  /// d^k/dt^k of a row.
  expr::Expr derivative(expr::Expr row, int k);
  /// d rows / d tops.
  SampledMatrix by_tops(const std::vector<expr::Expr>& rows);
  /// The same expressions with other ones in the places of leaves.
  std::vector<expr::Expr> with(const std::vector<expr::Expr>& rows,
                               const std::map<expr::Leaf, expr::Expr>& leaves);
  double value(expr::Expr e) const;

  /// The Dae of these rows.
  derive::Dae make(const std::vector<expr::Expr>& rows, std::vector<derive::Equation> equations,
                   std::vector<expr::SymbolId> unknowns,
                   std::shared_ptr<const model::Model> model = {}) const;

 private:
  const derive::Dae& dae_;
  const structure::Point& start_;
  std::shared_ptr<expr::Graph> graph_;
  std::vector<expr::Expr> rows_;
  std::uint32_t first_servo_ = 0;
  std::map<expr::SymbolId, int> highest_;
  std::vector<expr::Leaf> tops_;
};

/// Rows and columns of largest pivots, in the order of elimination; fewer than there are rows where the matrix loses rank.
struct Pivots {
  std::vector<std::size_t> rows, columns;
};
Pivots largest_pivots(const SampledMatrix& matrix);

[[noreturn]] void refuse_reduction(const model::Model& model, std::string message,
                                   std::string help);

ReducedModel with_baumgarte(ServoRows& rows, double pole);
ReducedModel projected(ServoRows& rows);
ReducedModel substituted(ServoRows& rows);
ReducedModel extended(ServoRows& rows);

}  // namespace daedal::inversion
