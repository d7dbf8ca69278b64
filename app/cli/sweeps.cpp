// daedal analyse --continue, --locus, --map, --sensitivity: the same question over parameters.
#include "daedal/analyse/operating_point.hpp"
#include "daedal/analyse/sweep.hpp"
#include "daedal/base/table.hpp"
#include "daedal/solve/prepare.hpp"
#include "interrupt.hpp"
#include "json_answer.hpp"
#include "progress_line.hpp"
#include "question_page.hpp"
#include "questions.hpp"
#include "ranges.hpp"
#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::cli {

namespace {

using daedal::analyse::AxisCrossing;
using daedal::analyse::Branch;
using daedal::analyse::BranchMark;
using daedal::analyse::BranchPoint;
using daedal::analyse::Class;
using daedal::analyse::DaeAt;
using daedal::analyse::ParameterSensitivity;
using daedal::analyse::RootLocus;
using daedal::analyse::Sample;
using nlohmann::ordered_json;

DaeAt family(const Question& q, const std::vector<std::string>& parameters) {
  for (const std::string& name : parameters)
    if (q.arguments.overrides.parameters.contains(name))
      fault({}, fmt::format("-p {} and a range of it: which one?", name), "leave -p out");
  DaeAt given =
      daedal::analyse::dae_of_parameters(q.loaded.library, q.arguments.overrides, parameters);
  if (q.loaded.dae->left_out.constraints.empty()) return given;
  return [given = std::move(given)](std::span<const double> values) {
    return solve::prepare(given(values), {},
                          {.redundant_constraints = solve::RedundantConstraints::least_norm})
        .dae;
  };
}

daedal::analyse::SweepOptions sweep_options(const Question& q) {
  daedal::analyse::SweepOptions options;
  for (const expr::SymbolId s : q.free_inputs)
    options.free_inputs.push_back(q.loaded.model->symbols[s].name);
  options.outputs = q.arguments.outputs;
  options.at_start = q.arguments.questions.at == "start";
  return options;
}

const char* word(BranchMark mark) {
  switch (mark) {
    case BranchMark::point:
      return "point";
    case BranchMark::fold:
      return "fold";
    case BranchMark::crossing:
      return "crossing";
    case BranchMark::end:
      return "end";
  }
  return "";
}

Range one_range(const char* option, const std::string& text, int count) {
  const std::vector<Range> ranges = read_ranges(option, text, count);
  if (ranges.size() != 1)
    fault({}, fmt::format("{} {}: one parameter is followed at a time", option, text), "");
  return ranges[0];
}

Table table_of(const std::vector<Branch>& branches, const std::string& parameter,
               const derive::Dae& dae) {
  std::vector<Column> columns{{parameter, ""}};
  for (const expr::SymbolId s : dae.unknowns)
    columns.push_back({dae.model->symbols[s].name, dae.model->symbols[s].unit});
  columns.push_back({"lowest stiffness", ""});
  columns.push_back({"branch", ""});
  Table table(std::move(columns));
  for (std::size_t b = 0; b < branches.size(); ++b)
    for (const BranchPoint& p : branches[b].points) {
      std::span<double> row = table.append();
      std::size_t k = 0;
      row[k++] = p.parameter;
      for (const expr::SymbolId s : dae.unknowns) row[k++] = p.equilibrium.values[s];
      row[k++] = p.stability && p.stability->stiffness.size() > 0 ? p.stability->stiffness[0]
                                                                  : std::nan("");
      row[k] = static_cast<double>(b + 1);
    }
  return table;
}

/// "y = 0.14, s = 0.2", the first ones.
std::string pose_text(const BranchPoint& p, const derive::Dae& dae) {
  std::string text;
  int shown = 0;
  for (const expr::SymbolId s : dae.unknowns) {
    if (dae.model->symbols[s].kind == model::SymbolKind::multiplier) continue;
    if (++shown > 4) return text + ", ...";
    text += fmt::format("{}{} = {:.8g}", shown == 1 ? "" : ", ", dae.model->symbols[s].name,
                        p.equilibrium.values[s]);
  }
  return text;
}

ordered_json to_json(const Branch& branch, const derive::Dae& dae) {
  ordered_json json;
  if (branch.leaves) json["leaves"] = *branch.leaves + 1;
  json["points"] = ordered_json::array();
  for (const BranchPoint& p : branch.points) {
    ordered_json one{{"parameter", p.parameter}, {"mark", word(p.mark)}};
    for (const expr::SymbolId s : dae.unknowns)
      one["values"][dae.model->symbols[s].name] = p.equilibrium.values[s];
    if (p.stability)
      one["static_stability"] = {{"word", describe(*p.stability)},
                                 {"stiffness", std::vector<double>(p.stability->stiffness.begin(),
                                                                   p.stability->stiffness.end())}};
    json["points"].push_back(std::move(one));
  }
  json["stopped"] = branch.stopped;
  return json;
}

/// Where it begins, ends, turns, is crossed or changes its stability.
void print_branch(const Branch& branch, const std::string& parameter, const derive::Dae& dae) {
  const BranchPoint* before = nullptr;
  for (const BranchPoint& p : branch.points) {
    const std::string stability = p.stability ? describe(*p.stability) : "";
    const bool changed = before != nullptr && before->mark == BranchMark::point &&
                         p.mark == BranchMark::point && before->stability && p.stability &&
                         describe(*before->stability) != stability;
    const bool leaving = before != nullptr && before == branch.points.data() && branch.leaves;
    if (before == nullptr || p.mark != BranchMark::point || changed || leaving)
      fmt::print("  {:<9} {} = {:<16.10g} {}{}\n",
                 before == nullptr ? "start"
                 : changed         ? "change"
                                   : word(p.mark),
                 parameter, p.parameter, pose_text(p, dae),
                 p.mark == BranchMark::fold || stability.empty() ? "" : "; " + stability);
    before = &p;
  }
  if (!branch.stopped.empty()) fmt::print("  stopped   {}\n", branch.stopped);
}

}  // namespace

