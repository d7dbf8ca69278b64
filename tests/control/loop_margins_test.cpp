// Margins of loops whose limits are known in closed form.
#include "daedal/control/loop_margins.hpp"

#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <initializer_list>
#include <numbers>
#include <vector>

namespace daedal::feedback {
namespace {

using Eigen::MatrixXd;
using test::rounding;

// Frequencies are bisected to rounding; three factors of a transfer function and their phases amplify it by less than this.
const double bisected = rounding(1e4);

/// numerator/denominator by powers of s, the highest of the denominator has the factor 1.
analysis::LinearModel loop_of(const std::vector<double>& numerator,
                              const std::vector<double>& denominator) {
  const auto n = static_cast<Eigen::Index>(denominator.size()) - 1;
  analysis::LinearModel loop;
  loop.e = MatrixXd::Identity(n, n);
  loop.a = MatrixXd::Zero(n, n);
  loop.a.topRightCorner(n - 1, n - 1).setIdentity();
  loop.b = MatrixXd::Zero(n, 1);
  loop.b(n - 1, 0) = 1;
  loop.c = MatrixXd::Zero(1, n);
  loop.d = MatrixXd::Zero(1, 1);
  for (Eigen::Index k = 0; k < n; ++k) loop.a(n - 1, k) = -denominator[static_cast<std::size_t>(k)];
  for (std::size_t k = 0; k < numerator.size(); ++k)
    loop.c(0, static_cast<Eigen::Index>(k)) = numerator[k];
  return loop;
}

// L = 2/(1 + s)^3: -180 deg at sqrt(3), where the gain is 2/8; gain 1 at sqrt(2^(2/3) - 1)
TEST(LoopMargins, of_three_lags) {
  const LoopMargins m = loop_margins(loop_of({2}, {1, 3, 3, 1}));
  EXPECT_FALSE(m.lowest_gain);
  ASSERT_TRUE(m.highest_gain && m.phase && m.delay);
  EXPECT_NEAR(*m.highest_gain, 4, bisected);
  const double w = std::sqrt(std::cbrt(4.0) - 1), lag = std::numbers::pi - 3 * std::atan(w);
  EXPECT_NEAR(*m.phase_at, w, bisected);
  EXPECT_NEAR(*m.phase, lag * 180 / std::numbers::pi, 180 * bisected);
  EXPECT_NEAR(*m.delay, lag / w, bisected);
  double peak = 0;
  for (double at = 0.1; at < 10; at += 1e-4)
    peak = std::max(peak, 1 / std::abs(1.0 + 2.0 / std::pow(std::complex(1.0, at), 3)));
  EXPECT_GE(m.sensitivity_peak, peak * (1 - rounding(100)));
  EXPECT_NEAR(m.sensitivity_peak, peak, 1e-7);  // steps of 1e-4 beside a peak of curvature 10
}

// L = 3/(s - 1): a static limit, 1 - 3 k = 0
TEST(LoopMargins, of_an_unstable_plant_have_a_lowest_gain) {
  const LoopMargins m = loop_margins(loop_of({3}, {-1, 1}));
  ASSERT_TRUE(m.lowest_gain);
  EXPECT_NEAR(*m.lowest_gain, 1.0 / 3, bisected);
  EXPECT_FALSE(m.highest_gain);
}

// Closed: s^3 + 3 k s^2 + 3 k s + k; by Routh 9 k^2 > k
TEST(LoopMargins, of_three_integrators_have_a_lowest_gain_as_routh_says) {
  const LoopMargins m = loop_margins(loop_of({1, 3, 3}, {0, 0, 0, 1}));
  ASSERT_TRUE(m.lowest_gain);
  EXPECT_NEAR(*m.lowest_gain, 1.0 / 9, bisected);
  EXPECT_FALSE(m.highest_gain);
}

// L = -k 2 z w s/(s^2 + 2 z w s + w^2): -k at w alone, on a width of z w
TEST(LoopMargins, see_resonances_however_narrow) {
  for (const double z : {1e-2, 1e-5, 1e-8}) {
    const double w = 7;
    const LoopMargins m = loop_margins(loop_of({0, -0.4 * 2 * z * w}, {w * w, 2 * z * w, 1}));
    ASSERT_TRUE(m.highest_gain) << z;
    EXPECT_NEAR(*m.highest_gain, 2.5, bisected) << z;
    // the peak is found to 1e-8 of its width, and its value to the square of that
    EXPECT_NEAR(m.sensitivity_peak, 1 / 0.6, bisected) << z;
  }
}

// z x = x + T u, u = -k x: the factor 1 - k T is -1 for k T = 2; |L| = 1 at 2 sin(w T/2) = k T
TEST(LoopMargins, of_a_sampled_integrator) {
  const double period = 0.1, k = 5;
  const MatrixXd one = MatrixXd::Identity(1, 1);
  const LoopMargins m =
      loop_margins(bilinear({one, period * one, k * one, 0 * one}, period), period);
  ASSERT_TRUE(m.highest_gain && m.phase);
  EXPECT_NEAR(*m.highest_gain, 4, bisected);
  const double w = 2 / period * std::asin(k * period / 2);
  EXPECT_NEAR(*m.phase_at, w, bisected * w);
  // arg 1/(e^(iwT) - 1) = -90 deg - w T/2
  EXPECT_NEAR(*m.phase, 90 - w * period / 2 * 180 / std::numbers::pi, 180 * bisected);
}

// With a command that is one sample late: z^2 - z + k T, stable for k T < 1
TEST(LoopMargins, of_a_sampled_integrator_that_is_late) {
  const double period = 0.1, k = 5;
  MatrixXd a(2, 2), b(2, 1), c(1, 2);
  a << 1, period, 0, 0;
  b << 0, 1;
  c << k, 0;
  const LoopMargins m = loop_margins(bilinear({a, b, c, MatrixXd::Zero(1, 1)}, period), period);
  ASSERT_TRUE(m.highest_gain);
  EXPECT_NEAR(*m.highest_gain, 2, bisected);
}

// x' = u, u = -(x + 3 x') is x' = -x/4: opened, the answer depends on the input directly
TEST(OpenedLoop, with_a_command_that_depends_on_itself) {
  analysis::LinearModel whole;
  whole.e = MatrixXd::Zero(2, 2);
  whole.a = whole.e;
  whole.e << 1, 0, 3, 0;
  whole.a << 0, 1, -1, -1;
  whole.variables = {"x", "u"};
  whole.equations = {"x' = u", "c commands u"};
  const std::vector<OpenedLoop> loops = opened_loops({"c"}, whole);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].input, "u");
  // L = (1 + 3 s)/s: 1 + k L = 0 at s = -k/(1 + 3 k)
  const LoopMargins m = loop_margins(loops[0].loop);
  EXPECT_FALSE(m.lowest_gain);
  EXPECT_FALSE(m.highest_gain);
  // s/(1 + 4 s) reaches 1/4 beyond the frequencies that are searched, a thousand times the pole
  EXPECT_NEAR(m.sensitivity_peak, 0.25, 1e-6);
}

}  // namespace
}  // namespace daedal::feedback
