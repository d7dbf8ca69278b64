#include "daedal/analyse/nyquist.hpp"

#include "daedal/analyse/poles_zeros.hpp"
#include "linear_systems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

/// Companion form of gain / (s^3 + a s^2 + b s + c).
LinearModel third_order(double a, double b, double c, double gain) {
  MatrixXd f(3, 3), g(3, 1), h(1, 3);
  f << 0, 1, 0, 0, 0, 1, -c, -b, -a;
  g << 0, 0, gain;
  h << 1, 0, 0;
  return explicit_model(f, g, h, MatrixXd::Zero(1, 1));
}
Nyquist nyquist_of(const LinearModel& m) { return nyquist(m, poles(m), 0, 0); }

// gain / ((s+1)(s+2)(s+3)): closed it is stable up to gain 60, by Routh's criterion.
TEST(Nyquist, counts_two_encirclements_beyond_the_gain_margin) {
  EXPECT_EQ(nyquist_of(third_order(6, 11, 6, 59)).encirclements, 0);
  const Nyquist beyond = nyquist_of(third_order(6, 11, 6, 61));
  EXPECT_EQ(beyond.encirclements, 2);
  EXPECT_EQ(beyond.unstable_open, 0);
  EXPECT_EQ(beyond.unstable_closed, 2);
  EXPECT_FALSE(nyquist_of(third_order(6, 11, 6, 60)).encirclements) << "it passes through -1";
}

// gain / (s (s+1) (s+2)): a pole on the axis, passed on its right; stable up to gain 6.
TEST(Nyquist, passes_a_pole_on_the_axis) {
  EXPECT_EQ(nyquist_of(third_order(3, 2, 0, 5)).on_axis, 1);
  EXPECT_EQ(nyquist_of(third_order(3, 2, 0, 5)).encirclements, 0);
  EXPECT_EQ(nyquist_of(third_order(3, 2, 0, 7)).encirclements, 2);
}

// 2/(s - 1): one unstable pole, stable with feedback: once, counter-clockwise.
TEST(Nyquist, counts_counter_clockwise_where_feedback_stabilises) {
  const LinearModel m = explicit_model(MatrixXd::Ones(1, 1), 2 * MatrixXd::Ones(1, 1),
                                       MatrixXd::Ones(1, 1), MatrixXd::Zero(1, 1));
  EXPECT_EQ(nyquist_of(m).unstable_open, 1);
  EXPECT_EQ(nyquist_of(m).encirclements, -1);
}

// The argument of 1 + G along the curve gives the same number independently.
TEST(Nyquist, agrees_with_the_winding_of_the_curve) {
  int encircled = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const LinearModel m =
        explicit_model(random_stable(6, seed), 3 * random_matrix(6, 1, seed + 100),
                       3 * random_matrix(1, 6, seed + 200), MatrixXd::Zero(1, 1));
    const NyquistCurve curve = nyquist_curve(m, 1e-5, 1e5, 0, 0);
    double turned = 0;
    for (std::size_t k = 0; k + 1 < curve.values.size(); ++k)
      turned += std::arg((1.0 + curve.values[k + 1]) / (1.0 + curve.values[k]));
    // both halves; what is missing at the ends is real, up to 1e-5
    const double around = -2 * turned / (2 * std::numbers::pi);
    const Nyquist found = nyquist_of(m);
    ASSERT_TRUE(found.encirclements) << seed;
    // what is missing at the ends is an angle of 1e-5 and less; a wrong count is off by 1
    EXPECT_NEAR(*found.encirclements, around, 0.01) << seed;
    encircled += *found.encirclements != 0 ? 1 : 0;
  }
  EXPECT_GT(encircled, 5);  // the question was not empty
}

TEST(Nyquist, the_curve_has_no_long_steps_but_at_poles_on_the_axis) {
  // a damped resonance narrower than the grid
  const LinearModel narrow = third_order(1.001, 1.001, 1, 1);  // near (s + 1)(s^2 + 0.001 s + 1)
  const NyquistCurve curve = nyquist_curve(narrow, 0.01, 100, 0, 0);
  for (std::size_t k = 0; k + 1 < curve.values.size(); ++k)
    EXPECT_LE(std::abs(in_disc(curve.values[k + 1]) - in_disc(curve.values[k])), 0.04);
  int jumps = 0;  // 1/((s + 1)(s^2 + 1))
  const NyquistCurve undamped = nyquist_curve(third_order(1, 1, 1, 1), 0.02, 100, 0, 0);
  for (std::size_t k = 0; k + 1 < undamped.values.size(); ++k)
    jumps += std::abs(in_disc(undamped.values[k + 1]) - in_disc(undamped.values[k])) > 0.04 ? 1 : 0;
  EXPECT_EQ(jumps, 1);
  EXPECT_EQ(in_disc(-1), Complex(-0.5));
}

}  // namespace
}  // namespace daedal::analysis::test
