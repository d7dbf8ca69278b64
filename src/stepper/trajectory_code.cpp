// With x the argument held in [0, 1], y = 2x - 1 and b = 4x(1 - x), where C = (2m+1) binom(2m, m),
//     s(x) = x^(m+1) sum_k binom(m+k, k) (1 - x)^k,                       all terms positive,
//     s^(n+1)(x) = n! C 4^-m 2^n b^(m-n) q_n,   (n+1) q_(n+1) = 2(n-m) y q_n + (n-1-2m) b q_(n-1),   q_0 = 1.
// Beyond the ends derivatives up to m are 0, because b is.
#include "trajectory_code.hpp"

#include "daedal/expr/graph.hpp"

#include <cmath>

namespace daedal::solve {

using expr::Expr;
using expr::Op;

namespace {

constexpr int highest_smoothness = 12;

Expr value(expr::Graph& g, Expr x, int m) {
  const Expr rest = g.sub(g.constant(1), x);
  double binomial = 1;
  std::vector<double> coefficients{1};
  for (int k = 1; k <= m; ++k) coefficients.push_back(binomial = binomial * (m + k) / k);
  Expr sum = g.constant(coefficients.back());
  for (std::size_t k = coefficients.size() - 1; k-- > 0;)
    sum = g.add(g.mul(sum, rest), g.constant(coefficients[k]));
  return g.mul(g.powi(x, m + 1), sum);
}

Expr derivative(expr::Graph& g, Expr x, int m, int order) {
  const Expr y = g.sub(g.mul(g.constant(2), x), g.constant(1));
  const Expr b = g.mul(g.mul(g.constant(4), x), g.sub(g.constant(1), x));
  double factor = 2 * m + 1;
  for (int k = 1; k <= m; ++k) factor *= static_cast<double>(m + k) / k / 4;
  Expr q = g.constant(1), before = g.constant(0);
  for (int n = 0; n + 1 < order; ++n) {
    const Expr next = g.add(g.mul(g.constant(2.0 * (n - m) / (n + 1)), g.mul(y, q)),
                            g.mul(g.constant((n - 1.0 - 2 * m) / (n + 1)), g.mul(b, before)));
    before = q;
    q = next;
    factor *= 2.0 * (n + 1);
  }
  Expr power = b;  // a chain, which all orders share
  for (int n = 1; n < m - order + 1; ++n) power = g.mul(power, b);
  return g.mul(g.mul(g.constant(factor), power), q);
}

}  // namespace

std::vector<Expr> with_trajectories_written_out(expr::Graph& graph, std::span<const Expr> roots) {
  std::vector<Expr> copy_of(graph.size());
  for (const Expr e : expr::reachable(graph, roots)) {
    const expr::Node node = graph.node(e);
    const int children = expr::arity(node.op);
    const auto child = [&](std::uint32_t id, int k) { return k < children ? copy_of[id] : Expr{}; };
    const Expr a = child(node.a, 0);
    const int m = node.aux, order = static_cast<int>(node.b);
    if (node.op == Op::rest_to_rest && m <= highest_smoothness && order <= m) {
      const Expr x =
          graph.binary(Op::min, graph.binary(Op::max, a, graph.constant(0)), graph.constant(1));
      copy_of[e.id] = order == 0 ? value(graph, x, m) : derivative(graph, x, m, order);
    } else {
      copy_of[e.id] =
          children == 0 ? e : graph.rebuild(node, a, child(node.b, 1), child(node.c, 2));
    }
  }
  std::vector<Expr> result;
  for (const Expr root : roots) result.push_back(copy_of[root.id]);
  return result;
}

}  // namespace daedal::solve
