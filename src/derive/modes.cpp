// Modes of a mechanism: some of its constraints do not act.
#include "modes.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace daedal::derive {

// Row i becomes lambda_i = 0: the set stays square, and names and unknowns stay what they were.
Dae in_mode(std::shared_ptr<const Dae> dae, const std::vector<std::size_t>& released) {
  if (dae->all_active) dae = dae->all_active;
  Dae result = *dae;
  if (released.empty()) return result;
  const auto rows = static_cast<std::uint32_t>(result.equations.size());
  std::vector<std::uint32_t> kept(rows);
  for (std::uint32_t i = 0; i < rows; ++i) kept[i] = i;
  const auto graph = std::make_shared<expr::Graph>(result.model->graph);
  std::vector<expr::Term> multipliers;
  for (const std::size_t k : released) {
    const model::Relation& constraint = result.model->constraints[k];
    const auto equation =
        std::find_if(result.equations.begin(), result.equations.end(), [&](const Equation& e) {
          return e.kind == EquationKind::constraint && e.name == constraint.name;
        });
    if (equation == result.equations.end()) continue;  // left out already
    const auto row = static_cast<std::uint32_t>(equation - result.equations.begin());
    kept[row] = expr::Family::no_row;
    multipliers.push_back({graph->leaf({constraint.multiplier, 0}), row});
    equation->kind = EquationKind::equation;
  }
  result.residual = expr::select_rows(dae->residual, kept, rows);
  result.residual.families.push_back(expr::identity_family(graph, multipliers));
  result.released = released;
  result.all_active = std::move(dae);
  return result;
}

std::vector<std::size_t> released_at_start(const model::Model& model) {
  using Kind = model::EventAction::Kind;
  std::set<std::size_t> attached, released;
  for (const model::Event& event : model.events)
    for (const model::EventAction& action : event.actions)
      for (const std::size_t k : action.constraints)
        (action.kind == Kind::attach ? attached : released).insert(k);
  std::vector<std::size_t> result;
  std::set_difference(attached.begin(), attached.end(), released.begin(), released.end(),
                      std::back_inserter(result));
  return result;
}

}  // namespace daedal::derive
