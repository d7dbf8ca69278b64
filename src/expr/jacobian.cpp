// Sparse Jacobian by forward mode. Each node carries its tangent, the sorted list of (column,
// derivative) that are not identically zero, from its operands to its last use; so the work is the
// number of structural nonzeros of all nodes.
#include "daedal/expr/graph.hpp"
#include "daedal/expr/walk.hpp"
#include "leaf_table.hpp"
#include "local_derivative.hpp"

#include <algorithm>

namespace daedal::expr {
namespace {

struct TangentEntry {
  std::uint32_t column = 0;
  Expr value;
};
using Tangent = std::vector<TangentEntry>;

std::vector<std::uint32_t> count_uses(const Graph& graph, const Walk& walk,
                                      std::span<const Expr> functions) {
  std::vector<std::uint32_t> uses(walk.size(), 0);
  for (const Expr e : walk.nodes()) {
    for (const Expr child : operands(graph.node(e))) ++uses[walk.position(child)];
  }
  for (const Expr e : functions) ++uses[walk.position(e)];
  return uses;
}

// The tangent of node e from those of its operands (null: does not vary), merged column by column.
Tangent push_forward(Graph& graph, Expr e, const std::array<const Tangent*, 3>& operand) {
  const std::array<bool, 3> active{operand[0] != nullptr, operand[1] != nullptr,
                                   operand[2] != nullptr};
  const LocalDerivative local(graph, e, active);
  const Expr zero = graph.constant(0);
  Tangent result;
  std::array<std::size_t, 3> next{};
  while (true) {
    std::uint32_t column = IdMap::absent;
    for (std::size_t k = 0; k < 3; ++k) {
      if (active[k] && next[k] < operand[k]->size())
        column = std::min(column, (*operand[k])[next[k]].column);
    }
    if (column == IdMap::absent) return result;
    std::array<Expr, 3> differentials{zero, zero, zero};
    for (std::size_t k = 0; k < 3; ++k) {
      if (active[k] && next[k] < operand[k]->size() && (*operand[k])[next[k]].column == column) {
        differentials[k] = (*operand[k])[next[k]++].value;
      }
    }
    const Expr value = local.push(graph, differentials);
    if (value != zero) result.push_back({column, value});
  }
}

}  // namespace

std::vector<JacobianEntry> jacobian(Graph& graph, std::span<const Expr> functions,
                                    std::span<const Leaf> with_respect_to) {
  LeafTable columns;
  for (std::uint32_t i = 0; i < with_respect_to.size(); ++i) columns.emplace(with_respect_to[i], i);

  const Walk walk(graph, functions);
  std::vector<std::uint32_t> uses = count_uses(graph, walk, functions);
  std::vector<Tangent> tangent(walk.size());
  const Expr one = graph.constant(1);
  for (std::size_t i = 0; i < walk.size(); ++i) {
    const Node node = graph.node(walk[i]);
    if (node.op == Op::leaf) {
      const auto found = columns.find(graph.leaf_of(walk[i]));
      if (found != columns.end()) tangent[i] = {{found->second, one}};
      continue;
    }
    const std::array<bool, 3> passes = passes_derivative(node.op);
    const Operands children = operands(node);
    std::array<const Tangent*, 3> operand{};
    bool any = false;
    for (std::size_t k = 0; k < static_cast<std::size_t>(children.count); ++k) {
      const Tangent& of_child = tangent[walk.position(children.children[k])];
      if (passes[k] && !of_child.empty()) {
        operand[k] = &of_child;
        any = true;
      }
    }
    if (any) tangent[i] = push_forward(graph, walk[i], operand);
    for (const Expr child : children) {
      const std::uint32_t position = walk.position(child);
      if (--uses[position] == 0) Tangent().swap(tangent[position]);
    }
  }

  std::vector<JacobianEntry> entries;
  for (std::uint32_t row = 0; row < functions.size(); ++row) {
    for (const TangentEntry& entry : tangent[walk.position(functions[row])]) {
      entries.push_back({row, entry.column, entry.value});
    }
  }
  return entries;
}

}  // namespace daedal::expr
