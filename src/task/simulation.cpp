// A simulation for people, for programs and on a page.
#include "daedal/formulate/make_formulation.hpp"
#include "daedal/task/counts.hpp"
#include "daedal/task/page.hpp"
#include "daedal/task/simulate.hpp"
#include "figures_of_merit.hpp"
#include "run_json.hpp"
#include "start_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using Facts = std::vector<Fact>;

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

std::string accuracy_text(const solve::Method& method) {
  const double step = solve::fixed_step(method);
  return step > 0 ? fmt::format("step {:g} s", step)
                  : fmt::format("tolerance {:g}", solve::tolerance(method));
}

constexpr std::size_t shown = 6;  // lines of one kind; JSON has all of them

void add_rest(Facts& facts, std::size_t count) {
  if (count > shown) facts.back().text += fmt::format("\nand {} more", count - shown);
}

/// Which coordinates are integrated, from when on (minimal).
void add_switches(Facts& facts, const std::vector<solve::CoordinateSwitch>& switches) {
  for (std::size_t i = 0; i < std::min(switches.size(), shown); ++i)
    facts.push_back(
        {"free",
         fmt::format("{} from t = {:.6g} s on{}", fmt::join(switches[i].to, ", "), switches[i].t,
                     switches[i].from.empty()
                         ? ""
                         : fmt::format(" instead of {}", fmt::join(switches[i].from, ", "))),
         switches[i].t, "s", ""});
  add_rest(facts, switches.size());
}

void add_events(Facts& facts, const std::vector<solve::FiredEvent>& events) {
  for (std::size_t k = 0; k < std::min(events.size(), shown); ++k)
    facts.push_back(
        {"event",
         fmt::format("{} at t = {:.14g} s: {}", events[k].name, events[k].t, events[k].what),
         events[k].t, "s", events[k].name});
  add_rest(facts, events.size());
}

void add_violations(Facts& facts, const std::vector<solve::StartViolation>& violations) {
  if (violations.empty()) return;
  Fact fact{"start", "", violations[0].value, "", violations[0].name};
  for (std::size_t k = 0; k < std::min(violations.size(), shown); ++k)
    fact.text += fmt::format("{}off {:<12} {:.6g}", k == 0 ? "" : "\n", violations[k].name,
                             violations[k].value);
  facts.push_back(std::move(fact));
  add_rest(facts, violations.size());
}

/// Every level of a mechanism; of a high index the lowest and the highest ones.
void add_drift(Facts& facts, const std::vector<solve::LevelDrift>& levels) {
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const solve::LevelDrift& drift = levels[k];
    if (levels.size() > shown && k == shown / 2)
      facts.back().text += fmt::format("\n{} more levels", levels.size() - shown);
    const bool left_out = levels.size() > shown && k >= shown / 2 && k < levels.size() - shown / 2;
    if (drift.constraint.empty() || left_out) continue;
    facts.push_back({"drift",
                     fmt::format("{:<12} {:.1e}  ({} at t = {:.4g} s)", drift.level, drift.largest,
                                 drift.constraint, drift.at),
                     drift.largest, "", drift.constraint});
  }
}

std::string after_number(const std::string& unit) { return unit.empty() ? "" : " " + unit; }

/// Of positions, variables, velocities and forces the column with the largest error, over the rows that were compared.
std::string largest_errors(const solve::GlobalError& error, const Table& table) {
  std::string errors;
  struct Group {
    ColumnKind kind, another;
    const char* word;
  };
  for (const auto& [kind, another, word] :
       {Group{ColumnKind::coordinate, ColumnKind::coordinate, "position"},
        Group{ColumnKind::variable, ColumnKind::variable, "variable"},
        Group{ColumnKind::velocity, ColumnKind::rate, "velocity"},
        Group{ColumnKind::force, ColumnKind::force, "force"}}) {
    const solve::GlobalError::Column* largest = nullptr;
    for (const solve::GlobalError::Column& column : error.columns)
      if ((column.kind == kind || column.kind == another) &&
          (largest == nullptr || !(column.compared <= largest->compared)))
        largest = &column;
    if (largest == nullptr) continue;
    const auto column = table.find(largest->name);
    errors += fmt::format("{} {:.1e}{} ({}), ", word, largest->compared,
                          column ? after_number(table.columns()[*column].unit) : "", largest->name);
  }
  if (error.event_time > 0) errors += fmt::format("events {:.1e} s, ", error.event_time);
  return errors;
}