int answer_continue(const Question& q) {
  const Range range = one_range("--continue", q.arguments.questions.follow, 2);
  daedal::analyse::ContinuationOptions options;
  options.from = range.first, options.to = range.last;
  options.equilibrium.free_inputs = q.free_inputs;
  const Interrupt interrupt;
  options.interrupt = &interrupt.flag();
  const DaeAt dae_at = family(q, {range.name});
  std::vector<Branch> branches;
  {
    ProgressLine line;
    options.progress = line.sink();
    branches = daedal::analyse::follow_equilibria(dae_at, options);
  }
  const auto dae = dae_at(std::span(&range.first, 1));
  if (q.arguments.json) {
    ordered_json json{{"model", dae->model->name}, {"parameter", range.name}};
    json["branches"] = ordered_json::array();
    for (const Branch& branch : branches) json["branches"].push_back(to_json(branch, *dae));
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: equilibria over {} from {:g} to {:g}, {} points\n", dae->model->name,
               range.name, range.first, range.last, branches[0].points.size());
    for (std::size_t b = 0; b < branches.size(); ++b) {
      if (b > 0)
        fmt::print("\n  branch {} leaves branch {}, {} points\n", b + 1, *branches[b].leaves + 1,
                   branches[b].points.size());
      print_branch(branches[b], range.name, *dae);
    }
  }
  write_table(table_of(branches, range.name, *dae), q.arguments);
  if (!q.arguments.report.empty()) write_branch_page(q, range, branches, *dae);
  if (const int code = interrupt.exit_code(); code != 0) return code;
  return branches[0].stopped.empty() ? 0 : 1;
}

namespace {

/// Says what is wrong with the names, and with the start of a locus or map of moving starts, at the first point.
void check_first_point(const DaeAt& dae_at, const std::vector<double>& values,
                       const daedal::analyse::SweepOptions& options) {
  const auto dae = dae_at(values);
  if (options.at_start) daedal::analyse::linearise_at_start(dae, options.outputs);
}

bool same_values(const daedal::analyse::Spectrum& a, const daedal::analyse::Spectrum& b) {
  return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](const auto& x, const auto& y) { return x.value == y.value; });
}

/// "r[1]', thR'": start values that differ between two models.
std::string starts_that_change(const model::Model& a, const model::Model& b) {
  std::string text;
  for (std::size_t k = 0; k < std::min(a.starts.size(), b.starts.size()); ++k)
    if (a.starts[k].value != b.starts[k].value)
      text += (text.empty() ? "" : ", ") +
              model::name_of(a.symbols[a.starts[k].leaf.symbol], a.starts[k].leaf.order);
  return text;
}

