// What each operation computes, for any type of number: the definition that constant folding, evaluation, the
// interpreters and jets share. Elementary functions are those of Functions<Real>.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>

namespace daedal::expr {

template <class Real>
struct Functions;  // sqrt, floor, abs, exp, ..., integer_power, rest_to_rest, spline

template <class Real>
struct Meaning {
  using F = Functions<Real>;

  static Real of(Is<Op::neg>, Real a) { return -a; }
  static Real of(Is<Op::sqrt>, Real a) { return F::sqrt(a); }
  static Real of(Is<Op::exp>, Real a) { return F::exp(a); }
  static Real of(Is<Op::log>, Real a) { return F::log(a); }
  static Real of(Is<Op::sin>, Real a) { return F::sin(a); }
  static Real of(Is<Op::cos>, Real a) { return F::cos(a); }
  static Real of(Is<Op::tan>, Real a) { return F::tan(a); }
  static Real of(Is<Op::asin>, Real a) { return F::asin(a); }
  static Real of(Is<Op::acos>, Real a) { return F::acos(a); }
  static Real of(Is<Op::atan>, Real a) { return F::atan(a); }
  static Real of(Is<Op::sinh>, Real a) { return F::sinh(a); }
  static Real of(Is<Op::cosh>, Real a) { return F::cosh(a); }
  static Real of(Is<Op::tanh>, Real a) { return F::tanh(a); }
  static Real of(Is<Op::abs>, Real a) { return F::abs(a); }
  static Real of(Is<Op::sign>, Real a) { return truth(a > 0) - truth(a < 0); }
  static Real of(Is<Op::floor>, Real a) { return F::floor(a); }
  static Real of(Is<Op::logical_not>, Real a) { return truth(a == 0); }
  static Real of(Is<Op::add>, Real a, Real b) { return a + b; }
  static Real of(Is<Op::sub>, Real a, Real b) { return a - b; }
  static Real of(Is<Op::mul>, Real a, Real b) { return a * b; }
  static Real of(Is<Op::div>, Real a, Real b) { return a / b; }
  static Real of(Is<Op::pow>, Real a, Real b) { return F::pow(a, b); }
  static Real of(Is<Op::atan2>, Real a, Real b) { return F::atan2(a, b); }
  static Real of(Is<Op::min>, Real a, Real b) { return b < a ? b : a; }
  static Real of(Is<Op::max>, Real a, Real b) { return a < b ? b : a; }
  static Real of(Is<Op::mod>, Real a, Real b) { return a - b * F::floor(a / b); }
  static Real of(Is<Op::less>, Real a, Real b) { return truth(a < b); }
  static Real of(Is<Op::less_equal>, Real a, Real b) { return truth(a <= b); }
  static Real of(Is<Op::logical_and>, Real a, Real b) { return truth(a != 0 && b != 0); }
  static Real of(Is<Op::logical_or>, Real a, Real b) { return truth(a != 0 || b != 0); }
  static Real of(Is<Op::select>, Real a, Real b, Real c) { return a != 0 ? b : c; }

  // With numbers of the node
  static Real at(Is<Op::powi>, Real a, const Graph&, const Node& n) {
    return F::integer_power(a, static_cast<std::int16_t>(n.aux));
  }
  static Real at(Is<Op::rest_to_rest>, Real a, const Graph&, const Node& n) {
    return F::rest_to_rest(a, n.aux, static_cast<int>(n.b));
  }
  static Real at(Is<Op::spline>, Real a, const Graph& graph, const Node& n) {
    return F::spline(graph.spline(n.aux), a, static_cast<int>(n.b));
  }

 private:
  static Real truth(bool value) { return value ? 1 : 0; }
};

/// The value of a node from those of its operands.
template <class Real>
Real value_of(const Graph& graph, const Node& node, Real a, Real b, Real c) {
  return visit(node.op, [&](auto op) -> Real {
    using M = Meaning<Real>;
    if constexpr (requires { M::at(op, a, graph, node); })
      return M::at(op, a, graph, node);
    else if constexpr (facts(op).arity == 1)
      return M::of(op, a);
    else if constexpr (facts(op).arity == 2)
      return M::of(op, a, b);
    else
      return M::of(op, a, b, c);
  });
}

}  // namespace daedal::expr
