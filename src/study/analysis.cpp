// An analysis for people, for programs and on a page.
#include "analysis_details.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/run/columns.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/counts.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/page.hpp"
#include "daedal/task/spectrum.hpp"
#include "loop_design.hpp"
#include "margins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t shown_values = 8;  // of a pose; JSON holds all of them

// --- for programs

ordered_json to_json(const analysis::Equilibrium& e, const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  ordered_json json;
  json["found"] = e.found;
  json["time"] = e.t;
  json["values"] = ordered_json::object();
  for (const expr::SymbolId s : dae.unknowns) {
    const Column column = solve::column_of(m, {s, 0});
    json["values"][column.name] = column.turned(e.values[s]);
  }
  json["inputs"] = ordered_json::object();
  for (const model::InputDefault& input : m.inputs)
    json["inputs"][m.symbols[input.input].name] = e.values[input.input];
  json["units"] = ordered_json::object();
  const auto tell_unit = [&](const model::Symbol& symbol) {
    if (!symbol.unit.empty()) json["units"][symbol.name] = symbol.unit;
  };
  for (const expr::SymbolId s : dae.unknowns) tell_unit(m.symbols[s]);
  for (const model::InputDefault& input : m.inputs) tell_unit(m.symbols[input.input]);
  json["moved"] = ordered_json::array();
  for (const solve::Move& move : e.moves)
    json["moved"].push_back({{"name", move.name}, {"from", move.from}, {"to", move.to}});
  json["neutral_directions"] = e.neutral_directions;
  return json;
}

