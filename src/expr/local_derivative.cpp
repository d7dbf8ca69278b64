#include "local_derivative.hpp"

namespace daedal::expr {

std::array<bool, 3> passes_derivative(Op op) {
  return {facts(op).passes(0), facts(op).passes(1), facts(op).passes(2)};
}

/// One rule for each operation that has a derivative.
struct LocalDerivative::Rules {
  LocalDerivative& d;
  Graph& g;
  Expr e, a, b;
  Node n;
  Expr one = g.constant(1);

  void of(Is<Op::neg>) { d.factor_[0] = g.constant(-1); }
  void of(Is<Op::sqrt>) {
    d.coefficient_ = 0.5;
    d.divisor_ = e;
  }
  void of(Is<Op::exp>) { d.factor_[0] = e; }
  void of(Is<Op::log>) { d.divisor_ = a; }
  void of(Is<Op::sin>) { d.factor_[0] = g.unary(Op::cos, a); }
  void of(Is<Op::cos>) { d.factor_[0] = g.neg(g.unary(Op::sin, a)); }
  void of(Is<Op::tan>) { d.factor_[0] = g.add(one, g.powi(e, 2)); }
  void of(Is<Op::asin>) { d.divisor_ = g.unary(Op::sqrt, g.sub(one, g.powi(a, 2))); }
  void of(Is<Op::acos>) {
    d.factor_[0] = g.constant(-1);
    of(Is<Op::asin>());
  }
  void of(Is<Op::atan>) { d.divisor_ = g.add(one, g.powi(a, 2)); }
  void of(Is<Op::sinh>) { d.factor_[0] = g.unary(Op::cosh, a); }
  void of(Is<Op::cosh>) { d.factor_[0] = g.unary(Op::sinh, a); }
  void of(Is<Op::tanh>) { d.factor_[0] = g.sub(one, g.powi(e, 2)); }
  void of(Is<Op::abs>) { d.factor_[0] = g.unary(Op::sign, a); }
  void of(Is<Op::powi>) {
    const int exponent = static_cast<std::int16_t>(n.aux);
    d.coefficient_ = exponent;
    d.factor_[0] = g.powi(a, exponent - 1);
  }
  void of(Is<Op::rest_to_rest>) {
    d.factor_[0] = g.rest_to_rest(a, n.aux, static_cast<int>(n.b) + 1);
  }
  void of(Is<Op::spline>) { d.factor_[0] = g.spline(n.aux, a, static_cast<int>(n.b) + 1); }
  void of(Is<Op::add>) {}
  void of(Is<Op::sub>) { d.factor_[1] = g.constant(-1); }
  void of(Is<Op::mul>) {
    d.factor_[0] = b;
    d.factor_[1] = a;
  }
  void of(Is<Op::div>) {
    if (d.active(1)) d.factor_[1] = g.neg(e);
    d.divisor_ = b;
  }
  void of(Is<Op::pow>) {
    if (d.active(0)) d.factor_[0] = g.mul(b, g.pow(a, g.sub(b, one)));
    if (d.active(1)) d.factor_[1] = g.mul(e, g.unary(Op::log, a));
  }
  void of(Is<Op::atan2>) {
    d.factor_[0] = b;
    d.factor_[1] = g.neg(a);
    d.divisor_ = g.add(g.powi(a, 2), g.powi(b, 2));
  }
  void of(Is<Op::mod>) {
    if (d.active(1)) d.factor_[1] = g.neg(g.unary(Op::floor, g.div(a, b)));
  }
  // As apply() does: b < a ? b : a and a < b ? b : a.
  void of(Is<Op::min>) { choose(g.binary(Op::less, b, a), 1, 0); }
  void of(Is<Op::max>) { choose(g.binary(Op::less, a, b), 1, 0); }
  void of(Is<Op::select>) { choose(a, 1, 2); }

  void choose(Expr condition, int when_true, int when_false) {
    d.condition_ = condition;
    d.when_true_ = when_true;
    d.when_false_ = when_false;
  }
};

LocalDerivative::LocalDerivative(Graph& graph, Expr e, const std::array<bool, 3>& active)
    : active_(active) {
  factor_.fill(graph.constant(1));
  const Node n = graph.node(e);
  if (facts(n.op).derivative == 0) return;
  visit(n.op, [rules = Rules{*this, graph, e, {n.a}, {n.b}, n}](auto op) mutable {
    if constexpr (facts(op).derivative != 0) rules.of(op);
  });
}

Expr LocalDerivative::push(Graph& g, const std::array<Expr, 3>& differentials) const {
  const Expr zero = g.constant(0);
  if (condition_) {
    const auto branch = [&](int i) {
      return active(i) ? differentials[static_cast<std::size_t>(i)] : zero;
    };
    return g.select(*condition_, branch(when_true_), branch(when_false_));
  }
  Expr sum = zero;
  for (std::size_t i = 0; i < 3; ++i) {
    if (active_[i]) sum = g.add(sum, g.mul(factor_[i], differentials[i]));
  }
  const Expr scaled = g.mul(g.constant(coefficient_), sum);
  return divisor_ ? g.div(scaled, *divisor_) : scaled;
}

Expr LocalDerivative::pull(Graph& g, Expr adjoint, int i) const {
  if (condition_) {
    const Expr zero = g.constant(0);
    return i == when_true_ ? g.select(*condition_, adjoint, zero)
                           : g.select(*condition_, zero, adjoint);
  }
  const Expr product =
      g.mul(g.constant(coefficient_), g.mul(adjoint, factor_[static_cast<std::size_t>(i)]));
  return divisor_ ? g.div(product, *divisor_) : product;
}

}  // namespace daedal::expr
