// Inverse models without internal dynamics: values at any time, in any order, and warnings about rough trajectories.

#include "daedal/invert/inverse_model.hpp"

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/internal_dynamics.hpp"
#include "daedal/model/model.hpp"
#include "daedal/stepper/algebraic.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace daedal::inversion {
namespace {

using ::testing::HasSubstr;

InverseModel inverse_of(const std::string& text) {
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  return inverse_model(derive::derive(model));
}

/// A crane: trolley position and rope length are driven, the load swings.
std::string crane(int smoothness) {
  return R"(model crane
parameter m = 18.9, g = 9.81
coordinate x_T = 15, L = 4, x_P = 15, z_P = 4
kinetic   m/2 * (x_P'^2 + z_P'^2)
potential -m*g*z_P
input     u_T, u_L
drive     x_T by u_T velocity(lag = 0.03)
drive     L   by u_L velocity(lag = 0.02)
constraint cable: z_P^2 + (x_P - x_T)^2 = L^2
output z = [x_P, z_P]
servo  z = line([15, 4], [11, 7], rest_to_rest(t/10, smoothness = )" +
         std::to_string(smoothness) + "))\n";
}

TEST(AlgebraicSolution, does_not_depend_on_the_order_in_which_times_are_asked) {
  const InverseModel inverse = inverse_of(crane(4));
  ASSERT_TRUE(inverse.algebraic());
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
  solve::AlgebraicSolution upwards(inverse.problem, start), jumping(inverse.problem, start);
  std::vector<double> times;
  for (int k = 0; k <= 120; ++k) times.push_back(0.1 * k);
  std::vector<std::vector<double>> expected;
  for (const double t : times) {
    const auto value = upwards.at(t);
    ASSERT_EQ(value.failure, solve::Failure::none) << t;
    expected.emplace_back(value.tops.begin(), value.tops.end());
  }
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::size_t other = k * 67 % times.size();  // 121 = 11^2: visits every time once
    const auto value = jumping.at(times[other]);
    ASSERT_EQ(value.failure, solve::Failure::none);
    EXPECT_TRUE(std::equal(value.tops.begin(), value.tops.end(), expected[other].begin()))
        << times[other];
  }
}

TEST(AlgebraicSolution, crane_follows_the_flat_solution) {
  const InverseModel inverse = inverse_of(crane(4));
  solve::AlgebraicSolution solution(inverse.problem, solve::consistent_point(inverse.problem));
  const formulate::Problem& p = inverse.problem;
  const auto position = [&](const char* name) {
    return p.layout.find({p.dae->model->find(name), 0}) - 1;
  };
  for (const double t : {0.5, 2.5, 5.0, 7.5, 9.5}) {
    const auto value = solution.at(t);
    ASSERT_EQ(value.failure, solve::Failure::none);
    const double s = expr::rest_to_rest_value(t / 10, 4, 0);
    const double a = expr::rest_to_rest_value(t / 10, 4, 2) / 100;
    // x_T - x_P = z x''/(g - z''), L^2 = z^2 + (x_T - x_P)^2
    const double x = 15 - 4 * s, z = 4 + 3 * s;
    const double w = z * (-4 * a) / (9.81 - 3 * a);
    EXPECT_NEAR(value.states[position("x_T")], x + w, daedal::test::rounding(50, 15)) << t;
    EXPECT_NEAR(value.states[position("L")], std::hypot(z, w), daedal::test::rounding(50, 7)) << t;
  }
}

TEST(InverseModel, says_which_derivative_of_a_rough_trajectory_jumps) {
  const InverseModel rough = inverse_of(crane(3));
  ASSERT_EQ(rough.warnings.size(), 2u);
  const std::string text = render(rough.warnings[0]);
  EXPECT_THAT(text, HasSubstr("the inputs contain derivative 4 of servo 'servo1[1]', which has 3 "
                              "continuous derivatives"));
  EXPECT_THAT(text, HasSubstr("derivative 4 jumps at t = 0 s and t = 10 s: the inputs jump there"));
  EXPECT_THAT(text, HasSubstr("smoothness = 4 is the smallest that gives continuous inputs"));
  EXPECT_TRUE(inverse_of(crane(4)).warnings.empty());
  EXPECT_THAT(
      render(inverse_of(crane(2)).warnings[0]),
      HasSubstr("derivative 3 jumps at t = 0 s and t = 10 s: the exact inputs contain impulses "
                "there, which are left out"));
}

TEST(AlgebraicSolution, refuses_degrees_of_freedom) {
  const InverseModel inverse = inverse_of(R"(model m
coordinate x, y
kinetic x'^2/2 + y'^2/2
potential (x - y)^2/2
input u
force u on x
servo x = sin(t)
)");
  EXPECT_FALSE(inverse.algebraic());
  EXPECT_EQ(inverse.structure.degrees_of_freedom, 2);
  EXPECT_THROW(solve::AlgebraicSolution(inverse.problem, solve::consistent_point(inverse.problem)),
               std::invalid_argument);
}

// At rest no derivative of s that feels the torque elsewhere feels it: to leave out an equation would be no advice.
TEST(InverseModel, a_start_where_the_inputs_have_no_grip_is_named) {
  const InverseModel inverse = inverse_of(R"(model ball_and_beam
parameter m = 0.1, J = 0.02, g = 9.81
coordinate s, phi
input tau
kinetic m/2*(s'^2 + s^2*phi'^2) + J/2*phi'^2
potential m*g*s*sin(phi)
force tau at phi
servo path: s = rest_to_rest(t, smoothness = 6)
)");
  try {
    solve::consistent_point(inverse.problem);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("at the start the inputs do not affect 'path' (line 8)"));
    EXPECT_THAT(error.what(), HasSubstr("in this state, s = 0, phi = 0, s' = 0"));
  }
}

