// daedal analyse: equilibrium, poles, zeros, relative degree, verdict.
#include "applicability.hpp"
#include "commands.hpp"
#include "daedal/analyse/continuation.hpp"
#include "daedal/analyse/portrait.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/emit/drawing.hpp"
#include "daedal/expr/calculus.hpp"
#include "json_answer.hpp"
#include "pipeline.hpp"
#include "question_page.hpp"
#include "questions.hpp"
#include "redundancy.hpp"
#include "report.hpp"
#include "response.hpp"
#include "stable_inversion.hpp"
#include "zero_map.hpp"
#include "zero_search.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

namespace daedal::cli {

namespace {

using cli::to_json;
using daedal::analyse::Cluster;
using daedal::analyse::Equilibrium;
using daedal::analyse::InputOutput;
using daedal::analyse::Portrait;
using daedal::analyse::Reachability;
using daedal::analyse::Spectrum;
using nlohmann::ordered_json;

constexpr std::size_t shown_values = 8;  // of a pose; --json holds all of them

// --- the question

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
    throw ModelError({Severity::error,
                      m.place,
                      fmt::format("--free {}: model '{}' has no input '{}'", name, m.name, name),
                      {},
                      !near.empty()   ? fmt::format("did you mean '{}'?", near)
                      : known.empty() ? "it has no inputs"
                                      : fmt::format("its inputs: {}", fmt::join(known, ", "))});
  }
  return found;
}

/// Reactions that redundant constraints share are not determined: no output to analyse may contain one.
void refuse_shared_reactions(const Independent& independent, const Arguments& arguments) {
  if (independent.shared.empty()) return;
  const derive::Dae asked = daedal::analyse::with_outputs(*independent.dae, arguments.outputs);
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
             "replace a joint by one with fewer equations, or analyse other outputs:  --output"});
}

// --- machine-readable

ordered_json to_json(const Equilibrium& e, const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  ordered_json json;
  json["found"] = e.found;
  json["time"] = e.t;
  json["values"] = ordered_json::object();
  for (const expr::SymbolId s : dae.unknowns) json["values"][m.symbols[s].name] = e.values[s];
  json["inputs"] = ordered_json::object();
  for (const model::InputDefault& input : m.inputs)
    json["inputs"][m.symbols[input.input].name] = e.values[input.input];
  json["moved"] = ordered_json::array();
  for (const solve::Move& move : e.moves)
    json["moved"].push_back({{"name", move.name}, {"from", move.from}, {"to", move.to}});
  json["neutral_directions"] = e.neutral_directions;
  return json;
}

const char* phase_of(const InputOutput& io) {
  return io.defined_here() ? daedal::analyse::phase_word(io.margin.side) : "not defined here";
}

ordered_json to_json(const InputOutput& io) {
  ordered_json json;
  json["zeros"] = to_json(io.zeros);
  json["phase"] = phase_of(io);
  json["distance_from_axis"] = io.margin.distance;
  json["relative_degree"] = ordered_json::array();
  for (const int r : io.degree.outputs)
    json["relative_degree"].push_back(r == daedal::analyse::never ? ordered_json(nullptr)
                                                                  : ordered_json(r));
  if (!io.degree.other_outputs.empty() || io.zeros.other) {
    json["other_reading"] = {{"relative_degree", io.degree.other_outputs.empty()
                                                     ? io.degree.outputs
                                                     : io.degree.other_outputs}};
    if (io.zeros.other) {
      json["other_reading"]["zeros"] = io.zeros.other->finite;
      json["other_reading"]["singular_value"] = io.zeros.other->value;
      json["other_reading"]["margin"] = io.zeros.other->margin;
    }
  }
  json["relative_degree_well_defined"] = io.degree.well_defined() && io.defined_here();
  json["decoupling_matrix"] = to_json(io.degree.decoupling_matrix);
  json["decoupling_rank"] = io.degree.rank;
  if (io.configuration) json["configuration"] = daedal::analyse::word(*io.configuration);
  json["inverse"] = {{"index", io.structure.index},
                     {"free_initial_values", io.structure.degrees_of_freedom}};
  json["sensitivities"] = ordered_json::array();
  for (const auto& s : io.sensitivities)
    json["sensitivities"].push_back({{"parameter", s.parameter}, {"rate", s.rate}});
  return json;
}