/// A parameter of the start values alone says nothing at rest: the answer would be the same for all of them.
void refuse_starts_at_rest(const RootLocus& locus, const DaeAt& dae_at, const Range& range,
                           const std::string& asked) {
  if (locus.samples.size() < 2 || locus.samples[0].poles.values.empty()) return;
  for (const Sample& s : locus.samples)
    if (!same_values(s.poles, locus.samples[0].poles) ||
        !same_values(s.zeros, locus.samples[0].zeros))
      return;
  const auto first = dae_at(std::span(&range.first, 1)), last = dae_at(std::span(&range.last, 1));
  const std::string starts = starts_that_change(*first->model, *last->model);
  if (starts.empty()) return;
  throw ModelError(
      {Severity::error,
       {},
       fmt::format("--locus {}: no pole and no zero at rest depends on '{}'", asked, range.name),
       {fmt::format("it changes start values ({}), which do not matter at rest", starts)},
       fmt::format("linearise in motion:  --at start --locus {}", asked)});
}

}  // namespace

int answer_locus(const Question& q) {
  const Range range = one_range("--locus", q.arguments.questions.locus, 50);
  daedal::analyse::SweepOptions options = sweep_options(q);
  ProgressLine line;
  options.progress = line.sink();
  const Interrupt interrupt;
  options.interrupt = &interrupt.flag();
  const DaeAt dae_at = family(q, {range.name});
  check_first_point(dae_at, {range.first}, options);
  const RootLocus locus = daedal::analyse::root_locus(dae_at, range.values(), options);
  if (!options.at_start && !interrupt.flag())
    refuse_starts_at_rest(locus, dae_at, range, q.arguments.questions.locus);
  std::map<std::string, int> kinds;
  for (const Sample& s : locus.samples) ++kinds[daedal::analyse::word(s.kind)];
  if (q.arguments.json) {
    ordered_json json{
        {"model", q.loaded.model->name}, {"parameter", range.name}, {"values", range.values()}};
    for (const auto& [name, tracks] :
         {std::pair<const char*, const std::vector<daedal::analyse::Track>&>{"poles", locus.poles},
          {"zeros", locus.zeros}}) {
      json[name] = ordered_json::array();
      for (const daedal::analyse::Track& track : tracks) {
        auto values = ordered_json::array();
        for (const std::complex<double>& z : track)
          values.push_back(std::isnan(z.real()) ? ordered_json(nullptr)
                                                : ordered_json({z.real(), z.imag()}));
        json[name].push_back(std::move(values));
      }
    }
    json["classes"] = ordered_json::array();
    for (const Sample& s : locus.samples) json["classes"].push_back(daedal::analyse::word(s.kind));
    json["crossings"] = ordered_json::array();
    for (const AxisCrossing& c : locus.crossings)
      json["crossings"].push_back({{"of", c.zero ? "zero" : "pole"},
                                   {"parameter", c.parameter},
                                   {"frequency", c.frequency},
                                   {"to", c.to_the_right ? "right" : "left"}});
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: {} poles and {} zeros over {} from {:g} to {:g}{}\n", q.loaded.model->name,
               locus.poles.size(), locus.zeros.size(), range.name, range.first, range.last,
               options.at_start ? ", at the start values in motion" : "");
    for (const auto& [name, count] : kinds)
      fmt::print("  {:<18} at {} of {} values\n", name, count, locus.samples.size());
    for (const AxisCrossing& c : locus.crossings)
      fmt::print(
          "  crossing           a {} crosses the axis to the {} at {} = {:.10g}, {:.6g} rad/s\n",
          c.zero ? "zero" : "pole", c.to_the_right ? "right" : "left", range.name, c.parameter,
          c.frequency);
  }
  Table table(
      {{range.name, ""}, {"zero", ""}, {"track", ""}, {"real", "1/s"}, {"imaginary", "1/s"}});
  for (const bool zero : {false, true}) {
    const auto& tracks = zero ? locus.zeros : locus.poles;
    for (std::size_t t = 0; t < tracks.size(); ++t)
      for (std::size_t k = 0; k < tracks[t].size(); ++k) {
        if (std::isnan(tracks[t][k].real())) continue;
        std::span<double> row = table.append();
        row[0] = locus.samples[k].parameters[0];
        row[1] = zero;
        row[2] = static_cast<double>(t + 1);
        row[3] = tracks[t][k].real();
        row[4] = tracks[t][k].imag();
      }
  }
  write_table(table, q.arguments);
  if (!q.arguments.report.empty()) write_locus_page(q, range, locus);
  return interrupt.exit_code();
}

