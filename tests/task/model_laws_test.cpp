// Laws that solve equations of the model: numbers of the delta robot [Bortoff2018, sections 4.1-4.4] and of the funnel
// [Druecker2022, example 3.6] by independent recomputation (SymPy, SciPy DOP853, rtol 1e-11), closed forms, and what is said
// where there is no solution.
#include "daedal/study/analyse.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using testing::HasSubstr;

using Triple = std::array<double, 3>;

const std::string robot_file = DAEDAL_SOURCE_DIR "/models/delta_robot/delta_robot.daedal";
const std::string car_file = DAEDAL_SOURCE_DIR "/models/mass_on_car/mass_on_car.daedal";

// Numbers of the reference have 10 decimals; what the run adds is its tolerance, 1e-11 a step.
constexpr double printed = 0.5e-10, run_error = 1e-9;
// Of trajectories the reference has 9 digits, and the run as many.
constexpr double trajectory = 1e-8;

const std::string robot = "import \"" + robot_file +
                          "\"\nmodel m\npart robot = delta_robot()\n"
                          "let angle = [robot.arm[1].q[1], robot.arm[2].q[1], robot.arm[3].q[1]]\n";
const std::string torques = "command [robot.arm[1].u, robot.arm[2].u, robot.arm[3].u] = ";

Simulation law_run(const std::string& text, double until, const std::string& starts = {}) {
  SimulateOptions options;
  options.until = until;
  options.tolerance = 1e-11;
  return simulate(load_text(text + starts, "model.daedal", {.controllers = {"c"}}), options);
}

std::vector<double> column_of(const Simulation& run, const std::string& name) {
  EXPECT_EQ(run.trajectory.reason, "");
  return run.table() == nullptr ? std::vector<double>{} : run.table()->column(name);
}

double first_of(const Simulation& run, const std::string& name) {
  const std::vector<double> values = column_of(run, name);
  return values.empty() ? std::nan("") : values.front();
}

double at(const Simulation& run, const std::string& name, double time) {
  const std::vector<double> t = column_of(run, "t"), values = column_of(run, name);
  const auto near = std::ranges::min_element(
      t, [&](double a, double b) { return std::abs(a - time) < std::abs(b - time); });
  if (near == t.end() || std::abs(*near - time) > 1e-12) return std::nan("");
  return values[static_cast<std::size_t>(near - t.begin())];
}