ordered_json to_json(const analysis::InputOutput& io, const std::string& phase) {
  ordered_json json;
  json["zeros"] = task::to_json(io.zeros);
  json["phase"] = phase;
  json["distance_from_axis"] = io.margin.distance;
  json["relative_degree"] = ordered_json::array();
  for (const int r : io.degree.outputs)
    json["relative_degree"].push_back(r == analysis::never ? ordered_json(nullptr)
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
  json["decoupling_matrix"] = task::to_json(io.degree.decoupling_matrix);
  json["decoupling_rank"] = io.degree.rank;
  if (io.configuration) json["configuration"] = analysis::word(*io.configuration);
  json["inverse"] = {{"index", io.structure.index},
                     {"free_initial_values", io.structure.degrees_of_freedom}};
  json["sensitivities"] = ordered_json::array();
  for (const auto& s : io.sensitivities)
    json["sensitivities"].push_back({{"parameter", s.parameter}, {"rate", s.rate}});
  return json;
}

ordered_json to_json(const analysis::Reachability& r) {
  ordered_json json{{"states", r.states}, {"rank", r.rank}, {"hidden", task::to_json(r.hidden)}};
  if (std::isfinite(r.smallest_gap)) json["smallest_gap"] = r.smallest_gap;
  return json;
}

// --- for people

std::string with_unit(const model::Symbol& symbol, double value) {
  return fmt::format("{} = {:.10g}{}", symbol.name, value,
                     symbol.unit.empty() ? "" : " " + symbol.unit);
}

std::string values_of(const derive::Dae& dae, const analysis::Equilibrium& e,
                      const std::vector<expr::SymbolId>& symbols) {
  std::string text;
  for (std::size_t k = 0; k < std::min(symbols.size(), shown_values); ++k)
    text += (k == 0 ? "" : ", ") + with_unit(dae.model->symbols[symbols[k]], e.values[symbols[k]]);
  if (symbols.size() > shown_values)
    text += fmt::format(" and {} more", symbols.size() - shown_values);
  return text;
}

void add_equilibrium(std::string& text, const analysis::Equilibrium& e, const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  std::vector<expr::SymbolId> positions, inputs;
  for (const expr::SymbolId s : dae.unknowns)
    if (m.symbols[s].kind != model::SymbolKind::multiplier) positions.push_back(s);
  for (const model::InputDefault& input : m.inputs) inputs.push_back(input.input);
  text += fmt::format("  equilibrium    {}\n", values_of(dae, e, positions));
  if (!inputs.empty()) text += fmt::format("                 with {}\n", values_of(dae, e, inputs));
  if (!e.moves.empty())
    text += fmt::format(
        "                 {} value{} moved from the start, first {}: {:.6g} -> {:.10g}\n",
        e.moves.size(), e.moves.size() == 1 ? "" : "s", e.moves[0].name, e.moves[0].from,
        e.moves[0].to);
  if (e.from_perturbed_guess)
    text += fmt::format(
        "                 found from values near the start: no convergence from the start "
        "values\n");
  if (e.neutral_directions > 0)
    text += fmt::format("                 one of many: the pose can move in {} direction{}\n",
                        e.neutral_directions, e.neutral_directions == 1 ? "" : "s");
}

/// "6 of 8 states; no input reaches -5 (twice)".
std::string reach_line(const analysis::Reachability& r, const char* hidden_from) {
  std::string text = fmt::format("{} of {} state{}", r.rank, r.states, r.states == 1 ? "" : "s");
  if (!r.complete()) text += fmt::format("; {} ", hidden_from);
  std::size_t told = 0;
  for (const analysis::Cluster& c : r.hidden.clusters) {
    if (c.mean.imag() < 0) continue;
    if (++told > shown_values) return text + ", ...";
    text += fmt::format("{}{}{}", told == 1 ? "" : ", ", analysis::text_of(c, true),
                        c.multiplicity > 1 ? fmt::format(" ({} times)", c.multiplicity) : "");
  }
  return text;
}

void add_reachability(std::string& text, const analysis::Portrait& p) {
  if (p.controllability)
    text +=
        fmt::format("\n  controllable    {}\n", reach_line(*p.controllability, "no input reaches"));
  if (p.observability)
    text += fmt::format("  observable      {}\n", reach_line(*p.observability, "no output shows"));
}

std::string degrees(const analysis::InputOutput& io, const analysis::Portrait& p) {
  std::string text;
  for (const int r : io.degree.outputs) text += fmt::format("{}{}", text.empty() ? "" : ", ", r);
  if (io.degree.outputs.size() > 1) text = "(" + text + ")";
  if (!io.degree.other_outputs.empty())
    text += fmt::format(", or {} in the other reading of near-singular values",
                        fmt::join(io.degree.other_outputs, ", "));
  if (io.degree.well_defined()) return io.defined_here() ? text : text + " at this point alone";
  return fmt::format(
      "no vector: inputs are felt first in derivatives {}, but the decoupling matrix has "
      "rank {}; in all {}, poles less zeros",
      text, io.degree.rank, p.poles.finite() - io.zeros.finite());
}

void add_input_output(std::string& text, const analysis::Portrait& p, const std::string& phase) {
  if (!p.input_output && p.system_zeros) {
    const analysis::Spectrum& zeros = p.system_zeros->zeros;
    text += fmt::format("\n  zeros of {} against {}: {}\n", fmt::join(p.linear.outputs, ", "),
                        fmt::join(p.linear.inputs, ", "),
                        zeros.finite() == 0 ? "none" : "common to all");
    text += spectrum_text(zeros);
    text += fmt::format("  no inverse model: {}\n", p.no_zeros_because);
    return;
  }
  if (!p.input_output) {
    text += fmt::format("\n  no zeros: {}\n", p.no_zeros_because);
    return;
  }
  const analysis::InputOutput& io = *p.input_output;
  text += fmt::format("\n  zeros of {} against {}: {}\n", fmt::join(p.linear.outputs, ", "),
                      fmt::join(p.linear.inputs, ", "), io.zeros.finite() == 0 ? "none" : phase);
  text += spectrum_text(io.zeros);
  text += fmt::format("\n  relative degree {}\n", degrees(io, p));
  if (io.configuration)
    text += fmt::format("  configuration   {}\n", analysis::word(*io.configuration));
  text +=
      fmt::format("  inverse model   index {}, {} free initial value{}\n", io.structure.index,
                  io.structure.degrees_of_freedom, io.structure.degrees_of_freedom == 1 ? "" : "s");
}

/// Sentences beside a word of the margin, broken between words.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 100, margin = 11;
  std::string result, word;
  std::size_t column = margin;
  std::istringstream words(text);
  while (words >> word) {
    // an option that a text proposes stays on its line
    for (std::string more; std::count(word.begin(), word.end(), '`') % 2 == 1 && words >> more;)
      word += " " + more;
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

std::string model_text(const analysis::Portrait& p, const derive::Dae& dae) {
  return text_of(count(dae), p.structure.index, p.structure.degrees_of_freedom);
}

void add_reduction(std::string& text, const Reduction& reduction) {
  std::istringstream lines(reduction_text(reduction));
  std::string line;
  for (bool first = true; std::getline(lines, line); first = false)
    text += fmt::format("{}  {:<8} {}\n", first ? "\n" : "", first ? "reduced" : "", line);
}

bool has_unstable_zeros(const analysis::Portrait& p) {
  return p.input_output && p.input_output->margin.side == analysis::Side::right;
}

// --- as a page

/// The pose as a row, so that it is drawn as a moment of a motion would be.
Table pose_of(const analysis::Equilibrium& e, const model::Model& m) {
  std::vector<Column> columns;
  std::vector<double> values;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s) {
    if (m.symbols[s].kind == model::SymbolKind::parameter) continue;
    columns.push_back(solve::column_of(m, {s, 0}));
    values.push_back(s == expr::time_symbol ? e.t : columns.back().turned(e.values[s]));
  }
  Table table(std::move(columns));
  std::copy(values.begin(), values.end(), table.append().begin());
  return table;
}

void add_spectra(emit::Report& page, const analysis::Portrait& p) {
  emit::Chart map = empty_pole_zero_map();
  add_spectrum(page, map, p.poles, "poles", "cross");
  const analysis::Spectrum* const zeros = p.input_output   ? &p.input_output->zeros
                                          : p.system_zeros ? &p.system_zeros->zeros
                                                           : nullptr;
  if (zeros != nullptr && zeros->finite() > 0) add_spectrum(page, map, *zeros, "zeros", "ring");
  page.charts.push_back(std::move(map));
}

}  // namespace

