// Manipulators with one passive joint [Druecker2022, section 2.4.4]: closed forms, rigid-body kinematics, and the inverse models
// of the reference (independent recomputation, SciPy), which the forward equations must follow.
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/model_point.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace daedal::test {
namespace {

Table reference(const std::string& model) {
  return read_csv(std::string(DAEDAL_SOURCE_DIR) + "/models/" + model + "/reference.csv");
}

TEST(Manipulator2Link, mass_matrix_and_forces_are_equations_2_90_to_2_93) {
  const double L = 0.5, m = 0.05, I = m * L * L / 12, k = 0.5, d = 2.5e-5;
  const double beta = 0.8, va = 1.2, vb = -0.6, u = 0.03;
  ModelPoint point("manipulator_2link");
  const auto solution =
      point.set({{"alpha", 0.3}, {"beta", beta}, {"alpha'", va}, {"beta'", vb}, {"u", u}}).solve();
  const double a1 = m * L * L / 4, a2 = a1, a3 = L * L * m * std::cos(beta) / 2;
  Eigen::Matrix2d M;
  M << a1 + a2 + 2 * a3 + L * L * m + 2 * I, a2 + a3 + I, a2 + a3 + I, a2 + I;
  const Eigen::Vector2d gyroscopic(-L * L * vb * m * (2 * va + vb) * std::sin(beta) / 2,
                                   L * L * va * va * m * std::sin(beta) / 2);
  const Eigen::Vector2d applied(u, -k * beta - d * vb);
  const Eigen::Vector2d expected = M.lu().solve(applied - gyroscopic);
  EXPECT_LE((point.mass_matrix() - M).cwiseAbs().maxCoeff(), 1e-16);
  EXPECT_NEAR(solution.at("alpha''"), expected(0), rounding(100, 300));
  EXPECT_NEAR(solution.at("beta''"), expected(1), rounding(100, 300));
}

TEST(Manipulator2Link, zero_dynamics_is_equation_6_50) {
  // z'' = 0 with z = alpha + beta/2 and z' = 0: choose u so that alpha'' = -beta''/2 and compare beta''.
  const double L = 0.5, m = 0.05, I = m * L * L / 12, k = 0.5, d = 2.5e-5, beta = 0.4, vb = 0.9;
  ModelPoint point("manipulator_2link");
  const auto z_acceleration = [&](double u) {
    const auto s =
        point.set({{"beta", beta}, {"alpha'", -vb / 2}, {"beta'", vb}, {"u", u}}).solve();
    return std::pair{s.at("alpha''") + s.at("beta''") / 2, s.at("beta''")};
  };
  const auto [z0, b0] = z_acceleration(0);
  const auto [z1, b1] = z_acceleration(1);
  const double u = -z0 / (z1 - z0);  // the equations are linear in u
  const double beta_ddot = b0 + u * (b1 - b0);
  const double inertia = L * (4 * I + L * L * m - 2 * L * L * m * std::cos(beta)) / (8 * L);
  const double centrifugal = L * L * vb * vb * m * std::sin(beta) / 8;
  EXPECT_NEAR(inertia * beta_ddot + d * vb + k * beta + centrifugal, 0, rounding(100, 1));
}

TEST(Manipulator2Link, reference_input_keeps_the_output_on_its_trajectory) {
  const Table table = reference("manipulator_2link");
  ModelPoint point("manipulator_2link");
  for (std::size_t row = 100; row < 300; row += 20) {  // 0 <= t <= 1
    const auto at = [&](const char* name) { return table.at(name).at(row); };
    point.set({{"t", at("t")},
               {"alpha", at("alpha")},
               {"beta", at("beta")},
               {"alpha'", at("alphadot")},
               {"beta'", at("betadot")},
               {"u", at("u")}});
    point.solve();
    // the reference is printed with 13 digits
    EXPECT_NEAR(point.servo_defect(0)(0), 0, 1e-12) << "t = " << at("t");
    // and its velocities with 12
    EXPECT_NEAR(point.servo_defect(1)(0), 0, 1e-11) << "t = " << at("t");
    // u is good to 1e-12 relative to a peak of 0.13; 1/M is 300/(kg m^2).
    EXPECT_NEAR(point.servo_defect(2)(0), 0, 1e-8) << "t = " << at("t");
  }
}

/// Kinetic energy from positions (2.99)-(2.101) and inertia tensors (2.103)-(2.105), without generalised formulas.
double rigid_body_energy(const Eigen::Vector4d& q, const Eigen::Vector4d& v, double s4) {
  struct Link {
    double mass, across, along;
  };
  const std::array<Link, 4> links = {Link{6.876, 0.5773, 0.0086},
                                     {6.876, 0.5773, 0.0086},
                                     {3.438, 0.0738, 0.0043},
                                     {3.969, 0.2449, 0.005}};
  const std::array<double, 4> length = {1, 1, 0.5, 0.5}, centre = {0.5, 0.5, 0.25, s4};
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(q(0), Eigen::Vector3d::UnitZ()).toRotationMatrix();
  const Eigen::Vector3d spin = v(0) * Eigen::Vector3d::UnitZ();
  Eigen::Vector3d joint = Eigen::Vector3d::Zero(), joint_velocity = Eigen::Vector3d::Zero();
  double angle = 0, angle_rate = 0, energy = 0;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      angle += q(i);
      angle_rate += v(i);
    }
    const Eigen::Matrix3d frame =
        turn * Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitY()).toRotationMatrix();
    const Eigen::Vector3d omega = spin + turn * (angle_rate * Eigen::Vector3d::UnitY());
    const Eigen::Vector3d axis = frame.col(2);
    const Eigen::Vector3d velocity = joint_velocity + omega.cross(centre[i] * axis);
    const Eigen::Vector3d omega_body = frame.transpose() * omega;
    const Eigen::Vector3d inertia(links[i].across, links[i].across, links[i].along);
    energy += links[i].mass / 2 * velocity.squaredNorm() +
              omega_body.dot(inertia.cwiseProduct(omega_body)) / 2;
    joint += length[i] * axis;
    joint_velocity += omega.cross(length[i] * axis);
  }
  return energy;
}

