// daedal explain: the equations, written out.
#include "commands.hpp"
#include "daedal/emit/equations.hpp"
#include "pipeline.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace daedal::cli {

namespace {

constexpr std::size_t shown_equations = 60;  // of a large model; --json holds all of them

void print_list(const char* title, const std::vector<emit::WrittenEquation>& equations,
                bool latex) {
  if (equations.empty()) return;
  fmt::print("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(equations.size(), shown_equations); ++i) {
    const emit::WrittenEquation& e = equations[i];
    fmt::print("  {}:\n    {}\n", e.name, latex ? e.latex : e.text);
  }
  if (equations.size() > shown_equations)
    fmt::print("  ... and {} more (all of them with --json)\n", equations.size() - shown_equations);
}

nlohmann::ordered_json to_json(const std::vector<emit::WrittenEquation>& equations) {
  auto list = nlohmann::ordered_json::array();
  for (const emit::WrittenEquation& e : equations)
    list.push_back(
        {{"name", e.name}, {"derivative", e.derivative}, {"text", e.text}, {"latex", e.latex}});
  return list;
}

}  // namespace

int explain(const Arguments& arguments) {
  const Loaded loaded = load_model(arguments);
  formulate::Formulation formulation;
  formulation.kind = formulate::Kind::index1;
  const formulate::Problem problem = formulate::formulate(loaded.dae, formulation);
  const derive::Dae& dae = *loaded.dae;
  const model::Model& m = *dae.model;
  const auto equations = emit::written_equations(dae);
  auto hidden = emit::written_derivatives(problem);
  std::erase_if(hidden, [](const emit::WrittenEquation& e) { return e.derivative == 0; });
  if (arguments.json) {
    nlohmann::ordered_json json;
    json["model"] = m.name;
    json["index"] = problem.offsets.index;
    json["free_initial_values"] = problem.offsets.degrees_of_freedom;
    json["equations"] = to_json(equations);
    json["hidden_constraints"] = to_json(hidden);
    auto offsets = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < dae.equations.size(); ++i)
      offsets.push_back({{"equation", dae.equations[i].name},
                         {"c", problem.offsets.c[i]},
                         {"unknown", m.symbols[dae.unknowns[i]].name},
                         {"d", problem.offsets.d[i]}});
    json["offsets"] = std::move(offsets);
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("{}{}\n  {}\n", m.name, m.doc.empty() ? "" : ": " + m.doc,
             summary(count(dae), problem.offsets));
  for (const expr::SymbolId s : dae.folded)
    fmt::print("  parameter {} = 0 is folded\n", m.symbols[s].name);
  print_list("equations", equations, arguments.latex);
  print_list("derivatives of constraints that the motion has to satisfy", hidden, arguments.latex);
  return 0;
}

}  // namespace daedal::cli
