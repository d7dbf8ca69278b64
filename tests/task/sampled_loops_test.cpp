// Loops from sample to sample: against matrices written by hand, against simulations, against other questions, and in the limit of
// fast clocks.
#include "daedal/study/analyse.hpp"
#include "daedal/study/control.hpp"
#include "daedal/task/model.hpp"
#include "daedal/task/simulate.hpp"
#include "support/bounds.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

using testing::HasSubstr;
using Factor = std::complex<double>;

LoadOptions acting(const std::string& controller) {
  LoadOptions options;
  options.controllers = {controller};
  return options;
}

SampledLoop loop_of(const std::string& text, const std::string& controller = "c") {
  return sampled_loop(load_text(text, "model.daedal", acting(controller)));
}

const std::string mass =
    "model carriage\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\ncontroller c every 100 "
    "ms\n";
constexpr double period = 0.1;

/// Each of `expected` is among the factors, and there are no others.
void expect_factors(const SampledLoop& loop, const std::vector<Factor>& expected, double bound) {
  EXPECT_EQ(loop.factors.size(), expected.size()) << summary(loop);
  for (const Factor z : expected) {
    double nearest = 1e9;
    for (const Factor found : loop.factors) nearest = std::min(nearest, std::abs(found - z));
    EXPECT_LE(nearest, bound) << z << "\n" << summary(loop);
  }
}

std::vector<Factor> eigenvalues(const Eigen::MatrixXd& m) {
  const Eigen::VectorXcd values = Eigen::EigenSolver<Eigen::MatrixXd>(m).eigenvalues();
  return {values.begin(), values.end()};
}

// Simple eigenvalues of matrices of order 1 with conditions below 1e3.
const double exact = rounding(1e5);

TEST(SampledLoops, are_exact_for_commands_that_are_held) {
  const SampledLoop loop = loop_of(mass + "command u = -4*x - 1.5*x'\n");
  Eigen::MatrixXd m(2, 2);
  m << 1 - period * period / 2 * 4, period - period * period / 2 * 1.5,  //
      -period * 4, 1 - period * 1.5;
  expect_factors(loop, eigenvalues(m), exact);
  EXPECT_EQ(loop.stability, "asymptotically stable");
  EXPECT_EQ(loop.period, period);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_LE(std::abs(std::exp(period * loop.rates[k]) - loop.factors[k]), exact);
}

// At its limit a command does not depend on the state, and no rest is near. The loop at its rest knows nothing of the limits.
TEST(SampledLoops, find_the_rest_of_a_command_that_starts_at_its_limit) {
  const SampledLoop free = loop_of(mass + "command u = -4*x - 1.5*x'\n");
  const SampledLoop limited = loop_of(mass + "command u = saturate(4*(10 - x) - 1.5*x', -1, 1)\n");
  expect_factors(limited, free.factors, exact);
}

TEST(SampledLoops, have_the_states_of_their_blocks) {
  const SampledLoop loop =
      loop_of(mass + "measure x\ncommand u = delay(-4*x - 1.5*derivative(x, filter = 0.03), 1)\n");
  // x, v, the x and the slope of the sample before, the command on its way
  const double T = period, share = 1 / (0.03 + T), a = 0.03 * share;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(5, 5);
  m.row(0) << 1, T, 0, 0, T * T / 2;
  m.row(1) << 0, 1, 0, 0, T;
  m.row(2) << 1, 0, 0, 0, 0;
  m.row(3) << share, 0, -share, a, 0;
  m.row(4) = -1.5 * m.row(3);
  m(4, 0) -= 4;
  expect_factors(loop, eigenvalues(m), exact);
}

TEST(SampledLoops, know_dead_times_of_parts_of_a_period) {
  const auto late = [&](double time) {
    return loop_of(mass + fmt::format("command u = delay(-4*x - 1.5*x', time = {})\n", time));
  };
  const double T = period, r = 0.034;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3, 3);
  m.row(0) << 1, T, r * T - r * r / 2;
  m.row(1) << 0, 1, r;
  m.row(2) << -4, -1.5, 0;
  m.row(0) += (T - r) * (T - r) / 2 * m.row(2);
  m.row(1) += (T - r) * m.row(2);
  expect_factors(late(r), eigenvalues(m), exact);
  Eigen::MatrixXd two = Eigen::MatrixXd::Zero(4, 4);
  two.row(0) << 1, T, (T - r) * (T - r) / 2, r * T - r * r / 2;
  two.row(1) << 0, 1, T - r, r;
  two.row(2) << -4, -1.5, 0, 0;
  two.row(3) << 0, 0, 1, 0;
  expect_factors(late(T + r), eigenvalues(two), exact);
  // a whole period is a delay by one sample
  expect_factors(late(T), loop_of(mass + "command u = delay(-4*x - 1.5*x', 1)\n").factors, exact);
}

