#include "run_json.hpp"

#include "daedal/formulate/make_formulation.hpp"
#include "start_facts.hpp"

#include <utility>

namespace daedal {
inline namespace task {

bool bends_constraints(const formulate::Problem& problem) {
  return problem.formulation.kind == formulate::Kind::penalty;
}

namespace {

/// A column whose rows were not all compared has no largest error: null.
nlohmann::ordered_json to_json(const solve::GlobalError& error) {
  nlohmann::ordered_json json{
      {"method", error.method}, {"until", error.until}, {"whole", error.whole}};
  if (!error.remark.empty()) json["remark"] = error.remark;
  json["columns"] = nlohmann::ordered_json::object();
  for (const solve::GlobalError::Column& column : error.columns)
    json["columns"][column.name] = {
        {"largest", column.largest}, {"at", column.at}, {"compared", column.compared}};
  json["event_time"] = error.event_time;
  json["evaluations"] = error.statistics.evaluations;
  json["wall_time"] = error.wall_time;
  return json;
}

}  // namespace

nlohmann::ordered_json run_json(const RunView& run, const std::string& experiment) {
  const auto& [problem, start, options, t] = run;
  nlohmann::ordered_json json;
  json["model"] = problem.dae->model->name;
  if (!experiment.empty()) json["experiment"] = experiment;
  json["status"] = status_name(t);
  if (!t.reason.empty()) json["reason"] = phrased(t.reason);
  json["trust"] = {{"level", name(t.trust.level)}, {"until", t.trust.until}};
  if (!t.trust.reason.empty()) json["trust"]["reason"] = phrased(t.trust.reason);
  json["method"] = t.method;
  json["formulation"] = formulate::describe(problem.formulation);
  if (const double step = solve::fixed_step(options.method); step > 0)
    json["step"] = step;
  else
    json["tolerance"] = solve::tolerance(options.method);
  json["until"] = options.until;
  json["index"] = problem.structure.index;
  json["free_initial_values"] = problem.structure.degrees_of_freedom;
  json["conversions"] = nlohmann::ordered_json::array();
  for (const structure::Conversion& c : problem.structure.conversions)
    json["conversions"].push_back(c.words);
  json["start_moves"] = start_moves_json(*problem.dae->model, start);
  if (!start.violations.empty()) json["start_violations"] = nlohmann::ordered_json::object();
  for (const solve::StartViolation& violation : start.violations)
    json["start_violations"][violation.name] = violation.value;
  json["events"] = nlohmann::ordered_json::array();
  for (const solve::FiredEvent& e : t.events)
    json["events"].push_back({{"name", e.name}, {"t", e.t}, {"what", e.what}});
  json["coordinate_switches"] = nlohmann::ordered_json::array();
  for (const solve::CoordinateSwitch& s : t.switches)
    json["coordinate_switches"].push_back({{"t", s.t}, {"from", s.from}, {"to", s.to}});
  json["branch_changes"] = t.branch_changes;
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
  if (t.global_error.known() || !t.global_error.remark.empty()) {
    json["global_error"] = to_json(t.global_error);
    json["global_error"]["of"] = bends_constraints(problem) ? "springs" : "mechanism";
  }
  json["statistics"] = {{"accepted", t.statistics.accepted},
                        {"rejected", t.statistics.rejected},
                        {"evaluations", t.statistics.evaluations},
                        {"jacobians", t.statistics.jacobians},
                        {"factorisations", t.statistics.factorisations},
                        {"newton_iterations", t.statistics.newton_iterations},
                        {"projections", t.statistics.projections},
                        {"wall_time", t.wall_time}};
  json["rows"] = t.table.rows();
  nlohmann::ordered_json final = nlohmann::ordered_json::object();
  nlohmann::ordered_json units = nlohmann::ordered_json::object();
  if (t.table.rows() > 0)
    for (std::size_t c = 0; c < t.table.width(); ++c) {
      const Column& column = t.table.columns()[c];
      final[column.name] = t.table.at(t.table.rows() - 1, c);
      if (!column.unit.empty()) units[column.name] = column.unit;
    }
  json["final"] = std::move(final);
  json["units"] = std::move(units);
  return json;
}

}  // namespace task
}  // namespace daedal
