// Recursive lets: entries such as P[k] = P[k-1] + l*[sin(q[k]), -cos(q[k])] become symbols of their own.
//
// Written out, P[k] contains k coordinates, and energies made of all P[k] have N^2 of everything; as symbols, every term
// stays as short as it was written (docs/methods/lifting.md).
#include "daedal/expr/graph.hpp"
#include "elaborate/elaborator.hpp"
#include "elaborate/mentions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

namespace {

/// Entries from which lifting pays (docs/methods/lifting.md has the measurements).
constexpr long worth_lifting = 20;

}  // namespace

/// An array that refers to itself, of enough entries.
bool Elaborator::is_lifted(const Entry& entry, const Scope& scope) {
  if (lifting_ == Lifting::never) return false;
  const std::vector<std::string> names = mentions(entry.definition);
  if (std::find(names.begin(), names.end(), entry.name) == names.end()) return false;
  if (lifting_ == Lifting::always) return true;
  long entries = 0;
  for (const syntax::Let* piece : std::get<std::vector<const syntax::Let*>>(entry.definition))
    if (piece->at == nullptr) {
      const auto [first, last] = evaluator_.range(*piece->binder, scope);
      entries += last - first + 1;
    }
  return entries >= worth_lifting;
}

/// Positions among the entries: what contains velocities, variables or reactions stays written out, and so does what is
/// known or a symbol already.
void Elaborator::lift(Thing& entry, const std::string& name, const Place& place) {
  if (entry.value() == nullptr) return;
  Value value = *entry.value();
  for (std::size_t i = 0; i < value.entries.size(); ++i) {
    const expr::Expr definition = value.entries[i];
    if (graph_->node(definition).op == expr::Op::leaf) continue;
    bool moves = false, position = true;
    for (const expr::Leaf& leaf : expr::leaves(*graph_, std::span(&definition, 1))) {
      const Symbol& symbol = model_.symbols[leaf.symbol];
      moves = moves || symbol.is_position();
      position = position && (symbol.is_position() ? leaf.order == 0
                                                   : symbol.kind != SymbolKind::variable &&
                                                         symbol.kind != SymbolKind::multiplier);
    }
    if (!moves || !position) continue;
    const std::string own_name = name + value.shape.suffix(i);
    LiftedLet let{0, definition, 0, place};
    let.symbol = new_symbol({own_name, SymbolKind::lifted, "", "", place, 0, 1});
    let.multiplier = new_symbol({own_name + ".force", SymbolKind::multiplier, "", "", place, 0, 1});
    value.entries[i] = graph_->leaf({let.symbol, 0});
    model_.lifted.push_back(let);
  }
  entry.what = std::move(value);
}

}  // namespace daedal::model