// x' = u, u = -k x: the factor is 1 - k T, and -1 for 2/(k T) times the gain
TEST(SampledLoops, have_margins) {
  const SampledLoop loop = loop_of(
      "model m\nvariable x\ninput u\nequation x' = u\ncontroller c every 100 ms\ncommand u "
      "= -5*x\n");
  expect_factors(loop, {0.5}, exact);
  ASSERT_EQ(loop.margins.size(), 1u);
  const InputMargins& m = loop.margins[0];
  EXPECT_EQ(m.input, "u");
  EXPECT_NEAR(*m.highest_gain, 4, exact);
  ASSERT_TRUE(m.delay);
  // the same loop with so much dead time
  const auto bears = [&](double delay) {
    return loop_of(fmt::format("model m\nvariable x\ninput u\nequation x' = u\ncontroller c every "
                               "100 ms\ncommand u = delay(-5*x, time = {:.17g})\n",
                               delay))
               .stability != "unstable";
  };
  EXPECT_TRUE(bears(*m.delay * (1 - 1e-8)));
  EXPECT_FALSE(bears(*m.delay * (1 + 1e-8)));
}

const char* const cart =
    "model cart\nparameter m = 1, M = 0.5, L = 0.8, g = 9.81\ncoordinate x [m], theta [rad]\n"
    "let bob = [x + L*sin(theta), L*cos(theta)]\nkinetic m/2*x'^2 + M/2*dot(bob', bob')\n"
    "potential M*g*bob[2]\ninput u [N]\nforce u on x\n";

TEST(SampledLoops, of_regulators_have_the_poles_that_the_design_states) {
  const std::string law = "command u = lqr(Q = weights(x = 1, theta = 10, others = 0), R = 1)\n";
  const SampledLoop loop = loop_of(cart + ("controller c every 20 ms\n" + law));
  const ControlDesign design = control(
      load_text(cart), {.state_weights = read_weights("q", "x=1,theta=10"), .period = 0.02});
  std::vector<Factor> expected;
  for (const Factor rate : design.closed) expected.push_back(std::exp(0.02 * rate));
  expect_factors(loop, expected, 1e-9);  // of the Riccati equation
  constexpr double gains = 1e-7;         // those of the Riccati equation, 1e-9, times 100
  EXPECT_NEAR(*loop.margins[0].highest_gain, *design.margins[0].highest_gain, gains);
  EXPECT_NEAR(*loop.margins[0].lowest_gain, *design.margins[0].lowest_gain, gains);
  EXPECT_THAT(summary(loop), HasSubstr("u: stable with its gain times"));
  EXPECT_THAT(to_json(loop), HasSubstr("\"factors\""));
  EXPECT_FALSE(report(loop).charts.empty());
  // separation: the filter's modes are added, those of the regulator stay
  const SampledLoop lqg =
      loop_of(cart + ("controller c every 20 ms\nmeasure x + noise(1e-3), theta + noise(1e-3)\n"
                      "observe kalman(process = 1e-3, start = 0.1)\n" +
                      law));
  // four modes of each, and the command that is held: the filter reads it, and it follows from the others
  EXPECT_EQ(lqg.factors.size(), 9u) << summary(lqg);
  EXPECT_EQ(lqg.factors[8], 0.0);
  for (const Factor z : expected) {
    double nearest = 1;
    for (const Factor found : lqg.factors) nearest = std::min(nearest, std::abs(found - z));
    EXPECT_LE(nearest, 1e-8) << z;
  }
  EXPECT_EQ(lqg.stability, "asymptotically stable");
}

// Rates at 10 and 20 ms halve their distance from the continuous loop: the hold is a delay of half a period.
TEST(SampledLoops, approach_the_continuous_one_with_order_1) {
  const std::string law = "command u = 30*theta + 5*x + 10*x' + 12*theta' + 40*theta\n";
  const Analysis still = analyse(load_text(cart + ("controller c\n" + law), "m", acting("c")));
  const auto error = [&](double ms) {
    const SampledLoop loop = loop_of(cart + fmt::format("controller c every {} ms\n", ms) + law);
    double largest = 0;
    for (const Factor pole : still.poles) {
      double nearest = 1e9;
      for (const Factor rate : loop.rates) nearest = std::min(nearest, std::abs(rate - pole));
      largest = std::max(largest, nearest);
    }
    return largest;
  };
  for (const double ms : {2.0, 1.0, 0.5}) {
    const double ratio = error(ms) / error(ms / 2);
    EXPECT_NEAR(std::log2(ratio), 1, 0.05) << ms;  // the next term is T/pole of the first
  }
}

