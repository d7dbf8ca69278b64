// Delta robots [Bortoff2018, section 3] and [Gros2016]. Numbers: independent recomputation (SymPy, SciPy), parameter set A.
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace daedal::test {
namespace {

std::string joint(int arm, int k) {
  return "arm[" + std::to_string(arm) + "].q[" + std::to_string(k) + "]";
}
std::string torque(int arm) { return "arm[" + std::to_string(arm) + "].u"; }
std::string closure(int i) {
  return "closure" + std::to_string(i / 3 + 2) + "[" + std::to_string(i % 3 + 1) + "]";
}

const double level = std::acos(-2.0 / 3);  // q_i2 with level arms

TEST(DeltaRobot, accelerations_and_multipliers_at_the_test_point_with_baumgarte_pole_5) {
  const std::array<double, 9> offset = {.05, -.02, .03, -.04, .01, .02, .03, .02, -.01};
  const std::array<double, 9> velocity = {.1, -.2, .3, .2, .1, -.1, -.3, .2, .1};
  const std::array<double, 3> u = {.1, .2, -.1};
  const std::array<double, 9> acceleration = {32.690946627359, 2.170943257011,  -1.837558423453,
                                              37.908216865616, 1.10672881112,   -1.033429639917,
                                              33.120976769056, -5.145366451503, -1.19558924856};
  const std::array<double, 6> lambda = {-.303103380196, -.03511146065,  -.06084492441,
                                        .094616148753,  -.231267294705, -.829958672086};
  ModelPoint point("delta_robot");
  for (int i = 0; i < 9; ++i) {
    const std::string name = joint(i / 3 + 1, i % 3 + 1);
    point.set({{name, (i % 3 == 1 ? level : 0) + offset[i]}, {name + "'", velocity[i]}});
  }
  for (int i = 0; i < 3; ++i) point.set({{torque(i + 1), u[i]}});
  const auto solution = point.solve(10, 25);
  for (int i = 0; i < 9; ++i) {
    const std::string name = joint(i / 3 + 1, i % 3 + 1) + "''";
    EXPECT_NEAR(solution.at(name), acceleration[i], printed(12) + rounding(1000, 40)) << name;
  }
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(solution.at(closure(i)), lambda[i], printed(12) + rounding(1000, 1)) << closure(i);
}

TEST(DeltaRobot, level_arms_are_in_equilibrium_with_the_known_torques_and_multipliers) {
  const std::array<double, 6> lambda = {-2.406284553, -1.389269034, 0,
                                        2.406284553,  -1.389269034, 0};
  ModelPoint point("delta_robot");
  for (int arm = 1; arm <= 3; ++arm) point.set({{joint(arm, 2), level}, {torque(arm), -1.9293}});
  const auto solution = point.solve();
  for (int arm = 1; arm <= 3; ++arm) {
    for (int k = 1; k <= 3; ++k)
      EXPECT_NEAR(solution.at(joint(arm, k) + "''"), 0, rounding(1000, 10));
  }
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(solution.at(closure(i)), lambda[i], printed(9)) << closure(i);
}

TEST(DeltaRobot, start_values_close_the_loops_in_both_parameter_sets) {
  for (const char* variant : {"delta_robot", "delta_robot_b"}) {
    for (const auto& [name, residual] : ModelPoint("delta_robot", {.model = variant}).residuals()) {
      if (name.find("closure") != std::string::npos) {
        EXPECT_NEAR(residual, 0, rounding(8)) << variant << ", " << name;
      }
    }
  }
}

TEST(DeltaGros, level_rods_are_in_equilibrium_with_the_known_torques_and_multipliers) {
  ModelPoint point("delta_gros");
  point.set({{"p[3]", -.39686269666}, {"u[1]", -1.38975}, {"u[2]", -1.38975}, {"u[3]", -1.38975}});
  const auto solution = point.solve();
  for (const char* name :
       {"p[1]''", "p[2]''", "p[3]''", "alpha[1]''", "alpha[2]''", "alpha[3]''"}) {
    EXPECT_NEAR(solution.at(name), 0, 1e-8) << name;  // p[3] has 11 digits
  }
  for (const char* name : {"rod[1]", "rod[2]", "rod[3]"})
    EXPECT_NEAR(solution.at(name), -2.05990638, printed(8)) << name;
}

TEST(DeltaGros, equations_are_those_of_its_lagrangian) {
  // L = T - V + z.c, by hand: m p'' + m g e3 = sum 2 z_k (p - p_k);
  // J a_k'' - M g l/2 cos a_k = u_k - 2 z_k (p - p_k) . dp_k/da_k.
  const double d = .2, l = .25, m = .5, M = .8, g = 9.81, J = M * l * l / 3;
  const Eigen::Vector3d p(.03, -.02, -.41), alpha(.1, -.2, .15), u(-1, -1.5, -.7);
  ModelPoint point("delta_gros");
  for (int k = 0; k < 3; ++k) {
    const std::string index = "[" + std::to_string(k + 1) + "]";
    point.set({{"p" + index, p(k)}, {"alpha" + index, alpha(k)}, {"u" + index, u(k)}});
  }
  const auto solution = point.solve();
  Eigen::Vector3d force(0, 0, -m * g);
  for (int k = 0; k < 3; ++k) {
    const std::string index = "[" + std::to_string(k + 1) + "]";
    const Eigen::Matrix3d turn =
        Eigen::AngleAxisd(2 * std::acos(-1) / 3 * k, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    const Eigen::Vector3d end =
        turn * Eigen::Vector3d(d + l * std::cos(alpha(k)), 0, -l * std::sin(alpha(k)));
    const Eigen::Vector3d end_slope =
        turn * Eigen::Vector3d(-l * std::sin(alpha(k)), 0, -l * std::cos(alpha(k)));
    const double z = solution.at("rod" + index);
    force += 2 * z * (p - end);
    const double moment =
        u(k) + M * g * l / 2 * std::cos(alpha(k)) - 2 * z * (p - end).dot(end_slope);
    EXPECT_NEAR(J * solution.at("alpha" + index + "''"), moment, rounding(100, 10));
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(m * solution.at("p[" + std::to_string(k + 1) + "]''"), force(k), rounding(100, 10));
  }
}

}  // namespace
}  // namespace daedal::test
