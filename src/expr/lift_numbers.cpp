// Numbers as symbols: what differs between terms of one shape is a matter of slots, not of the shape.
#include "daedal/expr/graph.hpp"
#include "shape_words.hpp"

#include <algorithm>
#include <unordered_map>

namespace daedal::expr {
namespace {

/// Terms that are alike but for their numbers.
struct Alike {
  std::vector<std::size_t> terms;
  std::vector<Expr> constants;  // [instance * count + position], in the order they are written
};

/// Terms by shape, the numbers left aside; those whose shape is shared as it is are left out.
std::vector<Alike> find_alike(ShapeWriter& writer, std::span<const Expr> terms,
                              std::uint32_t min_instances) {
  Words words;
  std::unordered_map<Words, std::uint32_t, WordsHash> count;
  std::vector<const std::uint32_t*> sharing(terms.size(), nullptr);  // null: too large for a shape
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (writer.write(terms[i], words)) sharing[i] = &++count[words];

  std::vector<Alike> groups;
  std::unordered_map<Words, std::size_t, WordsHash> group_of;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (sharing[i] == nullptr || *sharing[i] >= min_instances) continue;
    writer.write(terms[i], words, Numbers::alike);
    const auto [place, is_new] = group_of.try_emplace(words, groups.size());
    if (is_new) groups.emplace_back();
    Alike& group = groups[place->second];
    group.terms.push_back(i);
    group.constants.insert(group.constants.end(), writer.constants().begin(),
                           writer.constants().end());
  }
  std::erase_if(groups, [&](const Alike& group) { return group.terms.size() < min_instances; });
  return groups;
}

/// `root` with some of its nodes replaced.
Expr replaced(Graph& graph, Expr root, const IdMap& replacement) {
  const Walk walk(graph, std::span(&root, 1));
  std::vector<Expr> copies(walk.size());
  for (std::size_t i = 0; i < walk.size(); ++i) {
    const std::uint32_t given = replacement.find(walk[i].id);
    const Node node = graph.node(walk[i]);
    if (given != IdMap::absent) {
      copies[i] = {given};
    } else if (arity(node.op) == 0) {
      copies[i] = walk[i];
    } else {
      std::array<Expr, 3> children{};
      const Operands old = operands(node);
      for (std::size_t k = 0; k < static_cast<std::size_t>(old.count); ++k)
        children[k] = copies[walk.position(old.children[k])];
      copies[i] = graph.rebuild(node, children[0], children[1], children[2]);
    }
  }
  return copies.back();
}

}  // namespace

std::vector<Expr> lift_numbers(Graph& graph, std::span<const Expr> terms,
                               std::uint32_t symbol_count, const VariesInTime& varies,
                               const std::function<SymbolId(double)>& symbol_of,
                               std::uint32_t min_instances) {
  std::vector<Expr> result(terms.begin(), terms.end());
  ShapeWriter writer(graph, symbol_count, varies);
  for (const Alike& group : find_alike(writer, terms, min_instances)) {
    const std::size_t count = group.constants.size() / group.terms.size();
    std::vector<bool> differs(count, false);
    for (std::size_t i = 0; i < group.constants.size(); ++i)
      if (group.constants[i] != group.constants[i % count]) differs[i % count] = true;
    for (std::size_t instance = 0; instance < group.terms.size(); ++instance) {
      IdMap replacement;
      for (std::size_t k = 0; k < count; ++k) {
        const Expr constant = group.constants[instance * count + k];
        if (!differs[k]) continue;
        const SymbolId symbol = symbol_of(graph.constant_value(constant));
        replacement.insert(constant.id, graph.leaf({symbol, 0}).id);
      }
      Expr& term = result[group.terms[instance]];
      term = replaced(graph, term, replacement);
    }
  }
  return result;
}

}  // namespace daedal::expr
