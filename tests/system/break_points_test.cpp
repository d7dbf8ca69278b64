// Times at which functions of time switch: all of them and no others, against roots known by construction.

#include "daedal/system/break_points.hpp"

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
#include <random>
#include <string>
#include <vector>

namespace daedal::solve::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double pi = std::numbers::pi;

formulate::Problem rate(const std::string& right_side) {
  return problem_of("model m\nvariable x = 0\nequation x' = " + right_side + "\n");
}

/// Every expected time has a found one beside it and the other way round. Times are those of rounded arguments: a few units in
/// the last place of t, and of g over its slope, here at least 1e-2 of the size of its terms.
void expect_times(const std::string& expression, std::vector<double> expected, double t0,
                  double t1) {
  SCOPED_TRACE(expression);
  std::sort(expected.begin(), expected.end());
  const std::vector<double> found = break_points(rate(expression), t0, t1);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], test::rounding(100, (1 + std::abs(expected[k])) / 1e-2));
}

TEST(BreakPoints, of_a_square_wave_are_all_found) {
  std::vector<double> expected;  // at 0 too: sign(0) is 0, and no step should begin with it
  for (int k = 0; k <= 1000; ++k) expected.push_back(k * 0.01);
  expect_times("sign(sin(2*pi*50*t))", expected, 0, 10.005);
}

TEST(BreakPoints, of_a_chirp_follow_its_frequency) {
  std::vector<double> expected;  // 1e4 of them, the last ones 5e-5 s apart
  for (int k = 0; (k + 0.5) * pi <= 31400; ++k) expected.push_back(std::sqrt((k + 0.5) * pi / 314));
  expect_times("abs(cos(314*t^2))", expected, 0, 10);
}

TEST(BreakPoints, of_floor_and_mod_are_where_whole_numbers_are_passed) {
  expect_times("floor(t^2)", {1, std::sqrt(2.0), std::sqrt(3.0), 2}, 0.5, 2.1);
  expect_times("mod(t, 0.3)", {0, 0.3, 0.6, 0.9}, 0, 1);
  expect_times("floor(3*cos(t))",
               {std::acos(2.0 / 3), std::acos(1.0 / 3), pi / 2, std::acos(-1.0 / 3),
                std::acos(-2.0 / 3), pi, 2 * pi - std::acos(-2.0 / 3)},
               0.1, 4);  // at pi it has an extremum at a whole number
}

TEST(BreakPoints, of_nested_switches_are_those_of_each) {
  // a pulse of 0.3 s every second, and corners of a triangle
  expect_times("if mod(t, 1) < 0.3 then 1 else 0", {0.3, 1, 1.3, 2, 2.3}, 0.1, 2.5);
  expect_times("abs(abs(sin(t)) - 0.5)", {pi / 6, 5 * pi / 6, pi, 7 * pi / 6, 11 * pi / 6}, 0.1, 6);
}

TEST(BreakPoints, where_a_function_touches_or_stays_at_its_value) {
  expect_times("abs((t - 1)^2)", {1}, 0, 3);
  expect_times("abs((t - 1)^3)", {1}, 0, 3);
  expect_times("sign(max(t - 1, 0))", {1}, 0, 3);
  expect_times("sign(max(1 - t, 0))", {1}, 0, 3);
  expect_times("sign(1/(t - 1))", {1}, 0, 3);
  EXPECT_THAT(break_points(rate("sign(2 + sin(t))"), 0, 100), IsEmpty());
  EXPECT_THAT(break_points(rate("abs(1.0000001 - sin(t))"), 0, 100), IsEmpty());
}

TEST(BreakPoints, of_short_pulses_in_a_long_time) {
  // above 1 - 1e-12 for 2 acos(1 - 1e-12) = 2.8e-6 s of every period
  const double half = std::acos(1 - 1e-12);
  std::vector<double> expected;
  for (int k = 1; k <= 15; ++k) {
    expected.push_back(2 * pi * k - half);
    expected.push_back(2 * pi * k + half);
  }
  const std::vector<double> found =
      break_points(rate("if cos(t) > 1 - 1e-12 then 1 else 0"), 1, 99);
  ASSERT_EQ(found.size(), expected.size());
  // the cosine rounds to 1e-16, its slope is 1.4e-6
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 2e-10);
}