/// Values known only for the beginning come after unknown ones.
void add_global_error(Facts& facts, const solve::GlobalError& error, const Table& table,
                      bool of_springs) {
  if (!error.known()) {
    if (!error.remark.empty())
      facts.push_back({"error", fmt::format("unknown: {}", error.remark), {}, "", ""});
    return;
  }
  const std::string errors =
      fmt::format("{}from {}, {} steps in {}", largest_errors(error, table), error.method,
                  error.statistics.accepted, time_text(error.wall_time));
  std::string text;
  if (error.whole)
    text = errors + (error.remark.empty() ? "" : "\n" + error.remark);
  else
    text = fmt::format("unknown after t = {:.4g} s: {}\nuntil then {}", error.until, error.remark,
                       errors);
  if (of_springs)
    text +=
        "\nof the motion with springs; `compare()` measures its distance from that of the "
        "mechanism";
  facts.push_back({"error", std::move(text), error.share, "", error.worst});
}

void add_trust(Facts& facts, const solve::Trust& trust) {
  if (!trust.in_doubt()) return;
  facts.push_back({"trust",
                   fmt::format("until t = {:.4g} s only", trust.until) +
                       (trust.level == solve::Trust::Level::none ? ": " + trust.reason : ""),
                   trust.until, "s", ""});
}

void add_end(Facts& facts, const Table& table) {
  if (table.rows() == 0) return;
  const std::size_t last = table.rows() - 1;
  std::string values;
  for (std::size_t c = 1; c < std::min(table.width(), shown + 1); ++c)
    values += fmt::format("{}{} = {:.10g}{}", c == 1 ? "" : ", ", table.columns()[c].name,
                          table.at(last, c), after_number(table.columns()[c].unit));
  facts.push_back({"end", fmt::format("t = {:g} s: {}", table.at(last, 0), values),
                   table.at(last, 0), "s", ""});
}

}  // namespace

/// "10 s", or "0.83 of 10 s" of a run that stopped early.
std::string Simulation::time_reached() const {
  const Table& rows = trajectory.table;
  if (trajectory.status == solve::Status::completed || rows.rows() == 0)
    return fmt::format("{:g} s", options.until);
  return fmt::format("{:.4g} of {:g} s", rows.at(rows.rows() - 1, 0), options.until);
}

std::vector<Fact> Simulation::facts() const {
  Facts facts;
  const model::Model& m = *problem.dae->model;
  const solve::Trajectory& t = trajectory;
  std::string counts =
      text_of(count(*problem.dae), problem.structure.index, problem.structure.degrees_of_freedom);
  for (const structure::Conversion& c : problem.structure.conversions) counts += "\n" + c.words;
  facts.push_back({"model", std::move(counts), {}, "", ""});
  add_start(facts, m, start, start_values);
  add_violations(facts, start.violations);
  facts.push_back(
      {"method",
       fmt::format("{} with {}, {}: {} in {}", t.method, formulate::describe(problem.formulation),
                   accuracy_text(options.method), time_reached(),
                   step_text(t.statistics, t.wall_time)),
       t.wall_time, "s", ""});
  add_switches(facts, t.switches);
  add_events(facts, t.events);
  if (t.branch_changes > 0)
    facts.push_back({"branches",
                     fmt::format("{} change{} of if, abs, sign, min, max, ...", t.branch_changes,
                                 plural(t.branch_changes)),
                     static_cast<double>(t.branch_changes), "", ""});
  add_drift(facts, t.drift);
  if (t.energy.known)
    facts.push_back(
        {"energy",
         fmt::format("{:.10g} J -> {:.10g} J, work {:.6g} J, balance to {:.1e} J (largest kinetic "
                     "energy {:.4g} J)",
                     t.energy.initial, t.energy.final, t.energy.work, t.energy.largest_error,
                     t.energy.scale),
         t.energy.largest_error, "J", ""});
  add_global_error(facts, t.global_error, t.table, bends_constraints(problem));
  add_trust(facts, t.trust);
  if (figures) add_figures(facts, *figures, t.controls);
  add_end(facts, t.table);
  return facts;
}

Json Simulation::json() const {
  nlohmann::ordered_json json = run_json({problem, start, options, trajectory}, experiment);
  if (figures) json["figures_of_merit"] = figures_json(*figures, trajectory.controls);
  return {std::move(json)};
}

void Simulation::illustrate(emit::Report& page) const {
  emit::add_trajectory(page, *mechanism.model, trajectory);
  add_equations(page, problem.structure);
}

}  // namespace task
}  // namespace daedal
