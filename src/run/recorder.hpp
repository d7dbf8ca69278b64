// Writes rows, watches drift, energy, singular states and limits, reports the progress.
#pragma once

#include "daedal/integrate/event_watch.hpp"
#include "daedal/integrate/integrate.hpp"
#include "daedal/run/row_writer.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/left_out.hpp"
#include "daedal/system/problem_system.hpp"
#include "monitor.hpp"
#include "turn_monitor.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace daedal::solve {

class Recorder final : public Observer {
 public:
  /// `steps_are_results`: steps satisfy the constraints and count for the drift. `watch` may be null.
  Recorder(const formulate::Problem& problem, ProblemSystem& system, const double* point,
           const SimulateOptions& options, bool steps_are_results, EventWatch* watch);

  /// A table of the right columns with space for so many rows. Throws ModelError when it would not fit into memory.
  Table table_for(std::size_t rows) const;
  /// Rows at these times, ascending or descending, are for comparing runs: values between the steps of a method count
  /// neither for the drift nor for the energy.
  void keep_apart(std::span<const double> between) { between_ = between; }
  /// Where rows go from now on; the history is written when it has columns.
  void write_to(Table& table, Table& history);
  /// What a history holds of this problem.
  Table history_for(std::size_t rows) const;

  void row(double t, const double* s, const double* z) override;
  /// Examines a point like a row, but writes none: where a branch changes the motion continues without a jump.
  void pass(double t, const double* s, const double* z);
  void step(double t, const double* s, const double* z) override;
  void jump(double before, double after, const double* s, const double* z) override;
  std::optional<double> stop(const Integrator& integrator) override;
  Failure objection() const override;
  bool objects() const { return objection() != Failure::none; }
  /// Of a constraint left out, when that is why the run ended.
  const std::optional<LeftOutConstraints::Violation>& violation() const { return violation_; }

  /// Adds what was seen to the trajectory.
  void hand_over(Trajectory& trajectory) const;

 private:
  const double* with_shared_reactions(const double* point);
  void write_history();
  bool is_between(double t) const;
  void look_at_extents(const double* point);
  void tell(double t) const;

  const formulate::Problem& problem_;
  ProblemSystem& system_;
  const SimulateOptions& options_;
  bool steps_are_results_;
  EventWatch* watch_;
  RowWriter rows_;
  DriftMonitor drift_;
  EnergyMonitor energy_;
  RegularityMonitor regularity_;
  LimitMonitor limits_;
  TurnMonitor turns_;
  std::optional<LeftOutConstraints> left_out_;
  std::optional<LeftOutConstraints::Violation> violation_;
  std::vector<double> shown_;  // a point as rows show it
  std::span<const double> between_;
  Table* table_ = nullptr;
  Table* history_ = nullptr;
  std::vector<std::size_t> level_column_;  // of each level in the history
  double step_end_, step_length_;     // [s], of the last step; the length is NaN before the first
  double look_interval_, last_look_;  // [s]
  std::vector<Extent> extents_;       // of the columns contained in the point
  std::uint64_t steps_ = 0;
};

}  // namespace daedal::solve
