// The generalised-alpha method [ArnoldBruels2007], for  s' = next(s, z), 0 = r(t, s, z)  with s = (q, v), z = (a, lambda):
//
//     (1 - alpha_m) w_new + alpha_m w = (1 - alpha_f) a_new + alpha_f a          w: algorithmic acceleration
//     v_new = v + h ((1 - gamma) w + gamma w_new)
//     q_new = q + h v + h^2 ((1/2 - beta) w + beta w_new),     0 = r(t + h, q_new, v_new, a_new, lambda_new)
//
// of order 2 in q, v and lambda for index 1 to 3. States whose derivative is a top without being velocities (work) follow
// the formula of v. alpha_m, alpha_f, beta and gamma follow from the spectral radius at infinite frequency.
#pragma once

#include "point_steps.hpp"
#include "top_newton.hpp"

#include <vector>

namespace daedal::solve {

/// With algorithmic accelerations, by top.
struct AlphaPoint : StepPoint {
  std::vector<double> algorithmic;
};

class GeneralizedAlpha final : public PointSteps<AlphaPoint> {
 public:
  /// No state may be more than two derivatives below a top.
  GeneralizedAlpha(System& system, const GeneralizedAlphaOptions& options);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;
  void interpolate(double t, double* s) const override;
  void interpolate_tops(double t, double* z) const override;

 private:
  void set_known_part(double h);
  double slope(const AlphaPoint& at, std::uint32_t i) const;
  Failure start_algorithmic(double h);

  System& system_;
  GeneralizedAlphaOptions options_;
  double alpha_m_, alpha_f_, beta_, gamma_;
  TopNewton newton_;
  std::vector<double> known_part_, weights_, rates_;
};

}  // namespace daedal::solve
