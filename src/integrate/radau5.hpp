// Radau IIA of order 5, adaptive [HairerWanner1996, IV.8], for  s' = next(s, z), 0 = r(t, s, z).
//
// The three stages (collocation at c = (4 -+ sqrt 6)/10 and 1) are differences Z_i = Y_i - y_n with
// y = (s, z). The transformation T^-1 A^-1 T = diag(gamma, alpha + i beta) splits the simplified
// Newton system into a real and a complex one of the size of y, and ReducedNewton brings each down
// to the tops. z needs no error control of its own: it is determined by (t, s). Newton's
// convergence, however, is watched on the algebraic tops too: on the states alone it can look done
// while an algebraic variable is still off.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "hermite.hpp"
#include "reduced_newton.hpp"
#include "step_size.hpp"

#include <array>
#include <limits>
#include <vector>

namespace daedal::solve {

class Radau5 final : public Integrator {
 public:
  Radau5(System& system, const Radau5Options& options);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override { return t_old_; }
  double time() const override { return t_; }
  std::span<const double> state() const override { return {y_.data(), n_}; }
  std::span<const double> tops() const override { return {y_.data() + n_, m_}; }
  void interpolate(double t, double* s) const override;
  void interpolate_tops(double t, double* z) const override;
  const StepStatistics& statistics() const override { return statistics_; }

 private:
  using Stages = std::array<std::vector<double>, 3>;
  enum class Newton : std::uint8_t { converged, slow, diverged };

  void set_weights();
  void scale_weights(double h);
  void initial_step(double end);
  void evaluate_jacobian(double h);
  bool prepare_matrices(double h);
  void predict_stages(double h);
  void transform(const Stages& from, const double (&matrix)[3][3], Stages& to) const;
  Newton solve_stages(double h);
  void evaluate_stages(double h);
  double correct_stages(double h);
  void function(double t, const double* y, double* f);
  double estimate_error(double h, bool doubtful);
  double solve_error(const double* f, double h);
  StepOutcome retry(double h, double factor, Failure cause);
  Failure finish(double t_new);
  Failure consistent_slopes(double t_new);
  void accept(StepLength length, double t_new, double error, bool after_rejection);
  void propose(double h, double error, bool after_rejection);
  void heed_contraction(double h);
  double collocation(double t, std::size_t k) const;
  double collocation_slope(double t, std::size_t k) const;
  void choose_dense_output(double error);
  double defect(double t, bool of_hermite);
  double state_norm(const double* s) const;

  System& system_;
  Radau5Options options_;
  std::size_t n_ = 0, m_ = 0;  // states, tops
  double rtol_ = 0, newton_tolerance_ = 0;
  Chains chains_;
  AlgebraicScale algebraic_scale_;
  std::vector<double> algebraic_weight_;
  std::vector<double> excess_power_;  // h^k, k <= most_missing
  ReducedNewton<double> real_;
  ReducedNewton<base::Complex> complex_;

  std::vector<double> y_, y_next_, f_, f_next_, atol_, weight_, jacobians_, error_, shown_error_,
      trial_, slope_;
  Stages z_, w_, stage_f_;  // stage differences, the same transformed, function values
  Stages poly_;             // Newton coefficients of the last step's collocation polynomial
  Hermite hermite_;
  bool hermite_is_good_ = false;

  double t_old_ = 0, t_ = 0, h_ = 0, step_taken_ = 0;
  // not a number, which equals no step: matrices are not valid
  static constexpr double nothing_factored = std::numeric_limits<double>::quiet_NaN();
  double factored_h_ = nothing_factored;
  bool jacobian_current_ = false, renew_jacobian_ = true;
  double contraction_ = 1, theta_ = 0;  // of the simplified Newton iteration
  double contraction_h_ = 0;            // step in which it was seen
  double slow_factor_ = 0.5;            // proposed for the step when Newton converges too slowly
  double failed_h_ = 0,
         failed_theta_ = 0;  // of the last step that Newton failed on with a new Jacobian
  double newton_power_ = 0;  // p of theta ~ h^p, seen around such steps; 0: none yet
  int iterations_ = 0;
  double accepted_h_ = 0, accepted_error_ = 0;
  bool first_ = true;
  StepStatistics statistics_;
};

}  // namespace daedal::solve
