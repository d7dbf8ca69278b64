// Lyapunov functions of nonlinear motions, linearisation along them.
#include "daedal/analyse/stability_region.hpp"

#include "daedal/analyse/operating_point.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedal::analysis::test {
namespace {

// M q'' + c q' + k q = 0: V' = -(c - e M) v^2 - e c q v - e k q^2, so e < k c/(k M + c^2/4), and V > 0 for e < sqrt(k/M).
TEST(StabilityRegion, bound_of_epsilon_in_closed_form) {
  const SharedDae dae = text_model(
      "model m\ncoordinate x\nkinetic x'^2\npotential 25*x^2 - 7*x\ndissipation 0.4*x'^2\ninput u "
      "= 3\n"
      "force u on x\n");
  const Equilibrium rest = equilibrium(*dae);
  RegionOptions options;
  options.kind = LyapunovKind::energy;
  const StabilityRegion r = stability_region(dae, rest, options);
  const double M = 2, k = 50, c = 0.8;
  EXPECT_NEAR(r.epsilon_bound, k * c / (k * M + c * c / 4), daedal::test::rounding(1e4));
  EXPECT_TRUE(r.decreases);
  EXPECT_EQ(r.samples, 2000);
  options.epsilon = 1.2 * r.epsilon_bound;
  const StabilityRegion beyond = stability_region(dae, rest, options);
  EXPECT_FALSE(beyond.decreases);
  EXPECT_GT(beyond.worst_rate, 0);
  EXPECT_LT(beyond.level, 1e-2 * r.level);  // it fails however near to rest
}

// One degree of freedom: e M < C1 is necessary, and T1 = -C1/M is known from the independent recomputation.
TEST(StabilityRegion, of_the_looper_decreases_with_the_epsilon_term) {
  const SharedDae dae = library_model("looper");
  const Equilibrium rest = equilibrium(*dae);
  RegionOptions options;
  options.kind = LyapunovKind::energy;
  options.radius = 0.02;
  options.shells = 6, options.directions = 40;
  const StabilityRegion r = stability_region(dae, rest, options);
  EXPECT_TRUE(r.decreases);
  EXPECT_GT(r.epsilon_bound, 0);
  EXPECT_LT(r.epsilon_bound, 0.0435089358 * 1.001);  // e M < C1: T1 = -C1/M of the reference
  options.epsilon = 0;  // the energy alone is constant where nothing moves, and never grows
  const StabilityRegion plain = stability_region(dae, rest, options);
  EXPECT_LE(plain.worst_rate, 1e-12);
}

// The cubic spring pushes away beyond |x| = 1: no function can decrease there, and the quadratic one says where it stops.
TEST(StabilityRegion, of_a_softening_spring_ends_before_the_saddle) {
  const SharedDae dae = text_model(
      "model m\ncoordinate x\nkinetic x'^2/2\npotential x^2/2 - x^4/4\ndissipation 0.5*x'^2\n");
  const Equilibrium rest = equilibrium(*dae);
  RegionOptions options;
  options.radius = 1.5;
  const StabilityRegion r = stability_region(dae, rest, options);
  EXPECT_FALSE(r.decreases);
  // F = [0 1; -1 -1], P = [1.5 0.5; 0.5 1]: V at the saddle (1, 0) is 1.5
  EXPECT_LT(r.level, 1.5);
  EXPECT_GT(r.level, 0.3);
  options.radius = 0.2;
  EXPECT_TRUE(stability_region(dae, rest, options).decreases);
}

TEST(StabilityRegion, an_undamped_motion_has_none) {
  const SharedDae dae = text_model("model m\ncoordinate x\nkinetic x'^2/2\npotential x^2/2\n");
  EXPECT_THROW(stability_region(dae, equilibrium(*dae), {}), std::invalid_argument);
}

// What linearisation leaves out is of second order: half the disturbance, a quarter of the difference.
TEST(CompareMotions, linear_motion_is_wrong_to_second_order) {
  const SharedDae dae = library_model("looper");
  const Equilibrium rest = equilibrium(*dae);
  const auto difference = [&](double size) {
    const MotionComparison c = compare_motions(dae, rest, {{"theta1", size}}, 3);
    EXPECT_EQ(c.coordinates[0].name, "theta1");
    EXPECT_NEAR(c.coordinates[0].largest, size,
                daedal::test::rounding(16));  // the start, an angle of size 1 off rest
    return c.coordinates[0].difference;
  };
  const double order = std::log2(difference(2e-3) / difference(1e-3));
  EXPECT_NEAR(
      order, 2,
      0.05);  // the next term is a thousandth of the leading one, and of the motion 1e-9 is error
}

// Nothing is free where the solution is u and its derivatives; a matrix without rows has no exponential.
TEST(CompareMotions, a_model_without_free_initial_values_is_refused) {
  const SharedDae dae = library_model("linear_index3");
  try {
    compare_motions(dae, equilibrium(*dae), {}, 1);
    FAIL() << "no motion";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics()[0].message,
              "model 'linear_index3' has no free initial values: there is no motion to compare");
  }
}

