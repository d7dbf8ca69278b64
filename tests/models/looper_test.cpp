// Looper [OlivaLooper]. Numbers: independent recomputation (SymPy, SciPy) with friction coefficients 1.
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace daedal::test {
namespace {

const ModelPoint::Values test_point = {{"theta1", 1.13}, {"s", 0.16},  {"theta2", 0.01},
                                       {"theta1'", 0.1}, {"s'", -0.2}, {"theta2'", 0.3}};

TEST(Looper, accelerations_and_multipliers_at_the_test_point) {
  const auto solution = ModelPoint("looper").set(test_point).solve();
  EXPECT_NEAR(solution.at("theta1''"), -0.418133244005, 1e-11);
  EXPECT_NEAR(solution.at("s''"), 0.465581810524, 1e-11);
  EXPECT_NEAR(solution.at("theta2''"), 1.680151312358, 1e-11);
  EXPECT_NEAR(solution.at("h1"), -36.38308093345, 1e-9);
  EXPECT_NEAR(solution.at("h2"), 705.140459638, 1e-8);
}

TEST(Looper, baumgarte_with_a_polynomial_for_each_constraint) {
  const auto solution = ModelPoint("looper").set(test_point).solve([](const std::string& name) {
    return name == "h1" ? std::pair{18.0, 80.0} : std::pair{10.0, 24.0};
  });
  EXPECT_NEAR(solution.at("theta1''"), -1.711566529855, 1e-10);
  EXPECT_NEAR(solution.at("s''"), 2.248813367317, 1e-10);
  EXPECT_NEAR(solution.at("theta2''"), -9.513681539833, 1e-10);
  EXPECT_NEAR(solution.at("h1"), 136.162455950, 1e-8);
  EXPECT_NEAR(solution.at("h2"), 755.451172941, 1e-8);
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

TEST(Looper, both_ends_of_the_joint_range_satisfy_the_constraints) {
  const double q1_min = 0.984859887, q1_max = 1.459190760, extension = 0.5934120506;
  ModelPoint point("looper");
  const auto lower =
      point.set({{"theta1", q1_min}, {"s", extension}, {"theta2", q1_min}}).residuals();
  const auto upper =
      point.set({{"theta1", q1_max}, {"s", extension}, {"theta2", q1_max - std::numbers::pi}})
          .residuals();
  for (const char* name : {"h1", "h2"}) {  // nine decimals are given
    EXPECT_NEAR(lower.at(name), 0, 5e-9) << name;
    EXPECT_NEAR(upper.at(name), 0, 5e-9) << name;
  }
}

}  // namespace
}  // namespace daedal::test
