// Consistent points: nearest to the guesses, and clear messages when there is none.

#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/problems.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::solve::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A nearest point is found to the root of the rounding of its distance.
constexpr double settled = 1e-9;

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
  EXPECT_NEAR(value(problem, point, "rod"), rod, test::rounding(16, 9.81));
  EXPECT_NEAR(value(problem, point, "x", 2), 2 * 0.6 * rod, test::rounding(16, 9.81));
  EXPECT_NEAR(value(problem, point, "y", 2), 2 * -0.8 * rod - 9.81, test::rounding(16, 9.81));
}

// Both guesses below 1 in size: equal scales, so the nearest point of the circle lies on the ray.
TEST(ConsistentPoint, guesses_move_to_the_nearest_point_and_the_moves_are_told) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.3, y = -0.4"));
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_NEAR(value(problem, point, "x"), 0.6, test::rounding(16));
  EXPECT_NEAR(value(problem, point, "y"), -0.8, test::rounding(16));
  ASSERT_EQ(point.moves.size(), 2u);
  EXPECT_EQ(point.moves[0].name, "x");
  EXPECT_EQ(point.moves[0].from, 0.3);
  EXPECT_NEAR(point.moves[0].to, 0.6, test::rounding(16));
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
    EXPECT_NEAR(x * x + y * y, 1, test::rounding(4));
    EXPECT_NEAR(gx * y - gy * x, 0, settled) << x0 << ", " << y0;
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
  EXPECT_NEAR(value(problem, point, "x1", 1), common, test::rounding(16, 2));
  EXPECT_NEAR(value(problem, point, "x2", 1), common, test::rounding(16, 2));
}

TEST(ConsistentPoint, fixed_values_do_not_move) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.6 fixed, y = -0.1"));
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(value(problem, point, "x"), 0.6);
  EXPECT_NEAR(value(problem, point, "y"), -0.8, test::rounding(8));
}

TEST(ConsistentPoint, all_values_fixed_is_fine_when_they_fit) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.6 fixed, y = -0.8 fixed"));
  EXPECT_TRUE(consistent_point(problem).moves.empty());
}

// From the centre of the circle no direction is preferred: the gradient vanishes there.
TEST(ConsistentPoint, a_guess_without_direction_is_perturbed_and_told) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0, y = 0"));
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_NEAR(std::hypot(value(problem, point, "x"), value(problem, point, "y")), 1,
              test::rounding(8));
  ASSERT_EQ(point.warnings.size(), 2u);
  EXPECT_THAT(point.warnings[0].message, HasSubstr("found from guesses moved by"));
  EXPECT_THAT(point.warnings[1].message, HasSubstr("'rod' (line 5) forbids 2 stated start values"));
  const ConsistentPoint again = consistent_point(problem);
  EXPECT_EQ(point.states, again.states);
}

TEST(ConsistentPoint, an_index_2_system_of_plain_equations) {
  const formulate::Problem problem = problem_of_file("cstr");
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_NEAR(value(problem, point, "CA") - value(problem, point, "CB") / 2, 0, test::rounding(4));
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
  // x' = 0 is not stated, and there d(second)/dz = x' vanishes.
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
  EXPECT_NEAR(point.tops[last - problem.top_position(0)], exact, test::rounding(50, exact));
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
    EXPECT_NEAR(std::hypot(x - previous_x, y - previous_y), 1, test::rounding(8, 0.9 * 600));
    previous_x = x;
    previous_y = y;
  }
}

// ---- stated values move last

constexpr double rounding = 1e-13;  // of values of size 1 to 10 from a few well-conditioned solves
constexpr double nearest =
    1e-10;  // ten times the remaining distance when the nearest point is accepted

// A crank on an axle: of its three velocities one is stated, and the axle makes the others follow it.
TEST(StatedValues, an_angular_velocity_holds_to_the_last_bit_and_the_rest_follows) {
  const formulate::Problem problem = problem_of(R"(model crank_on_axle
part crank = planar_body(mass = 1, inertia = 0.01, position = [0.1, 0], angular_velocity = 10)
part axle  = revolute(b = crank, point_b = [-0.1, 0])
)");
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(value(problem, point, "crank.phi", 1), 10);
  EXPECT_NEAR(value(problem, point, "crank.r[1]", 1), 0, rounding);
  EXPECT_NEAR(value(problem, point, "crank.r[2]", 1), 10 * 0.1, rounding);
  EXPECT_TRUE(point.warnings.empty());
}

