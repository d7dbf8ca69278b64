#include "start_at.hpp"

#include "daedal/analyse/equilibrium.hpp"
#include "redundancy.hpp"

#include <memory>
#include <utility>

namespace daedal {
inline namespace task {

Mechanism at_equilibrium(const Model& model, const Mechanism& mechanism,
                         solve::RedundantConstraints allowed, std::vector<solve::Move>& moves) {
  const Independent independent = independent_constraints(model, mechanism, allowed);
  analysis::Equilibrium rest = analysis::equilibrium(*independent.dae);
  if (!rest.found) throw ModelError(analysis::no_equilibrium(*independent.dae, rest));
  auto started = std::make_shared<model::Model>(*mechanism.model);
  started->starts.clear();
  for (const expr::SymbolId s : mechanism.dae->unknowns)
    started->starts.push_back({.leaf = {s, 0}, .value = rest.values[s], .stated = false});
  auto dae = std::make_shared<derive::Dae>(*mechanism.dae);
  dae->model = started;
  moves = std::move(rest.moves);
  return {std::move(started), std::move(dae)};
}

}  // namespace task
}  // namespace daedal
