// What each operation computes. Constant folding, evaluation and the kernels all use these values,
// bit for bit.
#include "daedal/expr/double_functions.hpp"

namespace daedal::expr {

double integer_power(double base, int exponent) {
  const auto magnitude = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  double result = 1;
  double square = base;  // base^(2^k) while bit k is processed
  for (unsigned bits = magnitude; bits != 0; bits >>= 1) {
    if (bits & 1u) result *= square;
    if (bits > 1) square *= square;
  }
  return exponent < 0 ? 1 / result : result;
}

double apply(const Graph& graph, const Node& node, double a, double b, double c) {
  return value_of<double>(graph, node, a, b, c);
}

}  // namespace daedal::expr
