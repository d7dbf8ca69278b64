// Many runs against distributions that are known in closed form; the same numbers whatever the threads.
#include "daedal/task/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using testing::HasSubstr;

constexpr double run_accuracy = 1e-9;  // tolerance of a step 1e-11
constexpr double z975 =
    1.959963984540054;  // quantile of the normal distribution [AbramowitzStegun1964, table 26.1]

/// Standard deviation of the 97.5 % quantile of n normal numbers of deviation 1: sqrt(p (1 - p)/n)/density.
double quantile_deviation(std::size_t n) {
  const double density = std::exp(-z975 * z975 / 2) / std::sqrt(2 * std::numbers::pi);
  return std::sqrt(0.025 * 0.975 / static_cast<double>(n)) / density;
}
constexpr double most_deviations = 4;  // seeds are fixed; one in 16000 would miss

const std::string spring =
    "model m\nparameter k = 1\ncoordinate x = 1\nkinetic x'^2/2\ninput u\nforce u on x\n"
    "controller c\ncommand u = -k*x\n";

MonteCarlo many(const std::string& text, MonteCarloOptions options) {
  if (!options.simulate.tolerance) options.simulate.tolerance = 1e-11;
  return monte_carlo(load_text(text, "model.daedal", {.controllers = {"c"}}), options);
}

// x = x0 cos(t): quantiles are those of the start values, times the cosine.
TEST(MonteCarlo, bands_are_those_of_a_linear_motion) {
  MonteCarloOptions options;
  options.simulate.until = 3;
  options.starts = {{"x", "normal(1, 0.1)"}};
  options.runs = 1000;
  options.seed = 1;
  const MonteCarlo result = many(spring, options);
  ASSERT_TRUE(result.holds) << result.reason;
  EXPECT_EQ(result.bands.rows(), 201);
  std::vector<double> starts = result.table_of_runs.column("x");
  std::ranges::sort(starts);
  ASSERT_EQ(starts.size(), 1000);
  const double bound = most_deviations * quantile_deviation(1000);
  EXPECT_NEAR((result.bands.column("x 97.5 %")[0] - 1) / 0.1, z975, bound);
  EXPECT_NEAR((result.bands.column("x 2.5 %")[0] - 1) / 0.1, -z975, bound);
  const auto times = result.bands.column("t"), low = result.bands.column("x 2.5 %"),
             median = result.bands.column("x 50 %"), high = result.bands.column("x 97.5 %");
  for (std::size_t r = 0; r < times.size(); ++r) {
    const double c = std::cos(times[r]);
    EXPECT_NEAR(low[r], c * (c > 0 ? low[0] : high[0]), run_accuracy);
    EXPECT_NEAR(median[r], c * median[0], run_accuracy);
    EXPECT_NEAR(high[r], c * (c > 0 ? high[0] : low[0]), run_accuracy);
  }
}

// x_{k+1} = x_k + T (-a x_k + w_k): the variance v_{k+1} = (1 - a T)^2 v_k + T^2 s^2.
TEST(MonteCarlo, bands_of_noise_have_the_width_of_its_covariance) {
  MonteCarloOptions options;
  options.simulate.until = 2;
  options.simulate.every = 0.1;
  options.runs = 2000;
  options.seed = 7;
  const MonteCarlo result = many(
      "model m\nvariable x = 0\ninput u\nequation x' = u\noutput y = x\n"
      "controller c every 100 ms\ncommand u = -3*x + noise(2)\n",
      options);
  ASSERT_TRUE(result.holds) << result.reason;
  const auto high = result.bands.column("y 97.5 %"), low = result.bands.column("y 2.5 %");
  ASSERT_EQ(high.size(), 21);
  double variance = 0;
  for (std::size_t k = 1; k < high.size(); ++k) {
    variance = 0.7 * 0.7 * variance + 0.1 * 0.1 * 4;
    const double deviation = std::sqrt(variance);
    EXPECT_NEAR(high[k] / deviation, z975, most_deviations * quantile_deviation(2000));
    EXPECT_NEAR(low[k] / deviation, -z975, most_deviations * quantile_deviation(2000));
  }
}