std::string Analysis::summary() const {
  if (!found) return "";
  const analysis::Portrait& p = details_->portrait;
  const derive::Dae& dae = *details_->dae;
  const model::Model& m = *dae.model;
  std::string text = fmt::format("{}{}\n  model          {}\n", title,
                                 m.doc.empty() ? "" : ": " + m.doc, model_text(p, dae));
  add_equilibrium(text, p.equilibrium, dae);
  if (details_->statics)
    text += fmt::format("                 statically {}\n", describe(*details_->statics));
  text += fmt::format("\n  poles: {}\n", stability) + spectrum_text(p.poles);
  add_reachability(text, p);
  add_input_output(text, p, phase);
  for (const InputMargins& loop : margins)
    text += fmt::format(
        "\n  loop at {:<7} {}\n                  largest sensitivity {:.4g} at {:.4g} rad/s\n",
        loop.input, margin_text(loop), loop.sensitivity_peak, loop.peak_at);
  if (!doubts.empty()) text += "\n";
  for (const std::string& sentence : doubts)
    text += fmt::format("  doubt    {}\n", wrapped(sentence));
  text += fmt::format("\n  verdict  {}\n", wrapped(p.verdict));
  if (!change.empty()) text += fmt::format("  change   {}\n", wrapped(change));
  if (has_unstable_zeros(p))
    text += fmt::format("  ways out {}\n", wrapped(ways_out_of_unstable_zeros));
  if (details_->reduction) add_reduction(text, *details_->reduction);
  if (details_->directions) text += directions_text(*details_->directions, p, dae);
  if (details_->response) text += response_text(*details_->response, p.linear, p.poles);
  return text;
}

