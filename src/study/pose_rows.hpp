// Poses as rows of a table, fit to be drawn.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/columns.hpp"

#include <vector>

namespace daedal {
inline namespace task {

/// Poses by symbol under the names of the model; the first column numbers them.
inline Table pose_rows(const model::Model& m, const std::vector<std::vector<double>>& poses) {
  std::vector<Column> columns{{"t", ""}};
  std::vector<expr::SymbolId> symbols;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s) {
    if (s == expr::time_symbol || m.symbols[s].kind == model::SymbolKind::parameter) continue;
    columns.push_back(solve::column_of(m, {s, 0}));
    symbols.push_back(s);
  }
  Table table(std::move(columns));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const std::span<double> row = table.append();
    row[0] = static_cast<double>(k + 1);
    for (std::size_t c = 0; c < symbols.size(); ++c)
      row[c + 1] = table.columns()[c + 1].turned(poses[k][symbols[c]]);
  }
  return table;
}

}  // namespace task
}  // namespace daedal