MonteCarloOptions disturbed(std::size_t runs) {
  MonteCarloOptions options;
  options.simulate.until = 1;
  options.plant = {{"k", "uniform(0.5, 1.5)"}};
  options.starts = {{"x", "normal(1, 0.1)"}};
  options.runs = runs;
  return options;
}

const std::string sampled =
    "model m\nparameter k = 1\ncoordinate x = 1\nkinetic x'^2/2\npotential k/2*x^2\ninput u\nforce "
    "u on x\ncontroller c every 100 ms\nmeasure x + noise(0.01)\ncommand u = -2*x - derivative(x, "
    "filter = 0.1)\n";

TEST(MonteCarlo, has_the_same_bits_whatever_the_number_of_threads) {
  MonteCarloOptions options = disturbed(40);
  options.threads = 1;
  const MonteCarlo alone = many(sampled, options);
  options.threads = 3;
  const MonteCarlo together = many(sampled, options);
  ASSERT_TRUE(alone.holds) << alone.reason;
  EXPECT_TRUE(std::ranges::equal(alone.bands.data(), together.bands.data()));
  for (std::size_t c = 0; c < alone.table_of_runs.width(); ++c) {
    const auto a = alone.table_of_runs.column(c), b = together.table_of_runs.column(c);
    for (std::size_t r = 0; r < a.size(); ++r)
      EXPECT_TRUE(a[r] == b[r] || (std::isnan(a[r]) && std::isnan(b[r])));
  }
}

// Run k draws the same in a longer plan, and whatever else is drawn.
TEST(MonteCarlo, a_run_depends_on_seed_number_and_name_alone) {
  const MonteCarlo few = many(sampled, disturbed(5)), more = many(sampled, disturbed(9));
  const auto k = few.table_of_runs.column("k"), same = more.table_of_runs.column("k");
  EXPECT_TRUE(std::equal(k.begin(), k.end(), same.begin()));
  MonteCarloOptions one = disturbed(5);
  one.starts.clear();
  EXPECT_EQ(many(sampled, one).table_of_runs.column("k"), k);
  one.seed = 1;
  EXPECT_NE(many(sampled, one).table_of_runs.column("k"), k);
  for (const double value : k) {
    EXPECT_GE(value, 0.5);
    EXPECT_LE(value, 1.5);
  }
}

// x' = p x^2 escapes at t = 1/p: before the end in every run with p > 1.
TEST(MonteCarlo, counts_runs_that_stop) {
  MonteCarloOptions options;
  options.simulate.until = 1;
  options.simulate.tolerance = 1e-8;
  options.plant = {{"p", "uniform(0, 2)"}};
  options.runs = 60;
  const MonteCarlo result = many(
      "model m\nparameter p = 0.5\nvariable x = 1\ninput u\nequation x' = p*x^2 + u\noutput y = "
      "x\ncontroller c\ncommand u = 0\n",
      options);
  EXPECT_FALSE(result.holds);
  EXPECT_EQ(result.done, 60);
  EXPECT_EQ(result.failures.size() + result.table_of_runs.rows(), 60);
  EXPECT_GT(result.failures.size(), 15);  // 30 expected, deviation 3.9
  EXPECT_LT(result.failures.size(), 45);
  for (const double p : result.table_of_runs.column("p")) EXPECT_LE(p, 1);
  EXPECT_THAT(result.verdict, HasSubstr("of 60 runs did not come to an end"));
}

TEST(MonteCarlo, keeps_what_is_done_when_it_is_interrupted) {
  MonteCarloOptions options = disturbed(100000);
  std::atomic<bool> stop{false};
  options.simulate.watch.stop = &stop;
  int told = 0;
  options.simulate.watch.progress = [&](const Progress&) { stop = ++told >= 8; };
  const MonteCarlo result = many(sampled, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.table_of_runs.rows(), 8);
  EXPECT_LT(result.done, 1000);
  EXPECT_EQ(result.bands.rows(), 201);
}

