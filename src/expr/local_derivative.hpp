// The chain rule at one node: with y = f(a, b, c),
//   dy = coefficient * (factor[0] da + factor[1] db + factor[2] dc) / divisor,
// or dy = condition ? db : dc where the node chooses between two of its operands. A common divisor
// and coefficient keep quotients and powers as one would write them: d(a/b) = (da - y db)/b, d(x^2)
// = 2 (x dx).
#pragma once

#include "daedal/expr/graph.hpp"

#include <array>
#include <optional>

namespace daedal::expr {

/// Which operands a derivative passes through: not the condition of `select`, nothing of sign,
/// floor, <, and, ...
std::array<bool, 3> passes_derivative(Op op);

class LocalDerivative {
 public:
  /// `active` states which operands vary; factors of others are not built (they may not even be
  /// defined there: the exponent's factor of x^3.5 has a log(x)).
  LocalDerivative(Graph& graph, Expr e, const std::array<bool, 3>& active);

  /// dy from the operands' differentials; those of operands that are not active are ignored.
  Expr push(Graph& graph, const std::array<Expr, 3>& differentials) const;
  /// The part of y's adjoint that reaches operand i, which must be active.
  Expr pull(Graph& graph, Expr adjoint, int i) const;

 private:
  struct Rules;
  bool active(int i) const { return active_[static_cast<std::size_t>(i)]; }

  std::array<bool, 3> active_;
  double coefficient_ = 1;
  std::array<Expr, 3> factor_{};
  std::optional<Expr> divisor_;
  // choice between two operands
  std::optional<Expr> condition_;
  int when_true_ = 0, when_false_ = 0;
};

}  // namespace daedal::expr