ordered_json to_json(const Reachability& r) {
  ordered_json json{{"states", r.states}, {"rank", r.rank}, {"hidden", to_json(r.hidden)}};
  if (std::isfinite(r.smallest_gap)) json["smallest_gap"] = r.smallest_gap;
  return json;
}

ordered_json to_json(const Portrait& p, const derive::Dae& dae) {
  ordered_json json;
  json["model"] = dae.model->name;
  json["index"] = p.structure.index;
  json["free_initial_values"] = p.structure.degrees_of_freedom;
  json["equilibrium"] = to_json(p.equilibrium, dae);
  if (!p.equilibrium.found) return json;
  if (const auto s = daedal::analyse::static_stability(dae, p.equilibrium))
    json["static_stability"] = describe(*s);
  json["poles"] = to_json(p.poles);
  json["stability"] = daedal::analyse::stability_word(p.stability.side);
  if (p.controllability) json["controllability"] = to_json(*p.controllability);
  if (p.observability) json["observability"] = to_json(*p.observability);
  if (p.input_output) json["input_output"] = to_json(*p.input_output);
  if (p.system_zeros)
    json["system_zeros"] = {{"zeros", to_json(p.system_zeros->zeros)},
                            {"normal_rank", p.system_zeros->normal_rank}};
  if (!p.no_zeros_because.empty()) json["no_zeros_because"] = p.no_zeros_because;
  json["disagreements"] = p.disagreements;
  json["verdict"] = p.verdict;
  json["change"] = p.change;
  json["linear"] = cli::to_json(p.linear);
  return json;
}

// --- for people

std::string with_unit(const model::Symbol& symbol, double value) {
  return fmt::format("{} = {:.10g}{}", symbol.name, value,
                     symbol.unit.empty() ? "" : " " + symbol.unit);
}

std::string values_of(const derive::Dae& dae, const Equilibrium& e,
                      const std::vector<expr::SymbolId>& symbols) {
  std::string text;
  for (std::size_t k = 0; k < std::min(symbols.size(), shown_values); ++k)
    text += (k == 0 ? "" : ", ") + with_unit(dae.model->symbols[symbols[k]], e.values[symbols[k]]);
  if (symbols.size() > shown_values)
    text += fmt::format(" and {} more", symbols.size() - shown_values);
  return text;
}

void print_equilibrium(const Equilibrium& e, const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  std::vector<expr::SymbolId> positions, inputs;
  for (const expr::SymbolId s : dae.unknowns)
    if (m.symbols[s].kind != model::SymbolKind::multiplier) positions.push_back(s);
  for (const model::InputDefault& input : m.inputs) inputs.push_back(input.input);
  fmt::print("  equilibrium    {}\n", values_of(dae, e, positions));
  if (!inputs.empty()) fmt::print("                 with {}\n", values_of(dae, e, inputs));
  if (!e.moves.empty())
    fmt::print("                 {} value{} moved from the start, first {}: {:.6g} -> {:.10g}\n",
               e.moves.size(), e.moves.size() == 1 ? "" : "s", e.moves[0].name, e.moves[0].from,
               e.moves[0].to);
  if (e.from_perturbed_guess)
    fmt::print(
        "                 found from values near the start: the start itself leads nowhere\n");
  if (e.neutral_directions > 0)
    fmt::print("                 one of many: the pose can move in {} direction{}\n",
               e.neutral_directions, e.neutral_directions == 1 ? "" : "s");
}