Json Analysis::json() const {
  const analysis::Portrait& p = details_->portrait;
  const derive::Dae& dae = *details_->dae;
  ordered_json json;
  json["model"] = dae.model->name;
  json["index"] = p.structure.index;
  json["free_initial_values"] = p.structure.degrees_of_freedom;
  json["equilibrium"] = to_json(p.equilibrium, dae);
  if (!found) {
    json["diagnostics"] = {to_json(faults[0])};
    return {std::move(json)};
  }
  if (details_->statics) json["static_stability"] = describe(*details_->statics);
  json["poles"] = to_json(p.poles);
  json["stability"] = stability;
  if (p.controllability) json["controllability"] = to_json(*p.controllability);
  if (p.observability) json["observability"] = to_json(*p.observability);
  if (p.input_output) json["input_output"] = to_json(*p.input_output, phase);
  if (p.system_zeros)
    json["system_zeros"] = {{"zeros", to_json(p.system_zeros->zeros)},
                            {"normal_rank", p.system_zeros->normal_rank}};
  if (!p.no_zeros_because.empty()) json["no_zeros_because"] = p.no_zeros_because;
  json["disagreements"] = p.disagreements;
  json["verdict"] = p.verdict;
  json["change"] = p.change;
  if (!margins.empty()) json["margins"] = margins_json(margins);
  json["linear"] = to_json(p.linear);
  if (details_->reduction) json["reduced"] = reduction_json(*details_->reduction, p.linear);
  if (details_->directions)
    json["zero_directions"] = directions_json(*details_->directions, p.linear);
  if (details_->response) json["response"] = response_json(*details_->response, p.linear, p.poles);
  return {std::move(json)};
}

/// Sections of the summary in short: tables are not repeated.
std::vector<Fact> Analysis::facts() const {
  const analysis::Portrait& p = details_->portrait;
  const derive::Dae& dae = *details_->dae;
  std::vector<Fact> facts{{"model", model_text(p, dae)}};
  const auto add = [&](const char* word, std::string text) {
    facts.push_back({word, std::move(text)});
  };
  if (!found) return facts;
  std::vector<expr::SymbolId> positions;
  for (const expr::SymbolId s : dae.unknowns)
    if (dae.model->symbols[s].kind != model::SymbolKind::multiplier) positions.push_back(s);
  add("equilibrium", values_of(dae, p.equilibrium, positions));
  add("poles", stability);
  if (p.controllability) add("controllable", reach_line(*p.controllability, "no input reaches"));
  if (p.observability) add("observable", reach_line(*p.observability, "no output shows"));
  if (p.input_output) {
    const analysis::InputOutput& io = *p.input_output;
    add("zeros", io.zeros.finite() == 0 ? "none" : phase);
    add("relative degree", degrees(io, p));
    if (io.configuration) add("configuration", analysis::word(*io.configuration));
    add("inverse model", fmt::format("index {}, {} free initial value{}", io.structure.index,
                                     io.structure.degrees_of_freedom,
                                     io.structure.degrees_of_freedom == 1 ? "" : "s"));
  } else if (!p.no_zeros_because.empty()) {
    add("no inverse", p.no_zeros_because);
  }
  for (const InputMargins& m : margins) facts.push_back({"loop at " + m.input, margin_text(m)});
  if (!change.empty()) add("change", change);
  if (has_unstable_zeros(p)) add("ways out", ways_out_of_unstable_zeros);
  if (details_->reduction) add("reduced", reduction_text(*details_->reduction));
  return facts;
}

void Analysis::illustrate(emit::Report& page) const {
  const analysis::Portrait& p = details_->portrait;
  page.verdict[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(page.verdict[0])));
  page.warnings.insert(page.warnings.end(), doubts.begin(), doubts.end());
  page.drawing = emit::draw(*details_->dae->model, pose_of(p.equilibrium, *details_->dae->model));
  add_spectra(page, p);
  if (details_->response) add_response(page, *details_->response, response, p.linear, p.poles);
  if (!margins.empty()) {
    page.tables.push_back(margins_table(margins));
    std::vector<std::string> inputs;
    std::vector<analysis::LinearModel> loops;
    for (const feedback::OpenedLoop& opened : details_->loops) {
      inputs.push_back(opened.input);
      loops.push_back(opened.loop);
    }
    add_loops(page, inputs, loops, poles, 0);
  }
  if (details_->reduction)
    if (emit::Chart chart = hankel_chart(details_->reduction->reduced); !chart.series.empty())
      page.charts.push_back(std::move(chart));
  add_equations(page, p.structure);
}

}  // namespace task
}  // namespace daedal
