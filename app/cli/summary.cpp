#include "summary.hpp"

#include "daedal/solve/column_kind.hpp"
#include "pipeline.hpp"
#include "start_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal::cli {

namespace {

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

std::string step_text(const solve::StepStatistics& s, double wall_time) {
  std::string text = fmt::format("{} steps", s.accepted);
  if (s.rejected > 0) text += fmt::format(" ({} rejected)", s.rejected);
  text += fmt::format(", {} evaluations", s.evaluations);
  if (s.jacobians > 0)
    text += fmt::format(", {} Jacobians, {} factorisations", s.jacobians, s.factorisations);
  return text + ", " + time_text(wall_time);
}

/// Which coordinates are integrated, from when on (minimal).
void add_switches(std::string& text, const std::vector<solve::CoordinateSwitch>& switches) {
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < std::min(switches.size(), most); ++i)
    text += fmt::format("  free     {} from t = {:.6g} s on{}\n", fmt::join(switches[i].to, ", "),
                        switches[i].t,
                        switches[i].from.empty()
                            ? ""
                            : fmt::format(" instead of {}", fmt::join(switches[i].from, ", ")));
  if (switches.size() > most)
    text += fmt::format("           and {} more\n", switches.size() - most);
}

/// Every level of a mechanism; of a high index the lowest and the highest ones.
void add_drift(std::string& text, const std::vector<solve::LevelDrift>& levels) {
  constexpr std::size_t shown = 6;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const solve::LevelDrift& drift = levels[k];
    if (levels.size() > shown && k == shown / 2)
      text += fmt::format("           {} more levels\n", levels.size() - shown);
    const bool left_out = levels.size() > shown && k >= shown / 2 && k < levels.size() - shown / 2;
    if (drift.constraint.empty() || left_out) continue;
    text += fmt::format("  drift    {:<12} {:.1e}  ({} at t = {:.4g} s)\n", drift.level,
                        drift.largest, drift.constraint, drift.at);
  }
}

void add_violations(std::string& text, const std::vector<solve::StartViolation>& violations) {
  constexpr std::size_t shown = 6;
  for (std::size_t k = 0; k < std::min(violations.size(), shown); ++k)
    text += fmt::format("  {:<8} off {:<12} {:.6g}\n", k == 0 ? "start" : "", violations[k].name,
                        violations[k].value);
  if (violations.size() > shown)
    text += fmt::format("           and {} more\n", violations.size() - shown);
}

void add_events(std::string& text, const std::vector<solve::FiredEvent>& events) {
  constexpr std::size_t shown = 6;
  for (std::size_t k = 0; k < std::min(events.size(), shown); ++k)
    text += fmt::format("  event    {} at t = {:.14g} s: {}\n", events[k].name, events[k].t,
                        events[k].what);
  if (events.size() > shown) text += fmt::format("           and {} more\n", events.size() - shown);
}

/// Springs in place of constraints have a motion of their own, and the estimated error is that of solving for it.
bool bends_constraints(const Result& r) {
  return r.problem.formulation.kind == formulate::Kind::penalty;
}

/// Of positions, velocities and multipliers the column with the largest error, over the rows that were compared.
std::string largest_errors(const solve::GlobalError& error, const model::Model& model) {
  using solve::ColumnKind;
  std::string errors;
  for (const auto& [kind, word] :
       {std::pair{ColumnKind::position, "position"}, std::pair{ColumnKind::velocity, "velocity"},
        std::pair{ColumnKind::multiplier, "multiplier"}}) {
    const solve::GlobalError::Column* largest = nullptr;
    for (const solve::GlobalError::Column& column : error.columns)
      if (solve::column_kind(model, column.name) == kind &&
          (largest == nullptr || !(column.compared <= largest->compared)))
        largest = &column;
    if (largest != nullptr)
      errors += fmt::format("{} {:.1e} ({}), ", word, largest->compared, largest->name);
  }
  if (error.event_time > 0) errors += fmt::format("events {:.1e} s, ", error.event_time);
  return errors;
}

/// What is known of the beginning only is said after what is not known.
void add_global_error(std::string& text, const solve::GlobalError& error, const model::Model& model,
                      bool of_springs) {
  if (!error.known()) {
    if (!error.remark.empty()) text += fmt::format("  error    unknown: {}\n", error.remark);
    return;
  }
  const std::string errors =
      fmt::format("{}from {}, {} steps in {}", largest_errors(error, model), error.method,
                  error.statistics.accepted, time_text(error.wall_time));
  if (error.whole)
    text += fmt::format("  error    {}\n{}", errors,
                        error.remark.empty() ? "" : fmt::format("           {}\n", error.remark));
  else
    text += fmt::format("  error    unknown after t = {:.4g} s: {}\n           until then {}\n",
                        error.until, error.remark, errors);
  if (of_springs)
    text +=
        "           of the motion with springs; daedal compare tells how far that is from the "
        "mechanism's\n";
}

