// Figures of merit against closed forms: step responses of second order, delays that are built in, commands written down sample by
// sample.
#include "daedal/task/compare.hpp"
#include "daedal/task/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using testing::HasSubstr;

constexpr double run_accuracy = 1e-9;  // tolerance of a step 1e-11, smooth motions

const std::string mass =
    "model carriage\nparameter m = 1\ncoordinate x = 0 [m]\nkinetic m/2*x'^2\ninput u [N]\nforce u "
    "on x\n";

Simulation loop(const std::string& text, SimulateOptions options, const std::string& name = "c") {
  if (!options.tolerance) options.tolerance = 1e-11;
  return simulate(load_text(text, "model.daedal", {.controllers = {name}}), options);
}

// ---- a step of second order: x'' = w^2 (1 - x) - 2 z w x'

class StepResponse : public testing::TestWithParam<double> {};

TEST_P(StepResponse, has_the_overshoot_and_settling_of_the_textbook) {
  const double z = GetParam(), w = 2, damped = w * std::sqrt(1 - z * z);
  const double until = 25 / (z * w), every = 1e-4 * until;
  const std::string text = mass + "parameter z = " + std::to_string(z) +
                           "\ncontroller c\ncommand u = 4*(1 - x) - 4*z*x'\n";
  const Simulation run = loop(text, {.until = until, .every = every});
  ASSERT_TRUE(run.figures);
  ASSERT_EQ(run.figures->outputs.size(), 1);
  const OutputFigures& f = run.figures->outputs[0];
  EXPECT_EQ(f.output, "x");
  EXPECT_EQ(f.unit, "m");
  EXPECT_TRUE(f.of_change);
  const double left = std::exp(-25.0) * 2;  // of the step at the end of the run
  EXPECT_NEAR(f.scale, 1, left);
  // between rows a maximum is missed by w^2 every^2/8 of the overshoot at most
  const double overshoot = std::exp(-std::numbers::pi * z / std::sqrt(1 - z * z));
  EXPECT_NEAR(*f.overshoot, overshoot, left + run_accuracy + w * w * every * every / 8);
  const auto error = [&](double t) {
    return std::exp(-z * w * t) * (std::cos(damped * t) + z * w / damped * std::sin(damped * t));
  };
  const auto settled = [&](double band) {  // to a hundredth of a row
    double t = until;
    while (std::abs(error(t)) <= band) t -= every / 100;
    return t;
  };
  EXPECT_NEAR(*f.settling_5, settled(0.05), every / 50);
  EXPECT_NEAR(*f.settling_2, settled(0.02), every / 50);
  EXPECT_EQ(f.peak_at, 0);
  EXPECT_NEAR(f.peak, 1, left);
  // int e^2 dt = (1 + 4 z^2)/(4 z w); the trapezoidal rule is off by every^2/12 of the slope's change
  const double square = (1 + 4 * z * z) / (4 * z * w) / until;
  EXPECT_NEAR(f.rms * f.rms, square, left + run_accuracy + every * every * w * w);
  EXPECT_FALSE(f.lag);
  EXPECT_EQ(run.figures->inputs.size(), 1);
  EXPECT_NEAR(run.figures->inputs[0].peak, 4, run_accuracy);  // at the start
}

INSTANTIATE_TEST_SUITE_P(Dampings, StepResponse, testing::Values(0.2, 0.5, 0.7));

// A motion that ends where it began is judged by its largest deviation.
TEST(FiguresOfMerit, of_a_disturbance_are_shares_of_the_largest_error) {
  const std::string text = mass + "initial x' = 1\ncontroller c\ncommand u = -x - 2*x'\n";
  const Simulation run = loop(text, {.until = 40, .every = 0.002});  // x = t exp(-t)
  const OutputFigures& f = run.figures->outputs.at(0);
  EXPECT_FALSE(f.of_change);
  EXPECT_NEAR(f.scale, std::exp(-1), 0.002 * 0.002);  // half a row beside the maximum
  EXPECT_NEAR(f.peak_at, 1, 0.002);                   // a row
  const double s = *f.settling_2;
  EXPECT_NEAR(s * std::exp(-s), 0.02 * f.scale, 1e-6);  // a line between two rows, every^2/8
  EXPECT_FALSE(f.overshoot);
}

TEST(FiguresOfMerit, a_lag_is_the_delay_that_is_built_in) {
  for (const double delay : {0.0, 0.3, 1.25}) {
    const std::string text =
        mass +
        "output y = x\nservo y = rest_to_rest((t - 2)/4, smoothness = 5)\ncontroller c\nlet late = "
        "rest_to_rest((t - 2 - " +
        std::to_string(delay) + ")/4, smoothness = 5)\ncommand u = late''\n";
    const Simulation run = loop(text, {.until = 10});
    const OutputFigures& f = run.figures->outputs.at(0);
    EXPECT_EQ(f.reference, Reference::servo);
    // golden section to the square root of rounding over the curvature of the squares
    ASSERT_TRUE(f.lag);
    EXPECT_NEAR(*f.lag, delay, 1e-6);
    EXPECT_NEAR(*f.overshoot, 0, run_accuracy);
  }
}

