// Consistent points: nearest to the guesses, and clear words when there is none.

#include "daedal/solve/consistent.hpp"

#include "solve/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::solve::testing {
namespace {

using ::testing::HasSubstr;

double value(const formulate::Problem& problem, const ConsistentPoint& point,
             const std::string& name, std::uint16_t order = 0) {
  const std::uint32_t position = problem.layout.find({problem.dae->model->find(name), order});
  EXPECT_NE(position, compile::absent) << name;
  return position <= problem.states ? point.states[position - 1]
                                    : point.tops[position - 1 - problem.states];
}

std::string fault_of(const std::string& text) {
  try {
    consistent_point(problem_of(text));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

std::string pendulum_from(const std::string& guesses) {
  return "model pendulum\ncoordinate " + guesses + R"(
kinetic    (x'^2 + y'^2)/2
potential  9.81*y
constraint rod: x^2 + y^2 = 1
)";
}

TEST(ConsistentPoint, values_that_fit_stay_to_the_last_bit) {
  const formulate::Problem problem = problem_of(pendulum_text);
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(point.states, (std::vector<double>{1, 0, 0, 0}));
  EXPECT_TRUE(point.moves.empty());
}

TEST(ConsistentPoint, accelerations_and_multiplier_solve_the_equations_of_motion) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.6, y = -0.8"));
  const ConsistentPoint point = consistent_point(problem);
  // at rest: rod = g y/(2 L^2) by hand, x'' = 2 x rod, y'' = 2 y rod - g
  const double rod = 9.81 * -0.8 / 2;
  EXPECT_NEAR(value(problem, point, "rod"), rod, 1e-14);
  EXPECT_NEAR(value(problem, point, "x", 2), 2 * 0.6 * rod, 1e-14);
  EXPECT_NEAR(value(problem, point, "y", 2), 2 * -0.8 * rod - 9.81, 1e-14);
}

// Both guesses below 1 in size: equal scales, so the nearest point of the circle lies on the ray.
TEST(ConsistentPoint, guesses_move_to_the_nearest_point_and_the_moves_are_told) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.3, y = -0.4"));
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_NEAR(value(problem, point, "x"), 0.6, 1e-12);
  EXPECT_NEAR(value(problem, point, "y"), -0.8, 1e-12);
  ASSERT_EQ(point.moves.size(), 2u);
  EXPECT_EQ(point.moves[0].name, "x");
  EXPECT_EQ(point.moves[0].from, 0.3);
  EXPECT_NEAR(point.moves[0].to, 0.6, 1e-12);
}

// The condition of a nearest point: W (x - x0) is normal to the circle. Guesses far away (where
// Gauss-Newton steps overshoot: their factor is 1 - distance/radius) and of unequal scale.
TEST(ConsistentPoint, is_nearest_in_the_metric_of_the_language_even_from_afar) {
  for (const auto& [x0, y0] : {std::pair(3.0, 0.5), {5.0, -4.0}, {-0.2, 20.0}, {0.05, 0.02}}) {
    const formulate::Problem problem =
        problem_of(pendulum_from("x = " + std::to_string(x0) + ", y = " + std::to_string(y0)));
    const ConsistentPoint point = consistent_point(problem);
    const double x = value(problem, point, "x"), y = value(problem, point, "y");
    const double sx = std::max(std::abs(x0), 1.0), sy = std::max(std::abs(y0), 1.0);
    const double gx = (x - x0) / (sx * sx), gy = (y - y0) / (sy * sy);
    EXPECT_NEAR(x * x + y * y, 1, 4e-16);
    EXPECT_NEAR(gx * y - gy * x, 0, 1e-9) << x0 << ", " << y0;
    EXPECT_LT(gx * gx * sx * sx + gy * gy * sy * sy, 1.0 + std::hypot(x0 / sx, y0 / sy))
        << "the far side of the circle";
  }
}