// The slowest factor is real: after 60 samples the others have died out.
TEST(SampledLoops, decay_in_simulations_as_their_factors_say) {
  const std::string text = mass +
                           "measure x\nlet v = derivative(x, filter = 0.05)\n"
                           "command u = delay(-0.6*x - 1.8*v, time = 0.03)\n";
  const SampledLoop loop = loop_of(text);
  ASSERT_EQ(loop.factors[0].imag(), 0);
  ASSERT_LT(std::abs(loop.factors[1]), 0.9 * std::abs(loop.factors[0]));
  LoadOptions options = acting("c");
  options.starts = {{"x", "1"}};
  SimulateOptions run;
  run.until = 12;
  run.every = period;
  run.tolerance = 1e-12;
  const std::vector<double> x = simulate(load_text(text, "m", options), run).table()->column("x");
  const double grown = std::pow(x[110] / x[80], 1.0 / 30);
  const double others = std::pow(std::abs(loop.factors[1] / loop.factors[0]), 80);
  constexpr double run_accuracy = 1e-9;  // tolerance 1e-12 of some thousand steps
  EXPECT_NEAR(grown, loop.factors[0].real(), 10 * others + run_accuracy);
}

TEST(SampledLoops, rest_where_their_integrals_hold_the_load) {
  const SampledLoop loop = loop_of(
      "model lift\ncoordinate x\nkinetic x'^2/2\npotential 3*x\ninput u\nforce u on x\n"
      "controller c every 100 ms\ncommand u = saturate(-4*(x - 2) - 3*x' - "
      "2*integral(x - 2), -10, 10)\n");
  ASSERT_TRUE(loop.found);
  const auto at = [&](const std::string& name) {
    return std::ranges::find(loop.equilibrium, name, &NamedNumber::name)->value;
  };
  EXPECT_NEAR(at("x"), 2, exact);
  EXPECT_NEAR(at("u"), 3, exact);
  EXPECT_NEAR(at("c.integral1"), -1.5, exact);
  EXPECT_EQ(loop.factors.size(), 3u);
  EXPECT_EQ(loop.stability, "asymptotically stable");
}

// One degree of freedom: with the link at its target everything is where it is without strip, and by virtual work
// u = -F arm sin(theta2) dtheta2/ds. Pose by SciPy; dtheta2/ds = 3.36106117787 from both constraints there.
TEST(SampledLoops, of_the_looper_rest_at_the_target_whatever_the_strip_pulls) {
  LoadOptions options = acting("tension");
  options.parameters = {{"F", "500"}};
  const SampledLoop loop =
      sampled_loop(load(std::string(DAEDAL_SOURCE_DIR) + "/models/looper/looper.daedal", options));
  const auto at = [&](const std::string& name) {
    return std::ranges::find(loop.equilibrium, name, &NamedNumber::name)->value;
  };
  const double pose = printed(10) + 1e-9;  // of the target, and the tolerance of a rest
  EXPECT_NEAR(at("theta1"), 1.0945842207, pose);
  EXPECT_NEAR(at("s"), 0.1773773652, pose);
  EXPECT_NEAR(at("theta2"), 0.0953597077, pose);
  EXPECT_NEAR(at("u"), -48.0036411, 1e3 * pose);  // N by rad or m, the stiffness
  EXPECT_EQ(loop.stability, "asymptotically stable");
}

// x' = u, u = -k x: |1 - k T| < 1 for k from 0 to 2/T; with a sample of delay z^2 - z + k T, up to k = 1/T
TEST(SampledLoops, are_stable_for_the_gains_that_their_factors_allow) {
  const auto range_of = [&](const std::string& command) {
    LocusOptions options;
    options.over = {"c.k", -2, 30, 17};
    return locus(
        load_text("model m\nvariable x\ninput u\nequation x' = u\ncontroller c every 100 ms\n"
                  "parameter k = 1\ncommand u = " +
                      command + "\n",
                  "m", acting("c")),
        options);
  };
  constexpr double located = 1e-9;  // of the gain, as in loops_test
  for (const auto& [command, limit] :
       {std::pair{"-k*x", 20.0}, std::pair{"delay(-k*x, 1)", 10.0}}) {
    const RootLocus found = range_of(command);
    ASSERT_EQ(found.stability.size(), 3u) << summary(found);
    EXPECT_EQ(found.stability[0].stability, "unstable");
    EXPECT_EQ(found.stability[1].stability, "asymptotically stable");
    EXPECT_NEAR(found.stability[1].from, 0, 20 * located);
    EXPECT_NEAR(found.stability[1].to, limit, limit * located);
    EXPECT_GT(found.rows.rows(), 0u);
  }
}

