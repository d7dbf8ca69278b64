// daedal simulate and daedal run: from a model to a trajectory.
#include "daedal/solve/simulate.hpp"

#include "commands.hpp"
#include "daedal/base/utf8.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/solve/column_kind.hpp"
#include "daedal/solve/prepare.hpp"
#include "daedal/solve/stabilisation.hpp"
#include "file_roles.hpp"
#include "interrupt.hpp"
#include "invert.hpp"
#include "json_answer.hpp"
#include "lifting.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"
#include "redundancy.hpp"
#include "report.hpp"
#include "request.hpp"
#include "sparkline.hpp"
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
  solve::Prepared prepared;
  with_cut_joints(loaded, a, [&] {
    formulation = solve::settled(loaded.dae, formulation, result.options.method, prepare);
    prepared = solve::prepare(loaded.dae, formulation, prepare);
  });
  for (const structure::Conversion& c : prepared.conversions) result.conversions.push_back(c.words);
  result.problem = std::move(prepared.problem);
  result.start = std::move(prepared.start);
  result.options.until = end_time(request, result.problem);
  result.options.every = request.every.value_or(0);
  result.options.global_error = request.global_error.value_or(true);
  result.options.compile.backend = read_backend(a);
  result.options.history = !a.report.empty();
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
  const std::string where = csv == "-" ? "standard output" : "'" + visible(csv) + "'";
  return fmt::format("; {} holds the {} rows until then", where, r.trajectory.table.rows());
}

/// It came to its end, and nothing speaks against it.
bool succeeded(const solve::Trajectory& t) {
  return t.status == solve::Status::completed && !t.trust.in_doubt();
}

/// "5 s of motion in 583 steps; constraints hold to 4.4e-16, ...", or why there is no more.
std::string verdict(const Result& r) {
  const solve::Trajectory& t = r.trajectory;
  if (t.status != solve::Status::completed) return t.reason;
  if (t.trust.in_doubt())
    return fmt::format("{} after t = {:.4g} s: {}.",
                       t.trust.level == solve::Trust::Level::none ? "Not to be trusted"
                                                                  : "No estimate of the error",
                       t.trust.until, t.trust.reason);
  std::string text = fmt::format("Completed: {:g} s of motion in {} steps of {}", r.options.until,
                                 t.statistics.accepted, t.method);
  std::string separator = "; ";
  const auto add = [&](const std::string& words) {
    text += separator + words;
    separator = ", ";
  };
  if (!t.constraints.constraint.empty())
    add(fmt::format("the constraints hold to {:.1e}", t.constraints.largest));
  if (t.energy.known) add(fmt::format("the energy balance to {:.1e} J", t.energy.largest_error));
  if (t.global_error.known()) {
    double largest = 0;
    for (const solve::GlobalError::Column& column : t.global_error.columns)
      if (solve::column_kind(*r.problem.dae->model, column.name) == solve::ColumnKind::position)
        largest = std::max(largest, column.largest);
    add(fmt::format("positions are off by about {:.1e}", largest));
  }
  return text + ".";
}

void write_page(const Loaded& loaded, const Result& r, const Arguments& a, const std::string& title,
                const std::string& path, bool quiet) {
  emit::Report page = report_of(loaded, a, title);
  page.verdict = verdict(r);
  page.tone = !succeeded(r.trajectory)                                    ? emit::Tone::bad
              : r.trajectory.warnings.empty() && r.start.warnings.empty() ? emit::Tone::good
                                                                          : emit::Tone::doubtful;
  add_warnings(page, r.start.warnings);
  add_warnings(page, r.trajectory.warnings);
  add_facts(page, summary_text(r, title));
  emit::add_trajectory(page, *loaded.model, r.trajectory);
  add_equations(page, *r.problem.dae, r.problem.offsets);
  write_report(page, path, quiet);
}

/// Writes what was asked for; the exit code says whether the run completed and its result can be trusted.
int report(const Loaded& loaded, const Result& r, const Arguments& a, const std::string& title,
           const Files& files, nlohmann::ordered_json* collect, const std::string& experiment) {
  const std::string& csv = files.csv;
  print_warnings(a, r.start.warnings);
  print_warnings(a, r.trajectory.warnings);
  if (!csv.empty()) emit::write_csv(r.trajectory.table, csv);
  if (collect != nullptr)
    collect->push_back(with_warnings(a, to_json(r, experiment)));
  else if (!a.quiet && csv != "-") {
    fmt::print("{}", summary_text(r, title));
    if (!csv.empty())
      fmt::print("  wrote    {}: {} rows, {} columns\n", visible(csv), r.trajectory.table.rows(),
                 r.trajectory.table.width());
    fmt::print("{}", plots_of(a.plots, r.trajectory.table));
  }
  if (!files.report.empty())
    write_page(loaded, r, a, title, files.report, a.quiet || collect != nullptr || csv == "-");
  if (r.trajectory.status == solve::Status::completed) return succeeded(r.trajectory) ? 0 : 1;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s%s\n", title.c_str(), r.trajectory.reason.c_str(),
               r.trajectory.status == solve::Status::interrupted ? rows_kept(r, csv).c_str() : "");
  return 1;
}