namespace {

char letter(Class c) {
  switch (c) {
    case Class::not_asked:
      return ' ';
    case Class::no_model:
      return 'x';
    case Class::no_equilibrium:
      return '?';
    case Class::no_inverse:
      return '.';
    case Class::flat:
      return 'F';
    case Class::minimum_phase:
      return '-';
    case Class::marginal:
      return '0';
    case Class::non_minimum_phase:
      return '+';
  }
  return ' ';
}

/// A map no wider than a page: the second parameter upwards, the first to the right.
void print_map(const std::vector<Sample>& samples, const Range& x, const Range& y) {
  constexpr int width = 80, height = 30;
  const int columns = std::min(width, x.count), rows = std::min(height, y.count);
  for (int r = rows; r-- > 0;) {
    std::string line;
    const int j = rows == 1 ? 0 : r * (y.count - 1) / (rows - 1);
    for (int c = 0; c < columns; ++c) {
      const int i = columns == 1 ? 0 : c * (x.count - 1) / (columns - 1);
      const std::size_t row = static_cast<std::size_t>(i) * static_cast<std::size_t>(y.count);
      line += letter(samples[row + static_cast<std::size_t>(j)].kind);
    }
    fmt::print("  {:>10.4g} |{}|\n", y.values()[static_cast<std::size_t>(j)], line);
  }
  fmt::print("  {:>10}  {:<{}.4g}{:.4g}\n", "", x.first, std::max(1, columns - 4), x.last);
}

}  // namespace

int answer_map(const Question& q) {
  const std::vector<Range> ranges = read_ranges("--map", q.arguments.questions.map, 30);
  if (ranges.size() != 2)
    fault({}, fmt::format("--map {}: a map has two parameters", q.arguments.questions.map),
          "as in k=1:5:100,d=0:2:100");
  const Range &x = ranges[0], &y = ranges[1];
  std::vector<std::vector<double>> points;
  for (const double a : x.values())
    for (const double b : y.values()) points.push_back({a, b});
  daedal::analyse::SweepOptions options = sweep_options(q);
  options.threads = q.arguments.questions.threads;
  ProgressLine line;
  options.progress = line.sink();
  const Interrupt interrupt;
  options.interrupt = &interrupt.flag();
  const DaeAt dae_at = family(q, {x.name, y.name});
  check_first_point(dae_at, points[0], options);
  const std::vector<Sample> samples = daedal::analyse::sweep(dae_at, points, options);
  std::map<Class, int> counts;
  for (const Sample& s : samples) ++counts[s.kind];
  if (q.arguments.json) {
    ordered_json json{{"model", q.loaded.model->name}};
    json["parameters"] = {x.name, y.name};
    json["counts"] = ordered_json::object();
    for (const auto& [kind, count] : counts) json["counts"][daedal::analyse::word(kind)] = count;
    json["points"] = ordered_json::array();
    for (const Sample& s : samples)
      json["points"].push_back({{"at", s.parameters},
                                {"class", daedal::analyse::word(s.kind)},
                                {"stability", daedal::analyse::stability_word(s.stability.side)},
                                {"rightmost_pole", s.stability.worst.mean.real()},
                                {"rightmost_zero", s.phase.worst.mean.real()}});
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: {} (upwards) over {} (to the right)\n", q.loaded.model->name, y.name, x.name);
    print_map(samples, x, y);
    for (const auto& [kind, count] : counts)
      fmt::print("  {}  {:<18} {} of {} points\n", letter(kind), daedal::analyse::word(kind), count,
                 samples.size());
  }
  Table table({{x.name, ""},
               {y.name, ""},
               {"class", ""},
               {"rightmost pole", "1/s"},
               {"rightmost zero", "1/s"}});
  for (const Sample& s : samples) {
    std::span<double> row = table.append();
    row[0] = s.parameters[0], row[1] = s.parameters[1];
    row[2] = static_cast<double>(s.kind);
    row[3] = s.stability.side == daedal::analyse::Side::none ? std::nan("")
                                                             : s.stability.worst.mean.real();
    row[4] = s.phase.side == daedal::analyse::Side::none ? std::nan("") : s.phase.worst.mean.real();
  }
  write_table(table, q.arguments);
  if (!q.arguments.report.empty()) write_map_page(q, x, y, samples);
  return interrupt.exit_code();
}

