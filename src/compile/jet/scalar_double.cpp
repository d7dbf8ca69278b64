#include "compile/jet/scalar.hpp"
#include "daedal/expr/rest_to_rest.hpp"

namespace daedal::compile {

double apply_at(const expr::Graph& graph, const expr::Node& node, double a, double b, double c) {
  return expr::apply(graph, node, a, b, c);
}

void outer_coefficients(const expr::Graph& graph, const expr::Node& node, double s, int count,
                        double* out) {
  if (node.op == expr::Op::rest_to_rest)
    return expr::rest_to_rest_coefficients(s, node.aux, static_cast<int>(node.b), count, out);
  double factorial = 1;  // beyond 170! it is infinite, and derivatives of splines are 0 long before
  for (int n = 0; n < count; ++n) {
    if (n > 1) factorial *= n;
    out[n] = graph.spline(node.aux).value(s, static_cast<int>(node.b) + n) / factorial;
  }
}

}  // namespace daedal::compile
