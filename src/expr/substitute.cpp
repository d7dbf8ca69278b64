// Copying between graphs, substitution and evaluation: one loop each over the nodes reached.
#include "substitute.hpp"

#include "daedal/expr/graph.hpp"

namespace daedal::expr {

std::vector<Expr> copy(const Graph& from, std::span<const Expr> roots, Graph& to,
                       const LeafMap& map) {
  return copy(Walk(from, roots), from, roots, to, map);
}

std::vector<Expr> copy(const Walk& walk, const Graph& from, std::span<const Expr> roots, Graph& to,
                       const LeafMap& map) {
  const bool same_ids = to.extends(from);
  std::vector<Expr> image(walk.size());
  std::unordered_map<std::uint16_t, std::uint16_t> splines;
  for (std::size_t i = 0; i < walk.size(); ++i) {
    Node node = from.node(walk[i]);
    if (node.op == Op::leaf) {
      const Leaf leaf = from.leaf_of(walk[i]);
      const std::optional<Expr> replacement = map ? map(leaf) : std::nullopt;
      image[i] = replacement ? *replacement : to.leaf(leaf);
      continue;
    }
    std::array<Expr, 3> operand{};
    bool changed = !same_ids;
    const Operands children = operands(node);
    for (std::size_t k = 0; k < static_cast<std::size_t>(children.count); ++k) {
      operand[k] = image[walk.position(children.children[k])];
      changed = changed || operand[k] != children.children[k];
    }
    if (!changed) {
      image[i] = walk[i];
      continue;
    }
    if (node.op == Op::spline && !same_ids) {
      const auto [place, is_new] = splines.try_emplace(node.aux);
      if (is_new) place->second = to.add_spline(from.spline(node.aux));
      node.aux = place->second;
    }
    image[i] = to.rebuild(node, operand[0], operand[1], operand[2]);
  }

  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr root : roots) result.push_back(image[walk.position(root)]);
  return result;
}

std::vector<double> evaluate(const Graph& graph, std::span<const Expr> roots,
                             const std::function<double(Leaf)>& value) {
  const Walk walk(graph, roots);
  std::vector<double> values(walk.size());
  for (std::size_t i = 0; i < walk.size(); ++i) {
    const Node& node = graph.node(walk[i]);
    if (node.op == Op::constant) {
      values[i] = graph.constant_value(walk[i]);
    } else if (node.op == Op::leaf) {
      values[i] = value(graph.leaf_of(walk[i]));
    } else {
      std::array<double, 3> operand{};
      const Operands children = operands(node);
      for (std::size_t k = 0; k < static_cast<std::size_t>(children.count); ++k) {
        operand[k] = values[walk.position(children.children[k])];
      }
      values[i] = apply(graph, node, operand[0], operand[1], operand[2]);
    }
  }

  std::vector<double> result;
  result.reserve(roots.size());
  for (const Expr root : roots) result.push_back(values[walk.position(root)]);
  return result;
}

}  // namespace daedal::expr
