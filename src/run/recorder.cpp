#include "recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace daedal::solve {

namespace {

constexpr double largest_table = 16e9;  // [bytes]
/// Where rows are rarer than this number in a run, steps show how far the motion goes.
constexpr double least_looks = 200;

void take_larger(LevelDrift& largest, const LevelDrift& seen) {
  if (largest.constraint.empty() || seen.largest > largest.largest) largest = seen;
}

/// Energies go on from segment to segment; work and impulses in between add up.
void append(EnergyBalance& balance, const EnergyBalance& segment) {
  if (!segment.known) return;
  if (!balance.known) {
    balance = segment;
    return;
  }
  balance.work += segment.work + (segment.initial - balance.final);  // an event's own work
  balance.final = segment.final;
  balance.scale = std::max(balance.scale, segment.scale);
  if (segment.largest_error > balance.largest_error) {
    balance.largest_error = segment.largest_error;
    balance.at = segment.at;
  }
}

}  // namespace

Recorder::Recorder(const formulate::Problem& problem, ProblemSystem& system, const double* point,
                   const SimulateOptions& options, bool steps_are_results, EventWatch* watch)
    : problem_(problem),
      system_(system),
      options_(options),
      steps_are_results_(steps_are_results),
      watch_(watch),
      rows_(problem, point, options.compile),
      drift_(problem, point, options.compile),
      energy_(problem, point, options.compile),
      regularity_(problem, point, options.compile),
      limits_(problem, point, options.compile),
      turns_(problem),
      step_end_(point[0]),
      step_length_(std::numeric_limits<double>::quiet_NaN()),
      look_interval_(std::abs(options.until - point[0]) / least_looks),
      last_look_(point[0]) {
  if (!problem.dae->left_out.constraints.empty())
    left_out_.emplace(problem, point, options.compile);
}

Table Recorder::table_for(std::size_t rows) const {
  const double bytes = static_cast<double>(rows * rows_.width() * sizeof(double));
  if (bytes > largest_table)
    throw ModelError({Severity::error,
                      {},
                      fmt::format("a table of {} rows and {} columns would need {:.3g} GB", rows,
                                  rows_.width(), bytes / 1e9),
                      {},
                      "give a longer output interval with  every"});
  return rows_.empty_table(rows);
}

Table Recorder::history_for(std::size_t rows) const {
  std::vector<Column> columns{{history_column::step, "s"},
                              {history_column::energy, "J"},
                              {history_column::kinetic, "J"},
                              {history_column::work, "J"},
                              {history_column::balance, "J"}};
  for (const LevelDrift& level : drift_.result()) columns.push_back({level.level, ""});
  const bool attached_later = columns.size() == 5 && !problem_.dae->model->constraints.empty();
  if (attached_later)
    for (const char* level : {"position", "velocity", "acceleration"})
      columns.push_back({level, ""});
  Table history(std::move(columns));
  history.reserve(rows);
  return history;
}

void Recorder::write_to(Table& table, Table& history) {
  table_ = &table;
  if (history.width() == 0) return;
  history_ = &history;
  for (const LevelDrift& level : drift_.result())
    level_column_.push_back(history.find(level.level).value_or(history.width()));
}

void Recorder::write_history() {
  const std::span<double> row = history_->append();
  std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
  row[0] = step_length_;
  if (energy_.result().known) {
    const EnergyMonitor::Row& e = energy_.last_row();
    row[1] = e.energy;
    row[2] = e.kinetic;
    row[3] = e.work;
    row[4] = e.error;
  }
  for (std::size_t k = 0; k < level_column_.size(); ++k)
    if (level_column_[k] < row.size()) row[level_column_[k]] = drift_.at_last_row(k);
}

bool Recorder::is_between(double t) const {
  const double sign = !between_.empty() && between_.back() < between_.front() ? -1 : 1;
  const auto found =
      std::ranges::lower_bound(between_, t, [&](double a, double b) { return sign * (b - a) > 0; });
  return found != between_.end() && *found == t;
}

void Recorder::row(double t, const double* s, const double* z) {
  if (is_between(t)) {
    const double* const point = system_.point_at(t, s, z);
    look_at_extents(point);
    rows_.write(left_out_ ? with_shared_reactions(point) : point, *table_);
    if (history_ != nullptr) write_history();
    return;
  }
  // A row at a break point lies after its step by rounding. What jumps there in time does so in jump(), not here.
  const bool at_break = (t - step_end_) * (options_.until - step_end_) > 0;
  if (at_break) energy_.look_at_row(system_.point_at(step_end_, s, z));
  const double* const point = system_.point_at(t, s, z);
  drift_.look_at_row(point);
  if (!at_break) energy_.look_at_row(point);
  look_at_extents(point);
  regularity_.look_at_row(point);
  const double* const shown = left_out_ ? with_shared_reactions(point) : point;
  rows_.write(shown, *table_);
  if (history_ != nullptr) write_history();
  limits_.look_at_row(shown);
}

