// Continuation in the amplitude on problems of one unknown, whose solutions are known.
#include "daedal/boundary/amplitude.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace daedal::test {
namespace {

using namespace daedal::boundary;

/// Newton's method for f(y) = 0 at one amplitude, watched.
AmplitudePath::Attempt newton(const std::function<double(double)>& f,
                              const std::function<double(double)>& slope, double& y) {
  NewtonWatch watch;
  for (int k = 1; k <= 8; ++k) {
    const double step = -f(y) / slope(y);
    y += step;
    if (std::abs(step) <= 1e-10) return {true, k};
    if (watch.hopeless(std::abs(step)) || !std::isfinite(y)) return {false, k};
  }
  return {false, 8};
}

// atan(y - 20 a) = 0: Newton's method comes back from |y - 20 a| < 1.39 only.
TEST(AmplitudePath, reaches_what_newton_does_not_find_from_rest) {
  double y = 0;
  const auto at = [&](double amplitude) {
    return newton([&](double x) { return std::atan(x - 20 * amplitude); },
                  [&](double x) { return 1 / (1 + std::pow(x - 20 * amplitude, 2)); }, y);
  };
  EXPECT_FALSE(at(1).solved);
  y = 0;
  AmplitudePath path({{&y, 1}}, {});
  EXPECT_TRUE(path.follow(at));
  EXPECT_NEAR(y, 20, 1e-10);  // Newton's method ends with a step below it
  // the solutions lie on a line: once two are known, the next one is extrapolated, however far
  EXPECT_LE(path.steps(), 10);
}

// y (1 - y) = a / 2.4 has its two solutions for a < 0.6 only, where they meet.
TEST(AmplitudePath, ends_where_solutions_do_and_leaves_the_last_one) {
  double y = 0;
  int iterations = 0;
  double told = 0;
  const ProgressSink progress = [&](const Progress& p) { told = p.fraction; };
  AmplitudePath path({{&y, 1}}, {progress});
  EXPECT_FALSE(path.follow([&](double amplitude) {
    const AmplitudePath::Attempt made =
        newton([&](double x) { return x * (1 - x) - amplitude / 2.4; },
               [](double x) { return 1 - 2 * x; }, y);
    iterations += made.iterations;
    return made;
  }));
  EXPECT_LE(path.reached(), 0.6);
  EXPECT_GE(path.reached(), 0.6 - 1.0 / 64);  // steps that failed near the end were twice as long
  EXPECT_NEAR(y * (1 - y), path.reached() / 2.4, 1e-10);  // likewise
  EXPECT_LE(iterations, 300 + 8);
  EXPECT_LE(told, path.reached());
}

TEST(AmplitudePath, gives_up_a_motion_that_takes_too_many_steps) {
  double y = 0;
  int iterations = 0;
  AmplitudePath path({{&y, 1}}, {});
  EXPECT_FALSE(path.follow([&](double amplitude) {
    iterations += 8;
    return AmplitudePath::Attempt{amplitude < path.reached() + 1.0 / 100, 8};
  }));
  EXPECT_LT(path.reached(), 1);
  EXPECT_LE(iterations, 300 + 8);
}

}  // namespace
}  // namespace daedal::test
