#include "compile/jet/scalar.hpp"

namespace daedal::compile {

double apply_at(const expr::Graph& graph, const expr::Node& node, double a, double b, double c) {
  return expr::apply(graph, node, a, b, c);
}

void outer_coefficients(const expr::Graph& graph, const expr::Node& node, double s, int count,
                        double* out) {
  const auto derivative = [&](int n) {
    const int order = static_cast<int>(node.b) + n;
    return node.op == expr::Op::rest_to_rest ? expr::rest_to_rest_value(s, node.aux, order)
                                             : graph.spline(node.aux).value(s, order);
  };
  double factorial = 1;
  for (int n = 0; n < count; ++n) {
    if (n > 1) factorial *= n;
    out[n] = derivative(n) / factorial;
  }
}

}  // namespace daedal::compile
