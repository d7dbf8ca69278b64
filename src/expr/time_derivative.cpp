// Total time derivative in one forward sweep: every node's derivative is built once, from its
// operands' derivatives.
#include "daedal/expr/graph.hpp"
#include "daedal/expr/walk.hpp"
#include "local_derivative.hpp"

namespace daedal::expr {
namespace {

Expr rate_of_leaf(Graph& graph, Leaf leaf, const VariesInTime& varies) {
  if (leaf.symbol == time_symbol) return graph.constant(leaf.order == 0 ? 1 : 0);
  if (!varies(leaf.symbol)) return graph.constant(0);
  if (leaf.order == 0xffff) throw std::length_error("a derivative of order above 65535");
  return graph.leaf({leaf.symbol, static_cast<std::uint16_t>(leaf.order + 1)});
}

}  // namespace

std::vector<Expr> time_derivative(Graph& graph, std::span<const Expr> roots,
                                  const VariesInTime& varies) {
  const Walk walk(graph, roots);
  const Expr zero = graph.constant(0);
  std::vector<Expr> rate(walk.size(), zero);
  for (std::size_t i = 0; i < walk.size(); ++i) {
    const Node node = graph.node(walk[i]);
    if (node.op == Op::leaf) {
      rate[i] = rate_of_leaf(graph, graph.leaf_of(walk[i]), varies);
      continue;
    }
    std::array<Expr, 3> differentials{zero, zero, zero};
    std::array<bool, 3> active = passes_derivative(node.op);
    const Operands children = operands(node);
    bool any = false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(children.count); ++k) {
      if (!active[k]) continue;
      differentials[k] = rate[walk.position(children.children[k])];
      active[k] = differentials[k] != zero;
      any = any || active[k];
    }
    if (any) rate[i] = LocalDerivative(graph, walk[i], active).push(graph, differentials);
  }

  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr root : roots) result.push_back(rate[walk.position(root)]);
  return result;
}

}  // namespace daedal::expr
