// Finding terms of one shape. Each term is written down as a sequence of words that does not depend
// on which symbols it contains: its nodes, operands first, with operands named by their place in
// the sequence and symbols by slots, numbered as they are met. Terms with equal sequences are
// instances of one shape.
#include "daedal/expr/family.hpp"
#include "walk.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <unordered_map>

namespace daedal::expr {
namespace {

using Words = std::vector<std::uint32_t>;

// A shape larger than this is a system of its own, not a repeated element: its terms stay in the
// global symbols. The bound also keeps a nested chain, whose k-th term has of the order of k nodes,
// from being written down in full.
constexpr std::size_t max_shape_nodes = 2048;

struct WordsHash {
  std::size_t operator()(const Words& words) const {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t)});
  }
};

class Serialiser {
 public:
  Serialiser(const Graph& graph, std::uint32_t symbol_count, const VariesInTime& varies)
      : graph_(graph), varies_(symbol_count) {
    for (SymbolId s = 0; s < symbol_count; ++s) varies_[s] = s != time_symbol && varies(s);
  }

  /// Writes the term down; false when it is too large. The symbols met, by slot, are left in
  /// symbols().
  bool write(Expr root, Words& words) {
    words.clear();
    places_ = {};
    slots_ = {};
    symbols_.assign(1, time_symbol);
    slots_.insert(time_symbol, 0);
    pending_.assign(1, root);
    while (!pending_.empty()) {
      const Expr e = pending_.back();
      const Node& node = graph_.node(e);
      if (places_.find(e.id) != IdMap::absent) {
        pending_.pop_back();
      } else if (!push_missing_operands(node)) {
        pending_.pop_back();
        append(node, words);
        places_.insert(e.id, static_cast<std::uint32_t>(places_.size()));
        if (places_.size() > max_shape_nodes) return false;
      }
    }
    return true;
  }
  const std::vector<SymbolId>& symbols() const { return symbols_; }

 private:
  // Operands not yet written, first one on top; true when there are any.
  bool push_missing_operands(const Node& node) {
    const std::size_t before = pending_.size();
    const Operands children = operands(node);
    for (int k = children.count; k-- > 0;) {
      const Expr child = children.children[static_cast<std::size_t>(k)];
      if (places_.find(child.id) == IdMap::absent) pending_.push_back(child);
    }
    return pending_.size() > before;
  }

  void append(const Node& node, Words& words) {
    words.push_back((static_cast<std::uint32_t>(node.op) << 16) | node.aux);
    switch (node.op) {
      case Op::constant:
        words.insert(words.end(), {node.a, node.b});
        return;
      case Op::leaf:
        words.push_back(2 * slot_of(node.a) + (varies_[node.a] ? 1u : 0u));
        return;
      case Op::rest_to_rest:
      case Op::spline:
        words.push_back(node.b);
        break;
      default:
        break;
    }
    for (const Expr child : operands(node)) words.push_back(places_.find(child.id));
  }

  std::uint32_t slot_of(SymbolId symbol) {
    if (symbol >= varies_.size()) throw std::invalid_argument("a term contains an unknown symbol");
    const auto next = static_cast<std::uint32_t>(symbols_.size());
    if (!slots_.insert(symbol, next)) return slots_.find(symbol);
    symbols_.push_back(symbol);
    return next;
  }

  const Graph& graph_;
  std::vector<bool> varies_;
  IdMap places_;  // node -> place in the sequence
  IdMap slots_;   // symbol -> slot
  std::vector<SymbolId> symbols_;
  std::vector<Expr> pending_;
};

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
  Serialiser serialiser(*graph, symbol_count, varies);
  std::vector<Shape> shapes;
  std::unordered_map<Words, std::size_t, WordsHash> shape_of;
  std::vector<std::uint32_t> single;
  Words words;
  for (std::uint32_t i = 0; i < terms.size(); ++i) {
    if (graph->is_constant(terms[i].value, 0)) continue;
    if (!serialiser.write(terms[i].value, words)) {
      single.push_back(i);
      continue;
    }
    const auto [place, is_new] = shape_of.try_emplace(words, shapes.size());
    if (is_new) shapes.emplace_back();
    Shape& shape = shapes[place->second];
    shape.terms.push_back(i);
    shape.symbols.insert(shape.symbols.end(), serialiser.symbols().begin(),
                         serialiser.symbols().end());
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
