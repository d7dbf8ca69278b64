#include "daedal/design/observer_design.hpp"

#include "daedal/control/filter.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace daedal::design {

namespace {

using model::ObserverQuestion;
using model::Quantity;

/// What is measured, as outputs of the model that the controller assumes: the same names, its own parameters. An output of
/// the model is what that model calls so, which may have other sizes: the tip q[N] of another beam.
void measure(model::Model& believed, const ObserverQuestion& question) {
  auto graph = std::make_shared<expr::Graph>(believed.graph);
  const model::Symbols& symbols = *question.symbols;
  const auto same = [&](expr::Leaf leaf) -> std::optional<expr::Expr> {
    if (leaf.symbol == expr::time_symbol) return graph->leaf(leaf);
    const expr::SymbolId symbol = believed.find(symbols[leaf.symbol].name);
    if (symbol == 0)
      fault(question.place,
            fmt::format("the model that the controller assumes has no '{}', which is measured",
                        symbols[leaf.symbol].name),
            "write it as an output of the model, and measure that");
    return graph->leaf({symbol, leaf.order});
  };
  std::vector<expr::Expr> values;
  for (std::size_t k = 0; k < question.measured.size(); ++k) {
    const auto own =
        std::ranges::find(believed.outputs, question.outputs[k], &model::NamedValue::name);
    values.push_back(
        own != believed.outputs.end() && !question.outputs[k].empty()
            ? own->value
            : expr::copy(*question.graph, std::span(&question.measured[k], 1), *graph, same)[0]);
  }
  believed.outputs.clear();
  for (std::size_t k = 0; k < values.size(); ++k)
    believed.outputs.push_back({question.names[k], values[k], "", "", question.place});
  believed.graph = graph;
}

/// The filter starts at these states.
void start_at(model::Model& believed, const std::vector<Quantity>& states,
              const ObserverQuestion& question) {
  const auto given = question.given.find("at");
  if (given == question.given.end()) return;
  if (given->second.values.size() != states.size())
    fault(question.place,
          fmt::format("'at' of {} has {} entries, the state {}", question.kind,
                      given->second.values.size(), states.size()),
          "write  at = rest(x = 1)");
  believed.starts.clear();
  for (std::size_t k = 0; k < states.size(); ++k)
    believed.starts.push_back(
        {{believed.find(states[k].name), static_cast<std::uint16_t>(states[k].order)},
         given->second.values[k],
         false,
         question.place,
         std::nullopt});
}

feedback::FilterOptions options_of(const ObserverQuestion& question) {
  feedback::FilterOptions options;
  options.kind = question.kind == "kalman" ? feedback::FilterKind::linear
                 : question.kind == "ekf"  ? feedback::FilterKind::extended
                                           : feedback::FilterKind::unscented;
  options.period = question.period;
  options.delay = question.delay;
  options.noise = question.noise;
  options.process = question.given.at("process").values;
  options.start = question.given.at("start").values;
  const auto number = [&](const char* name, double otherwise) {
    const auto given = question.given.find(name);
    if (given == question.given.end()) return otherwise;
    if (given->second.values.size() != 1)
      fault(question.place, fmt::format("'{}' of {} is a number", name, question.kind));
    return given->second.values[0];
  };
  options.alpha = number("alpha", options.alpha);
  options.beta = number("beta", options.beta);
  options.kappa = number("kappa", options.kappa);
  if (!(options.alpha > 0 && options.kappa >= 0))
    fault(question.place, "the points of ukf need  alpha > 0  and  kappa >= 0");
  const double substeps = number("substeps", 0);
  constexpr double most = 10000;
  if (!(substeps >= 0 && substeps <= most && substeps == static_cast<int>(substeps)))
    fault(question.place,
          fmt::format("'substeps' of {} is a whole number, 1 to {}", question.kind, most));
  options.substeps = static_cast<int>(substeps);
  return options;
}

}  // namespace

model::Observer observer_on(const model::Library& library, const model::Overrides& believed,
                            const std::vector<Quantity>& states, const ObserverQuestion& question) {
  model::Overrides overrides = believed;
  overrides.held_inputs = question.inputs;
  overrides.inputs
      .clear();  // signals of other inputs act on the plant: a filter does not know them
  overrides.experiment.clear();
  overrides.lifting = model::Lifting::never;
  auto model = std::make_shared<model::Model>(model::elaborate(library, overrides));
  measure(*model, question);
  start_at(*model, states, question);
  feedback::FilterPlant plant;
  plant.dae = std::make_shared<const derive::Dae>(derive::derive(model));
  for (const std::string& input : question.inputs) {
    plant.inputs.push_back(model->find(input));
    plant.held.push_back(model->find("held." + input));
  }
  for (const Quantity& q : states)
    plant.states.push_back({model->find(q.name), static_cast<std::uint16_t>(q.order)});
  feedback::FilterDesign found = feedback::design_filter(plant, options_of(question));
  return {std::move(found.design),   states,        std::move(found.start),
          std::move(found.warnings), found.samples, found.between};
}

}  // namespace daedal::design
