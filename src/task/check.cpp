// Contents, index and degrees of freedom of a model.
#include "daedal/task/check.hpp"

#include "daedal/base/utf8.hpp"
#include "daedal/task/counts.hpp"
#include "daedal/task/json.hpp"
#include "experiment_options.hpp"
#include "names.hpp"
#include "redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

/// The inverse model's structure, when there are as many servo-constraints as inputs and it has one. The work grows with
/// size times index: beyond some size only explain with `inverse` computes it.
std::optional<structure::Structure> inverse_structure(const derive::Dae& forward) {
  constexpr std::size_t quick = 1000;  // unknowns
  if (forward.unknowns.size() > quick) return std::nullopt;
  try {
    return structure::examine(std::make_shared<derive::Dae>(derive::inverse(forward)));
  } catch (const ModelError&) {
    return std::nullopt;  // explain --inverse explains why
  }
}

/// Parameters equal to 0: other values may change what is counted above.
std::string left_out(const model::Model& m, const std::vector<expr::SymbolId>& folded) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> names;
  for (const expr::SymbolId s : folded)
    if (names.size() < shown) names.push_back(m.symbols[s].name);
  const bool one = folded.size() == 1;
  return fmt::format("{} parameter{} 0 and left out of the equations: {}{}", folded.size(),
                     one ? " is" : "s are", fmt::join(names, ", "),
                     folded.size() > shown ? ", ..." : "");
}

/// One line for each name: kind, name, unit, and whether it is stated.
std::string table_of(const std::vector<model::UnitOfName>& units) {
  std::size_t kind = 0, name = 0, unit = 0;
  for (const model::UnitOfName& u : units) {
    kind = std::max(kind, u.kind.size());
    name = std::max<std::size_t>(name, count_code_points(u.name));
    unit = std::max<std::size_t>(unit, count_code_points(u.unit));
  }
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width - count_code_points(text), ' ');
  };
  std::string text = "  units\n";
  for (const model::UnitOfName& u : units) {
    const char* how = u.unit.empty() ? "undetermined" : u.stated ? "stated" : "inferred";
    text += fmt::format("    {}  {}  {}  {}\n", padded(u.kind, kind), padded(u.name, name),
                        padded(u.unit, unit), how);
  }
  return text;
}

/// Each by itself: an experiment chooses which of them act together. Gives the units of their names.
std::vector<model::UnitOfName> check_controllers(const Model& model) {
  std::vector<model::UnitOfName> units;
  if (!model.options().controllers.empty()) return units;
  for (const std::string& name : model.lifted().model->controller_names) {
    LoadOptions alone = model.options();
    alone.controllers = {name};
    const Model loop = model.with(alone);
    for (const model::UnitOfName& unit : loop.lifted().model->units)
      if (unit.name.starts_with(name + ".")) units.push_back(unit);
  }
  return units;
}

}  // namespace

Check check(const Model& model, const CheckOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (std::vector<Diagnostic> faults = experiment_faults(model.library(), model.overrides().model);
      !faults.empty())
    throw ModelError(std::move(faults));
  Check result(model);
  const Independent independent =
      independent_constraints(model, model.lifted(), options.redundant_constraints);
  result.warnings = model.warnings();
  result.warnings.insert(result.warnings.end(), independent.warnings.begin(),
                         independent.warnings.end());
  result.dae = independent.dae;
  result.structure = structure::examine(result.dae);
  result.inverse = inverse_structure(*result.dae);
  if (options.units) result.units = result.dae->model->units;
  const std::vector<model::UnitOfName> own = check_controllers(model);
  if (result.units) result.units->insert(result.units->end(), own.begin(), own.end());
  return result;
}

std::string Check::summary() const {
  const model::Model& m = *dae->model;
  const Counts counts = count(*dae);
  std::string text = fmt::format("{}{}\n  {}\n", m.name, m.doc.empty() ? "" : ": " + m.doc,
                                 text_of(counts, structure.index, structure.degrees_of_freedom));
  for (const structure::Conversion& c : structure.conversions) text += "  " + c.words + "\n";
  if (!structure.remark.empty()) text += "  " + structure.remark + "\n";
  if (!dae->folded.empty()) text += "  " + left_out(m, dae->folded) + "\n";
  if (counts.servos > 0)
    text += fmt::format("  {} servo-constraint{} (used by inversion, ignored by simulation)\n",
                        counts.servos, plural(counts.servos));
  if (inverse)
    text += fmt::format("  inverse model: index {}, {} free initial value{}\n", inverse->index,
                        inverse->degrees_of_freedom, inverse->degrees_of_freedom == 1 ? "" : "s");
  if (counts.events > 0)
    text += fmt::format("  {} event{}\n", counts.events, plural(counts.events));
  if (!m.controller_names.empty())
    text += fmt::format("  controller{} {}\n", plural(m.controller_names.size()),
                        fmt::join(m.controller_names, ", "));
  for (const model::Experiment& e : m.experiments)
    text += fmt::format("  experiment {}{}\n", e.name, e.doc.empty() ? "" : ": " + e.doc);
  if (units) text += table_of(*units);
  return text;
}

Json Check::json() const {
  const model::Model& m = *dae->model;
  const Counts c = count(*dae);
  nlohmann::ordered_json json{{"model", m.name},
                              {"doc", m.doc},
                              {"coordinates", c.coordinates},
                              {"driven", c.driven},
                              {"variables", c.variables},
                              {"constraints", c.constraints},
                              {"inputs", c.inputs},
                              {"outputs", c.outputs},
                              {"equations", c.equations},
                              {"index", structure.index},
                              {"free_initial_values", structure.degrees_of_freedom}};
  if (inverse)
    json["inverse"] = {{"index", inverse->index},
                       {"free_initial_values", inverse->degrees_of_freedom}};
  json["controllers"] = m.controller_names;
  json["sizes"] = m.sizes;
  json["redundant_constraints"] = names_of_left_out(*dae);
  json["folded_parameters"] = names_of(m, dae->folded);
  json["unknowns"] = nlohmann::ordered_json::array();
  for (const expr::SymbolId s : dae->unknowns)
    json["unknowns"].push_back(
        {{"name", m.symbols[s].name}, {"unit", m.symbols[s].unit}, {"doc", m.symbols[s].doc}});
  if (units) {
    json["units"] = nlohmann::ordered_json::array();
    for (const model::UnitOfName& u : *units)
      json["units"].push_back(
          {{"name", u.name}, {"kind", u.kind}, {"unit", u.unit}, {"stated", u.stated}});
  }
  json["experiments"] = nlohmann::ordered_json::array();
  for (const model::Experiment& e : m.experiments) json["experiments"].push_back(e.name);
  return {std::move(json)};
}

}  // namespace task
}  // namespace daedal
