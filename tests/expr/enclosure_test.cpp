// Bounds of expressions of time: they contain every value, by a second evaluation in extended precision, and shrink to it.
#include "daedal/expr/enclosure.hpp"

#include "random_expressions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace daedal::expr {
namespace {

using testing::Point;
using testing::Real;

constexpr Leaf time_leaf{time_symbol, 0};
const auto is_time = [](Leaf leaf) { return leaf == time_leaf; };
const auto no_parameter = [](Leaf) { return 0.0; };

TimeFunction function(const Graph& g, Expr e) {
  return {g, TimeFunction::Form::plain, e, e, is_time, no_parameter};
}

Real reference(const Graph& g, Expr e, double t) {
  return testing::reference_value(g, e, Point{{time_leaf, t}});
}

/// Values at many times of a span, and slopes of the secants between them, which the mean-value theorem puts among the
/// derivatives, kinks included. `rounding`: of the values that make a secant.
void expect_contained(const Graph& g, Expr e, double begin, double end, const std::string& what,
                      Real rounding) {
  constexpr int samples = 32;
  TimeFunction f = function(g, e);
  const Enclosure bounds = f.over(begin, end);
  Real previous = 0, previous_t = 0;
  for (int i = 0; i <= samples; ++i) {
    const double t = i == samples ? end : begin + (end - begin) * i / samples;
    const Real value = reference(g, e, t);
    if (std::isnan(value)) return;  // outside the domain nothing is claimed
    EXPECT_GE(value, bounds.value.low) << what << " at " << t;
    EXPECT_LE(value, bounds.value.high) << what << " at " << t;
    if (i > 0) {
      const Real slope = (value - previous) / (t - previous_t);
      const Real doubt = rounding * (std::fabs(value) + 1) * samples / (end - begin);
      EXPECT_GE(slope + doubt, bounds.rate.low) << what << " before " << t;
      EXPECT_LE(slope - doubt, bounds.rate.high) << what << " before " << t;
    }
    previous = value;
    previous_t = t;
  }
}

TEST(Enclosure, contains_values_and_slopes_of_random_expressions) {
  int narrow = 0, all = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const double middle = 2 * uniform(random);
    Graph g;
    testing::RandomExpressions expressions(g, Point{{time_leaf, middle}}, seed);
    const Expr e = expressions.grow(15).e;
    for (const double radius : {1.0, 1e-2, 1e-5}) {
      const double begin = middle - radius, end = middle + radius;
      expect_contained(g, e, begin, end, fmt::format("seed {}", seed), 1e-17L);
      const Enclosure bounds = function(g, e).over(begin, end);
      narrow += radius == 1e-5 && bounds.value.high - bounds.value.low < 1e-1;
      all += radius == 1e-5;
    }
  }
  // Bounds that say nothing would contain everything: deep expressions have derivatives of 1e3 and more, few of 1e4.
  EXPECT_GT(narrow, 9 * all / 10);
}

TEST(Enclosure, of_functions_that_jump_has_an_unbounded_derivative_only_where_they_do) {
  Graph g;
  const Expr t = g.leaf(time_leaf);
  const Expr jumping[] = {g.unary(Op::sign, t),
                          g.unary(Op::floor, t),
                          g.binary(Op::mod, t, g.constant(1)),
                          g.binary(Op::less, t, g.constant(0)),
                          g.select(g.binary(Op::less, t, g.constant(0)), t, g.constant(2)),
                          g.div(g.constant(1), t)};
  for (const Expr e : jumping) {
    EXPECT_TRUE(std::isinf(function(g, e).over(-0.5, 0.5).rate.high));
    EXPECT_TRUE(std::isfinite(function(g, e).over(0.25, 0.75).rate.high));
    EXPECT_TRUE(std::isfinite(function(g, e).over(0.25, 0.75).rate.low));
  }
  // a corner is no jump
  const Enclosure corner = function(g, g.unary(Op::abs, t)).over(-0.5, 0.25);
  EXPECT_EQ(corner.value.low, 0);
  EXPECT_EQ(corner.value.high, 0.5);
  EXPECT_EQ(corner.rate.low, -1);
  EXPECT_EQ(corner.rate.high, 1);
}

TEST(Enclosure, of_what_has_no_value_is_empty) {
  Graph g;
  const Expr t = g.leaf(time_leaf);
  EXPECT_TRUE(function(g, g.unary(Op::sqrt, t)).over(-2, -1).value.is_empty());
  EXPECT_TRUE(function(g, g.unary(Op::log, t)).over(-2, -1).value.is_empty());
  EXPECT_TRUE(function(g, g.unary(Op::asin, t)).over(2, 3).value.is_empty());
  EXPECT_FALSE(function(g, g.unary(Op::sqrt, t)).over(-2, 1).value.is_empty());
}

// Zeros and constants stay points: a derivative that is exactly 0 says that nothing changes.
TEST(Enclosure, keeps_what_is_exact) {
  Graph g;
  const Expr t = g.leaf(time_leaf);
  const Expr late = g.binary(Op::max, g.sub(t, g.constant(1)), g.constant(0));
  const Enclosure before = function(g, g.mul(late, g.unary(Op::sin, t))).over(0, 0.9);
  EXPECT_EQ(before.value.low, 0);
  EXPECT_EQ(before.value.high, 0);
  EXPECT_EQ(before.rate.low, 0);
  EXPECT_EQ(before.rate.high, 0);
}

TEST(Enclosure, contains_trajectories_and_their_derivatives) {
  Graph g;
  const Expr t = g.leaf(time_leaf);
  const std::uint16_t spline = g.add_spline({{0, 0.5, 1.5}, {1, 2, 0, -8, /**/ 1, -4, 4, 0}, 3, 0});
  const Real rounding = 1e-13L;  // of the trajectories themselves, in double, up to 1e3 large
  for (int derivative = 0; derivative < 4; ++derivative)
    for (const double width : {0.3, 0.01, 1e-4})
      for (double begin = -0.3; begin < 2; begin += 0.07) {
        const std::string what = fmt::format("derivative {}", derivative);
        for (const int smoothness : {0, 1, 4})
          if (derivative <= smoothness)
            expect_contained(g, g.rest_to_rest(t, smoothness, derivative), begin, begin + width,
                             what, rounding);
        expect_contained(g, g.spline(spline, t, derivative), begin, begin + width, what, rounding);
      }
}

}  // namespace
}  // namespace daedal::expr