TEST(ConsistentPoint, nominal_values_set_the_scale) {
  const formulate::Problem problem = problem_of(R"(model two
coordinate x = 0 (nominal = 1e-3), y = 0
kinetic (x'^2 + y'^2)/2
constraint sum: x + y = 1
)");
  const ConsistentPoint point = consistent_point(problem);
  // min (x/1e-3)^2 + y^2 with x + y = 1: x = 1e-6/(1 + 1e-6)
  EXPECT_NEAR(value(problem, point, "x"), 1e-6 / (1 + 1e-6), 1e-15);
}

// The impulse that makes both masses equally fast conserves momentum.
TEST(ConsistentPoint, velocities_move_least_in_the_mass_metric) {
  const formulate::Problem problem = problem_of(R"(model coupled
parameter m1 = 3, m2 = 1
coordinate x1, x2
kinetic m1/2*x1'^2 + m2/2*x2'^2
constraint rope: x1 = x2
initial x1' = 2, x2' = -1
)");
  const ConsistentPoint point = consistent_point(problem);
  const double common = (3 * 2.0 + 1 * -1.0) / 4;
  EXPECT_NEAR(value(problem, point, "x1", 1), common, 1e-14);
  EXPECT_NEAR(value(problem, point, "x2", 1), common, 1e-14);
}

TEST(ConsistentPoint, fixed_values_do_not_move) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.6 fixed, y = -0.1"));
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(value(problem, point, "x"), 0.6);
  EXPECT_NEAR(value(problem, point, "y"), -0.8, 1e-14);
}

TEST(ConsistentPoint, all_values_fixed_is_fine_when_they_fit) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.6 fixed, y = -0.8 fixed"));
  EXPECT_TRUE(consistent_point(problem).moves.empty());
}

// From the centre of the circle no direction is preferred: the gradient vanishes there.
TEST(ConsistentPoint, a_guess_without_direction_is_perturbed_and_told) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0, y = 0"));
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_NEAR(std::hypot(value(problem, point, "x"), value(problem, point, "y")), 1, 1e-15);
  ASSERT_EQ(point.warnings.size(), 1u);
  EXPECT_THAT(point.warnings[0].message, HasSubstr("found from guesses moved by"));
  const ConsistentPoint again = consistent_point(problem);
  EXPECT_EQ(point.states, again.states);
}

TEST(ConsistentPoint, an_index_2_system_of_plain_equations) {
  const formulate::Problem problem = problem_of_file("cstr");
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_NEAR(value(problem, point, "CA") - value(problem, point, "CB") / 2, 0, 1e-15);
  // min (CA - 1)^2 + CB^2 with CB = 2 CA: CA = 1/5
  EXPECT_NEAR(value(problem, point, "CA"), 0.2, 1e-12);
}

TEST(ConsistentPoint, a_constraint_that_cannot_be_met_is_named_with_its_defect) {
  const std::string text = fault_of(
      "model impossible\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\nconstraint ring: x^2 + "
      "y^2 = -2\n");
  EXPECT_THAT(text, HasSubstr("test.daedal:4:"));
  EXPECT_THAT(text, HasSubstr("model 'impossible': constraint 'ring' cannot be met at the start"));
  EXPECT_THAT(text, HasSubstr("its sides differ by 2"));
}

TEST(ConsistentPoint, fixed_values_that_prevent_a_constraint_are_listed) {
  const std::string text = fault_of(pendulum_from("x = 2 fixed, y = 0"));
  EXPECT_THAT(text, HasSubstr("constraint 'rod' cannot be met at the start"));
  EXPECT_THAT(text, HasSubstr("kept as they are: x = 2 (fixed)"));
  EXPECT_THAT(text, HasSubstr("make one of the fixed values a guess"));
}

