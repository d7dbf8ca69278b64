#include "model/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace daedal::model {

namespace {

using expr::Op;

/// A sum of angles in degrees is one too; a product, as in  a*pi/180,  is not: that is how they become radians.
void tell_degrees(const Model& m, const expr::Graph& graph, Diagnostics& diagnostics) {
  std::vector<expr::SymbolId> in_degrees(graph.size(), 0);  // a symbol of the sum, 0: none
  std::set<expr::SymbolId> told;
  for (std::uint32_t id = 0; id < graph.size(); ++id) {
    const expr::Node& node = graph.node({id});
    if (node.op == Op::leaf) {
      const expr::Leaf leaf = graph.leaf_of({id});
      if (leaf.order == 0 && leaf.symbol != expr::time_symbol &&
          m.symbols[leaf.symbol].unit == "deg")
        in_degrees[id] = leaf.symbol;
    } else if (node.op == Op::neg) {
      in_degrees[id] = in_degrees[node.a];
    } else if (node.op == Op::add || node.op == Op::sub) {
      in_degrees[id] = std::max(in_degrees[node.a], in_degrees[node.b]);
    } else if (node.op == Op::sin || node.op == Op::cos || node.op == Op::tan) {
      if (in_degrees[node.a] != 0) told.insert(in_degrees[node.a]);
    }
  }
  for (const expr::SymbolId s : told)
    diagnostics.warning(
        m.symbols[s].place,
        fmt::format("'{}' is in deg, and sine and cosine of it are taken in rad",
                    m.symbols[s].name),
        fmt::format("units are not converted: write  {} = 30*pi/180 [rad]", m.symbols[s].name));
}

/// Without inertia nothing swings: coordinates that no drive moves jump to where the forces are in balance.
void tell_missing_inertia(const Model& m, Diagnostics& diagnostics) {
  std::set<expr::SymbolId> moving;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s)
    if (m.symbols[s].kind == SymbolKind::coordinate) moving.insert(s);
  for (const Drive& drive : m.drives) moving.erase(drive.coordinate);
  if (moving.empty() || !m.kinetic.empty() || (m.potential.empty() && m.loads.empty())) return;
  if (!m.dissipation.empty()) return;  // meant so: a motion through something viscous
  diagnostics.warning(m.place,
                      fmt::format("model '{}' has forces and no kinetic energy: its coordinates "
                                  "have no inertia and stay where the forces are in balance",
                                  m.name),
                      "write  kinetic m/2*x'^2");
}

}  // namespace

void tell_doubts(const Model& m, const expr::Graph& graph, Diagnostics& diagnostics) {
  tell_degrees(m, graph, diagnostics);
  tell_missing_inertia(m, diagnostics);
}

}  // namespace daedal::model