TEST(FiguresOfMerit, may_be_taken_against_the_end_although_there_is_a_servo_line) {
  const std::string text = mass +
                           "output y = x\nservo y = t\ncontroller c\ncommand u = 1 - x - 2*x'\n"
                           "experiment e: simulate(until = 30, controller = c, reference = end)\n";
  const auto answer = run(load_text(text), "e");
  const auto& f = dynamic_cast<const Simulation&>(*answer).figures->outputs.at(0);
  EXPECT_EQ(f.reference, Reference::end);
  EXPECT_NEAR(f.scale, 1, 1e-10);  // 31 exp(-30) is left
}

TEST(FiguresOfMerit, an_output_that_settles_at_the_end_of_the_run_has_not_settled) {
  const Simulation run = loop(mass + "controller c\ncommand u = 0.1*(1 - x)\n", {.until = 50});
  EXPECT_FALSE(run.figures->outputs.at(0).settling_2);
}

// ---- commands: every sample counts, however rare the rows

TEST(FiguresOfMerit, of_commands_count_every_sample) {
  // n = 1, -2, 4, -8, ... at 0, 0.1, 0.2, ... s, within -3 and 3
  const std::string text =
      mass + "controller c every 100 ms\nstate n = 1 next -2*n\ncommand u = LAW\n";
  const auto command = [&](const std::string& law) {
    std::string with = text;
    with.replace(with.find("LAW"), 3, law);
    const Simulation run = loop(with, {.until = 1, .every = 0.5});
    return run.figures->inputs.at(0);
  };
  const InputFigures f = command("saturate(n, -3, 3)");
  EXPECT_EQ(f.input, "u");
  EXPECT_EQ(f.unit, "N");
  EXPECT_EQ(f.low, -3);
  EXPECT_EQ(f.high, 3);
  EXPECT_EQ(f.peak, 3);
  EXPECT_NEAR(f.peak_at, 0.2, run_accuracy);
  EXPECT_NEAR(f.limited, 0.8, run_accuracy);  // from 0.2 s on
  EXPECT_NEAR(f.variation, 3 + 5 + 8 * 6,
              run_accuracy);  // 1, -2, 3, -3, ..., the sample at 1 s too
  const InputFigures mirrored = command("-saturate(n, -2, 3)");
  EXPECT_EQ(mirrored.low, -3);
  EXPECT_EQ(mirrored.high, 2);
  EXPECT_NEAR(mirrored.limited, 0.9, run_accuracy);
  const InputFigures late = command("delay(saturate(n, -3, 3), 2)");
  EXPECT_EQ(late.low, -3);
  EXPECT_NEAR(late.limited, 0.6, run_accuracy);
  const InputFigures dead = command("delay(saturate(n, -3, 3), time = 0.05)");
  EXPECT_EQ(dead.high, 3);
  EXPECT_NEAR(dead.limited, 0.75, run_accuracy);
  EXPECT_EQ(command("n").low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(command("n").limited, 0);
}

TEST(FiguresOfMerit, limit_lines_and_continuous_limits_count_too) {
  const Simulation run = loop(mass +
                                  "limit u in [-0.5, 0.5]\ncontroller c\ncommand u = if t < 1 "
                                  "then 0.75 else 0.25\n",
                              {.until = 4});
  EXPECT_EQ(run.figures->inputs.at(0).high, 0.5);
  EXPECT_NEAR(run.figures->inputs[0].limited, 1, 0.0041);  // a row
  const Simulation own =
      loop(mass + "controller c\ncommand u = saturate(2 - t, 0, 1)\n", {.until = 4});
  EXPECT_EQ(own.figures->inputs.at(0).low, 0);
  EXPECT_NEAR(own.figures->inputs[0].limited, 3, 0.0081);  // two rows
  EXPECT_NEAR(own.figures->inputs[0].variation, 1, run_accuracy);
}

TEST(FiguresOfMerit, clocks_report_samples_and_their_time) {
  const Simulation run = loop(mass + "controller c every 100 ms\ncommand u = -x\n", {.until = 1});
  ASSERT_EQ(run.trajectory.controls.size(), 1);
  EXPECT_EQ(run.trajectory.controls[0].samples, 11);
  EXPECT_GT(run.trajectory.controls[0].mean_time, 0);
  EXPECT_GE(run.trajectory.controls[0].largest_time, run.trajectory.controls[0].mean_time);
  EXPECT_THAT(summary(run), HasSubstr("clock    c: 11 samples, "));
  EXPECT_THAT(to_json(run), HasSubstr("\"figures_of_merit\""));
}

TEST(FiguresOfMerit, are_of_runs_with_controllers) {
  EXPECT_FALSE(simulate(load_text(mass), {.until = 1}).figures);
}

// [Druecker2022, example 3.6], a car pulled through a funnel; recomputed independently by SciPy (DOP853, relative tolerance 1e-11),
// sums over rows 10 ms apart.
TEST(FiguresOfMerit, of_a_funnel_are_those_of_another_program) {
  const std::string text =
      "model two\nparameter m2 = 1, m3 = 3, k2 = 3, d2 = 1, alpha = pi/12\ncoordinate x2 = 1, s2 = "
      "0\n"
      "let mass = [x2 + s2*cos(alpha), s2*sin(alpha)]\n"
      "kinetic m2/2*x2'^2 + m3/2*dot(mass', mass')\npotential k2/2*s2^2\n"
      "dissipation d2/2*s2'^2\ninput u\nforce u on x2\noutput z = mass[1]\n"
      "servo z = 1 + 3*rest_to_rest(t/8, smoothness = 4)\n"
      "let e = mass[1] - 1 - 3*rest_to_rest(t/8, smoothness = 4)\n"
      "controller funnel\nlet e1 = e' + e/(1 - (e/(0.5*exp(-t) + 0.1))^2)\n"
      "command u = -18*e1/(1 - (e1/(2*exp(-t) + 0.5))^2)\n"
      "experiment disturbed: simulate(until = 12, every = 0.01, controller = funnel, method = "
      "dop853, "
      "tolerance = 1e-11, plant(m2 = 1.1, m3 = 3.3, k2 = 2.7, d2 = 0.9))\n";
  const auto answer = run(load_text(text), "disturbed");
  const FiguresOfMerit& figures = *dynamic_cast<const Simulation&>(*answer).figures;
  constexpr double computed = 1e-9;  // relative, of the reference
  EXPECT_NEAR(figures.inputs.at(0).peak, 64.33238900850828, computed * 64);
  EXPECT_NEAR(figures.inputs[0].variation, 931.5484012601632, computed * 932);
  EXPECT_NEAR(figures.outputs.at(0).peak, 0.08890427533320899, computed);
}

// ---- controllers side by side

TEST(CompareControllers, are_the_runs_of_each_on_the_same_plant) {
  const std::string text =
      mass +
      "controller slow\ncommand u = 1 - x - 2*x'\ncontroller fast every 10 ms\ncommand u = 9*(1 - "
      "x) "
      "- 6*x'\n"
      "experiment heavy: simulate(until = 12, every = 0.01, controller = slow, plant(m = 2), "
      "initial(x = 0.5))\n";
  const Model model = load_text(text);
  const ControllerComparison compared =
      compare_controllers(model, {.controllers = {"slow", "fast"}, .experiment = "heavy"});
  EXPECT_TRUE(compared.holds) << compared.reason;
  ASSERT_EQ(compared.runs.size(), 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const Simulation alone = simulate(load_text(text, "model.daedal",
                                                {.controllers = {compared.controllers[k]},
                                                 .plant = {{"m", "2"}},
                                                 .starts = {{"x", "0.5"}}}),
                                      {.until = 12, .every = 0.01});
    EXPECT_EQ(compared.runs[k]->figures->outputs.at(0).rms, alone.figures->outputs.at(0).rms);
    EXPECT_EQ(compared.runs[k]->table()->column("x"), alone.table()->column("x"));
  }
  EXPECT_EQ(compared.rows.column("x, slow").size(), 1201);
  EXPECT_EQ(compared.rows.column("x, slow").front(), 0.5);
  EXPECT_THAT(compared.verdict, HasSubstr("'fast' has the least error"));
  EXPECT_THAT(summary(compared), HasSubstr("overshoot [%]"));
}

TEST(CompareControllers, have_a_page_with_a_plot_for_each_output_and_input) {
  const std::string text = mass +
                           "output place = x\ncontroller c every 50 ms\ncommand u = 1 - x - 2*x'\n"
                           "controller d\ncommand u = 1 - x - 2*x'\n";
  const ControllerComparison compared =
      compare_controllers(load_text(text), {.controllers = {"c", "d"}, .simulate = {.until = 2}});
  const emit::Report page = report(compared);
  ASSERT_EQ(page.plots.size(), 2);
  EXPECT_EQ(page.plots[0].title, "place");
  EXPECT_EQ(page.plots[1].title, "u");
  EXPECT_EQ(page.plots[0].curves.size(), 2);
  EXPECT_EQ(page.tables.size(), 2);
  EXPECT_EQ(page.tables[0].rows.size(), 2);
}

}  // namespace
}  // namespace task
}  // namespace daedal
