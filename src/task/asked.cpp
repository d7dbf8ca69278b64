#include "daedal/task/asked.hpp"

#include "daedal/analyse/portrait.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/task/options.hpp"
#include "mechanism.hpp"
#include "redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

/// Reactions that redundant constraints share are not determined: no output to analyse may contain one.
void refuse_shared_reactions(const Independent& independent,
                             const std::vector<std::string>& outputs) {
  if (independent.shared.empty()) return;
  const derive::Dae asked = analysis::with_outputs(*independent.dae, outputs);
  const model::Model& m = *asked.model;
  for (const model::Relation& output : m.servos)
    for (const expr::Leaf& leaf : expr::leaves(*m.graph, std::span(&output.residual, 1)))
      if (std::find(independent.shared.begin(), independent.shared.end(), leaf.symbol) !=
          independent.shared.end())
        throw ModelError(
            {Severity::error,
             output.place,
             fmt::format("model '{}': output '{}' contains the multiplier of '{}', which the "
                         "equations do not determine",
                         m.name, output.name, m.symbols[leaf.symbol].name),
             {"constraints that depend on each other share their reactions"},
             "replace a joint by one with fewer equations, or analyse other outputs"});
}

Asked taken(const Model& model, solve::RedundantConstraints allowed,
            const std::vector<std::string>& outputs) {
  const Mechanism& mechanism = model.written_out();
  const Independent independent = independent_constraints(model, mechanism, allowed);
  refuse_shared_reactions(independent, outputs);
  Asked asked{mechanism.model, independent.dae, model.warnings()};
  asked.warnings.insert(asked.warnings.end(), independent.warnings.begin(),
                        independent.warnings.end());
  return asked;
}

}  // namespace

std::shared_ptr<const derive::Dae> Asked::derived(model::Model other) const {
  const auto whole = started(std::make_shared<const model::Model>(std::move(other))).dae;
  if (dae->left_out.constraints.empty()) return whole;
  return solve::prepare(whole, {},
                        {.redundant_constraints = solve::RedundantConstraints::least_norm})
      .dae;
}

Asked asked_of(const Model& model, solve::RedundantConstraints allowed,
               const std::vector<std::string>& outputs) {
  refuse_controllers(model, Refused::clocks);
  return taken(model, allowed, outputs);
}

Asked asked_of_loop(const Model& model, solve::RedundantConstraints allowed) {
  return taken(model, allowed, {});
}

void refuse_controllers(const Model& model, Refused which) {
  for (const model::Controller& controller : model.lifted().model->controllers)
    if (which == Refused::all)
      fault(controller.place,
            fmt::format("controller '{}' acts, and this question concerns the model without it",
                        controller.name),
            "controllers act in simulations and in analyses");
    else if (controller.period > 0)
      fault(controller.place,
            fmt::format("controller '{}' has a clock, and this question needs equations",
                        controller.name),
            "without  every  a controller is continuous and part of them");
}

std::vector<expr::SymbolId> inputs_named(const model::Model& m,
                                         const std::vector<std::string>& names) {
  std::vector<expr::SymbolId> found;
  std::vector<std::string> known;
  for (const model::InputDefault& input : m.inputs) known.push_back(m.symbols[input.input].name);
  for (const std::string& name : names) {
    const std::size_t before = found.size();
    for (std::size_t k = 0; k < known.size(); ++k)
      if (name == "all" || known[k] == name || known[k].starts_with(name + "["))
        found.push_back(m.inputs[k].input);
    if (found.size() > before) continue;
    const std::string near = nearest_name(name, known);
    fault(m.place, fmt::format("`free = {}`: model '{}' has no input '{}'", name, m.name, name),
          !near.empty()   ? fmt::format("did you mean '{}'?", near)
          : known.empty() ? "it has no inputs"
                          : fmt::format("its inputs: {}", fmt::join(known, ", ")));
  }
  return found;
}

analysis::Equilibrium rest_of(const Asked& asked, const std::vector<std::string>& free) {
  analysis::EquilibriumOptions options;
  options.free_inputs = inputs_named(*asked.dae->model, free);
  analysis::Equilibrium rest = analysis::equilibrium(*asked.dae, options);
  if (!rest.found) throw ModelError(analysis::no_equilibrium(*asked.dae, rest));
  return rest;
}

}  // namespace task
}  // namespace daedal
