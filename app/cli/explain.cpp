// daedal explain: the equations written out, and their structure.
#include "commands.hpp"
#include "daedal/emit/equations.hpp"
#include "daedal/emit/structure.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/examine.hpp"
#include "json_answer.hpp"
#include "lifting.hpp"
#include "pipeline.hpp"
#include "redundancy.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace daedal::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t shown_equations = 60;  // of a large model; --json holds all of them
constexpr std::size_t shown_signature =
    12;  // unknowns up to which the signature matrix is readable

/// Everything that is told, in one place.
struct Explanation {
  const derive::Dae& dae;                // as given
  structure::Structure structure;        // checked; its Dae may be converted
  std::vector<structure::Block> blocks;  // of the checked Dae
  std::vector<emit::WrittenEquation> equations, converted, hidden;
};

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

Explanation explain_dae(const std::shared_ptr<const derive::Dae>& dae) {
  Explanation e{*dae, structure::examine(dae), {}, {}, {}, {}};
  const structure::Structure& s = e.structure;
  e.blocks = structure::fine_blocks(s.offsets, structure::signature(*s.dae));
  e.equations = emit::written_equations(*dae);
  if (s.basis == structure::Basis::conversion) e.converted = converted_equations(s);
  e.hidden = emit::written_derivatives(*s.dae, s.offsets);
  return e;
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

// --- machine-readable

ordered_json to_json(const std::vector<emit::WrittenEquation>& equations) {
  auto list = ordered_json::array();
  for (const emit::WrittenEquation& e : equations)
    list.push_back(
        {{"name", e.name}, {"derivative", e.derivative}, {"text", e.text}, {"latex", e.latex}});
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

ordered_json to_json(const Explanation& e) {
  const model::Model& m = *e.dae.model;
  ordered_json json;
  json["model"] = m.name;
  json["inverse"] = e.dae.inverse;
  json["index"] = e.structure.index;
  json["free_initial_values"] = e.structure.degrees_of_freedom;
  json["redundant_constraints"] = ordered_json::array();
  for (const std::uint32_t i : e.dae.left_out.constraints)
    json["redundant_constraints"].push_back(m.constraints[i].name);
  json["folded_parameters"] = ordered_json::array();
  for (const expr::SymbolId s : e.dae.folded)
    json["folded_parameters"].push_back(m.symbols[s].name);
  json["equations"] = to_json(e.equations);
  json["converted_equations"] = to_json(e.converted);
  json["hidden_constraints"] = to_json(e.hidden);
  json["structure"] = to_json(e.structure, e.blocks);
  return json;
}

// --- for people

void print_list(const char* title, const std::vector<emit::WrittenEquation>& equations,
                bool latex) {
  if (equations.empty()) return;
  fmt::print("\n{}\n", title);
  for (std::size_t i = 0; i < std::min(equations.size(), shown_equations); ++i) {
    const emit::WrittenEquation& e = equations[i];
    const std::string& text = latex ? e.latex : e.text;
    fmt::print("  {}:\n    {}\n", e.name, text.empty() ? "(not written out)" : text);
  }
  if (equations.size() > shown_equations)
    fmt::print("  ... and {} more (all of them with --json)\n", equations.size() - shown_equations);
}

void print_conversions(const Explanation& e) {
  const structure::Structure& s = e.structure;
  if (s.basis == structure::Basis::conversion) {
    const structure::Offsets plain = structure::analyse(e.dae);
    fmt::print(
        "\nconversion\n  The signature of the equations as they stand says index {}, {} free "
        "initial value{}, but "
        "their Jacobian is\n  singular at every point: the structure hides a dependency.\n",
        plain.index, plain.degrees_of_freedom, plain.degrees_of_freedom == 1 ? "" : "s");
    for (const structure::Conversion& c : s.conversions) fmt::print("  {}\n", c.words);
  }
  if (!s.remark.empty()) fmt::print("\nnot decided by structure\n  {}\n", s.remark);
  if (s.basis == structure::Basis::derivative_array)
    fmt::print("  index and free initial values are numerical ranks of the derivative array\n");
  if (s.basis == structure::Basis::nothing)
    fmt::print(
        "  index and free initial values are those of the signature alone and may be wrong\n");
}

void print_structure(const Explanation& e) {
  const structure::Structure& s = e.structure;
  if (s.dae->unknowns.size() <= shown_signature) {
    fmt::print(
        "\nsignature: highest derivative of each unknown (* matched, brackets: not decisive), "
        "offsets c and d\n");
    fmt::print("{}", emit::signature_table(*s.dae, s.offsets));
  }
  fmt::print(
      "\norder of solution, {} block{}: equations (times differentiated) -> highest derivatives\n",
      e.blocks.size(), e.blocks.size() == 1 ? "" : "s");
  fmt::print("{}", emit::order_of_solution(*s.dae, s.offsets, e.blocks));
}

void print_explanation(const Explanation& e, bool latex) {
  const model::Model& m = *e.dae.model;
  structure::Offsets told;
  told.index = e.structure.index;
  told.degrees_of_freedom = e.structure.degrees_of_freedom;
  fmt::print("{}{}\n  {}{}\n", m.name, m.doc.empty() ? "" : ": " + m.doc,
             e.dae.inverse ? "inverse model: " : "", summary(count(e.dae), told));
  for (const expr::SymbolId s : e.dae.folded)
    fmt::print("  parameter {} = 0 is left out of the equations\n", m.symbols[s].name);
  if (!m.lifted.empty())
    fmt::print(
        "  positions of recursive lets are lifted, {} to {}: unknowns with their definitions as "
        "equations\n  (--lifting never writes them out)\n",
        m.symbols[m.lifted.front().symbol].name, m.symbols[m.lifted.back().symbol].name);
  print_list("equations", e.equations, latex);
  print_conversions(e);
  print_list("equations after conversion", e.converted, latex);
  print_list("derivatives of equations that the motion has to satisfy", e.hidden, latex);
  print_structure(e);
}

}  // namespace

int explain(const Arguments& arguments) {
  Loaded loaded = load_model(
      arguments, arguments.inverse ? model::Lifting::never : lifting_of_forward_models(arguments));
  const Independent independent = independent_constraints(loaded, arguments);
  print_warnings(arguments, independent.warnings);
  loaded.dae = independent.dae;
  const std::shared_ptr<const derive::Dae> dae =
      arguments.inverse ? std::make_shared<derive::Dae>(derive::inverse(*loaded.dae)) : loaded.dae;
  const Explanation explanation = explain_dae(dae);
  if (arguments.json)
    print_json(arguments, to_json(explanation));
  else
    print_explanation(explanation, arguments.latex);
  return 0;
}

}  // namespace daedal::cli
