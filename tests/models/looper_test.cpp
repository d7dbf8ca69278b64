// Looper [OlivaLooper]. Numbers: independent recomputation (SymPy, SciPy) with friction coefficients 1.
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <numbers>
#include <string>

namespace daedal::test {
namespace {

const ModelPoint::Values test_point = {{"theta1", 1.13}, {"s", 0.16},  {"theta2", 0.01},
                                       {"theta1'", 0.1}, {"s'", -0.2}, {"theta2'", 0.3}};

TEST(Looper, accelerations_and_multipliers_at_the_test_point) {
  const auto solution = ModelPoint("looper").set(test_point).solve();
  EXPECT_NEAR(solution.at("theta1''"), -0.418133244005, printed(12) + rounding(100, 10));
  EXPECT_NEAR(solution.at("s''"), 0.465581810524, printed(12) + rounding(100, 10));
  EXPECT_NEAR(solution.at("theta2''"), 1.680151312358, printed(12) + rounding(100, 10));
  EXPECT_NEAR(solution.at("h1"), -36.38308093345, printed(11) + rounding(100, 700));
  EXPECT_NEAR(solution.at("h2"), 705.140459638, printed(9));
}

TEST(Looper, baumgarte_with_a_polynomial_for_each_constraint) {
  const auto solution = ModelPoint("looper").set(test_point).solve([](const std::string& name) {
    return name == "h1" ? std::pair{18.0, 80.0} : std::pair{10.0, 24.0};
  });
  EXPECT_NEAR(solution.at("theta1''"), -1.711566529855, printed(12) + rounding(100, 10));
  EXPECT_NEAR(solution.at("s''"), 2.248813367317, printed(12) + rounding(100, 10));
  EXPECT_NEAR(solution.at("theta2''"), -9.513681539833, printed(12) + rounding(100, 10));
  EXPECT_NEAR(solution.at("h1"), 136.162455950, printed(9));
  EXPECT_NEAR(solution.at("h2"), 755.451172941, printed(9));
}

TEST(Looper, equilibrium_has_no_acceleration) {
  const auto solution =
      ModelPoint("looper")
          .set({{"theta1", 1.0945842207}, {"s", 0.1773773652}, {"theta2", 0.0953597077}})
          .solve();
  // Ten digits of the pose; stiffness over inertia is 20/s^2 in theta1 and more in the others.
  for (const char* name : {"theta1''", "s''", "theta2''"})
    EXPECT_NEAR(solution.at(name), 0, 1e-7) << name;
  EXPECT_NEAR(solution.at("h1"), -94.1576478, 1e-5);
  EXPECT_NEAR(solution.at("h2"), 703.2070560, 1e-5);
}

// T = F arm sin(theta2 + alpha) on the hanging link; poses by SciPy, ten and eight digits.
TEST(Looper, rests_elsewhere_under_the_tension_of_the_strip) {
  struct Pose {
    double alpha, arm, theta1, s, theta2;
    int decimals;
  };
  for (const Pose& pose :
       {Pose{0, 0.3, 1.0856017764, 0.1887024744, 0.1321279068, 10},
        Pose{0, 0.482, 1.0762787992, 0.2017835573, 0.1718573174, 10},
        Pose{std::numbers::pi / 2, 0.3, 1.03874092, 0.27265435, 0.35583894, 8}}) {
    model::Overrides strip;
    strip.parameters = {{"F", "500"},
                        {"F_arm", fmt::format("{:.17g}", pose.arm)},
                        {"alpha", fmt::format("{:.17g}", pose.alpha)}};
    const auto model = std::make_shared<const model::Model>(model::elaborate(
        model::load(std::string(DAEDAL_SOURCE_DIR) + "/models/looper/looper.daedal"), strip));
    const analysis::Equilibrium rest = analysis::equilibrium(derive::derive(model));
    ASSERT_TRUE(rest.found);
    const auto at = [&](const char* name) { return rest.values[model->find(name)]; };
    // the equilibrium's own tolerance, 1e-10 of angles and lengths below 2
    const double bound = printed(pose.decimals) + 1e-9;
    EXPECT_NEAR(at("theta1"), pose.theta1, bound);
    EXPECT_NEAR(at("s"), pose.s, bound);
    EXPECT_NEAR(at("theta2"), pose.theta2, bound);
  }
}

TEST(Looper, both_ends_of_the_joint_range_satisfy_the_constraints) {
  const double q1_min = 0.984859887, q1_max = 1.459190760, extension = 0.5934120506;
  ModelPoint point("looper");
  const auto lower =
      point.set({{"theta1", q1_min}, {"s", extension}, {"theta2", q1_min}}).residuals();
  const auto upper =
      point.set({{"theta1", q1_max}, {"s", extension}, {"theta2", q1_max - std::numbers::pi}})
          .residuals();
  for (const char* name : {"h1", "h2"}) {  // nine decimals are given
    // angles rounded to nine decimals, of a reach of 2.3 m
    EXPECT_NEAR(lower.at(name), 0, 5e-9) << name;
    // likewise
    EXPECT_NEAR(upper.at(name), 0, 5e-9) << name;
  }
}

}  // namespace
}  // namespace daedal::test