// The slider-crank of the cookbook, stretched: the pin moves upwards with a phi', the piston is at rest, so that the
// rod turns with -a/b phi'.
TEST(StatedValues, a_closed_loop_turns_as_fast_as_its_crank_is_told_to) {
  const formulate::Problem problem = problem_of(R"(model slider_crank
parameter a = 0.2, b = 0.5
part crank  = planar_body(mass = 1, inertia = 0.01, position = [a/2, 0], angular_velocity = 10)
part rod    = planar_body(mass = 0.5, inertia = 0.0104, position = [a + b/2, 0])
part piston = planar_body(mass = 0.8, inertia = 0.001, position = [a + b, 0])
part axle   = revolute(b = crank, point_b = [-a/2, 0])
part pin    = revolute(a = crank, b = rod, point_a = [a/2, 0], point_b = [-b/2, 0])
part wrist  = revolute(a = rod, b = piston, point_a = [b/2, 0])
part guide  = prismatic(b = piston)
)");
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(value(problem, point, "crank.phi", 1), 10);
  EXPECT_NEAR(value(problem, point, "rod.phi", 1), -0.2 / 0.5 * 10, rounding);
  EXPECT_NEAR(value(problem, point, "piston.r[1]", 1), 0, rounding);
  EXPECT_TRUE(point.warnings.empty());
}

/// 2 E(p) p', in the axes of the world.
std::vector<double> angular_velocity(const formulate::Problem& problem,
                                     const ConsistentPoint& point, const std::string& body) {
  double p[4], dp[4];
  for (int k = 0; k < 4; ++k) {
    p[k] = value(problem, point, fmt::format("{}.p[{}]", body, k + 1));
    dp[k] = value(problem, point, fmt::format("{}.p[{}]", body, k + 1), 1);
  }
  return {2 * (-p[1] * dp[0] + p[0] * dp[1] - p[3] * dp[2] + p[2] * dp[3]),
          2 * (-p[2] * dp[0] + p[3] * dp[1] + p[0] * dp[2] - p[1] * dp[3]),
          2 * (-p[3] * dp[0] - p[2] * dp[1] + p[1] * dp[2] + p[0] * dp[3])};
}

std::string body_on_a_hinge(const std::string& angular_velocity) {
  return "model door\npart door = spatial_body(mass = 1, inertia = [0.1, 0.2, 0.25], "
         "angular_velocity = " +
         angular_velocity + R"()
part hinge = revolute(b = door, axis_a = [0, 0, 1], axis_b = [0.8, 0, 0.6], point_b = [0, 0.4, 0])
)";
}

// The hinge turns the body by 53 degrees. Its angular velocity was once turned into velocities of a quaternion that it had only before
// that, and the nearest ones to these belong to another angular velocity.
TEST(StatedValues, an_angular_velocity_in_space_holds_where_a_joint_turns_the_body) {
  const formulate::Problem problem = problem_of(body_on_a_hinge("[0, 0, 3]"));
  const ConsistentPoint point = consistent_point(problem);
  ASSERT_GT(std::abs(value(problem, point, "door.p[3]")), 0.1) << "the hinge turns nothing";
  const std::vector<double> omega = angular_velocity(problem, point, "door");
  EXPECT_NEAR(omega[0], 0, nearest);
  EXPECT_NEAR(omega[1], 0, nearest);
  EXPECT_NEAR(omega[2], 3, nearest);
  EXPECT_TRUE(point.warnings.empty()) << point.warnings[0].message;
}

TEST(StatedValues, an_angular_velocity_that_a_hinge_forbids_is_reported_with_the_hinge) {
  const formulate::Problem problem = problem_of(body_on_a_hinge("[2, 0, 3]"));
  const ConsistentPoint point = consistent_point(problem);
  const std::vector<double> omega = angular_velocity(problem, point, "door");
  EXPECT_NEAR(omega[0], 0, nearest);
  EXPECT_NEAR(omega[1], 0, nearest);
  ASSERT_EQ(point.warnings.size(), 1u);
  EXPECT_THAT(point.warnings[0].message, HasSubstr("'hinge."));
}

