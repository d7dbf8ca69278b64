// Controllers designed for commands and measurements that come late: against the loop without delay, and the separation of
// regulator and filter.
#include "daedal/study/control.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/simulate.hpp"
#include "support/bounds.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using Factor = std::complex<double>;
using test::rounding;
using testing::HasSubstr;

Model acting(const std::string& text) {
  LoadOptions options;
  options.controllers = {"c"};
  return load_text(text, "model.daedal", options);
}

/// Not those of commands on their way: a zero of multiplicity m is known to eps^(1/m), and there are up to nine.
std::vector<Factor> moving(const SampledLoop& loop) {
  constexpr double gone = 0.05;
  std::vector<Factor> found;
  std::ranges::copy_if(loop.factors, std::back_inserter(found),
                       [&](Factor z) { return std::abs(z) > gone; });
  return found;
}

void expect_same(std::vector<Factor> found, const std::vector<Factor>& expected, double bound) {
  ASSERT_EQ(found.size(), expected.size());
  for (const Factor z : expected) {
    const auto nearest =
        std::ranges::min_element(found, {}, [&](Factor other) { return std::abs(other - z); });
    EXPECT_LE(std::abs(*nearest - z), bound) << z;
    found.erase(nearest);
  }
}

// A load on a cart, once with the angle and once with a constraint.
const std::string minimal =
    "model cart\nparameter m = 1, M = 2, l = 0.5, g = 9.81\ncoordinate x, phi\n"
    "let load = [x + l*sin(phi), -l*cos(phi)]\nkinetic M/2*x'^2 + m/2*dot(load', load')\n"
    "potential m*g*load[2]\ninput u\nforce u on x\n";
const std::string redundant =
    "model cart\nparameter m = 1, M = 2, l = 0.5, g = 9.81\n"
    "coordinate x = 0, X = 0, Z = -l\nkinetic M/2*x'^2 + m/2*(X'^2 + Z'^2)\npotential m*g*Z\n"
    "constraint rod: norm([X - x, Z]) = l\ninput u\nforce u on x\n";

SampledLoop loop_of(const std::string& model, const std::string& block) {
  return sampled_loop(acting(model + "controller c every 50 ms\n" + block));
}

const std::string weighted = "lqr(Q = weights(x = 4, x' = 1), R = 0.1";

// Simple factors inside the circle, of loops of order up to 12.
const double exact = rounding(1e6);

TEST(LateCommands, a_late_loop_has_the_poles_designed_whatever_the_coordinates) {
  for (const std::string& model : {minimal, redundant}) {
    const std::vector<Factor> designed = moving(loop_of(model, "command u = " + weighted + ")\n"));
    ASSERT_EQ(designed.size(), 4u);
    for (const double delay : {0.02, 0.05, 0.12}) {
      const std::string late =
          fmt::format("command u = delay({}, delay = {}), time = {})\n", weighted, delay, delay);
      expect_same(moving(loop_of(model, late)), designed, exact);
    }
  }
}

TEST(LateCommands, pole_placement_gives_the_poles_asked_for_in_spite_of_a_delay) {
  const SampledLoop loop = loop_of(
      minimal,
      "command u = delay(pole_placement(poles = [-1, -2], pairs = [-3, 2], delay = 0.07), time = "
      "0.07)\n");
  std::vector<Factor> expected;
  for (const Factor pole : {Factor(-1), Factor(-2), Factor(-3, 2), Factor(-3, -2)})
    expected.push_back(std::exp(pole * 0.05));
  expect_same(moving(loop), expected, exact);
}

// Separation: the loop's factors are those of the regulator and those of the filter, neither of which know of the delay. The
// measurement is one sample late, and the command by a part of one: for filter and regulator their sum counts.
TEST(LateCommands, regulator_and_filter_keep_their_poles) {
  const std::string measured =
      "measure x + noise(1e-3)\nobserve kalman(process = 1e-3, start = 1e-3";
  const std::vector<Factor> on_time =
      moving(loop_of(minimal, measured + ")\ncommand u = " + weighted + ")\n"));
  ASSERT_EQ(on_time.size(), 8u);
  expect_same(moving(loop_of(minimal, measured + ", delay = 0.03)\ncommand u = delay(" + weighted +
                                          ", delay = 0.03), time = 0.03)\n")),
              on_time, exact);
  const std::string late =
      "measure delay(x + noise(1e-3), 1)\n"
      "observe kalman(process = 1e-3, start = 1e-3, delay = 0.08)\n"
      "command u = delay(" +
      weighted + ", delay = 0.08), time = 0.03)\n";
  expect_same(moving(loop_of(minimal, late)), on_time, exact);
}

/// Rows at the samples of 50 ms.
std::vector<double> at_samples(const Simulation& run, const std::string& column, double from) {
  const std::vector<double> times = run.table()->column("t"), values = run.table()->column(column);
  std::vector<double> found;
  for (double t = from; t < 2.999 + from; t += 0.05) {
    std::size_t nearest = 0;
    for (std::size_t r = 0; r < times.size(); ++r)
      if (std::abs(times[r] - t) <= std::abs(times[nearest] - t) + 1e-9) nearest = r;
    found.push_back(values[nearest]);
  }
  return found;
}

