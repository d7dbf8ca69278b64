// Explicit Runge-Kutta methods of any tableau, with fixed steps or step control.
//
// Here y = s and f = next(s, z(t, s)). Accepted steps are projected if the system requires it; dense output goes through
// the projected ends. (rk45, the default, has a file of its own in which the compiler sees the coefficients.)
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "step_size.hpp"
#include "tableau.hpp"

#include <vector>

namespace daedal::solve {

struct ExplicitControl {
  double tolerance = 0;  // of a step; means nothing with fixed steps
  double step = 0;       // [s], first and longest; 0: chosen
  bool adaptive = false;
  std::uint64_t max_steps = 0;
};

class ExplicitRungeKutta final : public Integrator {
 public:
  ExplicitRungeKutta(System& system, Tableau tableau, const ExplicitControl& control);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override { return t_old_; }
  double time() const override { return t_; }
  std::span<const double> state() const override { return y_; }
  std::span<const double> tops() const override { return tops_; }
  void interpolate(double t, double* s) const override;
  const StepStatistics& statistics() const override { return statistics_; }

 private:
  double* k(std::size_t stage) { return k_[stage].data(); }
  Failure evaluate(double t, const double* s, double* slope);
  Failure evaluate_stage(const Stage& stage, std::size_t slot, double h);
  void combine(const Weights& weights, double h, double* sum) const;
  Failure try_stages(double h);
  double error_norm(double h);
  double growth(double error) const;
  Failure finish(double t_new, double h);
  void prepare_dense_output(double h);
  void accept(StepLength length, double t_new, double error, bool after_rejection);

  System& system_;
  const Tableau tableau_;
  ExplicitControl control_;
  const std::size_t n_, end_;  // states; the stage k_s at the end of the step
  const bool estimate_needs_end_;
  std::vector<std::vector<double>> k_;      // stages of the last step
  std::vector<std::vector<double>> dense_;  // coefficients of its polynomial
  std::vector<double> y_old_, y_, y_new_,
      y_next_;  // ends of the last step, of the next: as computed, and projected
  std::vector<double> scratch_, tops_, atol_;
  double t_old_ = 0, t_ = 0;
  double h_ = 0;           // proposed for the next step
  double step_taken_ = 0;  // by the last one
  StepStatistics statistics_;
};

}  // namespace daedal::solve