// On the circle of the rod y = -0.8 follows from x, and so does the velocity that is stated by it.
TEST(StatedValues, a_velocity_stated_by_positions_follows_where_they_move) {
  const formulate::Problem problem =
      problem_of(pendulum_from("x = 0.6, y = -1 (nominal = 1e-6)") + "initial x' = 2*y\n");
  const ConsistentPoint point = consistent_point(problem);
  const double x = value(problem, point, "x"), y = value(problem, point, "y");
  EXPECT_GT(std::abs(x - 0.6) + std::abs(y + 1), 1e-3) << "nothing had to move";
  EXPECT_EQ(value(problem, point, "x", 1), 2 * y);
  EXPECT_NEAR(value(problem, point, "y", 1), -x / y * 2 * y, rounding);
}

TEST(StatedValues, a_position_holds_and_the_one_that_is_not_stated_moves) {
  const formulate::Problem problem = problem_of(R"(model slider
coordinate phi = 0.3, x
kinetic phi'^2/2 + x'^2/2
constraint rod: (x - 0.5*cos(phi))^2 + (0.5*sin(phi))^2 = 1.2^2
)");
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(value(problem, point, "phi"), 0.3);
  const double half = std::sqrt(1.44 - std::pow(0.5 * std::sin(0.3), 2));
  EXPECT_NEAR(value(problem, point, "x"), 0.5 * std::cos(0.3) - half, rounding);
  EXPECT_TRUE(point.warnings.empty());
}

// At the default y = 0 the circle runs upwards: y has two values, and neither is nearer.
TEST(StatedValues, a_position_holds_although_the_default_of_the_other_is_singular) {
  const formulate::Problem problem = problem_of(pendulum_from("x = 0.6, y"));
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(value(problem, point, "x"), 0.6);
  EXPECT_NEAR(std::abs(value(problem, point, "y")), 0.8, rounding);
  ASSERT_EQ(point.warnings.size(), 1u);
  EXPECT_THAT(point.warnings[0].message, HasSubstr("found from guesses moved by"));
}

// 3 (v - 2)^2 + (v + 1)^2 is least at v = 5/4, whatever the mass is without a stated velocity.
TEST(StatedValues, what_was_not_stated_has_no_say_in_how_stated_values_move) {
  const formulate::Problem problem = problem_of(R"(model coupled
coordinate x1, x2, x3
kinetic 3/2*x1'^2 + x2'^2/2 + 1000/2*x3'^2
constraint rope: x1 = x2
constraint weld: x2 = x3
initial x1' = 2, x2' = -1
)");
  const ConsistentPoint point = consistent_point(problem);
  for (const char* name : {"x1", "x2", "x3"})
    EXPECT_NEAR(value(problem, point, name, 1), 1.25, nearest) << name;
}