TEST(BreakPoints, are_seen_through_inputs) {
  const formulate::Problem problem = problem_of(
      "model m\nvariable x = 0\ninput u = sin(pi*t)\nequation x' = if u < 0 then u else 2*u\n");
  const std::vector<double> found = break_points(problem, 0.5, 3.5);
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(found[k], static_cast<double>(k + 1), test::rounding(8, 1 + found[k]));
}

TEST(BreakPoints, of_conditions_of_events_are_met_too) {
  const formulate::Problem problem = problem_of(
      "model m\nvariable x = 0\nequation x' = 1\n"
      "event late: when t >= 2 and x > 0 then set x = 0\n");
  EXPECT_THAT(break_points(problem, 0, 5), ElementsAre(2));
}

// Functions whose roots are known: a monotone inner function p with inverse q, inside of something with known zeros.
struct Inner {
  std::string text;  // of t
  double (*inverse)(double);
};
const Inner inners[] = {{"t", [](double y) { return y; }},
                        {"(t^2 + t)", [](double y) { return (std::sqrt(1 + 4 * y) - 1) / 2; }},
                        {"(exp(t/4) - 1)", [](double y) { return 4 * std::log1p(y); }},
                        {"sinh(t/3)", [](double y) { return 3 * std::asinh(y); }},
                        {"(t^3/10 + t)", [](double y) {  // Cardano; one real root
                           const double d = std::sqrt(25 * y * y + 1000.0 / 27);
                           return std::cbrt(5 * y + d) + std::cbrt(5 * y - d);
                         }}};

TEST(BreakPoints, of_random_compositions_are_those_of_their_construction) {
  std::mt19937 random(17);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  const double t0 = 0.01, t1 = 6;
  constexpr int most = 600;  // inner functions reach 42, times 40/pi
  for (int trial = 0; trial < 300; ++trial) {
    const Inner& inner = inners[random() % 5];
    std::vector<double> zeros;  // of the outer function of y
    std::string outer;
    const double positive = uniform(0.1, 0.9);
    const std::string factor = fmt::format("(1 + {}*cos(7*t))", positive);  // never 0
    switch (random() % 5) {
      case 0: {
        const double w = uniform(0.5, 40), phase = uniform(-3, 3);
        outer = fmt::format("sign({}*sin({}*{} + {}))", factor, w, inner.text, phase);
        for (int k = -1; k < most; ++k) zeros.push_back((k * pi - phase) / w);
        break;
      }
      case 1: {
        outer = factor;
        for (int k = 0; k < 5; ++k) {
          zeros.push_back(uniform(0.1, 3) + 3 * k);
          outer += fmt::format("*({} - {})", inner.text, zeros.back());
        }
        outer = fmt::format("abs({})", outer);
        break;
      }
      case 2: {
        const double m = uniform(0.3, 2);
        outer = fmt::format("mod({}, {})", inner.text, m);
        for (int k = 1; k < most; ++k) zeros.push_back(k * m);
        break;
      }
      case 3: {
        const double c = uniform(1, 8), shift = uniform(0, 1);
        outer = fmt::format("floor({}*{} + {})", c, inner.text, shift);
        for (int k = 1; k < most; ++k) zeros.push_back((k - shift) / c);
        break;
      }
      default: {
        const double w = uniform(1, 10), level = uniform(0.1, 0.9);  // |sin| has corners too
        outer = fmt::format("if abs(sin({}*{})) < {} then 1 else t", w, inner.text, level);
        for (int k = 0; k < most; ++k) {
          zeros.push_back(k * pi / w);
          zeros.push_back((k * pi + std::asin(level)) / w);
          zeros.push_back((k * pi + pi - std::asin(level)) / w);
        }
      }
    }
    std::vector<double> expected;
    for (const double y : zeros)
      if (const double t = y < 0 ? -1 : inner.inverse(y); t > t0 && t < t1) expected.push_back(t);
    expect_times(outer, expected, t0, t1);
  }
}

