#include "daedal/base/chi_square.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::base {
namespace {

constexpr double printed = 5e-6;  // [AbramowitzStegun1964, table 26.8], five digits after the point
constexpr double rounding = 1e-12;  // of sums of some tens of terms

TEST(ChiSquare, quantiles_are_those_of_the_tables) {
  EXPECT_NEAR(chi_square_quantile(1, 0.975), 5.02389, printed);
  EXPECT_NEAR(chi_square_quantile(3, 0.975), 9.34840, printed);
  EXPECT_NEAR(chi_square_quantile(10, 0.975), 20.48318, 2 * printed);
  EXPECT_NEAR(chi_square_quantile(10, 0.025), 3.24697, printed);
  EXPECT_NEAR(chi_square_quantile(100, 0.975), 129.56120, 10 * printed);  // one digit less
}

TEST(ChiSquare, two_degrees_are_an_exponential_distribution) {
  for (const double x : {1e-3, 0.5, 2.0, 3.9, 4.1, 30.0})
    EXPECT_NEAR(chi_square_below(2, x), -std::expm1(-x / 2), rounding);
  EXPECT_NEAR(chi_square_quantile(2, 0.5), 2 * std::log(2.0), rounding);
  EXPECT_EQ(chi_square_below(4, 0), 0);
}

}  // namespace
}  // namespace daedal::base
