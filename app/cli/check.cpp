// daedal check: parse and count.
#include "commands.hpp"
#include "daedal/structure/examine.hpp"
#include "json_answer.hpp"
#include "lifting.hpp"
#include "pipeline.hpp"
#include "redundancy.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>
#include <optional>

namespace daedal::cli {

namespace {

/// The inverse model's structure, when there are as many servo-constraints as inputs and it has one. The work grows with
/// size times index: beyond some size only who asks for it (explain --inverse) waits for it.
std::optional<structure::Structure> inverse_structure(const derive::Dae& forward) {
  constexpr std::size_t quick = 1000;  // unknowns
  if (forward.unknowns.size() > quick) return std::nullopt;
  try {
    return structure::examine(std::make_shared<derive::Dae>(derive::inverse(forward)));
  } catch (const ModelError&) {
    return std::nullopt;  // explain --inverse tells why
  }
}

nlohmann::ordered_json to_json(const Loaded& loaded, const Counts& c,
                               const structure::Offsets& offsets,
                               const std::optional<structure::Structure>& inverse) {
  const model::Model& m = *loaded.dae->model;
  nlohmann::ordered_json json;
  json["model"] = m.name;
  json["doc"] = m.doc;
  json["coordinates"] = c.coordinates;
  json["driven"] = c.driven;
  json["variables"] = c.variables;
  json["constraints"] = c.constraints;
  json["inputs"] = c.inputs;
  json["outputs"] = c.outputs;
  json["equations"] = c.equations;
  json["index"] = offsets.index;
  json["free_initial_values"] = offsets.degrees_of_freedom;
  if (inverse)
    json["inverse"] = {{"index", inverse->index},
                       {"free_initial_values", inverse->degrees_of_freedom}};
  json["sizes"] = m.sizes;
  json["redundant_constraints"] = nlohmann::ordered_json::array();
  for (const std::uint32_t i : loaded.dae->left_out.constraints)
    json["redundant_constraints"].push_back(m.constraints[i].name);
  json["folded_parameters"] = nlohmann::ordered_json::array();
  for (const expr::SymbolId s : loaded.dae->folded)
    json["folded_parameters"].push_back(m.symbols[s].name);
  json["unknowns"] = nlohmann::ordered_json::array();
  for (const expr::SymbolId s : loaded.dae->unknowns)
    json["unknowns"].push_back(
        {{"name", m.symbols[s].name}, {"unit", m.symbols[s].unit}, {"doc", m.symbols[s].doc}});
  json["experiments"] = nlohmann::ordered_json::array();
  for (const model::Experiment& e : m.experiments) json["experiments"].push_back(e.name);
  return json;
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

}  // namespace

int check(const Arguments& arguments) {
  if (arguments.print) {
    const model::Library library = model::load(arguments.file);
    model::elaborate(
        library, arguments.overrides);  // faults in the meaning are told before anything is printed
    std::fputs(model::print(library.files.back()).c_str(), stdout);
    return 0;
  }
  Loaded loaded = load_model(arguments, lifting_of_forward_models(arguments));
  const Independent independent = independent_constraints(loaded, arguments);
  print_warnings(arguments, independent.warnings);
  loaded.dae = independent.dae;
  const structure::Structure structure = structure::examine(loaded.dae);
  structure::Offsets offsets = structure.offsets;
  offsets.index = structure.index;
  offsets.degrees_of_freedom = structure.degrees_of_freedom;
  const Counts counts = count(*loaded.dae);
  const std::optional<structure::Structure> inverse = inverse_structure(*loaded.dae);
  if (arguments.json) {
    print_json(arguments, to_json(loaded, counts, offsets, inverse));
    return 0;
  }
  const model::Model& m = *loaded.dae->model;
  fmt::print("{}{}\n  {}\n", m.name, m.doc.empty() ? "" : ": " + m.doc, summary(counts, offsets));
  for (const structure::Conversion& c : structure.conversions) fmt::print("  {}\n", c.words);
  if (!structure.remark.empty()) fmt::print("  {}\n", structure.remark);
  if (!loaded.dae->folded.empty()) fmt::print("  {}\n", left_out(m, loaded.dae->folded));
  if (counts.servos > 0)
    fmt::print("  {} servo-constraint{} (used by inversion, ignored by simulation)\n",
               counts.servos, counts.servos == 1 ? "" : "s");
  if (inverse)
    fmt::print("  inverse model: index {}, {} free initial value{}\n", inverse->index,
               inverse->degrees_of_freedom, inverse->degrees_of_freedom == 1 ? "" : "s");
  if (counts.events > 0) fmt::print("  {} event{}\n", counts.events, counts.events == 1 ? "" : "s");
  for (const model::Experiment& e : m.experiments)
    fmt::print("  experiment {}{}\n", e.name, e.doc.empty() ? "" : ": " + e.doc);
  return 0;
}

}  // namespace daedal::cli
