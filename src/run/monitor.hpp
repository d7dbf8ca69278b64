// Monitoring of every trajectory: drift on all levels, energy balance, limits.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/system/equation_jet.hpp"
#include "daedal/system/evaluation.hpp"

#include <Eigen/LU>

#include <memory>
#include <optional>
#include <vector>

namespace daedal::solve {

/// Largest |f_i^(k)| per level, of the constraints and of those left out. Steps show the levels below the tops; the
/// acceleration level needs tops that belong to the states, which only rows have.
class DriftMonitor {
 public:
  DriftMonitor(const formulate::Problem& problem, const double* point,
               const compile::Options& options);
  void look_at_step(const double* point);
  void look_at_row(const double* point);
  std::vector<LevelDrift> result() const;
  /// Of the last row alone, by the position of a level in result().
  double at_last_row(std::size_t level) const { return largest_[level].here; }
  /// The largest residual of the equations themselves, of those that are differentiated somewhere.
  LevelDrift undifferentiated() const;
  /// The same without the constraints left out: how well what is solved holds.
  double largest_of_solved() const { return largest_of_solved_; }

 private:
  struct Largest {
    double value = 0, at = 0;
    const std::string* name = nullptr;  // of the equation or constraint
    double here = 0;                    // the same at the last point
  };
  static void update(Largest& largest, double residual, double t, const std::string& name);

  void evaluate_levels(const double* point);
  void evaluate_accelerations(const double* point);
  void watch_left_out(const double* point, const compile::Options& options);
  void look_at_watched(const double* point);
  Largest& of_level(int level) { return largest_[static_cast<std::size_t>(level - first_level_)]; }
  const std::string& equation(std::uint32_t i) const { return problem_.dae->equations[i].name; }
  const std::string& constraint(std::uint32_t i) const {
    return problem_.dae->model->constraints[i].name;
  }

  const formulate::Problem& problem_;
  std::optional<Evaluation> levels_, accelerations_;
  std::optional<Evaluation> watched_, watched_accelerations_;  // of constraints left out
  std::shared_ptr<EquationJet> jet_;  // instead of kernels where derivatives are not written out
  std::vector<double> residuals_, watched_residuals_;
  int first_level_ = 0;
  std::vector<Largest> largest_;  // per level, the acceleration level last
  Largest undifferentiated_;
  double largest_of_solved_ = 0;
};

/// energy(t) - energy(0) - work(t) on the rows.
class EnergyMonitor {
 public:
  EnergyMonitor(const formulate::Problem& problem, const double* point,
                const compile::Options& options);
  void look_at_row(const double* point);
  /// Between rows: how large the kinetic energy is.
  void look_at_step(const double* point);
  /// A jump in time of what the energy depends on, a potential or a driven velocity, does work at a standing state.
  void look_before_jump(const double* point);
  void look_after_jump(const double* point);
  const EnergyBalance& result() const { return balance_; }
  /// Of the last row.
  struct Row {
    double energy = 0, kinetic = 0, work = 0, error = 0;  // [J]
  };
  const Row& last_row() const { return row_; }

 private:
  std::optional<Evaluation> energies_;                             // energy, kinetic energy
  std::uint32_t work_position_ = 0;                                // 0: no work is done
  double initial_work_ = 0, before_jump_ = 0, work_of_jumps_ = 0;  // [J]
  Row row_;
  EnergyBalance balance_;
};

/// Whether the motion passes a singular state of the equations: between two rows the determinant of the matrix of the tops
/// changes its sign. Small systems only.
class RegularityMonitor {
 public:
  RegularityMonitor(const formulate::Problem& problem, const double* point,
                    const compile::Options& options);
  void look_at_row(const double* point);
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  const formulate::Problem& problem_;
  std::optional<Evaluation> values_;
  std::vector<double> rows_;
  std::vector<std::uint32_t> row_of_;  // of each entry of the matrix
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  double sign_ = 0, last_time_ = 0;
  std::vector<Diagnostic> warnings_;
};

/// `limit` lines of the model: the first violation of each becomes a warning.
class LimitMonitor {
 public:
  LimitMonitor(const formulate::Problem& problem, const double* point,
               const compile::Options& options);
  void look_at_row(const double* point);
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  const formulate::Problem& problem_;
  std::optional<Evaluation> values_;  // value, low, high of each limit
  std::vector<double> rows_;
  std::vector<bool> violated_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace daedal::solve
