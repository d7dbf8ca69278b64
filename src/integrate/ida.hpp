// SUNDIALS IDA [Hindmarsh2005] on the same system, BDF of variable order and step:
//     y = (s, x),   F(t, y, y') = (s_i' - s_next(i),  r(t, s, z)) = 0,
// x the tops that no state integrates (multipliers, algebraic variables); the other tops are
// derivatives of states and taken from y': the first rows are those of states whose derivative is
// a state. Newton's matrix  dF/dy + cj dF/dy'  is brought down to the tops by ReducedNewton.
//
// Weights: states as everywhere; x takes part in Newton's convergence test only, each variable
// relative to its own history. Weighted by its momentary size, a multiplier near zero requires
// for more digits than rounding leaves, and IDA stalls at tolerances of 1e-12.
#pragma once

#include "daedal/integrate/integrator.hpp"

#include <memory>

namespace daedal::solve {

class Ida final : public Integrator {
 public:
  Ida(System& system, const IdaOptions& options);
  ~Ida() override;

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override;
  double time() const override;
  std::span<const double> state() const override;
  std::span<const double> tops() const override;
  void interpolate(double t, double* s) const override;
  void interpolate_tops(double t, double* z) const override;
  const StepStatistics& statistics() const override;
  bool projects_steps() const override {
    return false;
  }  // a multistep method's past must not be moved

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace daedal::solve