TEST(Manipulator3d, kinetic_energy_is_that_of_four_rigid_bodies) {
  ModelPoint point("manipulator_3d");
  const Eigen::Vector4d q(0.4, 0.3, 1.9, -0.5), v(1.1, -0.7, 0.9, 2.3);
  point.set({{"Omega", q(0)},
             {"alpha", q(1)},
             {"beta", q(2)},
             {"gamma", q(3)},
             {"Omega'", v(0)},
             {"alpha'", v(1)},
             {"beta'", v(2)},
             {"gamma'", v(3)}});
  EXPECT_NEAR(point.kinetic(), rigid_body_energy(q, v, 0.16840213799650494), rounding(100));
  EXPECT_NEAR(point.kinetic(), v.dot(point.mass_matrix() * v) / 2, rounding(100));
}

TEST(Manipulator3d, reference_inputs_keep_the_end_effector_on_the_circle) {
  const Table table = reference("manipulator_3d");
  ModelPoint point("manipulator_3d");
  for (std::size_t row = 5; row < 300; row += 25) {
    const auto at = [&](const char* name) { return table.at(name).at(row); };
    ModelPoint::Values values = {{"t", at("t")}};
    for (const char* name : {"Omega", "alpha", "beta", "gamma"}) {
      values[name] = at(name);
      values[std::string(name) + "'"] = at((std::string(name) + "_d").c_str());
    }
    for (const char* name : {"u1", "u2", "u3"}) values[name] = at(name);
    point.set(values).solve();
    // Twelve digits are printed; velocities reach 10 rad/s and torques 200 N m on inertias down to 0.02 kg m^2.
    EXPECT_LE(point.servo_defect(0).cwiseAbs().maxCoeff(), 1e-10) << "t = " << at("t");
    EXPECT_LE(point.servo_defect(1).cwiseAbs().maxCoeff(), 1e-9) << "t = " << at("t");
    EXPECT_LE(point.servo_defect(2).cwiseAbs().maxCoeff(), 1e-6) << "t = " << at("t");
  }
}

TEST(Manipulator3d, printed_centre_of_gravity_is_the_other_variant) {
  ModelPoint point("manipulator_3d", {.model = "manipulator_3d_printed"});
  const Eigen::Vector4d q(0.4, 0.3, 1.9, -0.5), v(1.1, -0.7, 0.9, 2.3);
  const std::array<std::string, 4> names = {"robot.Omega", "robot.alpha", "robot.beta",
                                            "robot.gamma"};
  for (int i = 0; i < 4; ++i) point.set({{names[i], q(i)}, {names[i] + "'", v(i)}});
  EXPECT_NEAR(point.kinetic(), rigid_body_energy(q, v, 0.25), rounding(100));
}

}  // namespace
}  // namespace daedal::test