// A constant is measured again and again, from a start of known spread: the filter's covariance is exact, and so is the average of
// its normalised squared errors.
TEST(MonteCarlo, finds_observers_consistent_where_they_are) {
  const auto observed = [&](const std::string& believed) {
    MonteCarloOptions options;
    options.simulate.until = 2;
    options.starts = {{"x", "normal(0, 0.2)"}};
    options.runs = 400;
    return many(
        "model m\nvariable x = 0\ninput u\nequation x' = u\noutput y = x\n"
        "controller c every 100 ms\nmeasure x + noise(0.1)\n"
        "observe kalman(process = 1e-9, start = 0.2" +
            believed + ")\ncommand u = 0\n",
        options);
  };
  const MonteCarlo right = observed("");
  ASSERT_EQ(right.observers.size(), 1) << right.reason;
  EXPECT_EQ(right.observers[0].degrees, 1);
  // each average has the deviation sqrt(2/400); those of neighbouring samples are nearly the same
  const double deviation = std::sqrt(2.0 / 400);
  EXPECT_NEAR(right.observers[0].average, 1, most_deviations * deviation);
  // Quantiles of a chi-square with 400 degrees, by the cube of a normal number [AbramowitzStegun1964, 26.4.14].
  constexpr double of_cube = 1e-4;  // accuracy of that approximation above 100 degrees
  const double w = 2.0 / (9 * 400);
  EXPECT_NEAR(right.observers[0].low, std::pow(1 - w - z975 * std::sqrt(w), 3), of_cube);
  EXPECT_NEAR(right.observers[0].high, std::pow(1 - w + z975 * std::sqrt(w), 3), of_cube);
  const MonteCarlo sure = observed(", noise = 0.05");
  EXPECT_GT(sure.observers.at(0).average, 2);  // towards (0.1/0.05)^2
  EXPECT_LT(sure.observers[0].within, 0.3);
}

// Two redundant coordinates have errors along the circle alone: two degrees of freedom, not four.
TEST(MonteCarlo, errors_on_constraints_lie_in_their_tangent) {
  MonteCarloOptions options;
  options.simulate.until = 1;
  options.starts = {{"x", "normal(0, 0.1)"}, {"x'", "normal(0, 0.1)"}};
  options.runs = 100;
  const MonteCarlo result = many(
      "model m\ncoordinate x = 0, y = -1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint rod: norm([x, y]) = 1\ninput u\nforce u on x\n"
      "controller c every 20 ms\nmeasure x + noise(0.01), rod.force + noise(0.1)\n"
      "observe ukf(process = 1e-6, start = 0.1)\ncommand u = 0\n",
      options);
  ASSERT_EQ(result.observers.size(), 1) << result.reason;
  EXPECT_EQ(result.observers[0].degrees, 2);
  // of one sample's average; the circle is curved by 0.1^2/2 of the errors
  EXPECT_NEAR(result.observers[0].average, 1, most_deviations * std::sqrt(2.0 / 200));
}

TEST(MonteCarlo, refuses_what_is_no_distribution) {
  const auto fault = [&](const std::string& text) {
    MonteCarloOptions options = disturbed(3);
    options.plant = {{"k", text}};
    try {
      many(sampled, options);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  EXPECT_THAT(fault("cauchy(1, 2)"), HasSubstr("plant k=cauchy(1, 2): no distribution"));
  EXPECT_THAT(fault("normal(1, -2)"), HasSubstr("a deviation is 0 or above"));
  EXPECT_THAT(fault("uniform(2, 1)"), HasSubstr("the lower end is above the upper one"));
  EXPECT_THAT(fault("normal(1, x)"), HasSubstr("'x' is not a number"));
}

}  // namespace
}  // namespace task
}  // namespace daedal
