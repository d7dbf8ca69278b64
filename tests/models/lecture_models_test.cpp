// spring_mass, cart_pendulum, pendulum3d, cstr: the equations of the lecture [Gros2016], found from energies.
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::test {
namespace {

TEST(SpringMass, acceleration_is_minus_k_over_m_times_x) {
  const auto solution = ModelPoint("spring_mass").set({{"x", 0.37}}).solve();
  EXPECT_DOUBLE_EQ(solution.at("x''"), -4 * 0.37);
}

TEST(CartPendulum, printed_energies_give_the_printed_equations) {
  const double m = 1, M = 0.5, L = 0.8, g = 9.81, theta = 0.4, omega = 1.7, u = 0.3;
  ModelPoint point("cart_pendulum", {.model = "cart_pendulum_lecture"});
  const auto solution =
      point.set({{"x'", -0.2}, {"theta", theta}, {"theta'", omega}, {"u", u}}).solve();
  Eigen::Matrix2d matrix;
  matrix << M + m, -M * L * std::sin(theta), -M * L * std::sin(theta), M * L * L;
  const Eigen::Vector2d forces(M * L * omega * omega * std::cos(theta) + u,
                               M * g * L * std::sin(theta));
  const Eigen::Vector2d expected = matrix.lu().solve(forces);
  EXPECT_NEAR(solution.at("x''"), expected(0), rounding(100, 10));
  EXPECT_NEAR(solution.at("theta''"), expected(1), rounding(100, 10));
}

TEST(CartPendulum, bob_position_gives_the_textbook_equations) {
  const double m = 1, M = 0.5, L = 0.8, g = 9.81, theta = 0.4, omega = 1.7, u = 0.3;
  const auto solution = ModelPoint("cart_pendulum")
                            .set({{"x'", -0.2}, {"theta", theta}, {"theta'", omega}, {"u", u}})
                            .solve();
  Eigen::Matrix2d matrix;
  matrix << M + m, M * L * std::cos(theta), M * L * std::cos(theta), M * L * L;
  const Eigen::Vector2d forces(M * L * omega * omega * std::sin(theta) + u,
                               M * g * L * std::sin(theta));
  const Eigen::Vector2d expected = matrix.lu().solve(forces);
  EXPECT_NEAR(solution.at("x''"), expected(0), rounding(100, 10));
  EXPECT_NEAR(solution.at("theta''"), expected(1), rounding(100, 10));
}

TEST(Pendulum3d, cable_force_is_the_lectures_z) {
  // m p'' + m g e3 + z p = u and p.p'' + v.v = 0 give z = (u.p - m g p3 + m v.v)/L^2.
  const Eigen::Vector3d p(0.48, 0.64, -0.6), v(0.4, -0.3, 0), u(1, 2, 3);
  const auto solution = ModelPoint("pendulum3d")
                            .set({{"p[1]", p(0)},
                                  {"p[2]", p(1)},
                                  {"p[3]", p(2)},
                                  {"p[1]'", v(0)},
                                  {"p[2]'", v(1)},
                                  {"p[3]'", v(2)},
                                  {"u[1]", u(0)},
                                  {"u[2]", u(1)},
                                  {"u[3]", u(2)}})
                            .solve();
  const double z = u.dot(p) - 9.81 * p(2) + v.dot(v);
  EXPECT_NEAR(-solution.at("cable"), z, rounding(100, 10));
  EXPECT_NEAR(solution.at("p[3]''"), u(2) - 9.81 - z * p(2), rounding(100, 10));
}

TEST(Cstr, residuals_are_the_balances) {
  ModelPoint point("cstr");
  const auto residuals = point
                             .set({{"V", 2},
                                   {"CA", 0.7},
                                   {"CB", 0.5},
                                   {"CC", 0.2},
                                   {"R1", 0.3},
                                   {"R2", 0.4},
                                   {"Fa", 0.1},
                                   {"F", 0.3},
                                   {"V'", 0.05},
                                   {"CA'", 0.01},
                                   {"CB'", 0.02},
                                   {"CC'", 0.03}})
                             .residuals();
  const auto expect = [&](const char* name, double value) {
    EXPECT_NEAR(residuals.at(name), value, rounding(8)) << name;
  };
  expect("volume", 0.05 - (0.1 - 0.3));
  expect("A", 0.01 - (0.1 / 2 * (1 - 0.7) - 0.3));
  expect("B", 0.02 - (-0.1 / 2 * 0.5 + 0.3 - 0.4));
  expect("C", 0.03 - (-0.1 / 2 * 0.2 + 0.4));
  expect("equilibrium", -(0.7 - 0.5 / 2));
  expect("second_reaction", -(0.4 - 0.5 * 0.5));
}

}  // namespace
}  // namespace daedal::test
