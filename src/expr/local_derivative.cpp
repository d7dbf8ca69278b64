#include "local_derivative.hpp"

namespace daedal::expr {

std::array<bool, 3> passes_derivative(Op op) {
  switch (op) {
    case Op::constant:
    case Op::leaf:
    case Op::sign:
    case Op::floor:
    case Op::logical_not:
    case Op::less:
    case Op::less_equal:
    case Op::logical_and:
    case Op::logical_or:
      return {false, false, false};
    case Op::select:
      return {false, true, true};
    default:
      return {true, arity(op) > 1, false};
  }
}

LocalDerivative::LocalDerivative(Graph& graph, Expr e, const std::array<bool, 3>& active)
    : active_(active) {
  factor_.fill(graph.constant(1));
  differentiate(graph, e);
}

void LocalDerivative::differentiate(Graph& g, Expr e) {
  const Node n = g.node(e);
  const Expr a{n.a}, b{n.b};
  const Expr one = g.constant(1);
  switch (n.op) {
    case Op::neg:
      factor_[0] = g.constant(-1);
      break;
    case Op::sqrt:
      coefficient_ = 0.5;
      divisor_ = e;
      break;
    case Op::exp:
      factor_[0] = e;
      break;
    case Op::log:
      divisor_ = a;
      break;
    case Op::sin:
      factor_[0] = g.unary(Op::cos, a);
      break;
    case Op::cos:
      factor_[0] = g.neg(g.unary(Op::sin, a));
      break;
    case Op::tan:
      factor_[0] = g.add(one, g.powi(e, 2));
      break;
    case Op::asin:
      divisor_ = g.unary(Op::sqrt, g.sub(one, g.powi(a, 2)));
      break;
    case Op::acos:
      factor_[0] = g.constant(-1);
      divisor_ = g.unary(Op::sqrt, g.sub(one, g.powi(a, 2)));
      break;
    case Op::atan:
      divisor_ = g.add(one, g.powi(a, 2));
      break;
    case Op::sinh:
      factor_[0] = g.unary(Op::cosh, a);
      break;
    case Op::cosh:
      factor_[0] = g.unary(Op::sinh, a);
      break;
    case Op::tanh:
      factor_[0] = g.sub(one, g.powi(e, 2));
      break;
    case Op::abs:
      factor_[0] = g.unary(Op::sign, a);
      break;
    case Op::powi: {
      const int exponent = static_cast<std::int16_t>(n.aux);
      coefficient_ = exponent;
      factor_[0] = g.powi(a, exponent - 1);
      break;
    }
    case Op::rest_to_rest:
      factor_[0] = g.rest_to_rest(a, n.aux, static_cast<int>(n.b) + 1);
      break;
    case Op::spline:
      factor_[0] = g.spline(n.aux, a, static_cast<int>(n.b) + 1);
      break;
    case Op::sub:
      factor_[1] = g.constant(-1);
      break;
    case Op::mul:
      factor_[0] = b;
      factor_[1] = a;
      break;
    case Op::div:
      if (active(1)) factor_[1] = g.neg(e);
      divisor_ = b;
      break;
    case Op::pow:
      if (active(0)) factor_[0] = g.mul(b, g.pow(a, g.sub(b, one)));
      if (active(1)) factor_[1] = g.mul(e, g.unary(Op::log, a));
      break;
    case Op::atan2:
      factor_[0] = b;
      factor_[1] = g.neg(a);
      divisor_ = g.add(g.powi(a, 2), g.powi(b, 2));
      break;
    case Op::mod:
      if (active(1)) factor_[1] = g.neg(g.unary(Op::floor, g.div(a, b)));
      break;
    case Op::min:  // as apply() does: b < a ? b : a
      condition_ = g.binary(Op::less, b, a);
      when_true_ = 1;
      break;
    case Op::max:  // a < b ? b : a
      condition_ = g.binary(Op::less, a, b);
      when_true_ = 1;
      break;
    case Op::select:
      condition_ = a;
      when_true_ = 1;
      when_false_ = 2;
      break;
    default:
      break;  // add: both factors are 1; operations of derivative zero have no active operand
  }
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
