// Controllers of the model library: gains that were computed elsewhere, and what the READMEs say of the motions.
#include "daedal/study/control.hpp"
#include "daedal/task/simulate.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

Model library(const std::string& folder, const std::string& model = {}) {
  LoadOptions options;
  options.model = model;
  return load(DAEDAL_SOURCE_DIR "/models/" + folder + "/" + folder + ".daedal", options);
}

// Drake's AcrobotPlant with its default parameters, Q = diag(10, 10, 1, 1), R = 1: gains by SciPy, printed to eight decimals.
TEST(Acrobot, gains_upright_are_those_of_drake) {
  ControlOptions options;
  options.state_weights = read_weights("state_weights", "th1=10,th2=10,1");
  const ControlDesign found = control(library("acrobot"), options);
  const double gains[] = {-278.44223126, -112.29125985, -119.72457377, -56.82824017};
  ASSERT_EQ(found.gain[0].size(), 4u);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(found.gain[0][static_cast<std::size_t>(k)], gains[k], test::printed(8));
}

TEST(Acrobot, swings_up_and_stays_upright) {
  const auto answer = run(library("acrobot"), "swing_up");
  ASSERT_TRUE(answer->holds) << answer->reason;
  const Table& table = *answer->table();
  const std::vector<double> u = table.column("u"), caught = table.column("swing.upright"),
                            height = table.column("tip[2]"), t = table.column("t");
  double most = 0, since = 0;
  for (std::size_t k = 0; k < u.size(); ++k) {
    most = std::max(most, std::abs(u[k]));
    if (caught[k] == 0) since = t[k];
    if (t[k] > since + 4) {
      EXPECT_GT(height[k], 2.99) << t[k];  // of 3 m; the slowest pole is -2 1/s
    }
  }
  EXPECT_LE(most, 20);
  EXPECT_LT(since, 5);
  EXPECT_EQ(caught.back(), 1);
}

TEST(CartPendulum, swings_up_and_stays_upright) {
  const auto answer = run(library("cart_pendulum", "cart_pendulum"), "swing_up");
  ASSERT_TRUE(answer->holds) << answer->reason;
  const Table& table = *answer->table();
  const std::vector<double> u = table.column("u"), caught = table.column("swing.upright"),
                            height = table.column("tip[2]"), t = table.column("t");
  const auto since = std::find(caught.begin(), caught.end(), 1) - caught.begin();
  for (std::size_t k = 0; k < u.size(); ++k) {
    if (k < static_cast<std::size_t>(since)) {
      EXPECT_LE(std::abs(u[k]), 15);  // umax
    }
    if (t[k] > 8) {
      EXPECT_GT(height[k], 0.799) << t[k];  // of 0.8 m; the slowest pole is -0.9 1/s
    }
  }
  EXPECT_EQ(caught.back(), 1);
  EXPECT_LT(height.front(), -0.79);
}

// Nobody measures where the platform is, nor how it is tilted.
TEST(CableRobotPlatform, is_tilted_by_what_a_filter_estimates) {
  const auto answer = run(library("cable_robot_platform", "cable_robot_platform"), "tilt_ukf");
  ASSERT_TRUE(answer->holds) << answer->reason;
  const Table& table = *answer->table();
  constexpr double degree = std::numbers::pi / 180;
  // The regulator's slowest pole leaves exp(-0.0274 120) of 5 degrees, the noise of the sensors some hundredths of a degree.
  EXPECT_NEAR(table.column("delta").back() / degree, 5, 0.2 + 0.1);
  const std::vector<double> delta = table.column("delta"), t = table.column("t"),
                            estimate = table.column("observing.delta.estimate"),
                            deviation = table.column("observing.delta.deviation");
  std::size_t within = 0, rows = 0;
  for (std::size_t k = 0; k < t.size(); ++k)
    if (t[k] > 5) {
      ++rows;
      within += std::abs(delta[k] - estimate[k]) < 3 * deviation[k];
    }
  EXPECT_GE(within, rows * 95 / 100);  // 99.7 % of errors that are as the filter believes
}

TEST(CableRobot, sway_is_damped_by_what_a_filter_estimates) {
  const auto answer = run(library("cable_robot", "cable_robot_generalised"), "sway_ukf");
  ASSERT_TRUE(answer->holds) << answer->reason;
  const std::vector<double> phi = answer->table()->column("phi"), t = answer->table()->column("t");
  constexpr double degree = std::numbers::pi / 180;
  for (std::size_t k = 0; k < t.size(); ++k)
    if (t[k] > 6 + 9) {
      EXPECT_LT(std::abs(phi[k]), 0.5 * degree) << t[k];  // 8.42 s with a known state
    }
}

TEST(CartPendulum, stands_with_two_noisy_encoders_and_a_heavier_bob) {
  const Model model = library("cart_pendulum", "cart_pendulum");
  for (const std::string experiment : {"stand", "measured", "heavier"}) {
    SCOPED_TRACE(experiment);
    const auto answer = run(model, experiment);
    ASSERT_TRUE(answer->holds) << answer->reason;
    const std::vector<double> theta = answer->table()->column("theta"),
                              t = answer->table()->column("t");
    for (std::size_t k = 0; k < t.size(); ++k) {
      if (t[k] > 6) {
        EXPECT_LT(std::abs(theta[k]), 0.03)
            << t[k];  // 1.7 degrees, of encoders with 0.06 degrees of noise
      }
    }
  }
}

// Stable inversion and a regulator in redundant coordinates, on an arm that is softer than they know.
TEST(FlexibleLink, returns_to_its_motion_SlowOfFourElements) {
  const Model model = library("flexible_link", "flexible_link_controlled");
  const auto error = [&](const std::string& experiment) {
    const auto answer = run(model, experiment);
    EXPECT_TRUE(answer->holds) << answer->reason;
    return std::abs(answer->table()->column("arm.tip").back() - std::numbers::pi / 6);
  };
  const double forward = error("softer_forward"), tracking = error("softer_tracking");
  EXPECT_LT(tracking, forward / 5);
  EXPECT_LT(tracking, 1e-3);
}

}  // namespace
}  // namespace task
}  // namespace daedal