TEST(ConsistentPoint, a_redundant_constraint_is_named_with_those_it_follows_from) {
  const std::string text = fault_of(R"(model slider
coordinate x = 1, y = 1, z = 1
kinetic (x'^2 + y'^2 + z'^2)/2
constraint first:  x + y = 2
constraint second: y + z = 2
constraint sum:    x + 2*y + z = 4
)");
  EXPECT_THAT(text, HasSubstr("test.daedal:6:"));
  EXPECT_THAT(text, HasSubstr("model 'slider': constraint 'sum' is redundant"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "constraint_jacobian has rank 2 for 3 constraints at t = 0 s (smallest singular value"));
  EXPECT_THAT(text, HasSubstr("tolerance 1e-10);"));
  EXPECT_THAT(text, HasSubstr("'sum' follows from 'first' (line 4) and 'second' (line 5)"));
  EXPECT_THAT(text, HasSubstr("help: remove 'sum'"));
}

TEST(ConsistentPoint, a_singular_position_is_told_from_a_redundant_constraint) {
  const std::string text = fault_of(
      "model cross\ncoordinate x = 0, y = 0\nkinetic (x'^2 + y'^2)/2\nconstraint axes: x*y = 0\n");
  EXPECT_THAT(text, HasSubstr("the start is a singular position of constraint 'axes'"));
  EXPECT_THAT(text, HasSubstr("full rank in other positions nearby"));
}

TEST(ConsistentPoint, unknowns_that_nothing_determines_are_named) {
  const std::string text =
      fault_of("model loose\ncoordinate x = 0, y = 0\nkinetic (x' + y')^2/2\npotential x^2 + y\n");
  EXPECT_THAT(text, HasSubstr("do not determine the accelerations and multipliers"));
  EXPECT_THAT(text, HasSubstr("x''"));
  EXPECT_THAT(text, HasSubstr("motion of"));
}

TEST(ConsistentPoint, a_value_that_the_equations_determine_cannot_be_fixed) {
  const std::string text = fault_of(
      "model a\nvariable x = 1, w = 3 fixed\nequation one: x' = -w\nequation two: w = 2*x\n");
  EXPECT_THAT(text, HasSubstr("w cannot be fixed at 3: the equations determine it"));
}

TEST(ConsistentPoint, nonlinear_tops_are_found_although_the_guess_is_singular) {
  // x' = 0 is nobody's guess, and there d(second)/dz = x' vanishes.
  const ConsistentPoint point = consistent_point(problem_of(
      "model freak\nvariable x = 3, z\nequation x' - x - 1 = 0\nequation x'*z + 2 = 0\n"));
  EXPECT_DOUBLE_EQ(point.tops[0], 4);
  EXPECT_DOUBLE_EQ(point.tops[1], -0.5);
}

TEST(ConsistentPoint, high_derivatives_are_consistent_relative_to_their_size) {
  // z^(12) = 7^12 cos(7 t + 1) is of size 1e10: its equation cannot hold to 1e-8, and must not be asked to.
  const formulate::Problem problem = problem_of(
      "model tower\nsize N = 12\nvariable z[1..N+1]\nequation z[1] = cos(7*t + 1)\n"
      "for k in 1..N: equation z[k+1] = z[k]'\n");
  const ConsistentPoint point = consistent_point(problem);
  const std::uint32_t last = problem.layout.find({problem.dae->model->find("z[13]"), 0});
  const double exact = std::pow(7.0, 12) * std::cos(1.0);
  EXPECT_NEAR(point.tops[last - problem.top_position(0)], exact, 1e-14 * exact);
}

TEST(ConsistentPoint, a_large_sparse_chain_starts_in_no_time) {
  std::string text =
      "model links\nsize N = 600\ncoordinate x[1..N], y[1..N]\n"
      "kinetic sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N: 9.81*y[i])\n"
      "constraint first: x[1]^2 + y[1]^2 = 1\n"
      "constraint link[i in 2..N]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n"
      "for i in 1..N: initial x[i] = 0.9*i\n";
  const formulate::Problem problem = problem_of(text);
  const ConsistentPoint point = consistent_point(problem);
  double previous_x = 0, previous_y = 0;
  for (std::uint32_t i = 0; i < 600; ++i) {
    const double x = point.states[i], y = point.states[600 + i];
    EXPECT_NEAR(std::hypot(x - previous_x, y - previous_y), 1, 1e-12);
    previous_x = x;
    previous_y = y;
  }
}

}  // namespace
}  // namespace daedal::solve::testing
