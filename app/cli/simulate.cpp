// daedal simulate and daedal run: from a model to a trajectory and its summary.
#include "daedal/solve/simulate.hpp"

#include "commands.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/solve/break_points.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace daedal::cli {

namespace {

constexpr double default_until =
    10;  // [s], when neither the command line, an experiment nor a trajectory tells

/// Everything one simulation needs besides the model, from an experiment and the command line (which wins).
struct Request {
  model::Option method, formulation;
  std::optional<double> until, step, every, tolerance;
};

[[noreturn]] void fault(const Place& place, std::string message, std::string help = {}) {
  throw ModelError(Diagnostic{Severity::error, place, std::move(message), {}, std::move(help)});
}

double number_of(const model::Option& option) {
  if (option.numbers.size() != 1)
    fault(option.place, fmt::format("'{}' must be one number, not '{}'", option.name, option.text));
  return option.numbers[0];
}

Request read_experiment(const model::Experiment& experiment) {
  Request request;
  for (const model::Option& option : experiment.options) {
    if (option.name == "until")
      request.until = number_of(option);
    else if (option.name == "step")
      request.step = number_of(option);
    else if (option.name == "every")
      request.every = number_of(option);
    else if (option.name == "tolerance")
      request.tolerance = number_of(option);
    else if (option.name == "method")
      request.method = option;
    else if (option.name == "formulation")
      request.formulation = option;
    else {
      const std::string near = nearest_name(
          option.name, {"until", "step", "every", "tolerance", "method", "formulation"});
      fault(option.place,
            fmt::format("experiment '{}': simulate has no option and the model no input '{}'",
                        experiment.name, option.name),
            near.empty()
                ? "options: until, every, method, formulation, tolerance, step, and the inputs"
                : fmt::format("did you mean '{}'?", near));
    }
  }
  return request;
}

void apply_command_line(Request& request, const Arguments& a) {
  if (!a.method.empty()) request.method = model::parse_option(a.method, "--method");
  if (!a.formulation.empty())
    request.formulation = model::parse_option(a.formulation, "--formulation");
  if (a.until) request.until = a.until;
  if (a.step) request.step = a.step;
  if (a.every) request.every = a.every;
  if (a.tolerance) request.tolerance = a.tolerance;
}

solve::Method read_method(const Request& request) {
  std::map<std::string, double> options;
  for (const model::Option& option : request.method.options)
    options[option.name] = number_of(option);
  if (request.tolerance) options["tolerance"] = *request.tolerance;
  if (request.step) options["step"] = *request.step;
  const std::string name = request.method.text.empty()   ? "rk45"
                           : request.method.word.empty() ? request.method.text
                                                         : request.method.word;
  static const std::vector<std::string> later{"euler",
                                              "rk4",
                                              "implicit_euler",
                                              "linear_implicit_euler",
                                              "bdf",
                                              "generalized_alpha",
                                              "rattle",
                                              "rk23",
                                              "dop853",
                                              "taylor"};
  if (std::find(later.begin(), later.end(), name) != later.end())
    fault(request.method.place,
          fmt::format("the method '{}' is not solved yet by this version", name),
          "see docs/status.md; now there are rk45, radau5 and ida");
  return solve::make_method(name, options, request.method.place);
}

/// End of the run: asked for, or of the file's first experiment, or the last joint of the servo trajectories.
double end_time(const Request& request, const formulate::Problem& problem) {
  if (request.until) return *request.until;
  const model::Model& m = *problem.dae->model;
  if (!m.experiments.empty())
    for (const model::Option& option : m.experiments[0].options)
      if (option.name == "until") return number_of(option);
  std::vector<expr::Expr> servos;
  for (const model::Relation& servo : m.servos) servos.push_back(servo.residual);
  const std::vector<double> joints = solve::break_points(problem, servos, 0, 1e4);
  return joints.empty() ? default_until : joints.back();
}

void refuse_unsolved(const model::Model& m) {
  if (m.events.empty()) return;
  fault(m.events[0].place,
        fmt::format("event '{}' is not solved yet by this version", m.events[0].name),
        "events come with a later version, see docs/status.md; remove the line to simulate without "
        "it");
}

struct Result {
  formulate::Problem problem;
  solve::ConsistentPoint start;
  solve::Trajectory trajectory;
  solve::SimulateOptions options;
};

Result simulate_model(const Loaded& loaded, const Request& request, const Arguments& a) {
  refuse_unsolved(*loaded.dae->model);
  Result result;
  formulate::Formulation formulation;
  if (!request.formulation.text.empty())
    formulation = read_formulation(request.formulation, *loaded.dae);
  result.problem = formulate::formulate(loaded.dae, formulation);
  result.options.method = read_method(request);
  result.options.until = end_time(request, result.problem);
  result.options.every = request.every.value_or(0);
  result.options.compile.backend = a.backend == "tape"     ? compile::Backend::tape
                                   : a.backend == "native" ? compile::Backend::native
                                                           : compile::Backend::automatic;
  const std::vector<Diagnostic> faults = solve::check(result.options);
  if (!faults.empty()) throw ModelError(faults);
  result.start = solve::consistent_point(result.problem);
  ProgressLine line;
  if (!a.quiet) result.options.progress = line.sink();
  result.trajectory = solve::simulate(result.problem, result.start, result.options);
  return result;
}

std::string step_text(const solve::StepStatistics& s, double wall_time) {
  std::string text = fmt::format("{} steps", s.accepted);
  if (s.rejected > 0) text += fmt::format(" ({} rejected)", s.rejected);
  text += fmt::format(", {} evaluations", s.evaluations);
  if (s.jacobians > 0)
    text += fmt::format(", {} Jacobians, {} factorisations", s.jacobians, s.factorisations);
  return text + (wall_time < 1 ? fmt::format(", {:.3g} ms", 1e3 * wall_time)
                               : fmt::format(", {:.3g} s", wall_time));
}

void print_summary(const Result& r, const std::string& title) {
  const model::Model& m = *r.problem.dae->model;
  const solve::Trajectory& t = r.trajectory;
  fmt::print("{}{}\n", title, m.doc.empty() ? "" : ": " + m.doc);
  fmt::print("  model    {}\n", summary(count(*r.problem.dae), r.problem.offsets));
  if (!r.start.moves.empty()) {
    fmt::print("  start    {} value{} moved to satisfy the constraints:\n", r.start.moves.size(),
               r.start.moves.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < std::min<std::size_t>(r.start.moves.size(), 6); ++i)
      fmt::print("             {} {:.6g} -> {:.10g}\n", r.start.moves[i].name,
                 r.start.moves[i].from, r.start.moves[i].to);
    if (r.start.moves.size() > 6)
      fmt::print("             and {} more\n", r.start.moves.size() - 6);
  }
  fmt::print("  method   {} with {}, tolerance {:g}: {:g} s in {}\n", t.method,
             describe(r.problem.formulation), solve::tolerance(r.options.method), r.options.until,
             step_text(t.statistics, t.wall_time));
  for (const solve::LevelDrift& drift : t.drift)
    if (!drift.constraint.empty())
      fmt::print("  drift    {:<12} {:.1e}  ({} at t = {:.4g} s)\n", drift.level, drift.largest,
                 drift.constraint, drift.at);
  if (t.energy.known)
    fmt::print(
        "  energy   {:.10g} J -> {:.10g} J, work {:.6g} J, balance to {:.1e} J (largest kinetic "
        "energy {:.4g} J)\n",
        t.energy.initial, t.energy.final, t.energy.work, t.energy.largest_error, t.energy.scale);
  if (t.table.rows() > 0) {
    const std::size_t last = t.table.rows() - 1;
    std::string values;
    std::size_t shown = 0;
    for (std::size_t c = 1; c < t.table.width() && shown < 6; ++c, ++shown)
      values += fmt::format("{}{} = {:.10g}", shown == 0 ? "" : ", ", t.table.columns()[c].name,
                            t.table.at(last, c));
    fmt::print("  end      t = {:g} s: {}\n", t.table.at(last, 0), values);
  }
}

nlohmann::ordered_json to_json(const Result& r, const std::string& experiment) {
  const solve::Trajectory& t = r.trajectory;
  nlohmann::ordered_json json;
  json["model"] = r.problem.dae->model->name;
  if (!experiment.empty()) json["experiment"] = experiment;
  json["status"] = t.status == solve::Status::completed ? "completed" : "stopped";
  if (!t.reason.empty()) json["reason"] = t.reason;
  json["method"] = t.method;
  json["formulation"] = describe(r.problem.formulation);
  json["tolerance"] = solve::tolerance(r.options.method);
  json["until"] = r.options.until;
  json["index"] = r.problem.offsets.index;
  json["free_initial_values"] = r.problem.offsets.degrees_of_freedom;
  json["start_moves"] = nlohmann::ordered_json::array();
  for (const solve::Move& move : r.start.moves)
    json["start_moves"].push_back({{"name", move.name}, {"from", move.from}, {"to", move.to}});
  json["drift"] = nlohmann::ordered_json::object();
  for (const solve::LevelDrift& d : t.drift)
    if (!d.constraint.empty())
      json["drift"][d.level] = {{"largest", d.largest}, {"constraint", d.constraint}, {"at", d.at}};
  if (t.energy.known)
    json["energy"] = {{"initial", t.energy.initial},
                      {"final", t.energy.final},
                      {"work", t.energy.work},
                      {"largest_error", t.energy.largest_error},
                      {"largest_kinetic", t.energy.scale}};
  json["statistics"] = {{"accepted", t.statistics.accepted},
                        {"rejected", t.statistics.rejected},
                        {"evaluations", t.statistics.evaluations},
                        {"jacobians", t.statistics.jacobians},
                        {"factorisations", t.statistics.factorisations},
                        {"newton_iterations", t.statistics.newton_iterations},
                        {"projections", t.statistics.projections},
                        {"wall_time", t.wall_time}};
  json["warnings"] = nlohmann::ordered_json::array();
  for (const Diagnostic& w : t.warnings) json["warnings"].push_back(w.message);
  json["rows"] = t.table.rows();
  nlohmann::ordered_json final = nlohmann::ordered_json::object();
  if (t.table.rows() > 0)
    for (std::size_t c = 0; c < t.table.width(); ++c)
      final[t.table.columns()[c].name] = t.table.at(t.table.rows() - 1, c);
  json["final"] = std::move(final);
  return json;
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
  std::fprintf(stderr, "%s: %s\n", title.c_str(), r.trajectory.reason.c_str());
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
  const Loaded loaded = load_model(a);
  Request request;
  apply_command_line(request, a);
  const Result result = simulate_model(loaded, request, a);
  auto json = nlohmann::ordered_json::array();
  const int code = report(result, a, loaded.model->name, a.csv, a.json ? &json : nullptr, "");
  if (a.json) fmt::print("{}\n", json[0].dump(2));
  return code;
}

int run_experiments(const Arguments& a) {
  const Loaded first = load_model(a);
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
  int code = 0;
  auto json = nlohmann::ordered_json::array();
  for (const model::Experiment* experiment : chosen) {
    if (experiment->command != "simulate")
      fault(experiment->place,
            fmt::format("experiment '{}': '{}' is not solved yet by this version", experiment->name,
                        experiment->command),
            "now there is simulate(...); see docs/status.md");
    Arguments own = a;
    for (const auto& [input, text] : experiment->inputs)
      own.overrides.inputs.emplace(input, text);  // the command line wins
    const Loaded loaded =
        own.overrides.inputs.size() == a.overrides.inputs.size() ? first : load_model(own);
    const Result result = simulate_model(loaded, read_experiment(*experiment), a);
    const int one = report(result, a, fmt::format("{}.{}", loaded.model->name, experiment->name),
                           csv_name(a.csv, experiment->name, chosen.size() > 1),
                           a.json ? &json : nullptr, experiment->name);
    code = std::max(code, one);
  }
  if (a.json) fmt::print("{}\n", json.dump(2));
  return code;
}

}  // namespace daedal::cli
