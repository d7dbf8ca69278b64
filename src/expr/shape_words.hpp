// A term written down as a sequence of words that does not depend on which symbols it contains: its
// nodes, operands first, with operands named by their place in the sequence and symbols by slots,
// numbered as they are met. Terms with equal sequences are instances of one shape.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/expr/walk.hpp"

#include <stdexcept>
#include <string_view>
#include <vector>

namespace daedal::expr {

using Words = std::vector<std::uint32_t>;

// A shape larger than this is a system of its own, not a repeated element: its terms stay in the
// global symbols. The bound also keeps a nested chain, whose k-th term has of the order of k nodes,
// from being written down in full.
inline constexpr std::size_t max_shape_nodes = 2048;

struct WordsHash {
  std::size_t operator()(const Words& words) const {
    return std::hash<std::string_view>{}(
        {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t)});
  }
};

/// Whether two numbers make two shapes, or one.
enum class Numbers : bool { told_apart, alike };

class ShapeWriter {
 public:
  ShapeWriter(const Graph& graph, std::uint32_t symbol_count, const VariesInTime& varies)
      : graph_(graph), varies_(symbol_count) {
    for (SymbolId s = 0; s < symbol_count; ++s) varies_[s] = s != time_symbol && varies(s);
  }

  /// Writes the term down; false when it is too large. The symbols met, by slot, are left in
  /// symbols(), the constants in constants().
  bool write(Expr root, Words& words, Numbers numbers = Numbers::told_apart) {
    numbers_ = numbers;
    constants_.clear();
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
        if (node.op == Op::constant) constants_.push_back(e);
        append(node, words);
        places_.insert(e.id, static_cast<std::uint32_t>(places_.size()));
        if (places_.size() > max_shape_nodes) return false;
      }
    }
    return true;
  }
  const std::vector<SymbolId>& symbols() const { return symbols_; }
  const std::vector<Expr>& constants() const { return constants_; }

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
    if (node.op == Op::constant) {
      if (numbers_ == Numbers::told_apart) words.insert(words.end(), {node.a, node.b});
    } else if (node.op == Op::leaf) {
      words.push_back(2 * slot_of(node.a) + (varies_[node.a] ? 1u : 0u));
    } else if (facts(node.op).kind == Operation::Kind::trajectory) {
      words.push_back(node.b);
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
  std::vector<Expr> constants_;
  std::vector<Expr> pending_;
  Numbers numbers_ = Numbers::told_apart;
};

}  // namespace daedal::expr