/// Two carts on a spring and a damper; the output is the driven cart or the other one.
std::string two_carts(const std::string& output, double damping, int smoothness = 4) {
  return R"(model carts
parameter k = 5, d = )" +
         std::to_string(damping) + R"(
coordinate x, y
kinetic x'^2/2 + y'^2/2
potential k/2*(x - y)^2
dissipation d/2*(x' - y')^2
input u
force u on x
servo )" +
         output + " = rest_to_rest(t, smoothness = " + std::to_string(smoothness) + ")\n";
}

TEST(InverseModel, rough_trajectories_are_told_in_every_class) {
  // relative degree 2 with internal dynamics, damped or not; 3 through the damper; 4 through the spring alone
  struct Case {
    const char* output;
    double damping;
    int needed;
  };
  for (const auto& [output, damping, needed] :
       {Case{"x", 0.5, 2}, Case{"x", 0, 2}, Case{"y", 0.5, 3}, Case{"y", 0, 4}}) {
    EXPECT_TRUE(inverse_of(two_carts(output, damping, needed)).warnings.empty());
    const InverseModel rough = inverse_of(two_carts(output, damping, needed - 1));
    ASSERT_EQ(rough.warnings.size(), 1u);
    const std::string text = render(rough.warnings[0]), n = std::to_string(needed);
    EXPECT_THAT(text, HasSubstr("the inputs contain derivative " + n));
    EXPECT_THAT(text,
                HasSubstr("derivative " + n + " jumps at t = 0 s and t = 1 s: the inputs jump"));
    EXPECT_THAT(text, HasSubstr("smoothness = " + n + " is the smallest"));
  }
}

TEST(InternalDynamics, are_the_zeros_in_closed_form) {
  // x follows its desired motion: y'' + d y' + k y = k x + d x'
  const InverseModel inverse = inverse_of(two_carts("x", 0.5));
  const InternalDynamics dynamics =
      internal_dynamics(inverse, solve::consistent_point(inverse.problem));
  ASSERT_EQ(dynamics.zeros.finite(), 2);
  EXPECT_EQ(dynamics.margin.side, analysis::Side::left);
  EXPECT_NEAR(dynamics.margin.worst.mean.real(), -0.25, daedal::test::rounding(100, 5));
  EXPECT_NEAR(std::abs(dynamics.margin.worst.mean.imag()), std::sqrt(5 - 0.0625),
              daedal::test::rounding(100, 5));
  EXPECT_THAT(describe(dynamics), HasSubstr("internal dynamics of dimension 2, minimum phase"));
}

TEST(InternalDynamics, without_damping_are_marginal) {
  const InverseModel inverse = inverse_of(two_carts("x", 0));
  const InternalDynamics dynamics =
      internal_dynamics(inverse, solve::consistent_point(inverse.problem));
  EXPECT_EQ(dynamics.margin.side, analysis::Side::axis);
  EXPECT_TRUE(inverse_of(two_carts("y", 0)).algebraic());  // the far cart is flat
}

TEST(InternalDynamics, unstable_ones_are_seen) {
  // an inverted pendulum on a cart whose position is prescribed
  const InverseModel inverse = inverse_of(R"(model balance
coordinate x, a
let P = [x + sin(a), cos(a)]
kinetic x'^2/2 + dot(P', P')/2
potential 9.81*P[2]
input u
force u on x
servo x = rest_to_rest(t, smoothness = 4)
)");
  const InternalDynamics dynamics =
      internal_dynamics(inverse, solve::consistent_point(inverse.problem));
  EXPECT_EQ(dynamics.margin.side, analysis::Side::right);
  EXPECT_NEAR(dynamics.margin.distance, std::sqrt(9.81), daedal::test::rounding(100, 9.81));
}

}  // namespace
}  // namespace daedal::inversion
