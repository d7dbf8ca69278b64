#include "energy_function.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::analysis {

namespace {

/// A force that stays as it is whatever the mechanism does: an input, held constant, or a number.
bool constant(const model::Model& m, expr::Expr force) {
  for (const expr::Leaf& leaf : expr::leaves(*m.graph, std::vector{force})) {
    const model::SymbolKind kind = m.symbols[leaf.symbol].kind;
    if (kind != model::SymbolKind::parameter && kind != model::SymbolKind::input) return false;
  }
  return true;
}

}  // namespace

EnergyFunction::EnergyFunction(const derive::Dae& dae, const Equilibrium& rest)
    : graph_(std::make_shared<expr::Graph>(dae.model->graph)) {
  const model::Model& m = *dae.model;
  const bool driven = std::any_of(dae.mechanics.driven.begin(), dae.mechanics.driven.end(),
                                  [](bool d) { return d; });
  if (dae.mechanics.coordinates.empty() || driven)
    throw ModelError(
        {Severity::error,
         m.place,
         fmt::format("model '{}': {}, so its energy is no Lyapunov function", m.name,
                     driven ? "drives move some of its coordinates" : "it has no coordinates"),
         {},
         "take the quadratic one:  `lyapunov = quadratic`"});
  expr::Graph& g = *graph_;
  expr::Expr energy = expr::expand(dae.mechanics.energy, g)[0];
  for (const model::VirtualWork& load : m.loads)
    if (constant(m, load.force)) energy = g.sub(energy, g.mul(load.force, load.displacement));
  const std::vector<expr::Expr> momenta = expr::expand(dae.mechanics.momenta, g);
  expr::Expr cross = g.constant(0);
  for (std::size_t k = 0; k < momenta.size(); ++k) {
    const expr::SymbolId q = dae.mechanics.coordinates[k];
    const expr::Expr departure = g.sub(g.leaf({q, 0}), g.constant(rest.values[q]));
    cross = g.add(cross, g.mul(departure, momenta[k]));
  }
  const std::vector<expr::Expr> rates =
      expr::time_derivative(g, std::vector{energy, cross}, [&](expr::SymbolId s) {
        return m.varies(s) && m.symbols[s].kind != model::SymbolKind::input;
      });
  roots_ = {energy, rates[0], cross, rates[1]};
  rest_ = raw(point_of(rest)).energy;
}

EnergyFunction::Value EnergyFunction::raw(const structure::Point& point) const {
  const std::vector<double> v = expr::evaluate(*graph_, roots_, point);
  return {v[0], v[1], v[2], v[3]};
}

EnergyFunction::Value EnergyFunction::at(const structure::Point& point) const {
  Value v = raw(point);
  v.energy -= rest_;
  return v;
}

}  // namespace daedal::analysis
