// Formulations and methods on one model, error against cost.
#include "daedal/task/compare.hpp"

#include "daedal/formulate/make_formulation.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "lifting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

/// Fixed-step methods take the given steps, all others the tolerances.
std::vector<double> accuracies(const std::string& method, const CompareOptions& options,
                               bool& steps) {
  static const std::vector<std::string> fixed{
      "euler", "rk4", "implicit_euler", "linear_implicit_euler", "bdf", "generalized_alpha",
      "rattle"};
  const std::string name = method.substr(0, method.find('('));
  steps = std::find(fixed.begin(), fixed.end(), name) != fixed.end();
  return steps ? options.steps : options.tolerances;
}

nlohmann::ordered_json to_json(const ComparedCase& c) {
  const solve::CompareResult& r = c.result;
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

std::string row_text(const ComparedCase& c) {
  const solve::CompareResult& r = c.result;
  const std::string head =
      fmt::format("  {:<22} {:<24} {:<8}", c.formulation, c.method, c.accuracy);
  if (!r.refused.empty()) return fmt::format("{}  {}\n", head, r.refused);
  return fmt::format("{}  {:8.1e} {:8.1e} {:8.1e}  {:8.1e} {:8.1e}  {:8} {:9.3g}{}\n", head,
                     r.position_error, r.velocity_error, r.multiplier_error, r.drift,
                     r.energy_error, r.statistics.evaluations, 1e3 * r.wall_time, remark(r));
}

bool came_to_its_end(const solve::CompareResult& r) {
  return r.refused.empty() && r.status == solve::Status::completed;
}

/// "stopped ...", "cannot be trusted after ...", or "" when the reference is good to the end.
std::string fault_of_reference(const solve::Comparison& comparison) {
  if (comparison.reference_status != solve::Status::completed) return comparison.reference_reason;
  const solve::Trust& trust = comparison.reference_trust;
  if (!trust.in_doubt()) return "";
  return fmt::format("cannot be trusted after t = {:.4g} s: {}", trust.until, trust.reason);
}

/// One line for each method with its formulation; `x` of a case, the error of its positions above it.
template <class X>
emit::Chart error_chart(std::string title, std::string axis, const std::vector<ComparedCase>& cases,
                        const X& x) {
  emit::Chart chart{
      std::move(title), std::move(axis), "error of the positions", "", true, true, false, {}};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::optional<double> place = x(k);
    if (!came_to_its_end(cases[k].result) || !place) continue;
    if (chart.series.empty() || chart.series.back().name != cases[k].name())
      chart.series.push_back({cases[k].name(), {}, {}, {}, "dot", true});
    emit::ChartSeries& series = chart.series.back();
    series.x.push_back(*place);
    series.y.push_back(cases[k].result.position_error);
    series.labels.push_back(fmt::format("{}, {}: {:.1e}", cases[k].name(), cases[k].accuracy,
                                        cases[k].result.position_error));
  }
  return chart;
}

