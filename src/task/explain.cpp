// The equations written out, and their structure.
#include "daedal/emit/structure.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/counts.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/page.hpp"
#include "names.hpp"
#include "redundancy.hpp"
#include "warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t shown_equations = 60;  // of a large model; JSON holds all of them
constexpr std::size_t shown_signature = 12;  // unknowns up to which the signature is readable

/// The equations that took the place of given ones.
std::vector<emit::WrittenEquation> converted_equations(const structure::Structure& s) {
  const std::vector<emit::WrittenEquation> all = emit::written_equations(*s.dae);
  std::vector<bool> replaced(all.size(), false);
  for (const structure::Conversion& c : s.conversions)
    if (c.method == structure::Conversion::Method::linear_combination) replaced[c.equation] = true;
  std::vector<emit::WrittenEquation> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (replaced[i]) result.push_back(all[i]);
  return result;
}

const char* word(structure::Basis basis) {
  switch (basis) {
    case structure::Basis::offsets:
      return "offsets";
    case structure::Basis::conversion:
      return "conversion";
    case structure::Basis::derivative_array:
      return "derivative array";
    case structure::Basis::nothing:
      return "nothing";
  }
  return "";
}

ordered_json to_json(const std::vector<emit::WrittenEquation>& equations) {
  auto list = ordered_json::array();
  for (const emit::WrittenEquation& e : equations) {
    stop_point();  // hidden ones grow with unknowns times index
    list.push_back(
        {{"name", e.name}, {"derivative", e.derivative}, {"text", e.text}, {"latex", e.latex}});
  }
  return list;
}

ordered_json to_json(const structure::Structure& s, const std::vector<structure::Block>& blocks) {
  const derive::Dae& dae = *s.dae;
  const auto unknown = [&](std::uint32_t j) { return dae.model->symbols[dae.unknowns[j]].name; };
  const auto equation = [&](std::uint32_t i) { return dae.equations[i].name; };
  ordered_json json;
  json["basis"] = word(s.basis);
  if (!s.remark.empty()) json["remark"] = s.remark;
  json["conversions"] = ordered_json::array();
  for (const structure::Conversion& c : s.conversions) json["conversions"].push_back(c.words);
  json["equations"] = ordered_json::array();
  for (std::uint32_t i = 0; i < dae.equations.size(); ++i)
    json["equations"].push_back({{"name", equation(i)},
                                 {"c", s.offsets.c[i]},
                                 {"matched", unknown(s.offsets.assignment[i])}});
  json["unknowns"] = ordered_json::array();
  for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j)
    json["unknowns"].push_back({{"name", unknown(j)}, {"d", s.offsets.d[j]}});
  json["signature"] = ordered_json::array();
  for (const structure::SignatureEntry& e : structure::signature(dae))
    json["signature"].push_back({e.equation, e.unknown, e.order});
  json["blocks"] = ordered_json::array();
  for (const structure::Block& block : blocks) {
    ordered_json names{{"equations", ordered_json::array()}, {"unknowns", ordered_json::array()}};
    for (const std::uint32_t i : block.equations) names["equations"].push_back(equation(i));
    for (const std::uint32_t j : block.unknowns) names["unknowns"].push_back(unknown(j));
    json["blocks"].push_back(std::move(names));
  }
  return json;
}

void add_list(std::string& text, const char* title,
              const std::vector<emit::WrittenEquation>& equations, bool latex) {
  if (equations.empty()) return;
  text += fmt::format("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(equations.size(), shown_equations); ++i) {
    const emit::WrittenEquation& e = equations[i];
    const std::string& equation = latex ? e.latex : e.text;
    text +=
        fmt::format("  {}:\n    {}\n", e.name, equation.empty() ? "(not written out)" : equation);
  }
  if (equations.size() > shown_equations)
    text += fmt::format("  ... and {} more (JSON has all of them)\n",
                        equations.size() - shown_equations);
}