/// "6 of 8 states; no input reaches -5 (twice)".
std::string reach_line(const Reachability& r, const char* hidden_from) {
  std::string text = fmt::format("{} of {} state{}", r.rank, r.states, r.states == 1 ? "" : "s");
  if (!r.complete()) text += fmt::format("; {} ", hidden_from);
  std::size_t told = 0;
  for (const Cluster& c : r.hidden.clusters) {
    if (c.mean.imag() < 0) continue;
    if (++told > shown_values) return text + ", ...";
    text += fmt::format("{}{}{}", told == 1 ? "" : ", ", daedal::analyse::text_of(c, true),
                        c.multiplicity > 1 ? fmt::format(" ({} times)", c.multiplicity) : "");
  }
  return text;
}

void print_reachability(const Portrait& p) {
  if (p.controllability)
    fmt::print("\n  controllable    {}\n", reach_line(*p.controllability, "no input reaches"));
  if (p.observability)
    fmt::print("  observable      {}\n", reach_line(*p.observability, "no output shows"));
}

std::string degrees(const InputOutput& io, const Portrait& p) {
  std::string text;
  for (const int r : io.degree.outputs) text += fmt::format("{}{}", text.empty() ? "" : ", ", r);
  if (io.degree.outputs.size() > 1) text = "(" + text + ")";
  if (!io.degree.other_outputs.empty())
    text += fmt::format(", or {} if near-singular values count as zero",
                        fmt::join(io.degree.other_outputs, ", "));
  if (io.degree.well_defined()) return io.defined_here() ? text : text + " at this point alone";
  return fmt::format(
      "no vector: inputs are felt first in derivatives {}, but the decoupling matrix has "
      "rank {}; in all {}, poles less zeros",
      text, io.degree.rank, p.poles.finite() - io.zeros.finite());
}

void print_input_output(const Portrait& p) {
  if (!p.input_output && p.system_zeros) {
    const Spectrum& zeros = p.system_zeros->zeros;
    fmt::print("\n  zeros of {} against {}: {}\n", fmt::join(p.linear.outputs, ", "),
               fmt::join(p.linear.inputs, ", "), zeros.finite() == 0 ? "none" : "common to all");
    print_spectrum(zeros);
    fmt::print("  no inverse model: {}\n", p.no_zeros_because);
    return;
  }
  if (!p.input_output) {
    fmt::print("\n  no zeros: {}\n", p.no_zeros_because);
    return;
  }
  const InputOutput& io = *p.input_output;
  fmt::print("\n  zeros of {} against {}: {}\n", fmt::join(p.linear.outputs, ", "),
             fmt::join(p.linear.inputs, ", "), io.zeros.finite() == 0 ? "none" : phase_of(io));
  print_spectrum(io.zeros);
  fmt::print("\n  relative degree {}\n", degrees(io, p));
  if (io.configuration)
    fmt::print("  configuration   {}\n", daedal::analyse::word(*io.configuration));
  fmt::print("  inverse model   index {}, {} free initial value{}\n", io.structure.index,
             io.structure.degrees_of_freedom, io.structure.degrees_of_freedom == 1 ? "" : "s");
}