constexpr double tolerance = 1e-11;

Simulation run_of(const std::string& text, const std::string& more = "", double until = 3.2) {
  SimulateOptions options;
  options.until = until;
  options.tolerance = tolerance;
  options.every = 0.01;
  Simulation run = simulate(acting(text + more), options);
  EXPECT_TRUE(run.holds) << run.reason;
  return run;
}

// From when the first command acts, a mass moves as in the loop without delay that begins there, where the mass has moved freely to.
TEST(LateCommands, a_mass_moves_as_without_delay_once_the_first_command_acts) {
  const auto mass = [](double x, double v) {
    return fmt::format(
        "model mass\ncoordinate x = {}\ninitial x' = {}\nkinetic x'^2/2\ninput u\nforce u on x\n"
        "controller c every 50 ms\n",
        x, v);
  };
  const std::string law = "lqr(Q = 4, R = 0.1, reference = rest(x = 0)";
  const double delay = 0.12;
  const Simulation late = run_of(mass(1, -0.5),
                                 "command u = delay(" + law + ", delay = 0.12), time = 0.12)\n"),
                   on_time = run_of(mass(1 - 0.5 * delay, -0.5), "command u = " + law + ")\n");
  const std::vector<double> shifted = at_samples(late, "x", delay),
                            expected = at_samples(on_time, "x", 0);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(shifted[k], expected[k], test::accumulated(tolerance, 400)) << k;
}

double largest_error(const Simulation& run) {
  const std::vector<double> truth = run.table()->column("phi"),
                            estimate = run.table()->column("c.phi.estimate");
  const std::vector<double> times = run.table()->column("t");
  double largest = 0;
  for (std::size_t r = 0; r < truth.size(); ++r)
    if (std::abs(std::remainder(times[r], 0.05)) < 1e-9)
      largest = std::max(largest, std::abs(truth[r] - estimate[r]));
  return largest;
}

// An exact start, no noise: a filter that knows when its inputs act has no error but its integrator's; one that does not know
// it is wrong by what the command does meanwhile.
TEST(LateCommands, filters_know_from_when_a_command_acts) {
  for (const std::string filter : {"ekf", "ukf"}) {
    const auto block = [&](const std::string& delay) {
      return "controller c every 50 ms\nmeasure x + noise(1e-9)\nobserve " + filter +
             "(process = 1e-9, start = 1e-9, noise = 1, substeps = 20" + delay +
             ")\ncommand u = delay(5*sin(2*t + 1), time = 0.07)\n";
    };
    // Runge-Kutta's 20 substeps of 2.5 ms: h^4 w^5/120 a second at 7 rad/s, for 3 s
    const double truncation = std::pow(2.5e-3, 4) * std::pow(7, 5) / 120 * 3;
    EXPECT_LE(largest_error(run_of(minimal, block(", delay = 0.07"))), truncation) << filter;
    EXPECT_GE(largest_error(run_of(minimal, block(""))), 1e3 * truncation) << filter;
  }
}

TEST(LateCommands, control_designs_with_a_delay) {
  ControlOptions options;
  options.period = 0.05;
  const ControlDesign on_time = control(load_text(minimal, "model.daedal"), options);
  options.delay = 0.07;
  const ControlDesign late = control(load_text(minimal, "model.daedal"), options);
  ASSERT_EQ(late.past_gains.size(), 2u);
  expect_same(late.closed, on_time.closed, exact * 20);  // rates: factors by their own 1/period
  EXPECT_THAT(summary(late),
              AllOf(HasSubstr("0.07 s until a command acts"), HasSubstr("v of u, 2 samples ago"),
                    HasSubstr("v = -F (x - x_rest, v of earlier samples)")));
  ASSERT_TRUE(late.margins[0].delay && on_time.margins[0].delay);
  EXPECT_LT(*late.margins[0].phase, *on_time.margins[0].phase);
  for (std::size_t k = 1; k < late.step.width(); ++k) {
    EXPECT_EQ(late.step.column(k)[1], 0) << "the step acts between the second sample and the third";
    EXPECT_NE(late.step.column(k)[2], 0);
  }
}

std::string fault_of(const std::string& block) {
  try {
    acting(minimal + block);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(LateCommands, are_refused_without_a_clock_and_along_a_motion) {
  EXPECT_EQ(
      fault_of("controller c\ncommand u = lqr(Q = 1, R = 1, delay = 0.01)\n"),
      "model.daedal:10:13: error: 'delay' of lqr needs a clock, and controller 'c' is "
      "continuous\n    command u = lqr(Q = 1, R = 1, delay = 0.01)\n                ^~~~~~~~~~~~~~~"
      "~~~~~~~~~~~~~~~~\n  help: write  controller c every 10 ms");
  EXPECT_EQ(fault_of("controller c every 10 ms\ncommand u = lqr(Q = 1, R = 1, delay = -1)\n"),
            "model.daedal:10:39: error: 'delay' of lqr is a time of 0 s or more\n"
            "    command u = lqr(Q = 1, R = 1, delay = -1)\n"
            "                                          ^~\n"
            "  help: it is the dead time of the command, and that of what is measured beside it");
}

}  // namespace
}  // namespace task
}  // namespace daedal