std::string refusal(const std::string& block) {
  try {
    loop_of("model carriage\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\n" + block);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(SampledLoops, are_the_portrait_of_controllers_with_a_clock) {
  const auto of = [](const std::string& controller) {
    return load_text(cart + (controller + "command u = -4*x - 1.5*x'\n"), "model.daedal",
                     acting("c"));
  };
  const Model sampled = of("controller c every 10 ms\n"), continuous = of("controller c\n");
  EXPECT_NE(dynamic_cast<const SampledLoop*>(portrait_of(sampled).get()), nullptr);
  EXPECT_NE(dynamic_cast<const Analysis*>(portrait_of(continuous).get()), nullptr);
  try {
    portrait_of(sampled, {.directions = true});
    FAIL() << "directions of zeros without equations";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "error: directions: a loop with a clock has no equations to take it from\n"
                 "  help: leave the controller or the option out");
  }
}

const std::string
    swinging =
        "model cart\nparameter m = 1, M = 2, l = 0.5, g = 9.81\n"
        "input u\nforce u on x\npotential m*g*Z\nkinetic M/2*x'^2 + m/2*(X'^2 + Z'^2)\n",
    angle = "coordinate x, phi\nlet X = x + l*sin(phi)\nlet Z = -l*cos(phi)\n",
    positions =
        "coordinate x = 0, X = 0, Z = -l\n"
        "constraint rod: (X - x)^2 + Z^2 = l^2\n";

SampledLoop observed(const std::string& coordinates, const std::string& filter) {
  return loop_of(swinging + coordinates +
                 "controller c every 20 ms\nmeasure x + noise(1e-3)\nobserve " + filter +
                 "(process = 1e-3, start = 1e-2)\n"
                 "command u = lqr(Q = weights(x = 4, x' = 1), R = 0.1, reference = rest(x = 1))\n");
}

// At rest an extended filter is Kalman's: its linear model is that of Runge-Kutta's steps and of central differences. So is the
// unscented one for small deviations.
TEST(SampledLoops, of_nonlinear_filters_are_linear_about_the_rest) {
  const double mode = std::sqrt(9.81 / 0.5 * 1.5);  // [rad/s], M and m swing against each other
  const double truncation = std::pow(0.02 * mode, 5) / 120,  // a step of Runge-Kutta in a period
      differences = 1e-9;        // 1e-16/1e-5, times the loop's condition
  const double amplified = 100;  // factors of order 9 whose distances are 0.01 and more
  for (const std::string& coordinates : {angle, positions}) {
    const std::vector<Factor> linear = observed(coordinates, "kalman").factors;
    ASSERT_EQ(linear.size(), 9u);  // with the command that acts, which the filter reads
    for (const std::string filter : {"ekf", "ukf"})
      expect_factors(observed(coordinates, filter), linear, amplified * (truncation + differences));
  }
}

// The mass y is neither measured nor does it decay: no covariance of it has a limit.
TEST(SampledLoops, of_filters_that_do_not_settle_are_refused) {
  for (const std::string filter : {"kalman", "ekf", "ukf"}) {
    try {
      loop_of(
          "model m\ncoordinate x, y\nkinetic x'^2/2 + y'^2/2\ninput u\nforce u on x\n"
          "controller c every 10 ms\nmeasure x + noise(1e-3)\nobserve " +
          filter + "(process = 1e-3, start = 0.1)\ncommand u = -x\n");
      FAIL() << filter;
    } catch (const ModelError& error) {
      EXPECT_STREQ(
          error.what(),
          "model.daedal:6:12: error: controller 'c': at rest the covariance of its "
          "observer does not settle, so its gains have no limit\n"
          "    controller c every 10 ms\n"
          "               ^\n"
          "  help: a mode that does not decay is not seen there by the measurements, or no "
          "'process' moves it");
    }
  }
}

TEST(SampledLoops, say_what_has_no_linear_model) {
  EXPECT_THAT(refusal("controller c every 10 ms\ncommand u = -quantise(x, 0.1)\n"),
              HasSubstr("controller 'c' quantises: steps have no linear model"));
  EXPECT_THAT(refusal("controller c every 10 ms\ncommand u = -decimate(x, 3)\n"),
              HasSubstr("controller 'c' takes one sample in several"));
  EXPECT_THAT(refusal("controller c\ncommand u = -x\n"), HasSubstr("has a clock"));
}

}  // namespace
}  // namespace daedal::test