/// Sentences beside a word of the margin, broken between words.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 100, margin = 11;
  std::string result, word;
  std::size_t column = margin;
  std::istringstream words(text);
  while (words >> word) {
    const bool first = result.empty();
    if (!first && column + 1 + word.size() > width) {
      result += "\n" + std::string(margin, ' ');
      column = margin;
    } else if (!first) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

void print_portrait(const Portrait& p, const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  structure::Offsets told;
  told.index = p.structure.index;
  told.degrees_of_freedom = p.structure.degrees_of_freedom;
  fmt::print("{}{}\n  model          {}\n", m.name, m.doc.empty() ? "" : ": " + m.doc,
             summary(count(dae), told));
  print_equilibrium(p.equilibrium, dae);
  if (const auto s = daedal::analyse::static_stability(dae, p.equilibrium))
    fmt::print("                 statically {}\n", describe(*s));
  fmt::print("\n  poles: {}\n", daedal::analyse::stability_word(p.stability.side));
  print_spectrum(p.poles);
  print_reachability(p);
  print_input_output(p);
  if (!p.disagreements.empty()) fmt::print("\n");
  for (const std::string& sentence : p.disagreements)
    fmt::print("  doubt    {}\n", wrapped(sentence));
  fmt::print("\n  verdict  {}\n", wrapped(p.verdict));
  if (!p.change.empty()) fmt::print("  change   {}\n", wrapped(p.change));
  if (p.input_output && p.input_output->margin.side == daedal::analyse::Side::right)
    fmt::print("  ways out {}\n", wrapped(ways_out_of_unstable_zeros));
}

void print_reduction(const Reduction& reduction) {
  std::istringstream lines(reduction_text(reduction));
  std::string line;
  for (bool first = true; std::getline(lines, line); first = false)
    fmt::print("{}  {:<8} {}\n", first ? "\n" : "", first ? "reduced" : "", line);
}

// --- as a page

/// The pose as a row, so that it is drawn as a moment of a motion would be.
Table pose_of(const Equilibrium& e, const model::Model& m) {
  std::vector<Column> columns;
  std::vector<double> values;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s) {
    if (m.symbols[s].kind == model::SymbolKind::parameter) continue;
    columns.push_back({s == expr::time_symbol ? "t" : m.symbols[s].name, m.symbols[s].unit});
    values.push_back(s == expr::time_symbol ? e.t : e.values[s]);
  }
  Table table(std::move(columns));
  std::copy(values.begin(), values.end(), table.append().begin());
  return table;
}

void add_spectra(emit::Report& page, const Portrait& p) {
  emit::Chart map = empty_pole_zero_map();
  add_spectrum(page, map, p.poles, "poles", "cross");
  const Spectrum* const zeros = p.input_output   ? &p.input_output->zeros
                                : p.system_zeros ? &p.system_zeros->zeros
                                                 : nullptr;
  if (zeros != nullptr && zeros->finite() > 0) add_spectrum(page, map, *zeros, "zeros", "ring");
  page.charts.push_back(std::move(map));
}

/// Sections of the summary in short: what stands in tables is left to them.
void add_portrait_facts(emit::Report& page, const Portrait& p, const derive::Dae& dae) {
  const auto add = [&](const char* word, std::string text) {
    page.facts.emplace_back(word, std::move(text));
  };
  structure::Offsets told;
  told.index = p.structure.index;
  told.degrees_of_freedom = p.structure.degrees_of_freedom;
  add("model", summary(count(dae), told));
  std::vector<expr::SymbolId> positions;
  for (const expr::SymbolId s : dae.unknowns)
    if (dae.model->symbols[s].kind != model::SymbolKind::multiplier) positions.push_back(s);
  add("equilibrium", values_of(dae, p.equilibrium, positions));
  add("poles", std::string(daedal::analyse::stability_word(p.stability.side)));
  if (p.controllability) add("controllable", reach_line(*p.controllability, "no input reaches"));
  if (p.observability) add("observable", reach_line(*p.observability, "no output shows"));
  if (p.input_output) {
    const InputOutput& io = *p.input_output;
    add("zeros", io.zeros.finite() == 0 ? "none" : std::string(phase_of(io)));
    add("relative degree", degrees(io, p));
    if (io.configuration) add("configuration", daedal::analyse::word(*io.configuration));
    add("inverse model", fmt::format("index {}, {} free initial value{}", io.structure.index,
                                     io.structure.degrees_of_freedom,
                                     io.structure.degrees_of_freedom == 1 ? "" : "s"));
  } else if (!p.no_zeros_because.empty()) {
    add("no inverse", p.no_zeros_because);
  }
  if (!p.change.empty()) add("change", p.change);
  if (p.input_output && p.input_output->margin.side == daedal::analyse::Side::right)
    add("ways out", ways_out_of_unstable_zeros);
}