std::string law_fault(const std::string& text) {
  try {
    check(load_text(text, "model.daedal", {.controllers = {"c"}}));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

void expect_torques(const Simulation& run, const Triple& expected, double bound) {
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(first_of(run, "robot.arm[" + std::to_string(i + 1) + "].u"), expected[i], bound)
        << i;
}

// ---- the delta robot

TEST(ModelLaw, gravity_torques_of_level_arms) {
  const Simulation run =
      law_run(robot + "controller c\n" + torques + "gravity_compensation()\n", 1e-3);
  expect_torques(run, {-1.9293, -1.9293, -1.9293}, run_error);
}

// The motor angles belong to the platform at (0.1, -0.05, 0.5); the constraints find the other six at the start.
TEST(ModelLaw, gravity_torques_of_a_pose_known_by_its_motor_angles) {
  const std::string start =
      "initial robot.arm[1].q[1] = 0.38979127742821595 fixed\ninitial robot.arm[2].q[1] = "
      "0.4223824663982325 fixed\ninitial robot.arm[3].q[1] = -0.10778232588109281 fixed\n";
  const std::string law =
      "measure robot.arm[1].q[1], robot.arm[2].q[1], robot.arm[3].q[1]\n"
      "observe forward_kinematics()\n" +
      torques + "gravity_compensation()\n";
  const Triple expected{-1.7477927606, -1.6886887175, -2.4095515279};
  expect_torques(law_run(robot + start + "controller c\n" + law, 1e-3), expected,
                 printed + run_error);
  expect_torques(law_run(robot + start + "controller c every 1 ms\n" + law, 1e-3), expected,
                 printed + run_error);
}

TEST(ModelLaw, forward_and_inverse_kinematics_of_the_delta_robot) {
  for (const char* clock : {"", " every 10 ms"}) {
    SCOPED_TRACE(clock);
    const Simulation run =
        law_run(robot + "controller c" + clock + "\n" +
                    "output p = kinematics(robot.platform, angle, [0.02, -0.01, 0.015])\n"
                    "output y = kinematics(angle, robot.platform, [0.1, -0.05, 0.5])\n" +
                    torques + "[0, 0, 0]\n",
                0.02);
    const Triple platform{-0.0040564454, -0.0032835029, 0.4492814309},
        motors{0.3897912774, 0.4223824664, -0.1077823259};
    for (int i = 0; i < 3; ++i) {
      const std::string entry = "[" + std::to_string(i + 1) + "]";
      EXPECT_NEAR(at(run, "c.p" + entry, 0.02), platform[i], printed + run_error) << i;
      EXPECT_NEAR(at(run, "c.y" + entry, 0.02), motors[i], printed + run_error) << i;
    }
  }
}

struct Step {
  const char* experiment;
  double time;
  Triple platform;
};

class DeltaStep : public testing::TestWithParam<Step> {};

TEST_P(DeltaStep, platform_is_where_the_reference_is) {
  const auto& [experiment, time, platform] = GetParam();
  const auto answer = run(load(robot_file), experiment);
  const auto& found = dynamic_cast<const Simulation&>(*answer);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(at(found, "platform[" + std::to_string(i + 1) + "]", time), platform[i], trajectory)
        << i;
}

INSTANTIATE_TEST_SUITE_P(
    steps, DeltaStep,
    testing::Values(
        Step{"step_pd", 0.1, {0.05615249437246436, -0.028332958690272858, 0.48549145257408255}},
        Step{"step_pd", 0.5, {0.09908554227100158, -0.04958735443154966, 0.49998348540255566}},
        Step{"step_pd", 3, {0.1, -0.05, 0.5}},
        Step{"step_pd_loaded",
             0.1,
             {0.053058410473539715, -0.026791498078237053, 0.4865248426007539}},
        Step{"step_pd_loaded", 0.5, {0.09810907397713942, -0.04908910868305172, 0.502755461363199}},
        Step{"step_pd_loaded", 3, {0.09944959662684837, -0.04974506976363291, 0.5028101419470845}},
        Step{"step_pid", 0.1, {0.05710202966083383, -0.028831979426504672, 0.48918608983687717}},
        Step{"step_pid", 0.5, {0.1056215386166959, -0.05282442898715395, 0.5037699382219655}},
        Step{"step_pid", 6, {0.10000001954753486, -0.05000000959972678, 0.5000000059077991}},
        Step{
            "step_pd_alone", 0.1, {0.05726982957512564, -0.028906524219670826, 0.5037823539347984}},
        Step{
            "step_pd_alone", 0.5, {0.09751034689841105, -0.049039559147211476, 0.5296993015074574}},
        Step{"step_pd_alone", 3, {0.09909415017619841, -0.04972983956223148, 0.5297150019691106}}));

// w'' = alpha + beta u: what computed_torque finds for the accelerations a is beta^-1 (a - alpha).
TEST(ModelLaw, computed_torques_invert_alpha_and_beta_of_the_reference) {
  const Triple alpha{0, 0, 8.4371720117};
  const std::array<Triple, 3> beta{{{0, 2.1256769189, -2.1256769189},
                                    {-2.4545202827, 1.2272601413, 1.2272601413},
                                    {1.4577259475, 1.4577259475, 1.4577259475}}};
  for (const Triple& a : {Triple{0, 0, 0}, Triple{1, 0, 0}, Triple{0, 1, 0}, Triple{0, 0, 1}}) {
    const Simulation run =
        law_run(robot + "controller c\n" + torques + "computed_torque(robot.platform, [" +
                    std::to_string(a[0]) + ", " + std::to_string(a[1]) + ", " +
                    std::to_string(a[2]) + "])\n",
                1e-3);
    for (int i = 0; i < 3; ++i) {
      double w = alpha[i];
      for (int j = 0; j < 3; ++j)
        w += beta[i][j] * first_of(run, "robot.arm[" + std::to_string(j + 1) + "].u");
      constexpr double torque =
          10;  // [N m], the sum of three of them is multiplied by printed numbers
      EXPECT_NEAR(w, a[i], printed * (1 + torque) + run_error) << i;
    }
  }
}

TEST(ModelLaw, alpha_and_beta_of_the_reference_at_level_arms) {
  const Triple alpha{0, 0, 8.4371720117};
  const std::array<Triple, 3> beta{{{0, 2.1256769189, -2.1256769189},
                                    {-2.4545202827, 1.2272601413, 1.2272601413},
                                    {1.4577259475, 1.4577259475, 1.4577259475}}};
  for (const char* clock : {"", " every 10 ms"}) {
    SCOPED_TRACE(clock);
    const Simulation run =
        law_run(robot + "controller c" + clock +
                    "\noutput a = acceleration(robot.platform, [0, 0, 0])\noutput b = "
                    "decoupling_matrix(robot.platform)\n" +
                    torques + "[-1.9293, -1.9293, -1.9293]\n",
                0.01);
    const double first = *clock == 0 ? 0 : 0.005;  // what is held shows after the sample
    for (int i = 0; i < 3; ++i) {
      const std::string row = std::to_string(i + 1);
      EXPECT_NEAR(at(run, "c.a[" + row + "]", first), alpha[i], printed + run_error);
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(at(run, "c.b[" + row + "," + std::to_string(j + 1) + "]", first), beta[i][j],
                    printed + run_error);
    }
  }
}

// A cart with a pendulum: [M + m, m l cos(phi); m l cos(phi), m l^2]
TEST(ModelLaw, mass_matrix_of_the_model_in_which_the_controller_believes) {
  const std::string text =
      "model m\nparameter M = 2, m = 0.5, l = 0.8\ncoordinate x = 0, phi = 0.4\nlet bob = [x + "
      "l*sin(phi), -l*cos(phi)]\nkinetic M/2*x'^2 + m/2*dot(bob', bob')\ninput u\nforce u on x\n"
      "controller c\noutput a = mass_matrix()\noutput b = mass_matrix(phi)\noutput d = "
      "mass_matrix([phi, x])\ncommand u = 0\n";
  SimulateOptions options;
  options.until = 1e-3;
  const Simulation run = simulate(
      load_text(text, "model.daedal", {.controllers = {"c"}, .plant = {{"M", "5"}}}), options);
  const double coupling = 0.5 * 0.8 * std::cos(0.4);
  EXPECT_NEAR(first_of(run, "c.a[1,1]"), 2.5, run_error);
  EXPECT_NEAR(first_of(run, "c.a[1,2]"), coupling, run_error);
  EXPECT_NEAR(first_of(run, "c.a[2,2]"), 0.5 * 0.8 * 0.8, run_error);
  EXPECT_NEAR(first_of(run, "c.b"), 0.5 * 0.8 * 0.8, run_error);
  EXPECT_NEAR(first_of(run, "c.d[2,2]"), 2.5, run_error);
  EXPECT_NEAR(first_of(run, "c.d[1,2]"), coupling, run_error);
}

// Without gravity compensation springs hold the arms level above this stiffness only: there a pole is 0.
TEST(ModelLaw, lowest_stiffness_that_holds_level_arms) {
  const auto rightmost = [](const char* stiffness) {
    LoadOptions options;
    options.controllers = {"level"};
    options.parameters = {{"level.K", stiffness}};
    double right = -1e300;
    for (const std::complex<double>& pole : analyse(load(robot_file, options)).poles)
      right = std::max(right, pole.real());
    return right;
  };
  constexpr double
      slope = 18,
      found = 1e-9;  // [1/s] of the pole for each N m/rad; how well the reference found its zero
  EXPECT_NEAR(rightmost("0.6946345173"), 0, slope * found);
  EXPECT_GT(rightmost("0.69463"), 0);
  EXPECT_LT(rightmost("0.69464"), 0);
}

TEST(ModelLaw, linearised_platform_is_critically_damped) {
  const auto answer = run(load(robot_file), "step_linearised");
  const auto& found = dynamic_cast<const Simulation&>(*answer);
  const Triple u{0.6357877345691677, 0.9509216926634969, -3.753462078529778};
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(first_of(found, "arm[" + std::to_string(i + 1) + "].u"), u[i], run_error);
  const Triple target{0.1, -0.05, 0.5}, start{0, 0, 0.4472135954999579};
  const std::vector<double> t = column_of(found, "t");
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> w = column_of(found, "platform[" + std::to_string(i + 1) + "]");
    for (std::size_t k = 0; k < t.size(); ++k)
      EXPECT_NEAR(w[k] - target[i], (start[i] - target[i]) * (1 + 10 * t[k]) * std::exp(-10 * t[k]),
                  run_error)
          << t[k];
  }
}

// ---- closed forms

const std::string arm =
    "model arm\nparameter m = 2, l = 0.5, g = 9.81\ncoordinate x = 0.3, y = -0.4\nkinetic "
    "m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = l^2\nlet phi = atan2(x, -y)\n"
    "input u [N*m]\ntorque u about phi\n";

// u = m g l sin(phi) = m g x
TEST(ModelLaw, gravity_torque_of_a_pendulum_in_redundant_coordinates) {
  for (const char* clock : {"", " every 10 ms"}) {
    SCOPED_TRACE(clock);
    const Simulation run =
        law_run(arm + "controller c" + clock + "\ncommand u = gravity_compensation()\n", 1);
    EXPECT_NEAR(column_of(run, "u").back(), 2 * 9.81 * 0.3, run_error);
    EXPECT_NEAR(column_of(run, "x").back(), 0.3, run_error);
  }
}

TEST(ModelLaw, laws_believe_in_the_model_and_not_in_the_plant) {
  const std::string text = arm + "controller c\ncommand u = gravity_compensation()\n";
  SimulateOptions options;
  options.until = 1e-3;
  const Simulation run = simulate(
      load_text(text, "model.daedal", {.controllers = {"c"}, .plant = {{"m", "3"}}}), options);
  EXPECT_NEAR(first_of(run, "u"), 2 * 9.81 * 0.3, run_error);
}

// (phi - r)'' + 5 (phi - r)' + 6 (phi - r) = 0 with r = 0.2 sin(3 t) and phi(0) = atan2(0.3, 0.4): modes exp(-2 t), exp(-3 t).
TEST(ModelLaw, linearised_pendulum_follows_a_moving_reference) {
  const Simulation run = law_run(
      arm +
          "output angle = phi\ncontroller c\ncommand u = feedback_linearisation(phi, reference = "
          "0.2*sin(3*t), gains = [6, 5])\n",
      2);
  const double e0 = std::atan2(0.3, 0.4), v0 = -0.6;  // of the error
  const double a = 3 * e0 + v0, b = -2 * e0 - v0;
  for (const double t : {0.5, 1.0, 2.0})
    EXPECT_NEAR(at(run, "angle", t),
                0.2 * std::sin(3 * t) + a * std::exp(-2 * t) + b * std::exp(-3 * t), run_error);
}

// Two masses and a spring: the second one is moved by a force on the first, relative degree 4. All poles at -2.
TEST(ModelLaw, linearisation_of_relative_degree_4) {
  const std::string text =
      "model pair\ncoordinate x = 0.1, y = 0.1\nkinetic x'^2 + y'^2/2\npotential 2*(x - "
      "y)^2\ninput "
      "u\nforce u on x\ncontroller c\ncommand u = feedback_linearisation(y, reference = 0, gains = "
      "[16, 32, 24, 8])\n";
  const Simulation run = law_run(text, 2);
  for (const double t : {0.5, 1.0, 2.0}) {
    const double s =
        2 *
        t;  // y = 0.1 (1 + s + s^2/2 + s^3/6) exp(-s): derivatives up to the third are 0 at the start
    EXPECT_NEAR(at(run, "y", t), 0.1 * (1 + s + s * s / 2 + s * s * s / 6) * std::exp(-s),
                run_error);
  }
}

// Sampled, the torque is that of the sample: the same law, ever faster, approaches the continuous one with order 1.
TEST(ModelLaw, sampled_linearisation_approaches_the_continuous_one) {
  const auto error = [](const std::string& clock) {
    const Simulation run = law_run(arm + "output angle = phi\ncontroller c every " + clock +
                                       "\ncommand u = feedback_linearisation(phi, reference = 0, "
                                       "gains = [4, 4])\n",
                                   1);
    return at(run, "angle", 1) - std::atan2(0.3, 0.4) * 3 * std::exp(-2);
  };
  const double coarse = error("8 ms"), fine = error("4 ms"), finest = error("2 ms");
  constexpr double next_term =
      0.05;  // smaller than the first by period and pole, 8 ms * 2 1/s, a few times over
  EXPECT_NEAR(coarse / fine, 2, next_term);
  EXPECT_NEAR(fine / finest, 2, next_term);
}

// ---- what is said

TEST(ModelLaw, fewer_inputs_than_degrees_of_freedom_hold_nothing) {
  EXPECT_THAT(law_fault("model m\ncoordinate x, y\nkinetic x'^2 + y'^2\ninput u\nforce u on x\n"
                        "controller c\ncommand u = gravity_compensation()\n"),
              HasSubstr("gravity_compensation: the controller commands 1 input for 2 degrees of "
                        "freedom"));
}

TEST(ModelLaw, unmeasured_positions_are_named) {
  EXPECT_THAT(law_fault(arm + "controller c\nmeasure x\ncommand u = gravity_compensation()\n"),
              HasSubstr("controller 'c' does not measure 'y'"));
}

TEST(ModelLaw, too_few_measured_coordinates_for_forward_kinematics) {
  EXPECT_THAT(law_fault(arm + "output phi2 = phi\ncontroller c\nmeasure phi\nobserve "
                              "forward_kinematics()\ncommand u = gravity_compensation()\n"),
              HasSubstr("2 coordinates that are not measured, and 1 constraint to find them from"));
}

TEST(ModelLaw, wrong_number_of_gains_states_the_relative_degree) {
  EXPECT_THAT(
      law_fault(arm + "controller c\ncommand u = feedback_linearisation(phi, reference = 0, gains "
                      "= [6])\n"),
      HasSubstr("'gains' of feedback_linearisation has 1 entry, and the relative degree of output "
                "1 is 2"));
}

TEST(ModelLaw, an_output_that_no_input_moves_is_refused) {
  EXPECT_THAT(law_fault("model m\ncoordinate x, y\nkinetic x'^2 + y'^2\ninput u\nforce u on x\n"
                        "controller c\ncommand u = computed_torque(y, 1)\n"),
              HasSubstr("computed_torque: "));
}

// A load on a rope: both its coordinates are moved by the tension alone.
TEST(ModelLaw, outputs_that_one_input_moves_alone_are_refused) {
  const std::string fault = law_fault(
      "model m\nparameter g = 9.81\ncoordinate x = 0, L = 2, phi = 0.1\nlet P = [x + L*sin(phi), "
      "L*cos(phi)]\nkinetic dot(P', P')/2 + x'^2/2\npotential -g*P[2]\ninput u, v\nforce u on x\n"
      "force v on L\ncontroller c\ncommand [u, v] = feedback_linearisation(P, reference = [1, 2], "
      "gains = [1, 2])\n");
  EXPECT_THAT(fault, HasSubstr("feedback_linearisation: the inputs do not move these outputs "
                               "independently of each other"));
  EXPECT_THAT(fault, HasSubstr("(rank 2 of 3)"));
}

TEST(ModelLaw, kinematics_counts_what_is_given_and_needed) {
  EXPECT_THAT(law_fault(arm + "controller c\ncommand u = kinematics(x, [x, y], [0.3, -0.4])\n"),
              HasSubstr("kinematics: 2 quantities given, and 1 needed: 2 coordinates with 1 "
                        "constraint"));
}

// s^2 + 15 s + 50 three times, with as many eigenvectors: well conditioned, so that rounding errors of entries up to 1e3 move the
// poles by as much times some condition below 1e3.
TEST(ModelLaw, poles_of_the_linearised_delta_robot_are_those_of_the_gains) {
  LoadOptions options;
  options.controllers = {"linearised"};
  options.parameters = {{"linearised.k1", "50"}, {"linearised.k2", "15"}};
  const Analysis found = analyse(load(robot_file, options));
  ASSERT_EQ(found.poles.size(), 6);
  const double rounded = 1e3 * 1e3 * 1e-16 * 100;  // sums of a hundred terms
  for (std::size_t k = 0; k < 6; ++k) {
    const std::complex<double> s = found.poles[k];
    EXPECT_LT(std::abs((s + 15.0) * s + 50.0), rounded) << s;
  }
}

// At phi = 90 degrees a force along x moves nothing: the equations of the sample are singular.
TEST(ModelLaw, a_singular_pose_ends_the_run_with_the_name_of_the_law) {
  const std::string text =
      "model arm\nparameter m = 2, g = 9.81\ncoordinate x = 0.5, y = 0\nkinetic m/2*(x'^2 + y'^2)\n"
      "potential m*g*y\nconstraint rod: x^2 + y^2 = 0.25\ninput u\nforce u on x\n"
      "controller c every 10 ms\ncommand u = gravity_compensation()\n";
  EXPECT_EQ(law_run(text, 1).trajectory.reason,
            "stopped at t = 0 s: controller 'c': no solution for gravity_compensation at its "
            "sample 0: its equations are singular "
            "there");
}

// ---- loops without delay

const std::string mass_with_acceleration =
    "model m\ncoordinate x = 1\nkinetic x'^2/2\ninput u\nforce u on x\n";

// x'' = u = -x''/2 - x: x'' = -x/1.5
TEST(ModelLaw, an_algebraic_loop_is_named_and_solved) {
  const std::string text =
      mass_with_acceleration + "controller c\nmeasure a = x'', x\ncommand u = -0.5*a - x\n";
  const Model model = load_text(text, "model.daedal", {.controllers = {"c"}});
  ASSERT_EQ(model.warnings().size(), 1);
  EXPECT_EQ(
      model.warnings()[0].message,
      "controller 'c': its command 'u' depends without delay on 'x''', and that on the command: "
      "an algebraic loop");
  EXPECT_EQ(model.warnings()[0].place.line, 8);
  EXPECT_NEAR(at(law_run(text, 1), "x", 1), std::cos(std::sqrt(1 / 1.5)), run_error);
}

TEST(ModelLaw, an_algebraic_loop_without_a_solution_is_refused) {
  std::string refused = "no fault";
  try {
    law_run(mass_with_acceleration + "controller c\nmeasure a = x''\ncommand u = a + 1\n", 1);
  } catch (const ModelError& error) {
    refused = error.what();
  }
  EXPECT_THAT(refused, HasSubstr("equations involved: motion of x, equation 'c commands u', "
                                 "equation 'measurement c.a'"));
}

TEST(ModelLaw, a_filter_breaks_an_algebraic_loop) {
  const Model model = load_text(
      mass_with_acceleration + "controller c\nmeasure a = lowpass(x'', 0.01)\ncommand u = -0.5*a\n",
      "model.daedal", {.controllers = {"c"}});
  EXPECT_TRUE(model.warnings().empty());
}

TEST(ModelLaw, state_feedback_is_no_algebraic_loop) {
  for (const char* law :
       {"-x - x'", "computed_torque(x, -x)", "funnel(x, psi = [2, 2], gamma = 1)"})
    EXPECT_TRUE(load_text(mass_with_acceleration + "controller c\ncommand u = " + law + "\n",
                          "model.daedal", {.controllers = {"c"}})
                    .warnings()
                    .empty())
        << law;
}

// u_k = 1 - a_k/2, and a_k is what u_{k-1} makes: with a clock a measured acceleration is that of the sample before.
TEST(ModelLaw, with_a_clock_an_acceleration_is_that_of_the_command_before) {
  const Simulation run = law_run(
      mass_with_acceleration + "controller c every 100 ms\nmeasure a = x''\ncommand u = 1 - a/2\n",
      1);
  double u = 0;
  for (int k = 0; k < 10; ++k) {
    u = 1 - u / 2;
    EXPECT_NEAR(at(run, "u", 0.1 * k + 0.05), u, run_error) << k;
  }
}

TEST(ModelLaw, a_measurement_that_is_no_number_ends_the_run) {
  const Simulation run =
      law_run(mass_with_acceleration +
                  "controller c every 100 ms\nmeasure s = sqrt(0.5 - t)\ncommand u = s\n",
              1);
  EXPECT_EQ(
      run.trajectory.reason,
      "stopped at t = 0.6 s: controller 'c': the measurement 's' is not a number at its sample 6");
}

// ---- funnel

Simulation funnel_run(const std::string& experiment) {
  const auto answer = run(load(car_file, {.model = "mass_on_car_two"}), experiment);
  return dynamic_cast<const Simulation&>(*answer);
}

struct FunnelErrors {
  const char* experiment;
  std::array<double, 4> errors;  // at 2, 4, 6, 8 s; not a number: chaotic in detail
};

TEST(ModelLaw, funnel_errors_are_those_of_the_reference) {
  const double chaotic = std::nan("");
  for (const auto& [experiment, errors] :
       {FunnelErrors{"funnel_feedforward",
                     {-0.0227676265, -0.1555380119, -0.2263852539, -0.2789551069}},
        FunnelErrors{"funnel_alone", {-0.0577524386, -0.0213484973, chaotic, chaotic}},
        FunnelErrors{"funnel_both", {-0.0087148888, 0.0021503207, 0.0099774426, 0.0114306536}}}) {
    SCOPED_TRACE(experiment);
    const Simulation run = funnel_run(experiment);
    for (int k = 0; k < 4; ++k) {
      const double t = 2 * (k + 1);
      const double s = t / 8;
      const double desired =
          1 + 3 * std::pow(s, 5) *
                  (126 - 420 * s + 540 * s * s - 315 * std::pow(s, 3) + 70 * std::pow(s, 4));
      if (std::isnan(errors[k])) continue;
      EXPECT_NEAR(at(run, "z", t) - desired, errors[k], trajectory) << t;
    }
  }
}

TEST(ModelLaw, feedforward_makes_the_work_of_the_funnel_small) {
  const auto figures = [](const char* experiment) {
    const Simulation run = funnel_run(experiment);
    const std::vector<double> u = column_of(run, "u");
    double largest = 0, variation = 0;
    for (std::size_t k = 0; k < u.size(); ++k) {
      largest = std::max(largest, std::abs(u[k]));
      if (k > 0) variation += std::abs(u[k] - u[k - 1]);
    }
    return std::array<double, 2>{largest, variation};
  };
  const auto alone = figures("funnel_alone"), both = figures("funnel_both"),
             forward = figures("funnel_feedforward");
  // Rows every 10 ms, as in the reference. Sums of up to 931.5 N of 1200 differences, each as accurate as the run.
  constexpr double sum_error = 1e-6;
  EXPECT_NEAR(forward[0], 1.4419051747637426, run_error);
  EXPECT_NEAR(forward[1], 5.617257760972064, sum_error);
  EXPECT_NEAR(both[0], 2.017934827608867, trajectory);
  EXPECT_NEAR(both[1], 17.09174157772826, sum_error);
  EXPECT_NEAR(alone[0], 64.332, 5e-4);  // printed digits: what comes after the peaks is sensitive
  EXPECT_NEAR(alone[1], 931.5, 0.05);   // as above
}

TEST(ModelLaw, a_start_outside_the_funnel_is_no_number) {
  const std::string text =
      "model m\ncoordinate x = 1\nkinetic x'^2/2\ninput u\nforce u on x\ncontroller c every 10 ms\n"
      "command u = funnel(x, psi = [0.5, 1], gamma = 1, rate = x')\n";
  EXPECT_EQ(law_run(text, 1).trajectory.reason,
            "stopped at t = 0 s: controller 'c': the command 'u' is not a number at its sample 0");
}

}  // namespace
}  // namespace task
}  // namespace daedal
