// Taylor's method for DAEs of any index [NedialkovPryce2007], [JorbaZou2005]:
//
//     s(t + h) = sum_{n <= p} s[n] h^n,   then projected onto the constraints and the hidden constraints.
//
// The coefficients come from the equations themselves, so the order p is free: it follows from the tolerance, and the step
// from the last two coefficients. The state is carried as an unevaluated sum of two doubles, and the first terms of the
// series are added without rounding errors: what is left are errors of the coefficients, random and smaller than the
// rounding of the result, so that errors grow like Brouwer's law says, t^(3/2), not t^2.
#pragma once

#include "daedal/integrate/integrator.hpp"

#include <vector>

namespace daedal::solve {

/// The order that costs least at a tolerance.
int taylor_order(double tolerance);

class Taylor final : public Integrator {
 public:
  Taylor(System& system, const TaylorOptions& options);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override { return t_old_; }
  double time() const override { return t_; }
  std::span<const double> state() const override { return y_; }
  std::span<const double> tops() const override { return z_; }
  void interpolate(double t, double* s) const override;
  const StepStatistics& statistics() const override { return statistics_; }
  /// The series at previous_time(), as System::expand gave it.
  std::span<const double> previous_series() const { return previous_series_; }

 private:
  const double* coefficient(int n) const {
    return series_.data() + static_cast<std::size_t>(n) * width_;
  }
  double weight(double y, std::size_t i) const;
  void measure();
  double proposed_step();
  void sum_series(double h);
  /// Between the series and the equations at the end of a step, relative to the largest of its kind.
  struct Disagreement {
    double largest = 0;  // of those that are more than the tolerance and the rounding of one sum
    bool may_be_rounding = true;
  };
  double size(std::size_t i, double h) const;
  Disagreement disagreement(double h) const;
  bool agrees(double h);
  bool agrees_within(double h);
  Failure try_step(double t_new, double h);
  void accept(double t_new, double t_new_low, double length, bool cut);

  System& system_;
  TaylorOptions options_;
  int order_ = 0;
  std::size_t n_ = 0, width_ = 0;  // states; states and tops
  std::vector<double> nominal_;
  std::vector<std::uint8_t> derived_;  // found by the projection, whatever the series says
  std::vector<std::uint32_t> depth_;   // which derivative of its unknown a state is
  std::vector<double> largest_;        // state, by depth
  std::vector<double> weight_;
  std::vector<double> y_, low_, z_;                    // at t_: y_ + low_
  std::vector<double> y_new_, low_new_, z_new_;        // at the end of the step that is tried
  std::vector<double> before_projection_, predicted_;  // what the series says of y_new_, z_new_
  std::vector<double> within_, rates_, z_within_;  // series and equations in the middle of a step
  bool looks_within_ = false;
  std::vector<double> series_, next_series_,
      previous_series_;  // [n * width_ + i], at t_, its end, t_old_
  double t_old_ = 0, t_old_low_ = 0, t_ = 0, t_low_ = 0;
  double direction_ = 1;     // of time
  double h_ = 0;             // length proposed for the next step
  double disagreement_ = 0;  // of the try before this one
  double rounding_ = 0;      // a disagreement that shorter steps did not lessen
  StepStatistics statistics_;
};

}  // namespace daedal::solve
