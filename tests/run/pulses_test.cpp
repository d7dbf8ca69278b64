// Short smooth pulses in time after long rest: every method meets them, against closed forms of what they leave behind.

#include "daedal/system/pulses.hpp"

#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/problems.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::solve::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

constexpr double pi = std::numbers::pi, end = 10;

/// A force on a mass of 1 at rest, and the velocity that it leaves.
struct Pulse {
  std::string name, force;
  double velocity = 0;
};

std::vector<Pulse> pulses_of_width(double w, const std::string& suffix) {
  const double root_pi = std::sqrt(pi);
  const auto centred = fmt::format("((t - 5.03)/{})", w);
  return {
      {"gaussian" + suffix, fmt::format("100*exp(-{}^2)", centred), 100 * w * root_pi},
      {"sech" + suffix, fmt::format("100/cosh{}", centred), 100 * w * pi},
      {"fronts" + suffix, fmt::format("50*(tanh{} - tanh((t - 5.03 - {})/{}))", centred, 2 * w, w),
       200 * w},
      {"bell_of_a_front" + suffix, fmt::format("100*(1 - tanh{}^2)", centred), 200 * w},
      {"lorentzian" + suffix, fmt::format("100/(1 + {}^2)", centred),
       100 * w * (std::atan(5.03 / w) + std::atan(4.97 / w))},
      {"product" + suffix, fmt::format("100*exp(-{}^2)*(2 + sin(t))", centred),
       100 * w * root_pi * (2 + std::exp(-w * w / 4) * std::sin(5.03))},
      {"beside_a_slow_one" + suffix, fmt::format("sin(t) + 100*exp(-{}^2)", centred),
       1 - std::cos(end) + 100 * w * root_pi},
  };
}

/// The integral of sin^n over half a period.
double power_of_sine(int n) {
  double integral = pi;
  for (int k = 2; k <= n; k += 2) integral *= (k - 1.0) / k;
  return integral;
}

std::vector<Pulse> all_pulses() {
  std::vector<Pulse> all;
  for (const auto& [w, suffix] :
       {std::pair{1e-1, "_100ms"}, std::pair{1e-3, "_1ms"}, std::pair{1e-6, "_1us"}})
    for (Pulse& p : pulses_of_width(w, suffix)) all.push_back(std::move(p));
  all.push_back({"sine_to_the_200", "sin(t)^200", 3 * power_of_sine(200)});
  all.push_back({"sine_to_the_2000", "100*sin(t)^2000", 300 * power_of_sine(2000)});
  return all;
}

formulate::Problem pushed(const std::string& force) {
  return problem_of("model m\ncoordinate x\nkinetic x'^2/2\nforce " + force + " on x\n");
}

class ShortPulses : public ::testing::TestWithParam<Method> {};

// Every method stepped over them, the second run as well: x = 0 with "error 0".
TEST_P(ShortPulses, are_met_from_rest) {
  for (const Pulse& pulse : all_pulses()) {
    const formulate::Problem problem = pushed(pulse.force);
    SimulateOptions options;
    options.until = end;
    options.every = end;
    options.method = GetParam();
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    // far from the pulse cosh is infinite, and a series of 1/cosh no number: that is said
    if (std::holds_alternative<TaylorOptions>(GetParam()) && t.status == Status::stopped &&
        pulse.force.find("cosh") != std::string::npos)
      continue;
    ASSERT_EQ(t.status, Status::completed) << pulse.name << ": " << t.reason;
    const double velocity = t.table.at(t.table.rows() - 1, *t.table.find("x'"));
    // tolerance 1e-8, relative and absolute, in each of some hundred steps
    EXPECT_NEAR(velocity, pulse.velocity, test::accumulated(1e-8, 1000, 1 + pulse.velocity))
        << pulse.name;
  }
}

INSTANTIATE_TEST_SUITE_P(methods, ShortPulses,
                         ::testing::Values(Method{Rk23Options{.tolerance = 1e-8}},
                                           Method{Rk45Options{.tolerance = 1e-8}},
                                           Method{Dop853Options{.tolerance = 1e-8}},
                                           Method{TaylorOptions{.tolerance = 1e-8}},
                                           Method{Radau5Options{.tolerance = 1e-8}},
                                           Method{IdaOptions{.tolerance = 1e-8}}),
                         [](const auto& method) { return std::string(name(method.param)); });

