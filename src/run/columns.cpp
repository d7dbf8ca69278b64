#include "daedal/run/columns.hpp"

#include "daedal/units/dimension.hpp"

#include <algorithm>

namespace daedal::solve {

namespace {

ColumnKind kind_of(model::SymbolKind kind, int order) {
  switch (kind) {
    case model::SymbolKind::time:
      return ColumnKind::time;
    case model::SymbolKind::coordinate:
    case model::SymbolKind::lifted:
      return order == 0 ? ColumnKind::coordinate : ColumnKind::velocity;
    case model::SymbolKind::variable:
      return order == 0 ? ColumnKind::variable : ColumnKind::rate;
    case model::SymbolKind::multiplier:
      return ColumnKind::force;
    case model::SymbolKind::input:
      return ColumnKind::input;
    default:
      return ColumnKind::other;
  }
}

/// Estimates of all states come first, then their deviations, then the innovation.
void mark_estimate(const model::Model& model, const model::Observation& observation,
                   std::size_t place, Column& column) {
  const std::size_t states = observation.states.size();
  column.kind = place < states       ? ColumnKind::estimate
                : place < 2 * states ? ColumnKind::deviation
                                     : ColumnKind::innovation;
  if (place >= 2 * states) return;
  const expr::Leaf state = observation.states[place % states];
  column.symbol = model.symbols[state.symbol].name;
  column.order = state.order;
}

}  // namespace

Column column_of(const model::Model& model, expr::Leaf leaf) {
  if (leaf.symbol == expr::time_symbol) return {"t", "s", ColumnKind::time, "t"};
  const model::Symbol& symbol = model.symbols[leaf.symbol];
  Column column{model::name_of(symbol, leaf.order), model::derivative_unit(symbol.unit, leaf.order),
                kind_of(symbol.kind, leaf.order), symbol.name, leaf.order};
  if (column.kind == ColumnKind::force && symbol.of_constraint) {
    column.name.insert(column.name.find(symbol.name) + symbol.name.size(), ".force");
    column.opposite = true;
  }
  return column;
}

Column column_of(const model::Model& model, const model::NamedValue& output) {
  Column column{output.name, output.unit, ColumnKind::output};
  column.controller = output.controller;
  if (model.graph->node(output.value).op != expr::Op::leaf) return column;
  const expr::SymbolId symbol = model.graph->leaf_of(output.value).symbol;
  for (const model::Controller& controller : model.controllers) {
    if (!controller.observation) continue;
    const std::vector<expr::SymbolId>& estimates = controller.observation->estimates;
    const auto found = std::ranges::find(estimates, symbol);
    if (found == estimates.end() || model.symbols[symbol].name != output.name) continue;
    mark_estimate(model, *controller.observation,
                  static_cast<std::size_t>(found - estimates.begin()), column);
  }
  return column;
}

}  // namespace daedal::solve
