// The System of a formulated Problem: its equations as kernels, its constraint levels as
// projections.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/system.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace daedal::solve {

class Evaluation;  // a kernel with its scratch
class EquationJet;
class LevelProjection;
class LocalCoordinates;
class MomentumStates;
class ProblemMomenta;
class Scan;
template <class T>
class Series;

class ProblemSystem final : public System {
 public:
  struct Options {
    bool implicit = true;  // residual and Jacobians are needed too (implicit methods)
    bool series = true;    // expand() too: every solution for the tops then stores its factors
    compile::Options compile;
    /// Of the whole run, sorted, where the caller has them: many segments share one search.
    const std::vector<double>* break_points = nullptr;
  };

  /// `states` and `tops` are a consistent point: pivots are chosen there. The problem must outlive
  /// the system.
  ProblemSystem(const formulate::Problem& problem, double t, std::span<const double> states,
                std::span<const double> tops, const Options& options);
  ~ProblemSystem() override;

  std::uint32_t states() const override { return problem_.states; }
  std::uint32_t tops() const override { return problem_.algebraic(); }
  std::span<const std::uint32_t> next() const override { return next_; }
  std::span<const double> nominal() const override { return nominal_; }
  std::span<const std::uint8_t> derived() const override { return derived_; }
  std::span<const std::uint8_t> missing() const override { return missing_; }
  Failure derivative(double t, const double* s, double* z, double* ds) override;
  void residual(double t, const double* s, const double* z, double* r) override;
  const SparsePattern& state_pattern() const override { return state_pattern_; }
  const SparsePattern& top_pattern() const override { return top_pattern_; }
  void jacobians(double t, const double* s, const double* z, double* values) override;
  bool hold_multipliers(const double* z) override;
  void show_error(double* error) override;
  bool projects() const override { return !projections_.empty() || local_ != nullptr; }
  Failure project(double t, double* s) override;
  Failure project(double t, double* s, double* low) override;
  void return_from_later_states() override;
  void settle_between_steps(double t, double* s) override;
  Failure expand(double t, const double* s, double* z, int order, double* coefficients) override;
  bool has_flat_functions() const override;
  Canonical* canonical() override;
  std::vector<double> break_points(double t0, double t1) const override;

  /// The point with t, s, the tops in z, the inputs at t and the lifted positions in place; valid until the next call.
  const double* point_at(double t, const double* s, const double* z);
  /// Consistent states, with velocities, as integrators step them: with momenta in the formulation hamilton.
  std::vector<double> integrated(double t, std::span<const double> states);
  /// The directions in which states move freely (null_space, minimal); else null.
  const LocalCoordinates* local_coordinates() const { return local_.get(); }
  /// What controllers hold from now on, as in Problem::held_values.
  void hold(std::span<const double> values);
  /// Waits for native code (benchmarks).
  void wait_native() const;

 private:
  Failure set_time_and_states(double t, const double* s);
  const double* newton_point(double t, const double* s, const double* z);
  Failure solve_lifted_and_tops(double* z);
  Failure solve_tops(double* z);
  bool newton_step(double* correction);
  using Projections = std::vector<std::unique_ptr<LevelProjection>>;
  void add_projection(Projections& projections, const formulate::Level& level);
  Failure project_onto(const Projections& levels, double t, double* s, double* low);
  Failure project_locally(double t, double* s);
  Failure project_momenta(double t, double* s);

  const formulate::Problem& problem_;
  std::vector<std::uint32_t> next_;
  std::vector<double> nominal_;
  std::vector<std::uint8_t> derived_, missing_;
  SparsePattern state_pattern_, top_pattern_;
  std::vector<double> point_, scratch_, right_hand_side_, low_;
  std::unique_ptr<Evaluation> inputs_, residual_, jacobians_;
  std::unique_ptr<Scan> scan_;
  std::unique_ptr<compile::LinearSolver> tops_solver_;
  std::shared_ptr<EquationJet> jet_;  // where derivatives are not written out
  Projections projections_;
  std::optional<Projections> between_steps_;  // once asked for
  std::unique_ptr<LocalCoordinates> local_;
  std::unique_ptr<MomentumStates> momentum_states_;
  std::unique_ptr<Series<double>> series_;   // of the order asked for last
  std::unique_ptr<ProblemMomenta> momenta_;  // once asked for
  compile::Options compile_;
  bool has_series_ = true;
  const std::vector<double>* break_points_ = nullptr;
};

}  // namespace daedal::solve