emit::TextTable table_of(const std::vector<ComparedCase>& cases) {
  emit::TextTable table{"All cases",
                        {"formulation", "method", "accuracy", "position", "velocity", "reaction",
                         "drift", "energy", "evaluations", "time [ms]", ""},
                        {}};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const solve::CompareResult& r = cases[k].result;
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
    row.push_back(!r.refused.empty()    ? r.refused
                  : !came_to_its_end(r) ? "stopped"
                  : r.wrong             ? "wrong"
                                        : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string best_of(const std::vector<ComparedCase>& cases) {
  const ComparedCase* best = nullptr;
  for (const ComparedCase& c : cases)
    if (came_to_its_end(c.result) &&
        (best == nullptr || c.result.position_error < best->result.position_error))
      best = &c;
  if (best == nullptr) return "None of the cases came to the end.";
  return fmt::format("Most accurate of {} cases: {} at {}, positions off by {:.1e} in {:.3g} ms.",
                     cases.size(), best->name(), best->accuracy, best->result.position_error,
                     1e3 * best->result.wall_time);
}

/// Every formulation with every method and every accuracy, and the same for the module `solve`.
std::vector<solve::CompareCase> cases_of(const Model& model, const CompareOptions& options,
                                         std::vector<ComparedCase>& named) {
  std::vector<solve::CompareCase> cases;
  for (const std::string& formulation : options.formulations)
    for (const std::string& method : options.methods) {
      bool steps = false;
      for (const double accuracy : accuracies(method, options, steps)) {
        const std::optional<double> given(accuracy), none;
        cases.push_back({formulate::make_formulation(
                             model::parse_option(formulation, "formulations"), *model.lifted().dae),
                         method_of(model::parse_option(method, "methods"), steps ? none : given,
                                   steps ? given : none)});
        named.push_back({formulation,
                         method,
                         fmt::format("{:g}{}", accuracy, steps ? " s" : ""),
                         steps,
                         accuracy,
                         {}});
      }
    }
  return cases;
}

/// One form for all of them, so that they are compared on the same equations.
const Mechanism& common_form(const Model& model, const std::vector<solve::CompareCase>& cases,
                             std::vector<Diagnostic>& warnings) {
  for (const solve::CompareCase& one : cases)
    if (const Mechanism& form = form_for(model, one.formulation.kind, one.method, warnings);
        &form != &model.lifted())
      return form;
  return model.lifted();
}

/// Of an interrupted comparison: the cases that came to their end, none where their reference did not.
void keep_done(Comparison& comparison, solve::Status reference) {
  const std::size_t asked = comparison.cases.size();
  const bool known = reference == solve::Status::completed;
  std::erase_if(comparison.cases, [&](const ComparedCase& c) {
    return !known || c.result.status == solve::Status::interrupted;
  });
  comparison.interrupted = true;
  comparison.holds = false;
  comparison.reason =
      fmt::format("interrupted: {} of {} cases are done", comparison.cases.size(), asked);
}

}  // namespace

Comparison compare(const Model& model, const CompareOptions& asked) {
  const StopScope stoppable(asked.watch.stop);
  refuse_controllers(model, Refused::clocks);
  Comparison result(model);
  result.warnings = model.warnings();
  const std::vector<solve::CompareCase> cases = cases_of(model, asked, result.cases);
  const Mechanism& form = common_form(model, cases, result.warnings);
  solve::CompareOptions options;
  options.prepare.redundant_constraints = asked.redundant_constraints;
  options.until = result.until =
      end_time(asked.until, solve::prepare(form.dae, {}, options.prepare).problem);
  options.every = every_of(asked.every);
  options.watch = asked.watch;
  const solve::Comparison compared = solve::compare(form.dae, cases, options);
  for (std::size_t k = 0; k < cases.size(); ++k) result.cases[k].result = compared.results[k];
  result.reference = compared.reference_trust;
  if (asked.watch.stopped()) {
    keep_done(result, compared.reference_status);
  } else if (const std::string fault = fault_of_reference(compared); !fault.empty()) {
    result.holds = false;
    result.reason = "the reference " + fault;
    result.tone = emit::Tone::bad;
  }
  result.verdict = result.reason.empty() || result.interrupted ? best_of(result.cases)
                                                               : "The " + result.reason.substr(4);
  return result;
}

std::string Comparison::summary() const {
  std::string text =
      fmt::format("{}: {:g} s, largest differences from Taylor series at 1e-15\n", title, until);
  text += fmt::format("  {:<22} {:<24} {:<8}  {:>8} {:>8} {:>8}  {:>8} {:>8}  {:>8} {:>9}\n",
                      "formulation", "method", "accuracy", "position", "velocity", "reaction",
                      "drift", "energy", "evals", "time [ms]");
  for (const ComparedCase& c : cases) text += row_text(c);
  return text;
}

Json Comparison::json() const {
  nlohmann::ordered_json json{
      {"model", model.name()},
      {"until", until},
      {"reference", {{"trust", name(reference.level)}, {"until", reference.until}}},
      {"cases", nlohmann::ordered_json::array()}};
  for (const ComparedCase& c : cases) json["cases"].push_back(to_json(c));
  return {std::move(json)};
}

void Comparison::illustrate(emit::Report& page) const {
  page.charts.push_back(error_chart("Work and precision", "time [ms]", cases, [&](std::size_t k) {
    return std::optional(1e3 * cases[k].result.wall_time);
  }));
  for (const bool steps : {true, false}) {
    emit::Chart chart = error_chart(
        steps ? "Convergence" : "Error against tolerance", steps ? "step [s]" : "tolerance", cases,
        [&](std::size_t k) {
          return cases[k].equal_steps == steps ? std::optional(cases[k].asked) : std::nullopt;
        });
    if (!chart.series.empty()) page.charts.push_back(std::move(chart));
  }
  page.tables.push_back(table_of(cases));
}

}  // namespace task
}  // namespace daedal