// A pendulum that falls: at angle a with rate v the frozen poles are +-sqrt(-g/l cos a) of q'' = -g/l sin q.
TEST(OperatingPoint, along_a_motion_poles_are_those_of_the_pose) {
  const SharedDae dae = text_model(
      "model m\nparameter l = 0.7\ncoordinate a = 2\nkinetic l^2*a'^2/2\npotential -9.81*l*cos(a)\n"
      "output y = a\n");
  AlongOptions options;
  options.first = 0.1, options.last = 0.9, options.count = 5;
  const auto points = linearise_along(dae, options);
  ASSERT_EQ(points.size(), 5u);
  for (const OperatingPoint& p : points) {
    const double a = p.values[0].second;
    EXPECT_EQ(p.values[0].first.name, "a");
    const std::complex<double> pole = std::sqrt(std::complex<double>(-9.81 / 0.7 * std::cos(a)));
    double nearest = 1e9;
    for (const Cluster& c : p.poles.clusters) nearest = std::min(nearest, std::abs(c.mean - pole));
    EXPECT_LT(nearest, 1e-12) << p.t;
    const double v = p.values[1].second;  // energy is kept on the way
    EXPECT_NEAR(0.49 * v * v / 2 - 9.81 * 0.7 * std::cos(a), -9.81 * 0.7 * std::cos(2),
                daedal::test::accumulated(1e-9, 100));
  }
  EXPECT_DOUBLE_EQ(points[2].t, 0.5);
}

// A swinging pendulum in Cartesian coordinates: the rod carries v^2 + g cos a, and its reaction is 2 rod (x, y).
TEST(OperatingPoint, at_a_moving_start_reactions_are_those_of_the_motion) {
  const SharedDae dae = text_model(
      "model m\ncoordinate x = sin(0.4), y = -cos(0.4)\n"
      "initial x' = 1.5*cos(0.4), y' = 1.5*sin(0.4)\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint rod: x^2 + y^2 = 1\n");
  const OperatingPoint p = linearise_at_start(dae);
  EXPECT_EQ(p.poles.finite(), 2);
  const auto rod = std::find_if(p.values.begin(), p.values.end(),
                                [](const auto& value) { return value.first.name == "rod.force"; });
  ASSERT_NE(rod, p.values.end());
  EXPECT_NEAR(2 * rod->second, 1.5 * 1.5 + 9.81 * std::cos(0.4), daedal::test::rounding(32, 10));
}

TEST(OperatingPoint, a_start_off_the_manifold_is_refused_by_name) {
  const SharedDae dae = text_model(
      "model m\ncoordinate x = 0.6, y = -0.9\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint rod: x^2 + y^2 = 1\n");
  try {
    linearise_at_start(dae);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "<text>:5:12: error: model 'm': the start values are off the constraint manifold\n"
                 "    constraint rod: x^2 + y^2 = 1\n               ^~~\n"
                 "  constraint 'rod' is violated by 0.17\n"
                 "  help: give start values that satisfy them, or linearise at rest:  at = rest");
  }
}

// theta' = 2 states how fast the bob on its massless rod turns; its speed in x follows: x' = theta' at x = 0.
TEST(OperatingPoint, a_start_that_is_stated_in_part_is_completed) {
  const SharedDae dae = text_model(
      "model m\ncoordinate theta = 0, x = 0\nkinetic (theta'^2 + x'^2)/2\npotential "
      "-9.81*cos(theta)\n"
      "constraint tip: x = sin(theta)\ninitial theta' = 2\n");
  const OperatingPoint p = linearise_at_start(dae);
  const auto value = [&](const std::string& name) {
    return std::find_if(p.values.begin(), p.values.end(),
                        [&](const auto& v) { return v.first.name == name; })
        ->second;
  };
  EXPECT_EQ(value("theta'"), 2);
  EXPECT_NEAR(value("x'"), 2, 1e-14);  // rounding
}

}  // namespace
}  // namespace daedal::analysis::test
