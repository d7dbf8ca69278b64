// The explicit Runge-Kutta method of Dormand and Prince, order 5(4) [DormandPrince1980],
// [HairerNorsettWanner1993, II.4-6]:
//
//     k_i = f(t + c_i h, y + h sum_j a_ij k_j),  i = 1 .. 7,
//     y_new = y + h sum_j b_j k_j,     k_7 = f(t + h, y_new)
//
// Here y = s and f = next(s, z(t, s)). The error estimate is the difference to an embedded method
// of order 4; k_7 is the first stage of the next step (FSAL); the continuous extension of order 4
// needs no further evaluations.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "step_size.hpp"

#include <array>
#include <vector>

namespace daedal::solve {

class Rk45 final : public Integrator {
 public:
  Rk45(System& system, const Rk45Options& options);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override { return t_old_; }
  double time() const override { return t_; }
  std::span<const double> state() const override { return {y_, n_}; }
  std::span<const double> tops() const override { return tops_; }
  void interpolate(double t, double* s) const override;
  const StepStatistics& statistics() const override { return statistics_; }
  bool seems_stiff() const override { return stiff_; }

 private:
  Failure evaluate(double t, const double* s, double* k);
  Failure stages(double h);
  double error_norm(double h) const;
  double growth(double log_error) const;
  Failure finish(double t_new);
  bool moved_notably();
  void accept(StepLength length, double t_new, double error, bool after_rejection);
  void look_for_stiffness(double h);

  System& system_;
  Rk45Options options_;
  std::size_t n_ = 0;
  std::vector<double> memory_, tops_, atol_;
  double *y_old_ = nullptr, *y_ = nullptr;         // ends of the last step
  double *y_new_ = nullptr, *y_next_ = nullptr;    // end of the step that is tried, and projected
  double *scratch_ = nullptr, *k_next_ = nullptr;  // k_next_: first stage of the next step
  std::array<double*, 7> k_{};                     // stages of the last step
  double t_old_ = 0, t_ = 0;
  double h_ = 0;           // proposed for the next step
  double step_taken_ = 0;  // by the last one
  double log_previous_error_ = 0;
  int stiff_hits_ = 0, nonstiff_hits_ = 0;
  bool stiff_ = false;
  StepStatistics statistics_;
};

}  // namespace daedal::solve