void add_conversions(std::string& text, const Explanation& e) {
  const structure::Structure& s = e.structure;
  if (s.basis == structure::Basis::conversion) {
    const structure::Structure plain = structure::by_signature(e.dae);
    text += fmt::format(
        "\nconversion\n  The signature of the equations as written gives index {}, {} free "
        "initial value{}, but "
        "their Jacobian is\n  singular at every point: the structure hides a dependency.\n",
        plain.index, plain.degrees_of_freedom, plain.degrees_of_freedom == 1 ? "" : "s");
    for (const structure::Conversion& c : s.conversions) text += fmt::format("  {}\n", c.words);
  }
  if (!s.remark.empty()) text += fmt::format("\nnot decided by structure\n  {}\n", s.remark);
  if (s.basis == structure::Basis::derivative_array)
    text += fmt::format(
        "  index and free initial values are numerical ranks of the derivative array\n");
  if (s.basis == structure::Basis::nothing)
    text += fmt::format(
        "  index and free initial values are those of the signature alone and may be wrong\n");
}

void add_structure(std::string& text, const Explanation& e) {
  const structure::Structure& s = e.structure;
  if (s.dae->unknowns.size() <= shown_signature) {
    text += fmt::format(
        "\nsignature: highest derivative of each unknown (* matched, brackets: not decisive), "
        "offsets c and d\n");
    text += (emit::signature_table(*s.dae, s.offsets));
  }
  text += fmt::format(
      "\norder of solution, {} block{}: equations (times differentiated) -> highest derivatives\n",
      e.blocks.size(), e.blocks.size() == 1 ? "" : "s");
  text += (emit::order_of_solution(*s.dae, s.offsets, e.blocks));
}

}  // namespace

Explanation explain(const Model& model, const ExplainOptions& options) {
  const StopScope stoppable(options.watch.stop);
  refuse_controllers(model, Refused::clocks);
  Explanation e(model);
  const Mechanism& form = options.inverse ? model.written_out() : model.lifted();
  const Independent independent =
      independent_constraints(model, form, options.redundant_constraints);
  e.warnings = model.warnings();
  e.warnings.insert(e.warnings.end(), independent.warnings.begin(), independent.warnings.end());
  e.latex = options.latex;
  e.dae = independent.dae;
  keeping_warnings(e, [&] {
    if (options.inverse)
      e.dae = std::make_shared<const derive::Dae>(derive::inverse(*independent.dae));
    e.structure = structure::examine(e.dae);
  });
  const structure::Structure& s = e.structure;
  e.blocks = structure::fine_blocks(s.offsets, structure::signature(*s.dae));
  e.equations = emit::written_equations(*e.dae);
  if (s.basis == structure::Basis::conversion) e.converted = converted_equations(s);
  e.hidden = emit::written_derivatives(*s.dae, s.offsets);
  return e;
}

std::string Explanation::summary() const {
  const model::Model& m = *dae->model;
  std::string text =
      fmt::format("{}{}\n  {}{}\n", m.name, m.doc.empty() ? "" : ": " + m.doc,
                  dae->inverse ? "inverse model: " : "",
                  text_of(count(*dae), structure.index, structure.degrees_of_freedom));
  for (const expr::SymbolId s : dae->folded)
    text += fmt::format("  parameter {} = 0 is left out of the equations\n", m.symbols[s].name);
  if (!m.lifted.empty())
    text += fmt::format(
        "  positions of recursive lets are lifted, {} to {}: unknowns with their definitions as "
        "equations\n  (`lifting = never` writes them out)\n",
        m.symbols[m.lifted.front().symbol].name, m.symbols[m.lifted.back().symbol].name);
  add_list(text, "equations", equations, latex);
  add_conversions(text, *this);
  add_list(text, "equations after conversion", converted, latex);
  add_list(text, "derivatives of equations that the motion has to satisfy", hidden, latex);
  add_structure(text, *this);
  return text;
}

Json Explanation::json() const {
  const model::Model& m = *dae->model;
  return {{{"model", m.name},
           {"inverse", dae->inverse},
           {"index", structure.index},
           {"free_initial_values", structure.degrees_of_freedom},
           {"redundant_constraints", names_of_left_out(*dae)},
           {"folded_parameters", names_of(m, dae->folded)},
           {"equations", to_json(equations)},
           {"converted_equations", to_json(converted)},
           {"hidden_constraints", to_json(hidden)},
           {"structure", to_json(structure, blocks)}}};
}

void Explanation::illustrate(emit::Report& page) const {
  page.facts.emplace_back("model",
                          text_of(count(*dae), structure.index, structure.degrees_of_freedom));
  add_equations(page, structure);
}

}  // namespace task
}  // namespace daedal
