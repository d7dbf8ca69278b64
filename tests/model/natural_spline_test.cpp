// Splines through points: exact where they can be, smooth, of their order.
#include "daedal/model/natural_spline.hpp"

#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace daedal::model {
namespace {

std::vector<double> grid(int n, double length) {
  std::vector<double> x;
  for (int i = 0; i <= n; ++i) x.push_back(length * (i + 0.3 * std::sin(i)) / n);  // uneven
  return x;
}

class NaturalSpline : public testing::TestWithParam<int> {};

// The derivative of order k vanishes for a polynomial of degree k - 1: it is its own spline.
TEST_P(NaturalSpline, reproduces_polynomials_below_half_its_order) {
  const int smoothness = GetParam(), degree = (smoothness + 3) / 2 - 1;
  const auto f = [&](double x) { return 1 + std::pow(x - 0.4, degree); };
  const std::vector<double> x = grid(12, 2);
  std::vector<double> y;
  for (const double at : x) y.push_back(f(at));
  const expr::PiecewisePolynomial spline = natural_spline(x, y, smoothness);
  for (double at = x.front(); at < x.back(); at += 0.01)
    EXPECT_NEAR(spline.value(at, 0), f(at), test::rounding(12 * 100, f(at)));
}

TEST_P(NaturalSpline, is_as_smooth_as_it_says_and_natural_at_the_ends) {
  const int smoothness = GetParam(), k = (smoothness + 3) / 2;
  const std::vector<double> x = grid(10, 1);
  std::vector<double> y;
  for (const double at : x) y.push_back(std::sin(3 * at));
  const expr::PiecewisePolynomial spline = natural_spline(x, y, smoothness);
  EXPECT_GE(spline.smoothness, smoothness);
  // Pieces are found in powers of (x - x_i)/h: the condition of that basis grows like 6^degree
  // (as a Vandermonde matrix on [0, 1] does), and rounding of the solve with it.
  const double rounding =
      10 * std::numeric_limits<double>::epsilon() * std::pow(6.0, spline.degree);
  for (int d = 0; d <= spline.smoothness; ++d) {
    double scale = 1;
    for (const double at : x) scale = std::max(scale, std::fabs(spline.value(at, d)));
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      const double below = std::nextafter(x[i], 0.0);
      EXPECT_NEAR(spline.value(below, d), spline.value(x[i], d), rounding * scale) << d;
    }
    if (d >= k) {
      EXPECT_NEAR(spline.value(x.front(), d), 0, rounding * scale);
      EXPECT_NEAR(spline.value(std::nextafter(x.back(), 0.0), d), 0, rounding * scale);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Smoothness, NaturalSpline, testing::Values(0, 1, 2, 3, 4, 5, 6, 8));

// Away from the ends, where "natural" is wrong for a sine, halving the grid divides the error by 16.
TEST(NaturalSplineOrder, cubic_splines_converge_with_order_4_inside) {
  const auto error = [](int n) {
    std::vector<double> x, y;
    for (int i = 0; i <= n; ++i) {
      x.push_back(10.0 * i / n);
      y.push_back(std::sin(x.back()));
    }
    const expr::PiecewisePolynomial spline = natural_spline(x, y, 2);
    double largest = 0;
    for (double at = 4; at < 6; at += 0.003)
      largest = std::max(largest, std::fabs(spline.value(at, 0) - std::sin(at)));
    return largest;
  };
  const double order = std::log2(error(80) / error(160));
  EXPECT_NEAR(order, 4,
              0.1);  // maxima are sampled, and the next term of the error is in h^2 = 1/64
}

}  // namespace
}  // namespace daedal::model