void Recorder::pass(double t, const double* s, const double* z) {
  const double* const point = system_.point_at(t, s, z);
  drift_.look_at_row(point);
  energy_.look_at_row(point);
}

/// The point with the multipliers of least norm in place; looks whether the constraints left out still hold.
const double* Recorder::with_shared_reactions(const double* point) {
  shown_.assign(point, point + problem_.layout.size());
  if (left_out_->look_at(point)) {
    violation_ = left_out_->violation(drift_.largest_of_solved());
    left_out_->share(shown_.data());
  }
  return shown_.data();
}

void Recorder::look_at_extents(const double* point) {
  last_look_ = point[0];
  const bool first = extents_.empty();
  if (first) extents_.resize(rows_.contained());
  for (std::size_t c = 0; c < extents_.size(); ++c) {
    const double value = rows_.value(point, c);
    if (first) extents_[c] = {value, value};
    extents_[c] = {std::min(extents_[c].smallest, value), std::max(extents_[c].largest, value)};
  }
}

void Recorder::jump(double before, double after, const double* s, const double* z) {
  energy_.look_before_jump(system_.point_at(before, s, z));
  energy_.look_after_jump(system_.point_at(after, s, z));
}

void Recorder::step(double t, const double* s, const double* z) {
  step_length_ = std::abs(t - step_end_);
  step_end_ = t;
  if (std::abs(t - last_look_) > look_interval_) {
    const double* const point = system_.point_at(t, s, z);
    look_at_extents(point);
    energy_.look_at_step(point);
  }
  if (steps_are_results_) {
    const double* const point = system_.point_at(t, s, z);
    drift_.look_at_step(point);
    if (turns_.looks()) turns_.look_at_step(point, drift_.largest_of_solved());
  }
  if (options_.watch.progress && ++steps_ % 256 == 0) tell(t);
}

std::optional<double> Recorder::stop(const Integrator& integrator) {
  return watch_ == nullptr ? std::nullopt : watch_->look_at_step(integrator);
}

Failure Recorder::objection() const {
  if (violation_) return Failure::not_redundant;
  return StopScope::stopped() ? Failure::interrupted : Failure::none;
}

void Recorder::hand_over(Trajectory& trajectory) const {
  for (const LevelDrift& seen : drift_.result()) {
    const auto known = std::find_if(trajectory.drift.begin(), trajectory.drift.end(),
                                    [&](const LevelDrift& d) { return d.level == seen.level; });
    if (known == trajectory.drift.end())
      trajectory.drift.push_back(seen);
    else
      take_larger(*known, seen);
  }
  if (const LevelDrift seen = drift_.undifferentiated(); !seen.constraint.empty())
    take_larger(trajectory.constraints, seen);
  append(trajectory.energy, energy_.result());
  if (const auto& turn = turns_.found(); turn && trajectory.trust.reason.empty())
    trajectory.trust = {
        Trust::Level::none, turn->t,
        fmt::format("at t = {:.6g} s, near a singular pose, velocities change within {:.1e} s: "
                    "constraints violated by {:.1e} do not decide which motion goes on",
                    turn->t, turn->lasted, turn->violation)};
  if (trajectory.extents.empty()) trajectory.extents = extents_;
  for (std::size_t c = 0; c < std::min(extents_.size(), trajectory.extents.size()); ++c) {
    Extent& known = trajectory.extents[c];
    known = {std::min(known.smallest, extents_[c].smallest),
             std::max(known.largest, extents_[c].largest)};
  }
  for (const auto* warnings : {&limits_.warnings(), &regularity_.warnings()})
    for (const Diagnostic& warning : *warnings) {
      const bool known = std::any_of(
          trajectory.warnings.begin(), trajectory.warnings.end(), [&](const Diagnostic& w) {
            return w.place.line == warning.place.line &&
                   w.message.substr(0, 20) == warning.message.substr(0, 20);
          });
      if (!known) trajectory.warnings.push_back(warning);
    }
}

void Recorder::tell(double t) const {
  char text[64];
  const auto written =
      fmt::format_to_n(text, sizeof text, "t = {:.4g} s of {:g} s", t, options_.until);
  options_.watch.progress({t / options_.until, {text, std::min(written.size, sizeof text)}});
}

}  // namespace daedal::solve
