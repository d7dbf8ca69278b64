// RATTLE for mechanisms with holonomic constraints [Andersen1983], for any T quadratic in v [Jay1996;
// HairerLubichWanner2006, VII.1.4]: symplectic, symmetric, of order 2.
//
//     p_half = p + h/2 (f(q, v_1) + G(q)^T lambda)                    p_half = p(q, v_1) = p(q_new, v_2)
//     q_new  = q + h/2 (v_1 + v_2),                        0 = c(q_new)
//     p_new  = p_half + h/2 (f(q_new, v_2) + G(q_new)^T mu),    0 = d/dt c(q_new, v_new)
//
// Where the masses are constant v_1 = v_2 = p_half/M, and this is the classical method. Both halves are solved by the
// simplified Newton method with one matrix [M -G^T; G 0] a step; only it has to be regular, unless M depends on q.
// Multipliers are those of the second half, of order 1; forces may depend on velocities, which costs the symplecticity only.
#pragma once

#include "point_steps.hpp"

#include <vector>

namespace daedal::solve {

class Rattle final : public PointSteps<StepPoint> {
 public:
  /// The system must have a canonical view.
  Rattle(System& system, const RattleOptions& options);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;
  void interpolate(double t, double* s) const override;
  void interpolate_tops(double t, double* z) const override;

 private:
  struct Axis {
    std::uint32_t position = 0, velocity = 0, acceleration = 0;  // states; top
  };

  /// The size of a change of velocities against what it changes.
  double relative(const double* change) const;
  bool moves_nothing(double h) const;
  bool converged(double change, int iteration, double h);
  Failure find_positions(double h);
  Failure find_velocities(double h);
  void add_quadratures(double h, const double* rates);

  System& system_;
  Canonical& canonical_;
  RattleOptions options_;
  std::vector<Axis> axes_;
  std::vector<std::uint32_t> multipliers_;  // tops
  std::vector<std::uint32_t> quadratures_;  // states that are no positions or velocities
  std::vector<double> nominal_;             // of states
  std::vector<double> first_;               // states at the beginning of the step with v_1
  std::vector<double> momenta_, half_momenta_, trial_momenta_, right_side_, forces_, change_;
  std::vector<double> rates_, new_rates_, tops_;
  double last_change_ = 0;
};

}  // namespace daedal::solve