void add_trust(std::string& text, const solve::Trust& trust) {
  if (!trust.in_doubt()) return;
  text += fmt::format("  trust    until t = {:.4g} s only", trust.until);
  text += trust.level == solve::Trust::Level::none ? ": " + trust.reason + "\n" : "\n";
}

std::string accuracy_text(const solve::Method& method) {
  const double step = solve::fixed_step(method);
  return step > 0 ? fmt::format("step {:g} s", step)
                  : fmt::format("tolerance {:g}", solve::tolerance(method));
}

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

std::string summary_text(const Result& r, const std::string& title) {
  std::string text;
  const model::Model& m = *r.problem.dae->model;
  const solve::Trajectory& t = r.trajectory;
  text += fmt::format("{}{}\n", title, m.doc.empty() ? "" : ": " + m.doc);
  text += fmt::format("  model    {}\n", summary(count(*r.problem.dae), r.problem.offsets));
  for (const std::string& words : r.conversions) text += fmt::format("           {}\n", words);
  add_start(text, m, r.start);
  add_violations(text, r.start.violations);
  text += fmt::format("  method   {} with {}, {}: {:g} s in {}\n", t.method,
                      describe(r.problem.formulation), accuracy_text(r.options.method),
                      r.options.until, step_text(t.statistics, t.wall_time));
  add_switches(text, t.switches);
  add_events(text, t.events);
  if (t.branch_changes > 0)
    text += fmt::format("  branches {} change{} of if, abs, sign, min, max, ...\n",
                        t.branch_changes, t.branch_changes == 1 ? "" : "s");
  add_drift(text, t.drift);
  if (t.energy.known)
    text += fmt::format(
        "  energy   {:.10g} J -> {:.10g} J, work {:.6g} J, balance to {:.1e} J (largest kinetic "
        "energy {:.4g} J)\n",
        t.energy.initial, t.energy.final, t.energy.work, t.energy.largest_error, t.energy.scale);
  add_global_error(text, t.global_error, m, bends_constraints(r));
  add_trust(text, t.trust);
  if (t.table.rows() > 0) {
    const std::size_t last = t.table.rows() - 1;
    std::string values;
    std::size_t shown = 0;
    for (std::size_t c = 1; c < t.table.width() && shown < 6; ++c, ++shown)
      values += fmt::format("{}{} = {:.10g}", shown == 0 ? "" : ", ", t.table.columns()[c].name,
                            t.table.at(last, c));
    text += fmt::format("  end      t = {:g} s: {}\n", t.table.at(last, 0), values);
  }
  return text;
}

nlohmann::ordered_json to_json(const Result& r, const std::string& experiment) {
  const solve::Trajectory& t = r.trajectory;
  nlohmann::ordered_json json;
  json["model"] = r.problem.dae->model->name;
  if (!experiment.empty()) json["experiment"] = experiment;
  json["status"] = status_name(t);
  if (!t.reason.empty()) json["reason"] = t.reason;
  json["trust"] = {{"level", name(t.trust.level)}, {"until", t.trust.until}};
  if (!t.trust.reason.empty()) json["trust"]["reason"] = t.trust.reason;
  json["method"] = t.method;
  json["formulation"] = describe(r.problem.formulation);
  if (const double step = solve::fixed_step(r.options.method); step > 0)
    json["step"] = step;
  else
    json["tolerance"] = solve::tolerance(r.options.method);
  json["until"] = r.options.until;
  json["index"] = r.problem.offsets.index;
  json["free_initial_values"] = r.problem.offsets.degrees_of_freedom;
  json["conversions"] = r.conversions;
  json["start_moves"] = start_moves_json(*r.problem.dae->model, r.start);
  if (!r.start.violations.empty()) json["start_violations"] = nlohmann::ordered_json::object();
  for (const solve::StartViolation& violation : r.start.violations)
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
    json["global_error"]["of"] = bends_constraints(r) ? "springs" : "mechanism";
  }
  json["statistics"] = {{"accepted", t.statistics.accepted},
                        {"rejected", t.statistics.rejected},
                        {"evaluations", t.statistics.evaluations},
                        {"jacobians", t.statistics.jacobians},
                        {"factorisations", t.statistics.factorisations},
                        {"newton_iterations", t.statistics.newton_iterations},
                        {"projections", t.statistics.projections},
                        {"wall_time", t.wall_time}};
  json["warnings"] = nlohmann::ordered_json::array();
  for (const auto* warnings : {&r.start.warnings, &t.warnings})
    for (const Diagnostic& w : *warnings) json["warnings"].push_back(w.message);
  json["rows"] = t.table.rows();
  nlohmann::ordered_json final = nlohmann::ordered_json::object();
  if (t.table.rows() > 0)
    for (std::size_t c = 0; c < t.table.width(); ++c)
      final[t.table.columns()[c].name] = t.table.at(t.table.rows() - 1, c);
  json["final"] = std::move(final);
  return json;
}

}  // namespace daedal::cli
