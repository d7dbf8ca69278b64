#include "trust.hpp"

#include "daedal/system/point.hpp"
#include "motion_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double much_energy = 0.01;     // of the largest kinetic energy
constexpr double above_rounding = 1e-6;  // of the energy

/// Part of the kinetic energy that the error of the motion explains.
double explained_share(const Method& method, const GlobalError& error) {
  constexpr double by_share = 10, never = 0.5;
  constexpr double by_tolerance = 1000;  // without an estimate: 1 % at 1e-5
  const double by_error = error.known() ? by_share * error.share : by_tolerance * tolerance(method);
  return std::max(much_energy, std::min(by_error, never));
}

/// Whether energy comes or goes that nothing explains.
bool loses_energy(const formulate::Problem& problem, const ConsistentPoint& start,
                  const Method& method, const Trajectory& t) {
  const EnergyBalance& e = t.energy;
  const bool springs = problem.formulation.kind == formulate::Kind::penalty;
  const bool judged = t.global_error.known() || fixed_step(method) == 0;
  if (!e.known || springs || !judged || !start.violations.empty()) return false;
  const double energy = std::max(std::abs(e.initial), std::abs(e.final));
  if (!(e.largest_error > explained_share(method, t.global_error) * e.scale) ||
      !(e.largest_error > above_rounding * energy))
    return false;
  if (!motion_size(*problem.dae->model, t, tolerance(method)).moves) return false;
  const bool lessens = t.global_error.known() && t.global_error.shorter_steps &&
                       t.global_error.whole && t.global_error.energy_error < e.largest_error / 4;
  return !lessens;
}

/// The last row before energy is lost.
double balanced_until(const Trajectory& t) {
  const auto column = t.history.find(history_column::balance);
  double until = t.table.at(0, 0);
  if (!column || t.history.rows() != t.table.rows()) return until;
  for (std::size_t r = 0; r < t.table.rows(); ++r) {
    if (t.history.at(r, *column) > much_energy * t.energy.scale) break;
    until = t.table.at(r, 0);
  }
  return until;
}

std::string with_unit_of(const Trajectory& t, const std::string& column, double value) {
  const auto c = t.table.find(column);
  return with_unit(value, c ? t.table.columns()[*c].unit : "");
}

std::string reason_of_error(const Trajectory& t) {
  const GlobalError& e = t.global_error;
  const auto worst = std::find_if(e.columns.begin(), e.columns.end(),
                                  [&](const auto& column) { return column.name == e.worst; });
  return fmt::format("the estimated error of '{}' grows to {} for a motion of {}", e.worst,
                     with_unit_of(t, e.worst, e.share * worst->motion),
                     with_unit_of(t, e.worst, worst->motion));
}

std::string reason_of_energy(const EnergyBalance& e) {
  return fmt::format(
      "energy changes by {:.3g} J until t = {:.4g} s that no force accounts for (largest kinetic "
      "energy {:.3g} J)",
      e.largest_error, e.at, e.scale);
}

std::string help_for(const formulate::Problem& problem, const Method& method, bool left_the_motion,
                     Trust::Level level) {
  constexpr const char* null_space =
      "method = dop853 with formulation = null_space passes most singular poses, where constraints "
      "depend on each other (docs/concepts/singular_poses.md)";
  const bool may_help =
      !problem.levels.empty() && problem.formulation.kind != formulate::Kind::null_space;
  if (may_help && (left_the_motion || level == Trust::Level::partial)) return null_space;
  if (level == Trust::Level::partial)
    return "compare with another method or tolerance:  `compare()`";
  return fmt::format(
      "{} reaches further; in a chaotic or unstable motion each digit of it adds the same time{}{}",
      fixed_step(method) > 0 ? "a shorter step" : "a smaller tolerance", may_help ? "; " : "",
      may_help ? null_space : "");
}

void warn_of_rough_result(const formulate::Problem& problem, const Method& method, Trajectory& t) {
  t.warnings.push_back(
      {Severity::warning,
       problem.dae->model->place,
       fmt::format("model '{}': after t = {:.4g} s the result is rough: {}",
                   problem.dae->model->name, t.global_error.close_until, reason_of_error(t)),
       {},
       fixed_step(method) > 0 ? "take a shorter step" : "take a smaller tolerance"});
}

}  // namespace

std::string_view name(Trust::Level level) {
  switch (level) {
    case Trust::Level::unknown:
      return "unknown";
    case Trust::Level::full:
      return "full";
    case Trust::Level::partial:
      return "partial";
    case Trust::Level::none:
      return "none";
  }
  return "";
}

std::string_view status_name(const Trajectory& trajectory) {
  if (trajectory.status == Status::stopped) return "stopped";
  if (trajectory.status == Status::interrupted) return "interrupted";
  return trajectory.trust.level == Trust::Level::none      ? "wrong"
         : trajectory.trust.level == Trust::Level::partial ? "unverified"
                                                           : "completed";
}

void judge(const formulate::Problem& problem, const ConsistentPoint& start,
           const SimulateOptions& options, Trajectory& t) {
  const Trust seen = std::exchange(t.trust, {});  // on the way: a turn
  if (t.status == Status::interrupted || t.table.rows() < 2) return;
  const GlobalError& error = t.global_error;
  Trust& trust = t.trust;
  trust.until = t.table.at(t.table.rows() - 1, 0);
  const double sign = trust.until < t.table.at(0, 0) ? -1 : 1;
  const auto doubt = [&](Trust::Level level, double until, const std::string& reason) {
    trust.level = std::max(trust.level, level);
    if (sign * (trust.until - until) > 0) trust.until = until;
    trust.reason += (trust.reason.empty() ? "" : "; ") + reason;
  };
  if (options.global_error) {
    trust.level = Trust::Level::full;
    if (!error.whole) doubt(Trust::Level::partial, error.until, error.remark);
    if (!(error.share <= as_large_as_motion))
      doubt(Trust::Level::none, error.close_until, reason_of_error(t));
  }
  const bool energy_is_lost = loses_energy(problem, start, options.method, t);
  if (energy_is_lost) doubt(Trust::Level::none, balanced_until(t), reason_of_energy(t.energy));
  if (seen.in_doubt()) doubt(seen.level, seen.until, seen.reason);
  if (!trust.in_doubt() && error.share > notable_share)
    warn_of_rough_result(problem, options.method, t);
  const bool stopped = t.status != Status::completed;  // its own reason says more
  if (!trust.in_doubt() || (stopped && trust.level == Trust::Level::partial)) return;
  t.warnings.push_back(
      {Severity::warning,
       problem.dae->model->place,
       fmt::format(
           "model '{}': the result {} after t = {:.4g} s: {}", problem.dae->model->name,
           trust.level == Trust::Level::none ? "cannot be trusted" : "has no estimate of its error",
           trust.until, trust.reason),
       {},
       help_for(problem, options.method, energy_is_lost || seen.in_doubt(), trust.level)});
}

}  // namespace daedal::solve