namespace {

std::vector<std::string> parameters_asked(const Question& q) {
  const std::vector<std::string>& asked = q.arguments.questions.sensitivity;
  std::vector<std::string> known;
  for (const model::Symbol& s : q.loaded.model->symbols)
    if (s.kind == model::SymbolKind::parameter && !s.name.empty() &&
        std::isalpha(static_cast<unsigned char>(s.name[0])) != 0)
      known.push_back(s.name);
  if (asked == std::vector<std::string>{"all"}) return known;
  for (const std::string& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_name(name, known);
      fault(q.loaded.model->place,
            fmt::format("--sensitivity {}: model '{}' has no parameter '{}'", name,
                        q.loaded.model->name, name),
            near.empty() ? fmt::format("its parameters: {}", fmt::join(known, ", "))
                         : fmt::format("did you mean '{}'?", near));
    }
  return asked;
}

ordered_json to_json(const std::vector<ParameterSensitivity::ComplexRate>& rates) {
  auto json = ordered_json::array();
  for (const auto& r : rates)
    json.push_back({{"of", {r.of.real(), r.of.imag()}},
                    {"rate", {r.rate.real(), r.rate.imag()}},
                    {"error", r.error}});
  return json;
}

std::string complex_text(const std::complex<double>& z) {
  return z.imag() == 0 ? fmt::format("{:.6g}", z.real())
                       : fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0 ? '-' : '+',
                                     std::abs(z.imag()));
}

void print(const ParameterSensitivity& s) {
  fmt::print("  {} = {:g}\n", s.parameter, s.value);
  if (!s.missing.empty()) {
    fmt::print("    nothing: {}\n", s.missing);
    return;
  }
  for (const auto& [name, rate] : s.equilibrium)
    if (std::abs(rate.value) > 10 * rate.error && std::abs(rate.value) > 1e-9)
      fmt::print("    {:<32} {:.8g}\n", name + " at rest", rate.value);
  for (const auto& [what, rates] :
       {std::pair<const char*, const std::vector<ParameterSensitivity::ComplexRate>&>{"pole",
                                                                                      s.poles},
        {"zero", s.zeros}})
    for (const auto& r : rates)
      if (r.of.imag() >= 0 && std::abs(r.rate) > 10 * r.error && std::abs(r.rate) > 1e-9)
        fmt::print("    {:<32} {}\n", fmt::format("{} {}", what, complex_text(r.of)),
                   complex_text(r.rate));
}

}  // namespace

int answer_sensitivity(const Question& q) {
  auto json = ordered_json::array();
  std::vector<ParameterSensitivity> all;
  if (!q.arguments.json)
    fmt::print("{}: change for a change of the parameter by 1 of its unit\n", q.loaded.model->name);
  for (const std::string& name : parameters_asked(q)) {
    const double value = q.loaded.model->symbols[q.loaded.model->find(name)].value;
    Arguments own = q.arguments;
    own.overrides.parameters.erase(name);
    const Question alone{own, q.loaded, q.free_inputs};
    ParameterSensitivity s;
    try {
      s = daedal::analyse::sensitivity(family(alone, {name}), name, value, sweep_options(q));
    } catch (const ModelError&) {  // it follows from others, or is a number of the model's own
      s.parameter = name, s.value = value;
      s.missing = "it cannot be given from outside";
    }
    all.push_back(s);
    if (!q.arguments.json) {
      print(s);
      continue;
    }
    ordered_json one{{"parameter", name}, {"value", value}};
    if (!s.missing.empty()) one["missing"] = s.missing;
    for (const auto& [quantity, rate] : s.equilibrium)
      one["equilibrium"][quantity] = {{"rate", rate.value}, {"error", rate.error}};
    one["poles"] = to_json(s.poles);
    one["zeros"] = to_json(s.zeros);
    json.push_back(std::move(one));
  }
  if (q.arguments.json) print_json(q.arguments, json);
  if (!q.arguments.report.empty()) write_sensitivity_page(q, all);
  return 0;
}

}  // namespace daedal::cli
