// Finding terms of one shape: terms that are written down as equal sequences of words.
#include "daedal/expr/graph.hpp"
#include "shape_words.hpp"

#include <algorithm>
#include <unordered_map>

namespace daedal::expr {
namespace {

struct Shape {
  std::vector<std::uint32_t> terms;
  std::vector<SymbolId> symbols;  // [instance * slots + slot]
};

Family make_family(const Graph& graph, std::span<const Term> terms, Shape&& shape) {
  Family family;
  family.instances = static_cast<std::uint32_t>(shape.terms.size());
  family.slots = static_cast<std::uint32_t>(shape.symbols.size() / shape.terms.size());
  family.symbols = std::move(shape.symbols);
  for (const std::uint32_t term : shape.terms) family.rows.push_back(terms[term].row);

  IdMap slot;  // of the first instance, after which the shape is drawn
  for (std::uint32_t i = 0; i < family.slots; ++i) slot.insert(family.symbols[i], i);
  const auto own_graph = std::make_shared<Graph>();
  const LeafMap to_slot = [&](Leaf leaf) {
    return own_graph->leaf({slot.find(leaf.symbol), leaf.order});
  };
  family.outputs = copy(graph, std::span(&terms[shape.terms[0]].value, 1), *own_graph, to_slot);
  family.graph = own_graph;
  return family;
}

}  // namespace

Function gather(const std::shared_ptr<const Graph>& graph, std::span<const Term> terms,
                std::uint32_t rows, std::uint32_t symbol_count, const VariesInTime& varies,
                std::uint32_t min_instances) {
  ShapeWriter writer(*graph, symbol_count, varies);
  std::vector<Shape> shapes;
  std::unordered_map<Words, std::size_t, WordsHash> shape_of;
  std::vector<std::uint32_t> single;
  Words words;
  for (std::uint32_t i = 0; i < terms.size(); ++i) {
    if (graph->is_constant(terms[i].value, 0)) continue;
    if (!writer.write(terms[i].value, words)) {
      single.push_back(i);
      continue;
    }
    const auto [place, is_new] = shape_of.try_emplace(words, shapes.size());
    if (is_new) shapes.emplace_back();
    Shape& shape = shapes[place->second];
    shape.terms.push_back(i);
    shape.symbols.insert(shape.symbols.end(), writer.symbols().begin(), writer.symbols().end());
  }

  Function function{rows, {}};
  for (Shape& shape : shapes) {
    if (shape.terms.size() >= min_instances) {
      function.families.push_back(make_family(*graph, terms, std::move(shape)));
    } else {
      single.insert(single.end(), shape.terms.begin(), shape.terms.end());
    }
  }
  if (!single.empty()) {
    std::sort(single.begin(), single.end());
    std::vector<Term> rest;
    for (const std::uint32_t i : single) rest.push_back(terms[i]);
    function.families.push_back(identity_family(graph, rest));
  }
  return function;
}

}  // namespace daedal::expr
