// The two cable robots [Druecker2022, section 2.4.1]: equations of motion, coordinate sets, and the motion under known inputs.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/verify.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/model_point.hpp"
#include "support/page_blocks.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

namespace daedal::test {
namespace {

Table reference(const std::string& folder, const std::string& file) {
  return read_csv(std::string(DAEDAL_SOURCE_DIR) + "/models/" + folder + "/" + file);
}

TEST(CableRobot, accelerations_are_those_of_the_printed_equations) {
  const double m = 18.9, g = 9.81, tau_T = 0.03, tau_L = 0.02;
  const double x_T = 14.2, x_P = 14.9, z_P = 4.5, L = std::hypot(z_P, x_P - x_T);
  const double v_T = 0.4, w = 0.3, v_x = -0.2;  // w: of the cable's length
  const double v_z = (L * w - (x_P - x_T) * (v_x - v_T)) / z_P, u_T = 0.7, u_L = -0.1;
  const auto solution = ModelPoint("cable_robot")
                            .set({{"x_T", x_T},
                                  {"L", L},
                                  {"x_P", x_P},
                                  {"z_P", z_P},
                                  {"x_T'", v_T},
                                  {"L'", w},
                                  {"x_P'", v_x},
                                  {"z_P'", v_z},
                                  {"u_T", u_T},
                                  {"u_L", u_L}})
                            .solve();
  EXPECT_NEAR(solution.at("x_T''"), (u_T - v_T) / tau_T, rounding(100, 20));
  EXPECT_NEAR(solution.at("L''"), (u_L - w) / tau_L, rounding(100, 20));
  const double lambda = solution.at("cable") / m;  // of the source
  EXPECT_NEAR(solution.at("x_P''"), 2 * (x_P - x_T) * lambda, rounding(100, 20));
  EXPECT_NEAR(solution.at("z_P''"), g + 2 * z_P * lambda, rounding(100, 20));
}

TEST(CableRobot, sway_equation_is_the_corrected_one_of_the_source) {
  // cos(phi) x_T'' + L phi'' + 2 phi' L' = -g sin(phi); the source prints 2 phi L'.
  const double phi = 0.1, rate = 0.25, L = 4.3, w = 0.3, v_T = 0.4, u_T = 0.7, u_L = -0.1;
  const auto solution = ModelPoint("cable_robot", {.model = "cable_robot_generalised"})
                            .set({{"x_T", 14},
                                  {"L", L},
                                  {"phi", phi},
                                  {"x_T'", v_T},
                                  {"L'", w},
                                  {"phi'", rate},
                                  {"u_T", u_T},
                                  {"u_L", u_L}})
                            .solve();
  const double a_T = (u_T - v_T) / 0.03;
  EXPECT_NEAR(solution.at("phi''"),
              (-9.81 * std::sin(phi) - std::cos(phi) * a_T - 2 * rate * w) / L, rounding(100, 10));
}

TEST(CableRobot, reference_satisfies_the_equations_and_the_path) {
  const Table r = reference("cable_robot", "reference.csv");
  for (std::size_t i = 50; i < 1000; i += 90) {
    ModelPoint point("cable_robot");
    point.set({{"t", r.at("t")[i]}, {"x_P", r.at("xP")[i]}, {"z_P", r.at("zP")[i]}});
    EXPECT_LE(point.servo_defect(0).cwiseAbs().maxCoeff(), 1e-11);
    const auto residuals = point.set({{"x_T", r.at("xT")[i]}, {"L", r.at("L")[i]}}).residuals();
    EXPECT_NEAR(residuals.at("cable"), 0, 1e-10) << i;  // 13 digits of the table
  }
}

TEST(CableRobotPlatform, accelerations_balance_the_tensions) {
  // Newton and Euler by hand: each cable pulls the platform's corner towards its winch.
  const double m = 18.9, g = 9.81, half_x = 0.175, half_z = 0.185,
               half_T = 0.175 + std::sqrt(5.5 * 5.5 - 5.495 * 5.495);
  const double inertia = m * (0.35 * 0.35 + 0.37 * 0.37) / 12;
  const double x_T = 15.6, x_P = 15.9, z_P = 5.6, delta = 0.07;
  double r[2][2], arm[2], length[2];
  for (const int i : {0, 1}) {
    const double s = i == 0 ? -1 : 1, a = s * half_x, b = -half_z;
    const double x = std::cos(delta) * a + std::sin(delta) * b,
                 z = -std::sin(delta) * a + std::cos(delta) * b;
    r[i][0] = x_T + s * half_T - x_P - x;
    r[i][1] = -z_P - z;
    length[i] = std::hypot(r[i][0], r[i][1]);
    arm[i] = r[i][0] * z - r[i][1] * x;  // d(corner)/d(delta) = (z, -x)
  }
  const auto solution = ModelPoint("cable_robot_platform")
                            .set({{"x_T", x_T},
                                  {"L1", length[0]},
                                  {"L2", length[1]},
                                  {"x_P", x_P},
                                  {"z_P", z_P},
                                  {"delta", delta}})
                            .solve();
  const double tension[] = {-solution.at("cable1") / length[0], -solution.at("cable2") / length[1]};
  EXPECT_GT(tension[0], 0);
  EXPECT_NEAR(m * solution.at("x_P''"), tension[0] * r[0][0] + tension[1] * r[1][0],
              rounding(100, m * g));
  EXPECT_NEAR(m * (solution.at("z_P''") - g), tension[0] * r[0][1] + tension[1] * r[1][1],
              rounding(100, m * g));
  EXPECT_NEAR(inertia * solution.at("delta''"), tension[0] * arm[0] + tension[1] * arm[1],
              rounding(100, m * g));
}

TEST(CableRobotPlatform, references_satisfy_the_cables_and_the_servos) {
  struct Case {
    const char *model, *file, *prefix;
  };
  for (const Case& c :
       {Case{"cable_robot_platform", "reference.csv", ""},
        Case{"cable_robot_platform_desired", "reference.csv", "robot."},
        Case{"cable_robot_platform_parallel", "reference_parallel.csv", "robot."}}) {
    const Table r = reference("cable_robot_platform", c.file);
    const std::string prefix = c.prefix;
    for (std::size_t i = 5; i < r.at("t").size(); i += 25) {
      ModelPoint point("cable_robot_platform", {.model = c.model});
      const double height = point.value(prefix + "z_P");  // the start value: constant
      point.set({{"t", r.at("t")[i]},
                 {prefix + "x_P", r.at("xP")[i]},
                 {prefix + "z_P", height},
                 {prefix + "delta", r.at("delta")[i]},
                 {prefix + "x_T", r.at("xT")[i]},
                 {prefix + "L1", r.at("L1")[i]},
                 {prefix + "L2", r.at("L2")[i]}});
      EXPECT_LE(point.servo_defect(0).cwiseAbs().maxCoeff(), 1e-11) << c.model << ' ' << i;
      const auto residuals = point.residuals();
      // the reference is printed with 12 digits
      EXPECT_NEAR(residuals.at(prefix + "cable1"), 0, 1e-11) << c.model << ' ' << i;
      // likewise
      EXPECT_NEAR(residuals.at(prefix + "cable2"), 0, 1e-11) << c.model << ' ' << i;
    }
  }
}

TEST(CableRobotPlatform, tilt_is_the_one_at_which_nothing_slides) {
  // x''max of the path in closed form: 5/100 * 2520 (3/14)^3/sqrt(7)
  const Table r = reference("cable_robot_platform", "reference.csv");
  double largest = 0;
  for (const double delta : r.at("delta")) largest = std::max(largest, std::abs(delta));
  const double acceleration = 5.0 / 100 * 2520 * std::pow(3.0 / 14, 3) / std::sqrt(7.0);
  EXPECT_LE(largest, std::atan(acceleration / 9.81));
  EXPECT_NEAR(largest, std::atan(acceleration / 9.81), 1e-5);  // the table's rows miss the peak
}

// The cookbook's platform without its limits: of all tensions with the wrench of the motion, those of least norm, from the
// pseudo-inverse.
TEST(FourCables, tensions_of_the_cookbook_are_those_of_least_norm) {
  std::string text;
  for (const model::PageBlock& block :
       model::page_blocks(DAEDAL_SOURCE_DIR "/docs/language/cookbook.md"))
    if (block.text.starts_with("model four_cables")) text = block.text;
  const inversion::InverseModel inverse =
      inversion::inverse_model(derive::derive(std::make_shared<const model::Model>(
          model::elaborate(model::load_text(text, "cookbook.daedal")))));
  ASSERT_TRUE(inverse.algebraic());
  solve::SimulateOptions options;
  options.until = 2;
  options.every = 0.02;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-9}});
  const solve::Trajectory run =
      solve::simulate(inverse.problem, solve::consistent_point(inverse.problem), options);
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  const double anchor[4][2] = {{0, 0}, {3, 0}, {3, 2}, {0, 2}};
  const double own[4][2] = {{-0.2, 0.1}, {0.2, 0.1}, {0.2, -0.1}, {-0.2, -0.1}};
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double s = run.table.at(row, 0) / 2;
    const double way = expr::rest_to_rest_value(s, 3, 0);
    const double acceleration = expr::rest_to_rest_value(s, 3, 2) / 4;
    const double x = 1 + way, y = 0.8 + 0.4 * way, phi = 0.1 * way;
    Eigen::Matrix<double, 3, 4> directions;
    for (int k = 0; k < 4; ++k) {
      const double ax = std::cos(phi) * own[k][0] - std::sin(phi) * own[k][1];
      const double ay = std::sin(phi) * own[k][0] + std::cos(phi) * own[k][1];
      const double dx = anchor[k][0] - x - ax, dy = anchor[k][1] - y - ay,
                   length = std::hypot(dx, dy);
      directions.col(k) << dx / length, dy / length, (ax * dy - ay * dx) / length;
    }
    const Eigen::Vector3d wrench(5 * acceleration, 5 * (0.4 * acceleration + 9.81),
                                 0.2 * 0.1 * acceleration);
    const Eigen::Vector4d expected = directions.completeOrthogonalDecomposition().solve(wrench);
    for (int k = 0; k < 4; ++k) {
      const double found =
          run.table.at(row, run.table.find("T[" + std::to_string(k + 1) + "]").value());
      // the condition of the directions, 1/0.1, times the rounding of forces of 100 N
      EXPECT_NEAR(found, expected[k], rounding(1000, 10 * 100)) << s;
    }
  }
  const inversion::Verification proof = inversion::verify(inverse, run, {});
  ASSERT_EQ(proof.forward.status, solve::Status::completed) << proof.forward.reason;
  EXPECT_LE(proof.forward.largest()->largest, 1e-7);  // inputs interpolated over 0.02 s
}

}  // namespace
}  // namespace daedal::test
