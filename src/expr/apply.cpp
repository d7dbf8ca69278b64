// What each operation computes. Constant folding, evaluation and the kernels all mean these values,
// bit for bit.
#include "daedal/expr/elementary.hpp"
#include "daedal/expr/graph.hpp"

#include <cassert>
#include <cmath>

namespace daedal::expr {

double integer_power(double base, int exponent) {
  const auto magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  double result = 1;
  double square = base;  // base^(2^k) while bit k is looked at
  for (unsigned bits = magnitude; bits != 0; bits >>= 1) {
    if (bits & 1u) result *= square;
    if (bits > 1) square *= square;
  }
  return exponent < 0 ? 1 / result : result;
}

double apply(const Graph& graph, const Node& node, double a, double b, double c) {
  switch (node.op) {
    case Op::constant:
    case Op::leaf:
      break;
    case Op::neg:
      return -a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return elementary::exp(a);
    case Op::log:
      return elementary::log(a);
    case Op::sin:
      return elementary::sin(a);
    case Op::cos:
      return elementary::cos(a);
    case Op::tan:
      return elementary::tan(a);
    case Op::asin:
      return elementary::asin(a);
    case Op::acos:
      return elementary::acos(a);
    case Op::atan:
      return elementary::atan(a);
    case Op::sinh:
      return elementary::sinh(a);
    case Op::cosh:
      return elementary::cosh(a);
    case Op::tanh:
      return elementary::tanh(a);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return (a > 0 ? 1.0 : 0.0) - (a < 0 ? 1.0 : 0.0);
    case Op::floor:
      return std::floor(a);
    case Op::logical_not:
      return a == 0 ? 1 : 0;
    case Op::powi:
      return integer_power(a, static_cast<std::int16_t>(node.aux));
    case Op::rest_to_rest:
      return rest_to_rest_value(a, node.aux, static_cast<int>(node.b));
    case Op::spline:
      return graph.spline(node.aux).value(a, static_cast<int>(node.b));
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return elementary::pow(a, b);
    case Op::atan2:
      return elementary::atan2(a, b);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::mod:
      return a - b * std::floor(a / b);
    case Op::less:
      return a < b ? 1 : 0;
    case Op::less_equal:
      return a <= b ? 1 : 0;
    case Op::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Op::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    case Op::select:
      return a != 0 ? b : c;
  }
  assert(false && "a leaf or a constant is not an operation");
  return 0;
}

}  // namespace daedal::expr
