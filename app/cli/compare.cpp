// daedal compare: formulations and methods on one model, error against cost.
#include "daedal/solve/compare.hpp"

#include "commands.hpp"
#include "interrupt.hpp"
#include "json_answer.hpp"
#include "lifting.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"
#include "report.hpp"
#include "request.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace daedal::cli {

namespace {

/// One row of the table: what was asked, as the user would write it.
struct Case {
  std::string formulation, method, accuracy;
  bool equal_steps = false;
  double asked = 0;  // a tolerance, or the length of the steps [s]

  std::string name() const { return fmt::format("{}, {}", method, formulation); }
};

/// Methods of equal steps take the steps asked for, all others the tolerances.
std::vector<double> accuracies(const std::string& method, const Arguments& a, bool& steps) {
  static const std::vector<std::string> fixed{
      "euler", "rk4", "implicit_euler", "linear_implicit_euler", "bdf", "generalized_alpha",
      "rattle"};
  const std::string name = method.substr(0, method.find('('));
  steps = std::find(fixed.begin(), fixed.end(), name) != fixed.end();
  return steps ? a.steps : a.tolerances;
}

nlohmann::ordered_json to_json(const Case& c, const solve::CompareResult& r) {
  nlohmann::ordered_json json{
      {"formulation", c.formulation}, {"method", c.method}, {"accuracy", c.accuracy}};
  if (!r.refused.empty()) {
    json["refused"] = r.refused;
    return json;
  }
  json["status"] = r.status != solve::Status::completed ? "stopped"
                   : r.wrong                            ? "wrong"
                                                        : "completed";
  if (!r.reason.empty()) json["reason"] = r.reason;
  json["position_error"] = r.position_error;
  json["velocity_error"] = r.velocity_error;
  json["multiplier_error"] = r.multiplier_error;
  json["drift"] = r.drift;
  json["energy_error"] = r.energy_error;
  json["steps"] = r.statistics.accepted;
  json["evaluations"] = r.statistics.evaluations;
  json["wall_time"] = r.wall_time;
  return json;
}

const char* remark(const solve::CompareResult& r) {
  return r.status != solve::Status::completed ? "  stopped" : r.wrong ? "  wrong" : "";
}

void print_row(const Case& c, const solve::CompareResult& r) {
  const std::string head =
      fmt::format("  {:<22} {:<24} {:<8}", c.formulation, c.method, c.accuracy);
  if (!r.refused.empty()) {
    fmt::print("{}  {}\n", head, r.refused);
    return;
  }
  fmt::print("{}  {:8.1e} {:8.1e} {:8.1e}  {:8.1e} {:8.1e}  {:8} {:9.3g}{}\n", head,
             r.position_error, r.velocity_error, r.multiplier_error, r.drift, r.energy_error,
             r.statistics.evaluations, 1e3 * r.wall_time, remark(r));
}

// --- as a page

using Results = std::vector<solve::CompareResult>;

bool counts(const solve::CompareResult& r) {
  return r.refused.empty() && r.status == solve::Status::completed;
}

/// "the reference stopped ...", "the reference cannot be trusted after ...", or "" when it is good to the end.
std::string fault_of_reference(const solve::Comparison& comparison) {
  if (comparison.reference_status != solve::Status::completed) return comparison.reference_reason;
  const solve::Trust& trust = comparison.reference_trust;
  if (!trust.in_doubt()) return "";
  return fmt::format("cannot be trusted after t = {:.4g} s: {}", trust.until, trust.reason);
}

/// One line for each method with its formulation; `x` of a case, the error of its positions above it.
template <class X>
emit::Chart error_chart(std::string title, std::string axis, const std::vector<Case>& cases,
                        const Results& results, const X& x) {
  emit::Chart chart{
      std::move(title), std::move(axis), "error of the positions", "", true, true, false, {}};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::optional<double> place = x(k);
    if (!counts(results[k]) || !place) continue;
    if (chart.series.empty() || chart.series.back().name != cases[k].name())
      chart.series.push_back({cases[k].name(), {}, {}, {}, "dot", true});
    emit::ChartSeries& series = chart.series.back();
    series.x.push_back(*place);
    series.y.push_back(results[k].position_error);
    series.labels.push_back(fmt::format("{}, {}: {:.1e}", cases[k].name(), cases[k].accuracy,
                                        results[k].position_error));
  }
  return chart;
}