/// out.csv and swing -> out-swing.csv
std::string own_name(const std::string& file, const std::string& experiment, bool several) {
  if (file.empty() || file == "-" || !several) return file;
  const auto dot = file.rfind('.');
  return dot == std::string::npos ? file + "-" + experiment
                                  : file.substr(0, dot) + "-" + experiment + file.substr(dot);
}

}  // namespace

int simulate(const Arguments& a) {
  Request request;
  apply_command_line(request, a);
  const Loaded loaded = load_forward_model(a, {&request, 1});
  check_writable({a.csv, a.report});
  check_plots(a.plots, *loaded.model);
  const Interrupt interrupt;
  const Result result = simulate_model(loaded, request, a, interrupt);
  auto json = nlohmann::ordered_json::array();
  const int code = report(loaded, result, a, loaded.model->name, {a.csv, a.report},
                          a.json ? &json : nullptr, "");
  if (a.json) print_json(a, json[0]);
  return std::max(code, interrupt.exit_code());
}

int run_experiments(const Arguments& a) {
  const Loaded first = load_forward_model(a, {});
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
  const auto files_of = [&](const model::Experiment& experiment) {
    return Files{own_name(a.csv, experiment.name, several),
                 own_name(a.report, experiment.name, several)};
  };
  check_plots(a.plots, *first.model);
  std::vector<Written> written;
  for (const model::Experiment* experiment : chosen)
    for (const auto& [option, path] : {Written{"--csv", files_of(*experiment).csv},
                                       Written{"--report", files_of(*experiment).report}}) {
      if (path.empty()) continue;
      if (several && path == "-")
        fault({},
              fmt::format("{} -: {} experiments would be mixed on standard output", option,
                          chosen.size()),
              "name one of them, or write to files, as in  --csv out.csv");
      written.push_back({option, path});
      emit::check_writable(path);
    }
  refuse_overwriting(written, first.library, a.overrides);
  int code = 0;
  const Interrupt interrupt;
  auto json = nlohmann::ordered_json::array();
  for (const model::Experiment* experiment : chosen) {
    if (experiment->command != "simulate" && experiment->command != "invert") {
      const std::string near = nearest_name(experiment->command, {"simulate", "invert"});
      fault(experiment->place,
            fmt::format("experiment '{}' can be simulate or invert, not '{}'", experiment->name,
                        experiment->command),
            near.empty() ? "other questions are commands, as in  daedal analyse model.daedal"
                         : fmt::format("did you mean '{}'?", near));
    }
    Arguments own = a;
    own.overrides.experiment = experiment->inputs;  // the command line wins
    const Request request = read_experiment(*experiment, *first.model);
    for (const auto& [parameter, text] : request.parameters)
      own.overrides.parameters.emplace(parameter, text);
    const bool forward = experiment->command == "simulate";
    const bool as_loaded = experiment->inputs.empty() &&
                           own.overrides.parameters.size() == a.overrides.parameters.size() &&
                           first.model->lifted.empty();
    const Loaded loaded = as_loaded ? first
                          : forward ? load_forward_model(own, {&request, 1})
                                    : load_model(own);
    const std::string title = fmt::format("{}.{}", loaded.model->name, experiment->name);
    const Files files = files_of(*experiment);
    nlohmann::ordered_json* const collect = a.json ? &json : nullptr;
    const auto answer = [&] {
      return experiment->command == "invert"
                 ? invert_model(loaded, request, a, title, files, collect)
                 : report(loaded, simulate_model(loaded, request, a, interrupt), a, title, files,
                          collect, experiment->name);
    };
    try {
      code = std::max(code, answer());
    } catch (const ModelError& error) {
      if (collect == nullptr) throw;
      std::fprintf(stderr, "%s\n", error.what());
      json.push_back({{"model", loaded.model->name}, {"experiment", experiment->name}});
      json.back().update(with_warnings(a, failure_json(2, error.diagnostics())));
      code = 2;
      break;  // as without --json: those before it are answered
    }
    if (interrupt.flag()) break;
  }
  if (a.json) print_json(a, json);
  return std::max(code, interrupt.exit_code());
}

}  // namespace daedal::cli
