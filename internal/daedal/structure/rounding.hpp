// Values of expressions with a bound of their rounding errors: running error analysis [Higham2002, Section 3.3].
//
// cos(pi/2) is 6e-17 in floating point, and a coefficient that cancels symbolically leaves some 1e-16: both are zero. A
// small parameter, 1e-12, is not. What distinguishes them is the error bound beside the value.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/structure/regularity.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace daedal::structure {

struct Rounded {
  double value = 0;
  double bound = 0;  // |error of value| <= unit roundoff * bound, to first order
  /// Zero within rounding error.
  bool vanishes() const;
  /// The value, or 0 when it vanishes.
  double cleaned() const { return vanishes() ? 0 : value; }
};

/// Expressions that are evaluated at many points; `graph` must outlive them.
class RoundedRows {
 public:
  RoundedRows() = default;  // none
  RoundedRows(const expr::Graph& graph, std::span<const expr::Expr> roots);
  std::vector<Rounded> at(const Point& point) const;

 private:
  const expr::Graph* graph_ = nullptr;
  std::vector<expr::Expr> nodes_;                       // children first
  std::vector<std::array<std::uint32_t, 3>> operands_;  // positions among the nodes
  std::vector<std::uint32_t> roots_;
};

std::vector<Rounded> evaluate_rounded(const expr::Graph& graph, std::span<const expr::Expr> roots,
                                      const Point& point);
/// Rows of a Function at a point.
std::vector<Rounded> evaluate_rounded(const derive::Dae& dae, const expr::Function& f,
                                      const Point& point);

}  // namespace daedal::structure