TEST(BreakPoints, of_which_there_are_too_many_are_refused) {
  try {
    break_points(rate("floor(1e7*t)"), 0, 10);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("model 'm': 'floor(10000000*t)' switches more than 1000000 times "
                          "between t = 0 s and t = 10 s, and a run stops at each of them"));
    EXPECT_THAT(error.what(), HasSubstr("tanh(g/0.01) for sign(g)"));
  }
}

TEST(BreakPoints, that_rounding_decides_are_refused) {
  try {
    break_points(rate("sign(sin(t)^2 + cos(t)^2 - 1)"), 0, 10);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("model 'm': rounding errors decide on which side "
                                        "'sign(sin(t)^2 + cos(t)^2 - 1)' is between t = 0 s"));
  }
  // a corner is the same on both sides
  EXPECT_NO_THROW(break_points(rate("abs(sin(t)^2 + cos(t)^2 - 1)"), 0, 10));
}

// 1 kg pushed by +-1 N, 50 times a second: x' is a triangle between 0 and 0.01, x(10) = 10*0.005. Between switches the motion is
// a parabola, exact for every method of order 2 or more: 1000 pieces of rounding errors of 1e-16 are left, and of equal steps and
// ida's many small ones 1e4 and more. Euler's methods have order 1 and are not here.
class SquareWave : public ::testing::TestWithParam<Method> {};

TEST_P(SquareWave, pushes_a_mass_to_its_exact_place) {
  const formulate::Problem problem = problem_of(R"(model square
coordinate x = 0 [m]
input u = sign(sin(2*pi*50*t)) [N]
kinetic x'^2/2
force u on x
)");
  SimulateOptions options;
  options.until = 10;
  options.method = GetParam();
  options.global_error = false;
  const Trajectory t = simulate(problem, consistent_point(problem), options);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_NEAR(t.table.at(t.table.rows() - 1, *t.table.find("x")), 0.05, test::rounding(1e5));
  EXPECT_EQ(t.statistics.rejected, 0u);
}

INSTANTIATE_TEST_SUITE_P(methods, SquareWave,
                         ::testing::Values(Method{Rk23Options{}}, Method{Rk45Options{}},
                                           Method{Dop853Options{}}, Method{Radau5Options{}},
                                           Method{TaylorOptions{}}, Method{IdaOptions{}},
                                           Method{Rk4Options{.step = 0.003}},
                                           Method{BdfOptions{.step = 0.002}},
                                           Method{GeneralizedAlphaOptions{.step = 0.003}},
                                           Method{RattleOptions{.step = 0.003}}),
                         [](const auto& method) { return std::string(name(method.param)); });

TEST(SwitchesOfTime, met_within_an_event_condition_that_samples_would_miss) {
  // above 0.9999 for 9 ms in every turn of 2 pi; rows are 1 s apart
  const formulate::Problem problem = problem_of(R"(model m
variable x = 0
equation x' = 1
event tick: when cos(t) > 0.9999 and t > 1 then set x = 0
)");
  SimulateOptions options;
  options.until = 60;
  options.every = 1;
  options.global_error = false;
  for (const Method& method : {Method{TaylorOptions{}}, Method{Rk45Options{}}}) {
    options.method = method;
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    ASSERT_EQ(t.events.size(), 9u) << t.method;
    const double flat = std::sqrt(1 - 0.9999 * 0.9999);  // the slope of cos(t) there
    for (int k = 0; k < 9; ++k)
      EXPECT_NEAR(t.events[static_cast<std::size_t>(k)].t, 2 * pi * (k + 1) - std::acos(0.9999),
                  test::rounding(10, (1 + t.events[static_cast<std::size_t>(k)].t) / flat));
  }
}

}  // namespace
}  // namespace daedal::solve::testing
