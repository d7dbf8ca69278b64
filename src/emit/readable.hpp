// Equations as one would write them on paper: a simplified copy for people, equal to the given one up to rounding. What is
// compiled stays as it is.
#pragma once

#include "daedal/expr/graph.hpp"
#include "polynomial.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace daedal::emit {

/// left - right is the given expression.
struct Sides {
  expr::Expr left, right;
};

class Readable {
 public:
  /// Of expressions of `from`; `rank` orders the factors of a product.
  Readable(const expr::Graph& from, LeafRank rank);

  /// The shortest of: the sum as it is, brackets kept; everything multiplied out, sines and cosines combined, common factors
  /// drawn out. Where it is linear in leaves for which `is_collected` holds, these are on the left, each once:
  ///   (m1 + m2)*x'' + m2*L*cos(phi)*phi'' = u + ...
  /// Nothing when the expression is too large for anybody to read.
  std::optional<Sides> simplified(expr::Expr e,
                                  const std::function<bool(expr::Leaf)>& is_collected = {});

  /// Long subexpressions that occur often, replaced by symbols from `first_symbol` on.
  struct Named {
    Sides sides;
    std::vector<std::pair<std::string, expr::Expr>> names;  // "s1", sin(phi1 - phi2)
  };
  Named with_names(const Sides& sides, expr::SymbolId first_symbol,
                   const std::function<bool(const std::string&)>& is_taken);

  const expr::Graph& graph() const { return graph_; }

  /// Work spent on expressions that turned out too large, and the nodes of the smallest of them.
  struct Effort {
    std::size_t wasted = 0, smallest_failed = static_cast<std::size_t>(-1);
  };

 private:
  std::optional<Sides> written(const Polynomial& p, const PolynomialAlgebra& algebra,
                               const std::function<bool(expr::Leaf)>& is_collected);
  std::size_t length(expr::Expr e) const;

  const expr::Graph& from_;
  expr::Graph graph_;
  LeafRank rank_;
  PolynomialAlgebra kept_, expanded_;
  Effort kept_effort_, expanded_effort_;
};

}  // namespace daedal::emit