emit::TextTable table_of(const std::vector<Case>& cases, const Results& results) {
  emit::TextTable table{"All cases",
                        {"formulation", "method", "accuracy", "position", "velocity", "reaction",
                         "drift", "energy", "evaluations", "time [ms]", ""},
                        {}};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const solve::CompareResult& r = results[k];
    std::vector<std::string> row{cases[k].formulation, cases[k].method, cases[k].accuracy};
    if (r.refused.empty()) {
      for (const double value :
           {r.position_error, r.velocity_error, r.multiplier_error, r.drift, r.energy_error})
        row.push_back(fmt::format("{:.1e}", value));
      row.push_back(fmt::format("{}", r.statistics.evaluations));
      row.push_back(fmt::format("{:.3g}", 1e3 * r.wall_time));
    } else {
      row.resize(table.head.size() - 1);
    }
    row.push_back(!r.refused.empty() ? r.refused : !counts(r) ? "stopped" : r.wrong ? "wrong" : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string verdict(const std::vector<Case>& cases, const solve::Comparison& comparison) {
  if (const std::string fault = fault_of_reference(comparison); !fault.empty())
    return "The reference " + fault;
  const Results& results = comparison.results;
  std::optional<std::size_t> best;
  for (std::size_t k = 0; k < results.size(); ++k)
    if (counts(results[k]) && (!best || results[k].position_error < results[*best].position_error))
      best = k;
  if (!best) return "None of the cases came to the end.";
  return fmt::format("Most accurate of {} cases: {} at {}, positions off by {:.1e} in {:.3g} ms.",
                     cases.size(), cases[*best].name(), cases[*best].accuracy,
                     results[*best].position_error, 1e3 * results[*best].wall_time);
}

void write_page(const Loaded& loaded, const std::vector<Case>& cases,
                const solve::Comparison& comparison, const Arguments& a) {
  emit::Report page = report_of(loaded, a, loaded.model->name);
  page.verdict = verdict(cases, comparison);
  const Results& results = comparison.results;
  if (!fault_of_reference(comparison).empty()) page.tone = emit::Tone::bad;
  page.charts.push_back(
      error_chart("Work and precision", "time [ms]", cases, results,
                  [&](std::size_t k) { return std::optional(1e3 * results[k].wall_time); }));
  for (const bool steps : {true, false}) {
    emit::Chart chart = error_chart(
        steps ? "Convergence" : "Error against tolerance", steps ? "step [s]" : "tolerance", cases,
        results, [&](std::size_t k) {
          return cases[k].equal_steps == steps ? std::optional(cases[k].asked) : std::nullopt;
        });
    if (!chart.series.empty()) page.charts.push_back(std::move(chart));
  }
  page.tables.push_back(table_of(cases, results));
  write_report(page, a.report, a.json);
}

/// rk45,radau5 where rk45 radau5 is meant; brackets hold commas of their own.
void check_list(const std::vector<std::string>& words, const char* option, const char* example) {
  for (const std::string& word : words)
    if (word.substr(0, word.find('(')).find(',') != word.npos)
      fault({}, fmt::format("{} {}: blanks stand between the words, not commas", option, word),
            fmt::format("write  {} {}", option, example));
}

/// Of an interrupted comparison: the cases that came to their end, none where their reference did not.
void keep_done(std::vector<Case>& cases, solve::Comparison& comparison) {
  const std::size_t asked = cases.size();
  const bool known = comparison.reference_status == solve::Status::completed;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < asked; ++k) {
    if (!known || comparison.results[k].status == solve::Status::interrupted) continue;
    if (kept != k) {
      cases[kept] = std::move(cases[k]);
      comparison.results[kept] = std::move(comparison.results[k]);
    }
    ++kept;
  }
  cases.resize(kept);
  comparison.results.resize(kept);
  std::fprintf(stderr, "interrupted: %zu of %zu cases are done\n", kept, asked);
}

}  // namespace

int compare(const Arguments& a) {
  check_list(a.methods, "--methods", "rk45 radau5");
  check_list(a.formulations, "--formulations", "projection index1");
  std::vector<Case> names;
  std::vector<Request> requests;
  for (const std::string& formulation : a.formulations)
    for (const std::string& method : a.methods) {
      bool steps = false;
      for (const double accuracy : accuracies(method, a, steps)) {
        Request request;
        request.method = model::parse_option(method, "--methods");
        request.formulation = model::parse_option(formulation, "--formulations");
        (steps ? request.step : request.tolerance) = accuracy;
        requests.push_back(std::move(request));
        names.push_back({formulation, method, fmt::format("{:g}{}", accuracy, steps ? " s" : ""),
                         steps, accuracy});
      }
    }
  const Loaded loaded = load_forward_model(a, requests);
  std::vector<solve::CompareCase> cases;
  for (const Request& one : requests)
    cases.push_back({read_formulation(one.formulation, *loaded.dae), read_method(one)});
  Request request;
  apply_command_line(request, a);
  check_writable({.csv = "", .report = a.report});
  solve::CompareOptions options;
  options.prepare.redundant_constraints = read_redundant_constraints(request);
  options.until = end_time(request, solve::prepare(loaded.dae, {}, options.prepare).problem);
  options.every = request.every.value_or(0);
  solve::Comparison comparison;
  const Interrupt interrupt;
  options.interrupt = &interrupt.flag();
  {
    ProgressLine line;
    if (!a.quiet) options.progress = line.sink();
    comparison = solve::compare(loaded.dae, cases, options);
  }
  if (interrupt.exit_code() != 0) keep_done(names, comparison);

  if (a.json) {
    nlohmann::ordered_json json{{"model", loaded.model->name}, {"until", options.until}};
    json["reference"] = {{"trust", name(comparison.reference_trust.level)},
                         {"until", comparison.reference_trust.until}};
    json["cases"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < names.size(); ++k)
      json["cases"].push_back(to_json(names[k], comparison.results[k]));
    print_json(a, json);
  } else {
    fmt::print("{}: {:g} s, largest differences from Taylor series at 1e-15\n", loaded.model->name,
               options.until);
    fmt::print("  {:<22} {:<24} {:<8}  {:>8} {:>8} {:>8}  {:>8} {:>8}  {:>8} {:>9}\n",
               "formulation", "method", "accuracy", "position", "velocity", "reaction", "drift",
               "energy", "evals", "time [ms]");
    for (std::size_t k = 0; k < names.size(); ++k) print_row(names[k], comparison.results[k]);
  }
  if (!a.report.empty()) write_page(loaded, names, comparison, a);
  if (const int code = interrupt.exit_code(); code != 0) return code;
  const std::string fault = fault_of_reference(comparison);
  if (fault.empty()) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: the reference %s\n", loaded.model->name.c_str(), fault.c_str());
  return 1;
}

}  // namespace daedal::cli