// Positions alike: the stated ones go to the nearest point of the circle although z has five times as far to go.
TEST(StatedValues, what_was_not_stated_has_no_say_in_positions_either) {
  const formulate::Problem problem = problem_of(R"(model followed
coordinate x = 0.3, y = -0.4, z
kinetic (x'^2 + y'^2 + z'^2)/2
constraint rod: x^2 + y^2 = 1
constraint follow: z = 5*x + z^3/100
)");
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_NEAR(value(problem, point, "x"), 0.6, settled);
  EXPECT_NEAR(value(problem, point, "y"), -0.8, settled);
  const double z = value(problem, point, "z");
  EXPECT_NEAR(z - z * z * z / 100, 5 * value(problem, point, "x"), test::rounding(16, 3));
}

// Out of reach: the stated x goes to where two links of length 1 are stretched, and these lose rank without it.
TEST(StatedValues, a_position_out_of_reach_moves_as_far_as_the_links_reach) {
  const formulate::Problem problem = problem_of(R"(model reach
coordinate x = 3, phi, psi
kinetic (x'^2 + phi'^2 + psi'^2)/2
constraint along: x = cos(phi) + cos(phi + psi)
constraint across: sin(phi) + sin(phi + psi) = 0.5
)");
  const ConsistentPoint point = consistent_point(problem);
  // psi to its root only, since x does not change with it to first order
  EXPECT_NEAR(value(problem, point, "x"), std::sqrt(4 - 0.25), settled);
  EXPECT_NEAR(value(problem, point, "psi"), 0, std::sqrt(settled));
}

TEST(StatedValues, the_warning_names_values_and_constraints) {
  const formulate::Problem problem = problem_of(R"(model guessed
coordinate x = 0.7 [m], y = -0.8 [m]
kinetic    (x'^2 + y'^2)/2
constraint rod: x^2 + y^2 = 1
)");
  const ConsistentPoint point = consistent_point(problem);
  ASSERT_EQ(point.warnings.size(), 1u);
  const Diagnostic& warning = point.warnings[0];
  EXPECT_EQ(warning.place.line, 2u);
  EXPECT_EQ(warning.message, "model 'guessed': 'rod' (line 4) forbids 2 stated start values");
  EXPECT_THAT(warning.details, ElementsAre("x starts at 0.658505 m instead of 0.7 m",
                                           "y starts at -0.752577 m instead of -0.8 m"));
  EXPECT_EQ(warning.help,
            "give values that satisfy the constraints, or leave out those that may follow from "
            "others; a value marked  fixed  is kept, or the run refused");
}

TEST(StatedValues, a_single_one_stands_in_the_message) {
  const ConsistentPoint point = consistent_point(problem_of(R"(model held
coordinate x = 0.7 [m]
kinetic    x'^2/2
constraint stop: 2*x = 1
)"));
  ASSERT_EQ(point.warnings.size(), 1u);
  EXPECT_EQ(point.warnings[0].message,
            "model 'held': x starts at 0.5 m instead of 0.7 m, which 'stop' (line 4) forbids");
}

// 0.866 is sqrt(3)/2 to three digits: it moves, which is reported, without a warning.
TEST(StatedValues, what_was_rounded_to_three_digits_is_not_warned_about) {
  const ConsistentPoint point = consistent_point(problem_of(pendulum_from("x = 0.866, y = -0.5")));
  EXPECT_EQ(point.moves.size(), 2u);
  EXPECT_TRUE(point.warnings.empty());
}

// Of two mechanisms in one model only one contradicts itself; only its constraint is named, and only its values move.
TEST(StatedValues, what_can_hold_holds_beside_what_cannot) {
  const formulate::Problem problem = problem_of(R"(model two
part crank = planar_body(mass = 1, inertia = 0.01, position = [0.1, 0], angular_velocity = 10)
part axle  = revolute(b = crank, point_b = [-0.1, 0])
coordinate x = 0, y = 0
kinetic    (x'^2 + y'^2)/2
constraint rope: x = y
initial    x' = 1, y' = 3
)");
  const ConsistentPoint point = consistent_point(problem);
  EXPECT_EQ(value(problem, point, "crank.phi", 1), 10);
  EXPECT_NEAR(value(problem, point, "crank.r[2]", 1), 1, rounding);
  EXPECT_NEAR(value(problem, point, "x", 1), 2, nearest);
  ASSERT_EQ(point.warnings.size(), 1u);
  EXPECT_EQ(point.warnings[0].message,
            "model 'two': 'rope' (line 6) forbids 2 stated start values");
}

TEST(StatedValues, a_fixed_one_that_cannot_hold_is_still_an_error) {
  EXPECT_THAT(fault_of(R"(model stuck
coordinate x = 0, y = 0
kinetic (x'^2 + y'^2)/2
constraint rope: x = y
initial x' = 1 fixed, y' = 3 fixed
)"),
              HasSubstr("kept as they are: x' = 1 (fixed), y' = 3 (fixed)"));
}

TEST(StatedValues, an_argument_from_the_outside_states_what_it_gives_alone) {
  const formulate::Problem problem = problem_of(R"(model bodies
part plain = planar_body(mass = 1, inertia = 0.1)
part given = planar_body(mass = 1, inertia = 0.1, angle = 0.2, velocity = [1, 0])
part ball  = spatial_body(mass = 1, inertia = [1, 1, 1], orientation = [1, 1, 0, 0])
part links = serial_links(n = 1, length = 2)
part bent  = serial_links(n = 1, angle = 0.1)
)");
  const model::Model& m = *problem.dae->model;
  std::string stated;
  for (const model::StartValue& start : m.starts)
    if (start.stated) stated += name_of(m.symbols[start.leaf.symbol], start.leaf.order) + " ";
  EXPECT_EQ(stated,
            "given.phi ball.p[1] ball.p[2] ball.p[3] ball.p[4] bent.link[1].r[1] bent.link[1].r[2] "
            "bent.link[1].phi given.r[1]' given.r[2]' ");
}

}  // namespace
}  // namespace daedal::solve::testing
