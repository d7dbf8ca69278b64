#include "daedal/formulate/smoothness.hpp"

#include "daedal/expr/calculus.hpp"

#include <algorithm>

namespace daedal::formulate {

int continuous_derivatives(const expr::Graph& graph, expr::Expr signal) {
  using expr::Op;
  int smoothness = smooth;
  const expr::Expr roots[] = {signal};
  for (const expr::Expr e : expr::reachable(graph, roots)) {
    const expr::Node& node = graph.node(e);
    int here = smooth;
    if (node.op == Op::rest_to_rest) here = node.aux - static_cast<int>(node.b);
    if (node.op == Op::spline) here = graph.spline(node.aux).smoothness - static_cast<int>(node.b);
    if (node.op == Op::abs || node.op == Op::min || node.op == Op::max) here = 0;
    if (node.op == Op::sign || node.op == Op::floor || node.op == Op::mod || node.op == Op::select)
      here = -1;
    smoothness = std::min(smoothness, here);
  }
  return smoothness;
}

int smoothness_for(const expr::Graph& graph, expr::Expr signal, int derivatives) {
  int needed = derivatives;
  const expr::Expr roots[] = {signal};
  for (const expr::Expr e : expr::reachable(graph, roots)) {
    const expr::Node& node = graph.node(e);
    if (node.op == expr::Op::rest_to_rest || node.op == expr::Op::spline)
      needed = std::max(needed, derivatives + static_cast<int>(node.b));
  }
  return needed;
}

}  // namespace daedal::formulate
