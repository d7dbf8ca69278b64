// Sums of products of powers, for people to read: like terms collected, sines and cosines combined, factors in the order
// in which one writes them. What is compiled never comes from here.
#pragma once

#include "daedal/expr/graph.hpp"
#include "ratio.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace daedal::emit {

struct Factor {
  expr::Expr base;  // no number, product or whole power; a sum only in brackets
  int exponent = 1;
  friend auto operator<=>(const Factor&, const Factor&) = default;
};
using Monomial = std::vector<Factor>;  // by base, no exponent 0
struct Term {
  Ratio coefficient;
  Monomial factors;
};
/// Like terms are one; in the order in which they first occurred.
using Polynomial = std::vector<Term>;

/// Where a factor stands in a product: parameters first, then forces, coordinates, functions, velocities, accelerations.
using LeafRank = std::function<int(expr::Leaf)>;
inline constexpr int parameter_rank = 10, function_rank = 30;  // of parameters: at most

/// How polynomials are multiplied and written. Bases and what is written are nodes of `graph`.
class PolynomialAlgebra {
 public:
  /// `expanding`: products of sums are written out; otherwise sums become factors in brackets.
  PolynomialAlgebra(expr::Graph& graph, const LeafRank& rank, bool expanding);

  static Polynomial number(double value);
  static Polynomial atom(expr::Expr base) { return {{{}, {{base, 1}}}}; }
  Polynomial sum(const Polynomial& a, const Polynomial& b);
  static Polynomial scaled(Polynomial a, Ratio factor);
  Polynomial product(const Polynomial& a, const Polynomial& b);
  Polynomial power(const Polynomial& a, int exponent);
  /// A function of one operand; its sign is drawn out of the argument where it is odd or even.
  Polynomial function(const expr::Node& node, Polynomial argument);

  /// 2*(a/2 + b) is a + 2*b: a number times a sum in brackets.
  Polynomial opened(const Polynomial& p) const;
  /// sin^2 + cos^2 = 1 and the addition theorems, wherever they leave fewer terms.
  Polynomial combined(Polynomial p);

  /// Equal sums come out equal, whatever the order in which their terms were met.
  Polynomial sorted(Polynomial p) const;

  /// As a sum of terms.
  expr::Expr write(const Polynomial& p) const;
  /// With common factors before brackets.
  expr::Expr write_factored(const Polynomial& p) const;

  /// Terms added and multiplied so far: the cost.
  std::size_t work() const { return work_; }

 private:
  struct Signed {
    bool negative = false;
    expr::Expr value;
  };
  struct Angle {
    expr::Op op;
    Polynomial argument;
  };

  expr::Expr write(Term term, std::optional<expr::Expr> last) const;
  expr::Expr join(const std::vector<Signed>& parts) const;
  std::vector<Signed> parts(Polynomial p) const;
  Signed part(const Polynomial& p) const;
  Polynomial bracketed(const Polynomial& p);
  std::pair<int, std::uint32_t> place(expr::Expr base) const;
  bool before(const Monomial& a, const Monomial& b) const;
  std::optional<Polynomial> theorem(const Polynomial& p, std::size_t i, Factor a, Factor b);
  const Angle* angle(expr::Expr base) const;
  expr::Expr partner_of(expr::Expr base);

  expr::Graph& graph_;
  LeafRank rank_;
  bool expanding_;
  std::size_t work_ = 0;
  std::map<expr::Expr, Polynomial> brackets_;
  mutable std::map<expr::Expr, int> bracket_rank_;
  std::map<expr::Expr, Angle> angles_;
  std::map<expr::Expr, expr::Expr> partner_;
};

}  // namespace daedal::emit