// Steps of equal length are what the user asks for: where they are too long for a pulse, the estimated error says so.
TEST(PulsesOfEqualSteps, are_met_or_confessed) {
  for (const Pulse& pulse : all_pulses()) {
    const formulate::Problem problem = pushed(pulse.force);
    SimulateOptions options;
    options.until = end;
    options.every = end;
    options.method = BdfOptions{.step = 0.02};
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    ASSERT_EQ(t.status, Status::completed) << pulse.name << ": " << t.reason;
    const double velocity = t.table.at(t.table.rows() - 1, *t.table.find("x'"));
    const double error = std::abs(velocity - pulse.velocity);
    const auto estimated =
        std::ranges::find(t.global_error.columns, "x'", &GlobalError::Column::name);
    ASSERT_NE(estimated, t.global_error.columns.end());
    // an estimate by halved steps, within a factor of 4 where the order is not yet seen
    EXPECT_LT(error, 4 * estimated->largest + 1e-8 * (1 + pulse.velocity)) << pulse.name;
  }
}

TEST(PulseEnds, enclose_a_pulse_on_every_level) {
  const std::vector<double> found = pulses(pushed("exp(-((t - 5.03)/1e-3)^2)"), {}, 0, end).times;
  ASSERT_THAT(found, Not(IsEmpty()));
  // |g'| is 1e-12 of its largest value at 5.4 widths, 1e-2 at 2.6 widths; intervals are halved until four fit into it.
  EXPECT_GT(found.front(), 5.03 - 20e-3);
  EXPECT_LT(found.front(), 5.03 - 5.2e-3);
  EXPECT_GT(found.back(), 5.03 + 5.2e-3);
  EXPECT_LT(found.back(), 5.03 + 20e-3);
}

// Thousands of them: the largest derivative is not known within a factor then, and 93 % of the pulses of 10^4 s were missed. Of
// more than can be found one by one, as of a run of a year, the rest is said to be missing.
TEST(PulseEnds, of_a_long_train_are_all_found_or_the_rest_is_confessed) {
  const double long_end = 10000;
  const Pulses train = pulses(pushed("sin(t)^200"), {}, 0, long_end);
  EXPECT_EQ(train.too_many_of, "");
  for (int k = 0; (k + 1) * pi < long_end; ++k) {
    const auto after = std::ranges::lower_bound(train.times, (k + 0.5) * pi);
    ASSERT_TRUE(after != train.times.begin() && after != train.times.end()) << k;
    EXPECT_LT(*after - *(after - 1), 0.6 * pi) << k;  // both ends, within a half period
  }
  std::vector<Diagnostic> warnings;
  stops_of_a_run(pushed("sin(t)^200"), 0, 3e7, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0].message,
              ::testing::StartsWith("model 'm': 'sin(t)^200' has too many short "
                                    "pulses: steps may go over those after t = "));
}

// Runs of models without pulses keep their bits: nothing is found in what changes all the time, slowly, or from the start on.
TEST(PulseEnds, are_none_where_there_is_no_pulse) {
  for (const char* force : {"1",
                            "sin(t)",
                            "sin(1000*t)^3",
                            "exp(-t)",
                            "exp(-1000*t)",
                            "1/(2 + sin(50*t))",
                            "exp(t)",
                            "exp(3*t)",
                            "t^5",
                            "sqrt(1 + t^2)",
                            "(t/10)^3*(1 - t/10)^3",
                            "atan(t)",
                            "exp(sin(7*t))",
                            "rest_to_rest((t - 5)/1e-3, smoothness = 4)^3",
                            "1/(1 + rest_to_rest(t/3, smoothness = 4))",
                            "exp(-t)*sin(30*t)^4",
                            "1/(t + 1)",
                            "log(1 + t)",
                            "tan(t)",
                            "exp(-1/t)"})
    EXPECT_THAT(pulses(pushed(force), break_points(pushed(force), 0, end), 0, end).times, IsEmpty())
        << force;
}

// A pulse in an input, in a parameter of a spring, and in a run that begins late.
TEST(PulseEnds, are_found_wherever_time_stands_alone) {
  EXPECT_THAT(pulses(problem_of("model m\ncoordinate x\nkinetic x'^2/2\ninput u = "
                                "exp(-((t - 2)/0.01)^2)\nforce u on x\n"),
                     {}, 0, end)
                  .times,
              Not(IsEmpty()));
  EXPECT_THAT(pulses(problem_of("model m\nparameter w = 0.01\ncoordinate x = 1\nkinetic "
                                "x'^2/2\npotential (1 + tanh((t - 2)/w))*x^2\n"),
                     {}, 0, end)
                  .times,
              Not(IsEmpty()));
  EXPECT_THAT(pulses(pushed("exp(-((t - 2)/0.01)^2)"), {}, 3, end).times, IsEmpty());
}

}  // namespace
}  // namespace daedal::solve::testing