void write_page(const Loaded& loaded, const Portrait& p, const std::optional<Reduction>& reduction,
                const Arguments& a) {
  emit::Report page = report_of(loaded, a, loaded.model->name);
  page.verdict = p.verdict;
  page.verdict[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(page.verdict[0])));
  page.warnings.insert(page.warnings.end(), p.disagreements.begin(), p.disagreements.end());
  const bool unstable =
      p.input_output && p.input_output->margin.side == daedal::analyse::Side::right;
  page.tone = p.disagreements.empty() && !unstable ? emit::Tone::good : emit::Tone::doubtful;
  add_portrait_facts(page, p, *loaded.dae);
  page.drawing = emit::draw(*loaded.model, pose_of(p.equilibrium, *loaded.model));
  add_spectra(page, p);
  if (!a.response.empty()) add_response(page, p.linear, p.poles, a);
  if (reduction) add_reduction(page, *reduction);
  add_equations(page, *p.structure.dae, p.structure.offsets);
  write_report(page, a.report, a.json);
}

}  // namespace

int analyse(const Arguments& arguments) {
  check_response(arguments);
  refuse_options_without_effect(arguments);
  const Questions& asked = arguments.questions;
  emit::check_writable(asked.mat);
  emit::check_writable(arguments.report);
  Loaded loaded = load_model(arguments);
  const Independent independent = independent_constraints(loaded, arguments);
  print_warnings(arguments, independent.warnings);
  loaded.dae = independent.dae;
  refuse_shared_reactions(independent, arguments);
  if (asks_for_search(arguments)) return report_zero_search(loaded, arguments);
  if (!arguments.redefine.empty() || !arguments.vary.empty())
    return report_zero_map(loaded, arguments);
  const std::vector<expr::SymbolId> free = inputs_named(*loaded.dae->model, arguments.free);
  if (const std::optional<int> code = answer_question({arguments, loaded, free})) return *code;
  daedal::analyse::PortraitOptions options;
  options.equilibrium.free_inputs = free;
  options.outputs = arguments.outputs;
  const Portrait portrait = daedal::analyse::portrait(loaded.dae, options);
  const bool found = portrait.equilibrium.found;
  ordered_json json;
  if (arguments.json) json = to_json(portrait, *loaded.dae);
  if (!arguments.json && found) print_portrait(portrait, *loaded.dae);
  std::optional<Reduction> reduction;
  if (found && asked.reduce) reduction = reduction_of(portrait.linear, arguments);
  if (reduction && arguments.json)
    json["reduced"] = to_json(*reduction, portrait.linear, arguments);
  else if (reduction)
    print_reduction(*reduction);
  if (found && asked.directions) {
    ordered_json directions = answer_directions(portrait, *loaded.dae, arguments);
    if (arguments.json) json["zero_directions"] = std::move(directions);
  }
  if (found && !arguments.response.empty()) {
    ordered_json response = answer_response(portrait.linear, portrait.poles, arguments);
    if (arguments.json) json["response"] = std::move(response);
  }
  if (arguments.json && !found)
    json["diagnostics"] = {
        cli::to_json(daedal::analyse::no_equilibrium(*loaded.dae, portrait.equilibrium))};
  if (arguments.json) print_json(arguments, json);
  if (!found) {
    std::fflush(stdout);
    const Diagnostic why = daedal::analyse::no_equilibrium(*loaded.dae, portrait.equilibrium);
    std::fprintf(stderr, "%s\n", render(why).c_str());
    if (!arguments.report.empty())
      write_report(refusal(loaded, arguments, loaded.model->name, {why}), arguments.report,
                   arguments.json);
    return 1;
  }
  if (!asked.mat.empty()) write_mat(portrait.linear, asked.mat);
  if (!arguments.report.empty()) write_page(loaded, portrait, reduction, arguments);
  return 0;
}

}  // namespace daedal::cli
