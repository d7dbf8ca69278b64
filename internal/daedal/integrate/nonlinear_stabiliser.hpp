// The nonlinear stabiliser [OlivaLooper, chapter 4], for any mechanism with holonomic constraints: steps are taken in the
// coordinates of the normal form,
//
//     y = (xi1, xi2, eta),   xi1 = c(q, t),  xi2 = c'(q, v, t),   eta the independent positions and velocities,
//     xi1' = xi2 - rate xi1,   xi2' = -rate xi2,   eta' as the equations of motion say at (q, v) with c'' = 0,
//
// and (q, v) = Phi^-1(y) follows by Newton's method for the dependent coordinates. Whatever the method does to eta, the
// constraints decay by a linear equation that it integrates exactly as any other: from a consistent start they stay at
// rounding, from a disturbed one they decay without disturbing eta.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "daedal/system/problem_system.hpp"

#include <memory>
#include <vector>

namespace daedal::solve {

class NormalForm;

/// A method on the normal form, seen from outside in the states of the problem.
class NonlinearStabiliser final : public Integrator {
 public:
  NonlinearStabiliser(const formulate::Problem& problem, ProblemSystem& system,
                      const Method& method, const compile::Options& options);
  ~NonlinearStabiliser() override;

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  /// Begins with another choice of independent coordinates where that has become much better.
  StepOutcome step(double limit) override;

  double previous_time() const override { return method_->previous_time(); }
  double time() const override { return method_->time(); }
  std::span<const double> state() const override { return state_; }
  std::span<const double> tops() const override { return method_->tops(); }
  void interpolate(double t, double* s) const override;
  const StepStatistics& statistics() const override { return method_->statistics(); }
  bool seems_stiff() const override { return method_->seems_stiff(); }

 private:
  StepOutcome begin(double t, double end);

  std::unique_ptr<NormalForm> form_;
  std::unique_ptr<Integrator> method_;
  std::vector<double> state_, tops_;
  mutable std::vector<double> normal_;  // y
  const bool is_explicit_;
  double end_ = 0;  // of the run
};

}  // namespace daedal::solve
