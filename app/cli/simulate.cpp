// daedal simulate and daedal run: from a model to a trajectory.
#include "daedal/solve/simulate.hpp"

#include "commands.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/solve/prepare.hpp"
#include "daedal/solve/stabilisation.hpp"
#include "interrupt.hpp"
#include "invert.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"
#include "request.hpp"
#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace daedal::cli {

namespace {

Result simulate_model(const Loaded& loaded, const Request& request, const Arguments& a,
                      const Interrupt& interrupt) {
  Result result;
  formulate::Formulation formulation;
  if (!request.formulation.text.empty())
    formulation = read_formulation(request.formulation, *loaded.dae);
  result.options.method = read_method(request);
  solve::PrepareOptions prepare;
  prepare.redundant_constraints = read_redundant_constraints(request);
  prepare.start.values = read_start_values(request);
  formulation = solve::settled(loaded.dae, formulation, result.options.method, prepare);
  solve::Prepared prepared = solve::prepare(loaded.dae, formulation, prepare);
  for (const structure::Conversion& c : prepared.conversions) result.conversions.push_back(c.words);
  result.problem = std::move(prepared.problem);
  result.start = std::move(prepared.start);
  result.options.until = end_time(request, result.problem);
  result.options.every = request.every.value_or(0);
  result.options.global_error = request.global_error.value_or(true);
  result.options.compile.backend = read_backend(a);
  result.options.interrupt = &interrupt.flag();
  const std::vector<Diagnostic> faults = solve::check(result.options);
  if (!faults.empty()) throw ModelError(faults);
  ProgressLine line;
  if (!a.quiet) result.options.progress = line.sink();
  result.trajectory = solve::simulate(result.problem, result.start, result.options);
  return result;
}

/// "; 'out.csv' holds the 120 rows until then"
std::string rows_kept(const Result& r, const std::string& csv) {
  if (csv.empty()) return "";
  const std::string where = csv == "-" ? "standard output" : "'" + csv + "'";
  return fmt::format("; {} holds the {} rows until then", where, r.trajectory.table.rows());
}

/// Writes what was asked for; the exit code tells whether the run completed.
int report(const Result& r, const Arguments& a, const std::string& title, const std::string& csv,
           nlohmann::ordered_json* collect, const std::string& experiment) {
  print_warnings(r.start.warnings);
  print_warnings(r.trajectory.warnings);
  if (!csv.empty()) emit::write_csv(r.trajectory.table, csv);
  if (collect != nullptr)
    collect->push_back(to_json(r, experiment));
  else if (!a.quiet && csv != "-") {
    print_summary(r, title);
    if (!csv.empty())
      fmt::print("  wrote    {}: {} rows, {} columns\n", csv, r.trajectory.table.rows(),
                 r.trajectory.table.width());
  }
  if (r.trajectory.status == solve::Status::completed) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s%s\n", title.c_str(), r.trajectory.reason.c_str(),
               r.trajectory.status == solve::Status::interrupted ? rows_kept(r, csv).c_str() : "");
  return 1;
}

/// out.csv and swing -> out-swing.csv
std::string csv_name(const std::string& csv, const std::string& experiment, bool several) {
  if (csv.empty() || csv == "-" || !several) return csv;
  const auto dot = csv.rfind('.');
  return dot == std::string::npos ? csv + "-" + experiment
                                  : csv.substr(0, dot) + "-" + experiment + csv.substr(dot);
}

}  // namespace

int simulate(const Arguments& a) {
  const Loaded loaded = load_model(a, lifting_of_forward_models(a));
  Request request;
  apply_command_line(request, a);
  emit::check_writable(a.csv);
  const Interrupt interrupt;
  const Result result = simulate_model(loaded, request, a, interrupt);
  auto json = nlohmann::ordered_json::array();
  const int code = report(result, a, loaded.model->name, a.csv, a.json ? &json : nullptr, "");
  if (a.json) fmt::print("{}\n", json[0].dump(2));
  return std::max(code, interrupt.exit_code());
}

int run_experiments(const Arguments& a) {
  const Loaded first = load_model(a, lifting_of_forward_models(a));
  const std::vector<model::Experiment>& all = first.model->experiments;
  std::vector<const model::Experiment*> chosen;
  for (const std::string& name : a.names) {
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const model::Experiment& e) { return e.name == name; });
    if (it == all.end()) {
      std::vector<std::string> names;
      for (const model::Experiment& e : all) names.push_back(e.name);
      const std::string near = nearest_name(name, names);
      fault({}, fmt::format("model '{}' has no experiment '{}'", first.model->name, name),
            near.empty() ? "" : fmt::format("did you mean '{}'?", near));
    }
    chosen.push_back(&*it);
  }
  if (a.names.empty())
    for (const model::Experiment& e : all) chosen.push_back(&e);
  if (chosen.empty())
    fault(first.model->place, fmt::format("model '{}' has no experiments", first.model->name),
          "write one:  experiment swing: simulate(until = 20)");
  const bool several = chosen.size() > 1;
  for (const model::Experiment* experiment : chosen)
    emit::check_writable(csv_name(a.csv, experiment->name, several));
  int code = 0;
  const Interrupt interrupt;
  auto json = nlohmann::ordered_json::array();
  for (const model::Experiment* experiment : chosen) {
    if (experiment->command != "simulate" && experiment->command != "invert")
      fault(experiment->place,
            fmt::format("experiment '{}': '{}' is not solved yet by this version", experiment->name,
                        experiment->command),
            "now there are simulate(...) and invert(...); see docs/status.md");
    Arguments own = a;
    for (const auto& [input, text] : experiment->inputs)
      own.overrides.inputs.emplace(input, text);  // the command line wins
    const Request request = read_experiment(*experiment, *first.model);
    for (const auto& [parameter, text] : request.parameters)
      own.overrides.parameters.emplace(parameter, text);
    const bool forward = experiment->command == "simulate";
    const bool as_loaded = own.overrides.inputs.size() == a.overrides.inputs.size() &&
                           own.overrides.parameters.size() == a.overrides.parameters.size() &&
                           (forward || first.model->lifted.empty());
    const Loaded loaded =
        as_loaded ? first
                  : load_model(own, forward ? lifting_of_forward_models(a) : model::Lifting::never);
    const std::string title = fmt::format("{}.{}", loaded.model->name, experiment->name);
    const std::string csv = csv_name(a.csv, experiment->name, several);
    nlohmann::ordered_json* const collect = a.json ? &json : nullptr;
    const int one = experiment->command == "invert"
                        ? invert_model(loaded, request, a, title, csv, collect)
                        : report(simulate_model(loaded, request, a, interrupt), a, title, csv,
                                 collect, experiment->name);
    code = std::max(code, one);
    if (interrupt.flag()) break;
  }
  if (a.json) fmt::print("{}\n", json.dump(2));
  return std::max(code, interrupt.exit_code());
}

}  // namespace daedal::cli
