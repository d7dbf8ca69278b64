// The rate of energy in two ways: d/dt of the energy along accelerations that solve the equations, and the power that the
// derivation hands out. They share no formula, so a wrong sign or a forgotten force shows.
#include "daedal/elaborate/elaborate.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal {
namespace {

double energy_rate_minus_power(test::ModelPoint& point) {
  point.solve();
  expr::Graph graph(point.dae().model->graph);
  const derive::Mechanics& mechanics = point.dae().mechanics;
  const std::vector<expr::Expr> energy = expr::expand(mechanics.energy, graph);
  const std::vector<expr::Expr> rate = expr::time_derivative(
      graph, energy, [&](expr::SymbolId s) { return point.model().varies(s); });
  const std::vector<expr::Expr> power = expr::expand(mechanics.power, graph);
  const auto value = [&](expr::Leaf leaf) {
    return point.value(model::name_of(point.model().symbols[leaf.symbol], leaf.order));
  };
  const double found = expr::evaluate(graph, rate, value)[0],
               expected = expr::evaluate(graph, power, value)[0];
  EXPECT_GT(std::abs(expected), 0.1) << "nothing would be compared";
  return found - expected;
}

test::ModelPoint point_of(const std::string& text) {
  return test::ModelPoint(model::elaborate(model::load_text(text)));
}

TEST(EnergyBalance, forces_dampers_and_points) {
  test::ModelPoint point = point_of(
      "model m\nparameter m1 = 2, m2 = 3, L = 0.7, d = 0.4\ncoordinate x, th\n"
      "let P = [x + L*sin(th), -L*cos(th)]\n"
      "kinetic m1/2*x'^2 + m2/2*dot(P', P')\npotential 9.81*m2*P[2]\ndissipation d/2*th'^2 + "
      "d*x'^2\n"
      "input u\nforce u - 0.3*x' on x\nforce [0.2, sin(t)] at P\ntorque 0.1*x about th\n");
  point.set({{"x", 0.3}, {"th", 0.8}, {"x'", -0.4}, {"th'", 1.7}, {"u", 0.9}, {"t", 0.6}});
  EXPECT_NEAR(energy_rate_minus_power(point), 0, test::rounding(60, 9.81 * 3));
  EXPECT_FALSE(point.dae().mechanics.conservative);
}

TEST(EnergyBalance, drives_deliver_what_the_mechanism_takes) {
  test::ModelPoint point = point_of(
      "model m\nparameter m = 18.9, mt = 2, g = 9.81\ncoordinate x_T = 15, L = 4, x_P = 15, z_P = "
      "4\n"
      "kinetic m/2*(x_P'^2 + z_P'^2) + mt/2*x_T'^2\npotential -m*g*z_P + 0.5*x_T^2\ninput u_T, "
      "u_L\n"
      "force 3 on x_T\n"
      "drive x_T by u_T velocity(lag = 0.03)\ndrive L by u_L velocity(lag = 0.02)\n"
      "constraint cable: z_P^2 + (x_P - x_T)^2 = L^2\n");
  // On the manifold, with velocities that satisfy the differentiated constraint.
  const double xt = 14.2, xp = 15.1, zp = 3.9, vt = 0.3, vp = -0.2, vz = 0.15;
  const double length = std::hypot(zp, xp - xt);
  const double rate = (zp * vz + (xp - xt) * (vp - vt)) / length;
  point.set({{"x_T", xt},
             {"x_P", xp},
             {"z_P", zp},
             {"L", length},
             {"x_T'", vt},
             {"x_P'", vp},
             {"z_P'", vz},
             {"L'", rate},
             {"u_T", 0.5},
             {"u_L", -0.1}});
  EXPECT_NEAR(energy_rate_minus_power(point), 0, test::rounding(200, 18.9 * 20));
}

TEST(EnergyBalance, moving_supports_do_work) {
  test::ModelPoint point = point_of(
      "model m\ncoordinate x = 1, y\nlet s = 0.2*sin(3*t)\nkinetic (x'^2 + y'^2)/2\npotential "
      "9.81*y + t*x\n"
      "constraint rod: (x - s)^2 + y^2 = 1\n");
  const double t = 0.4, s = 0.2 * std::sin(3 * t), sd = 0.6 * std::cos(3 * t), angle = -0.7,
               w = 1.3;
  point.set({{"t", t},
             {"x", s + std::cos(angle)},
             {"y", std::sin(angle)},
             {"x'", sd - w * std::sin(angle)},
             {"y'", w * std::cos(angle)}});
  EXPECT_NEAR(energy_rate_minus_power(point), 0, test::rounding(60, 9.81 * 10));
}

TEST(EnergyBalance, fixed_supports_and_springs_conserve) {
  EXPECT_TRUE(point_of("model m\ncoordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\npotential "
                       "9.81*y\nconstraint rod: x^2 + y^2 = 1\n")
                  .dae()
                  .mechanics.conservative);
}

TEST(Families, a_sum_of_many_terms_gives_the_equations_of_its_terms) {
  // 30 disks are derived once per shape; the closed form is written here.
  test::ModelPoint point = point_of(
      "model m\nsize N = 30\nparameter I = 0.12, k = 2, d[1..N-1] = 0.3\ncoordinate phi[1..N]\n"
      "kinetic sum(i in 1..N: I/2*phi[i]'^2)\npotential sum(i in 1..N-1: k/2*(phi[i+1] - "
      "phi[i])^2)\n"
      "dissipation sum(i in 1..N-1: d[i]/2*(phi[i+1]' - phi[i]')^2)\n");
  EXPECT_LT(point.dae().residual.families.size(), 6u);
  test::ModelPoint::Values values;
  const auto q = [](int i) { return std::sin(1.3 * i); };
  const auto v = [](int i) { return std::cos(0.7 * i * i); };
  for (int i = 1; i <= 30; ++i) {
    values["phi[" + std::to_string(i) + "]"] = q(i);
    values["phi[" + std::to_string(i) + "]'"] = v(i);
  }
  point.set(values);
  const auto solution = point.solve();
  for (int i = 1; i <= 30; ++i) {
    double torque = 0;
    if (i > 1) torque += 2 * (q(i - 1) - q(i)) + 0.3 * (v(i - 1) - v(i));
    if (i < 30) torque += 2 * (q(i + 1) - q(i)) + 0.3 * (v(i + 1) - v(i));
    EXPECT_NEAR(solution.at("phi[" + std::to_string(i) + "]''"), torque / 0.12,
                test::rounding(100, 4 / 0.12))
        << i;
  }
}

}  // namespace
}  // namespace daedal
