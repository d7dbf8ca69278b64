// Gradient of a scalar by reverse mode: one backward sweep costs a small multiple of the function,
// however many leaves.
#include "daedal/expr/graph.hpp"
#include "daedal/expr/walk.hpp"
#include "leaf_table.hpp"
#include "local_derivative.hpp"

namespace daedal::expr {
namespace {

std::array<bool, 3> active_operands(const Walk& walk, const std::vector<bool>& active,
                                    const Node& node) {
  std::array<bool, 3> result = passes_derivative(node.op);
  const Operands children = operands(node);
  for (std::size_t k = 0; k < 3; ++k) {
    result[k] = result[k] && active[walk.position(children.children[k])];
  }
  return result;
}

// Nodes that depend on one of the wanted leaves, only through which adjoints flow; notes where
// those leaves are.
std::vector<bool> mark_active(const Graph& graph, const Walk& walk, LeafTable& wanted) {
  std::vector<bool> active(walk.size(), false);
  for (std::size_t i = 0; i < walk.size(); ++i) {
    const Node& node = graph.node(walk[i]);
    if (node.op == Op::leaf) {
      const auto found = wanted.find(graph.leaf_of(walk[i]));
      active[i] = found != wanted.end();
      if (active[i]) found->second = static_cast<std::uint32_t>(i);
    } else {
      const std::array<bool, 3> operand = active_operands(walk, active, node);
      active[i] = operand[0] || operand[1] || operand[2];
    }
  }
  return active;
}

}  // namespace

std::vector<Expr> gradient(Graph& graph, Expr root, std::span<const Leaf> with_respect_to) {
  LeafTable wanted;
  for (const Leaf leaf : with_respect_to) wanted.emplace(leaf, IdMap::absent);

  const Walk walk(graph, std::span(&root, 1));
  const std::vector<bool> active = mark_active(graph, walk, wanted);
  const Expr zero = graph.constant(0);
  std::vector<Expr> adjoint(walk.size(), zero);
  adjoint[walk.position(root)] = graph.constant(1);
  for (std::size_t i = walk.size(); i-- > 0;) {
    if (!active[i] || adjoint[i] == zero) continue;
    const Node node = graph.node(walk[i]);
    if (node.op == Op::leaf) continue;
    const std::array<bool, 3> operand = active_operands(walk, active, node);
    const LocalDerivative local(graph, walk[i], operand);
    const Operands children = operands(node);
    for (int k = 0; k < children.count; ++k) {
      if (!operand[static_cast<std::size_t>(k)]) continue;
      Expr& target = adjoint[walk.position(children.children[static_cast<std::size_t>(k)])];
      target = graph.add(target, local.pull(graph, adjoint[i], k));
    }
  }

  std::vector<Expr> result;
  result.reserve(with_respect_to.size());
  for (const Leaf leaf : with_respect_to) {
    const std::uint32_t position = wanted.at(leaf);
    result.push_back(position == IdMap::absent ? zero : adjoint[position]);
  }
  return result;
}

}  // namespace daedal::expr
