#include "disturbed_start.hpp"

#include "state_names.hpp"

#include <algorithm>

namespace daedal::analysis {

void set_start(model::Model& m, expr::Leaf leaf, double value, bool fixed) {
  const model::StartValue start{.leaf = leaf,
                                .value = value,
                                .fixed = fixed,
                                .place = m.place,
                                .stated = fixed};  // what is not kept is a guess
  const auto found = std::find_if(m.starts.begin(), m.starts.end(),
                                  [&](const model::StartValue& s) { return s.leaf == leaf; });
  if (found == m.starts.end()) {
    m.starts.push_back(start);
    return;
  }
  *found = start;
}

std::shared_ptr<const derive::Dae> starting_at(const derive::Dae& dae, const Equilibrium& rest,
                                               const std::map<std::string, double>& disturbance) {
  auto m = std::make_shared<model::Model>(*dae.model);
  const auto graph = std::make_shared<expr::Graph>(m->graph);
  for (model::InputDefault& input : m->inputs)
    input.value = graph->constant(rest.values[input.input]);
  m->graph = graph;
  for (model::StartValue& start : m->starts) start.fixed = false;
  for (const expr::SymbolId s : dae.unknowns) {
    set_start(*m, {s, 0}, rest.values[s], false);
    set_start(*m, {s, 1}, 0, false);
  }
  for (const auto& [name, value] : disturbance) {
    const expr::Leaf leaf = state_named(*m, name);
    set_start(*m, leaf, (leaf.order == 0 ? rest.values[leaf.symbol] : 0) + value, true);
  }
  auto result = std::make_shared<derive::Dae>(dae);
  result->model = std::move(m);
  return result;
}

}  // namespace daedal::analysis
