#include "daedal/solve/column_kind.hpp"

#include <string>

namespace daedal::solve {

ColumnKind column_kind(const model::Model& model, std::string_view column) {
  const bool velocity = column.ends_with('\'');
  if (velocity) column.remove_suffix(1);
  const expr::SymbolId symbol = model.find(std::string(column));
  if (symbol == 0) return ColumnKind::other;
  switch (model.symbols[symbol].kind) {
    case model::SymbolKind::coordinate:
    case model::SymbolKind::variable:
      return velocity ? ColumnKind::velocity : ColumnKind::position;
    case model::SymbolKind::multiplier:
      return ColumnKind::multiplier;
    default:
      return ColumnKind::other;
  }
}

}  // namespace daedal::solve
