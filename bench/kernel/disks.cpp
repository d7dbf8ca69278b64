#include "disks.hpp"

#include <cmath>
#include <memory>

namespace daedal::bench {
namespace {

using expr::Expr;

// Symbols: 1 .. N the angles, then I, k, d, u.
struct Symbols {
  std::uint32_t count;
  expr::SymbolId angle(std::uint32_t i) const { return i + 1; }
  expr::SymbolId inertia() const { return count + 1; }
  expr::SymbolId stiffness() const { return count + 2; }
  expr::SymbolId damping() const { return count + 3; }
  expr::SymbolId torque() const { return count + 4; }
};

// Slot 0: the angle, slot 1: I.
expr::Family inertia_family(const Symbols& symbols) {
  auto graph = std::make_shared<expr::Graph>();
  const Expr torque = graph->mul(graph->leaf({1, 0}), graph->leaf({0, 2}));
  expr::Family family{graph, {torque}, 2, symbols.count, {}, {}};
  for (std::uint32_t i = 0; i < symbols.count; ++i) {
    family.symbols.insert(family.symbols.end(), {symbols.angle(i), symbols.inertia()});
    family.rows.push_back(i);
  }
  return family;
}

// Slots 0, 1: neighbours, slot 2: coefficient; order 0 is a spring, order 1 a damper.
expr::Family coupling_family(const Symbols& symbols, std::uint16_t order,
                             expr::SymbolId coefficient) {
  auto graph = std::make_shared<expr::Graph>();
  const Expr torque =
      graph->mul(graph->leaf({2, 0}), graph->sub(graph->leaf({1, order}), graph->leaf({0, order})));
  expr::Family family{graph, {graph->neg(torque), torque}, 3, symbols.count - 1, {}, {}};
  for (std::uint32_t i = 0; i + 1 < symbols.count; ++i) {
    family.symbols.insert(family.symbols.end(),
                          {symbols.angle(i), symbols.angle(i + 1), coefficient});
    family.rows.insert(family.rows.end(), {i, i + 1});
  }
  return family;
}

expr::Family input_family(const Symbols& symbols) {
  auto graph = std::make_shared<expr::Graph>();
  const expr::Term torque{graph->neg(graph->leaf({symbols.torque(), 0})), 0};
  return expr::identity_family(graph, std::span(&torque, 1));
}

}  // namespace

Disks make_disks(std::uint32_t count) {
  const Symbols symbols{count};
  Disks disks;
  for (std::uint16_t order = 0; order < 3; ++order) {
    for (std::uint32_t i = 0; i < count; ++i) {
      disks.layout.add({symbols.angle(i), order});
      disks.point.push_back(std::sin(0.01 * i + order));
    }
  }
  disks.layout.add({symbols.torque(), 0});
  disks.layout.first_parameter = disks.layout.size();
  for (const expr::SymbolId parameter : {symbols.inertia(), symbols.stiffness(), symbols.damping()})
    disks.layout.add({parameter, 0});
  disks.point.insert(disks.point.end(), {0.3, 0.12, 2, 0.01});
  disks.residual = {count,
                    {inertia_family(symbols), coupling_family(symbols, 0, symbols.stiffness()),
                     coupling_family(symbols, 1, symbols.damping()), input_family(symbols)}};
  return disks;
}

}  // namespace daedal::bench
