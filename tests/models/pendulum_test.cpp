// Pendulum [Bortoff2018, section 2]: closed forms of acceleration and multiplier on the constraint.
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::test {
namespace {

TEST(Pendulum, multiplier_and_acceleration_on_the_constraint_are_the_closed_form) {
  const double m = 2.5, L = 0.8, g = 9.81, angle = -0.7, speed = 1.3;
  const double x = L * std::cos(angle), y = L * std::sin(angle);
  ModelPoint point("pendulum", {.parameters = {{"m", "2.5"}, {"L", "0.8"}}});
  const auto solution = point
                            .set({{"x", x},
                                  {"y", y},
                                  {"x'", -speed * std::sin(angle)},
                                  {"y'", speed * std::cos(angle)}})
                            .solve();
  const double force = m * (speed * speed - g * y) / (2 * L * L);  // rod.force
  EXPECT_NEAR(solution.at("rod"), -force, rounding(32, force));
  EXPECT_NEAR(solution.at("x''"), -2 * x * force / m, rounding(50, g));
  EXPECT_NEAR(solution.at("y''"), -2 * y * force / m - g, rounding(50, g));
}

TEST(Pendulum, released_at_the_horizontal_the_rod_force_is_proportional_to_the_height) {
  const double g = 9.81, y = -0.6;  // m = L = 1; speed from conservation of energy
  const double speed = std::sqrt(-2 * g * y), x = std::sqrt(1 - y * y);
  ModelPoint point("pendulum");
  const auto solution =
      point.set({{"x", x}, {"y", y}, {"x'", speed * y}, {"y'", -speed * x}}).solve();
  EXPECT_NEAR(-solution.at("rod"), -3 * g * y / 2, rounding(50, g));
  EXPECT_NEAR(point.energy(), 0, rounding(16, g));
}

TEST(Pendulum, baumgarte_terms_push_back_to_the_rod_length) {
  // At rest at (1.1, 0): c = 0.21, c' = 0, so c'' = -p^2 c; with c'' = 2 x x'' the acceleration is -p^2 c/(2x).
  const double pole = 5, c = 1.1 * 1.1 - 1;
  const auto solution =
      ModelPoint("pendulum").set({{"x", 1.1}, {"y", 0}}).solve(2 * pole, pole * pole);
  EXPECT_NEAR(solution.at("x''"), -pole * pole * c / 2.2, rounding(50, 10));
  EXPECT_NEAR(solution.at("y''"), -9.81, rounding(50, 10));
}

}  // namespace
}  // namespace daedal::test
