// The generalised-alpha method [ArnoldBruels2007], for  s' = next(s, z), 0 = r(t, s, z)  with s = (q, v), z = (a, lambda):
//
//     (1 - alpha_m) w_new + alpha_m w = (1 - alpha_f) a_new + alpha_f a          w: algorithmic acceleration
//     v_new = v + h ((1 - gamma) w + gamma w_new)
//     q_new = q + h v + h^2 ((1/2 - beta) w + beta w_new),     0 = r(t + h, q_new, v_new, a_new, lambda_new)
//
// of order 2 in q, v and lambda for index 1 to 3. States whose derivative is a top without being velocities (work) follow
// the formula of v. alpha_m, alpha_f, beta and gamma follow from the spectral radius at infinite frequency.
#pragma once

#include "daedal/solve/integrator.hpp"
#include "equal_steps.hpp"
#include "top_newton.hpp"

#include <vector>

namespace daedal::solve {

class GeneralizedAlpha final : public Integrator {
 public:
  /// No state may be more than two derivatives below a top.
  GeneralizedAlpha(System& system, const GeneralizedAlphaOptions& options);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override { return old_.t; }
  double time() const override { return now_.t; }
  std::span<const double> state() const override { return now_.s; }
  std::span<const double> tops() const override { return now_.z; }
  void interpolate(double t, double* s) const override;
  void interpolate_tops(double t, double* z) const override;
  const StepStatistics& statistics() const override { return statistics_; }

 private:
  struct Point {
    double t = 0;
    std::vector<double> s, z;
    std::vector<double> algorithmic;  // accelerations, by top
  };
  void set_known_part(double h);
  double slope(const Point& at, std::uint32_t i) const;
  Failure start_algorithmic(double h);

  System& system_;
  GeneralizedAlphaOptions options_;
  double alpha_m_, alpha_f_, beta_, gamma_;
  TopNewton newton_;
  EqualSteps steps_;
  Point old_, now_, made_;
  std::vector<double> known_part_, weights_, rates_;
  StepStatistics statistics_;
};

}  // namespace daedal::solve
