#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal {
namespace {

test::ModelPoint point_of(const std::string& text) {
  return test::ModelPoint(model::elaborate(model::load_text(text)));
}

std::string fault_of(const std::string& text) {
  try {
    point_of(text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(Lagrange, double_pendulum_in_angles_agrees_with_the_textbook) {
  test::ModelPoint point = point_of(
      "model m\nparameter m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.1, g = 9.81\ncoordinate a, b\n"
      "let P = l1*[sin(a), -cos(a)]\nlet Q = P + l2*[sin(b), -cos(b)]\n"
      "kinetic m1/2*dot(P', P') + m2/2*dot(Q', Q')\npotential g*(m1*P[2] + m2*Q[2])\n");
  const double a = 0.8, b = -0.5, va = 1.2, vb = -0.9, m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.1,
               g = 9.81;
  const auto solution = point.set({{"a", a}, {"b", b}, {"a'", va}, {"b'", vb}}).solve();
  // (m1+m2) l1 a'' + m2 l2 b'' cos(a-b) + m2 l2 b'^2 sin(a-b) + (m1+m2) g sin a = 0, and its companion.
  const double forces = (m1 + m2) * g;
  const double pa = solution.at("a''"), pb = solution.at("b''"), c = std::cos(a - b),
               s = std::sin(a - b);
  // residuals of a solved system: rounding of their terms
  EXPECT_NEAR(
      (m1 + m2) * l1 * pa + m2 * l2 * pb * c + m2 * l2 * vb * vb * s + (m1 + m2) * g * std::sin(a),
      0, test::rounding(40, forces));
  EXPECT_NEAR(l2 * pb + l1 * pa * c - l1 * va * va * s + g * std::sin(b), 0,
              test::rounding(40, forces));
}

TEST(Lagrange, reactions_of_velocity_constraints_act_along_the_velocity_gradient) {
  // Knife edge: x' sin th - y' cos th = 0; its reaction is lambda (sin th, -cos th, 0).
  test::ModelPoint point = point_of(
      "model m\ncoordinate x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/6\nconstraint edge: "
      "x'*sin(th) - y'*cos(th) = 0\n"
      "force 0.4 on x\nforce 0.1 on th\n");
  const double th = 0.6;
  point.set({{"th", th}, {"x'", std::cos(th)}, {"y'", std::sin(th)}, {"th'", 0.5}});
  point.set({{"x''", 0.3}, {"y''", -0.2}, {"th''", 0.7}, {"edge", 2.0}});
  const auto r = point.residuals();
  EXPECT_NEAR(r.at("motion of x"), 0.3 - 0.4 - 2 * std::sin(th), test::rounding(6, 2));
  EXPECT_NEAR(r.at("motion of y"), -0.2 + 2 * std::cos(th), test::rounding(4, 2));
  EXPECT_NEAR(r.at("motion of th"), 0.7 / 3 - 0.1, test::rounding(4));
}

TEST(Drives, replace_the_equation_and_do_not_feel_reactions) {
  test::ModelPoint point = point_of(
      "model m\ncoordinate s = 1, x = 1\nkinetic 3*s'^2/2 + x'^2/2\ninput u\ndrive s by u "
      "velocity(lag = 0.5)\n"
      "constraint link: x = 2*s\noutput f = s.force\n");
  // 0.5 s'' + s' = u;  x'' = 2 s'';  x'' = link;  s.force = 3 s'' + 2 link (reaction -lambda*(-2)).
  const auto solution =
      point.set({{"s", 1}, {"x", 2}, {"s'", 0.4}, {"x'", 0.8}, {"u", 1.1}}).solve();
  EXPECT_NEAR(solution.at("s''"), 1.4, test::rounding(20, 1.4));
  EXPECT_NEAR(solution.at("x''"), 2.8, test::rounding(20, 2.8));
  EXPECT_NEAR(solution.at("link"), 2.8, test::rounding(20, 2.8));
  EXPECT_NEAR(solution.at("s.force"), 3 * 1.4 + 2 * 2.8, test::rounding(40, 9.8));
}

TEST(Derivation, parameters_equal_to_zero_are_folded) {
  test::ModelPoint point = point_of(
      "model m\nparameter d = 0, k = 2\ncoordinate x\nkinetic x'^2/2\npotential "
      "k/2*x^2\ndissipation d/2*x'^2\n");
  ASSERT_EQ(point.dae().folded.size(), 1u);
  EXPECT_TRUE(point.dae().mechanics.conservative);
}

TEST(Derivation, faults_of_constraints_are_told_in_the_users_words) {
  const std::string head =
      "model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\nvariable w\nequation w = 1\n";
  EXPECT_EQ(fault_of(head + "constraint c: x'' = 1\n"),
            "<text>:6:12: error: constraint 'c' contains the acceleration x''\n"
            "    constraint c: x'' = 1\n"
            "               ^\n"
            "  help: write it as an  equation, which has no reaction");
  EXPECT_EQ(fault_of(head + "constraint c: x'*y' = 1\n"),
            "<text>:6:12: error: constraint 'c' is not linear in the velocities\n"
            "    constraint c: x'*y' = 1\n"
            "               ^\n"
            "  help: mark it  nonlinear  if its reaction shall act along the derivative by the "
            "velocities");
  EXPECT_EQ(
      fault_of(head + "constraint c: w = 3\n"),
      "<text>:6:12: error: constraint 'c' contains no coordinate, so nothing can react to it\n"
      "    constraint c: w = 3\n"
      "               ^\n"
      "  help: write it as an  equation");
}

}  // namespace
}  // namespace daedal
