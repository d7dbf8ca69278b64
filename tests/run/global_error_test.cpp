// The estimated global error where closed forms are known: events, rounding, runs that end early. On the model library:
// tests/models/global_error_test.cpp.

#include "run/global_error.hpp"

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/elliptic.hpp"
#include "support/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace daedal::solve::testing {
namespace {

using ::testing::HasSubstr;

formulate::Problem with_events(const std::string& text) {
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  return formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))), {});
}

Trajectory run(const formulate::Problem& problem, double until, const Method& method) {
  SimulateOptions options;
  options.until = until;
  options.every = until / 100;
  options.method = method;
  return simulate(problem, consistent_point(problem), options);
}

double estimate(const Trajectory& t, const std::string& column) {
  for (const GlobalError::Column& c : t.global_error.columns)
    if (c.name == column) return c.largest;
  throw std::invalid_argument("no column " + column);
}

TEST(GlobalErrorEstimate, follows_the_closed_form_at_every_tolerance) {
  const support::HorizontalPendulum<long double> exact;
  const formulate::Problem problem = problem_of(pendulum_text);
  for (double tolerance = 1e-3; tolerance > 1e-15; tolerance /= 10) {
    const Trajectory t = run(problem, 5, Rk45Options{.tolerance = tolerance});
    double error = 0;
    for (std::size_t r = 0; r < t.table.rows(); ++r)
      error = std::max(
          error, static_cast<double>(std::abs(t.table.at(r, 1) - exact.at(t.table.at(r, 0)).x)));
    EXPECT_LT(estimate(t, "x"), 3 * error) << tolerance;
    EXPECT_GT(estimate(t, "x"), error / 3) << tolerance;
  }
}

TEST(GlobalErrorEstimate, steps_are_halved_and_tolerances_of_rounding_doubled) {
  EXPECT_EQ(std::get<Rk4Options>(finer(Rk4Options{.step = 0.5}, 7)).step, 0.25);
  EXPECT_EQ(std::get<Rk4Options>(finer(Rk4Options{}, 7)).max_steps, 7u);
  EXPECT_EQ(std::get<Rk45Options>(finer(Rk45Options{.tolerance = 32e-9}, 1)).tolerance, 1e-9);
  EXPECT_EQ(std::get<Rk45Options>(finer(Rk45Options{.tolerance = 1e-15}, 1)).tolerance, 2e-15);
  EXPECT_EQ(std::get<TaylorOptions>(finer(TaylorOptions{.tolerance = 1e-18}, 1)).tolerance, 2e-18);
}

// Released from rest, the bob at height y has the speed sqrt(-2 g y); the rod breaks at y = -20/(3 g), and from there on the
// motion is a parabola. The breaking time was recomputed with mpmath, 14 digits.
TEST(GlobalErrorEstimate, includes_the_shift_of_an_event_and_what_it_does_behind) {
  const formulate::Problem problem = with_events(R"(model breaking_pendulum
parameter m = 1, L = 1, g = 9.81
coordinate x = L, y = 0
kinetic   m/2 * (x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
event snap: when rod.force > 10 then release rod
)");
  constexpr double breaking_time = 0.39401610587161;
  const double y = -20 / (3 * 9.81), x = std::sqrt(1 - y * y), speed = std::sqrt(-2 * 9.81 * y);
  const auto height = [&](double t) {
    const double flight = t - breaking_time;
    return y - x * speed * flight - 9.81 / 2 * flight * flight;
  };
  for (const Method& method :
       {Method{Rk45Options{.tolerance = 1e-6}}, Method{Rk45Options{.tolerance = 1e-8}},
        Method{Radau5Options{.tolerance = 1e-6}}, Method{Rk4Options{.step = 5e-3}}}) {
    const Trajectory t = run(problem, 1, method);
    ASSERT_EQ(t.events.size(), 1u);
    const double shift = std::abs(t.events[0].t - breaking_time);
    EXPECT_LT(t.global_error.event_time, 3 * shift) << t.method;
    EXPECT_GT(t.global_error.event_time, shift / 3) << t.method;
    double error = 0;
    for (std::size_t r = 0; r < t.table.rows(); ++r)
      if (t.table.at(r, 0) > t.events[0].t)
        error = std::max(error, std::abs(t.table.at(r, 2) - height(t.table.at(r, 0))));
    EXPECT_LT(estimate(t, "y"), 10 * error) << t.method;
    EXPECT_GT(estimate(t, "y"), error / 10) << t.method;
    EXPECT_LT(estimate(t, "rod.force"), 1) << "rows beside the break are not compared across it";
  }
}

TEST(GlobalErrorEstimate, shows_what_an_event_in_one_run_only_does) {
  // rk4 shrinks the amplitude of x = cos t by t h^5/144: to 1 - 7e-4 at t = pi with h = 0.5, to 1 - 2e-5 with h = 0.25.
  const Trajectory t = run(with_events(R"(model m
variable x = 1, v = 0, touches = 0
equation x' = v
equation v' = -x
equation touches' = 0
event touch: when x < -1 + 2e-4 then set touches = 1
)"),
                           4, Rk4Options{.step = 0.5});
  EXPECT_THAT(t.global_error.remark, HasSubstr("event 'touch' at t = 3.1"));
  EXPECT_THAT(t.global_error.remark, HasSubstr("happens in one run only"));
  EXPECT_TRUE(t.global_error.whole);
  EXPECT_EQ(estimate(t, "touches"), 1);
  EXPECT_LT(estimate(t, "x"), 1e-2);
  EXPECT_EQ(t.trust.level, Trust::Level::none);
  EXPECT_NEAR(t.trust.until, 3.12, 1e-12);  // the last row before the event
}

TEST(GlobalErrorEstimate, does_not_mind_the_order_of_independent_events) {
  // Both cross 0 at t = pi/2, one falling, one rising: which comes first is decided by rounding.
  const Trajectory t = run(with_events(R"(model m
variable x = 1, v = 0, y = -1, w = 0, down = 0, up = 0
equation x' = v
equation v' = -x
equation y' = w
equation w' = -y
equation down' = 0
equation up' = 0
event falls: when x < 0 then set down = 1
event rises: when y > 0 then set up = 1
)"),
                           4, Rk45Options{.tolerance = 1e-5});
  EXPECT_EQ(t.global_error.remark, "");
  EXPECT_LT(estimate(t, "down"), 1e-12);
  EXPECT_EQ(t.trust.level, Trust::Level::full);
}

TEST(GlobalErrorEstimate, of_a_run_that_stops_covers_its_rows) {
  const Trajectory t = run(problem_of("model m\nvariable x = 1\nequation x' = x^2\n"), 2,
                           Rk45Options{.tolerance = 1e-6});  // 1/(1 - t)
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_TRUE(t.global_error.known());
  EXPECT_LE(t.global_error.until, 1);
  EXPECT_GT(t.global_error.until, 0.97);
}

TEST(GlobalErrorEstimate, does_not_change_the_result) {
  const formulate::Problem problem = problem_of(pendulum_text);
  SimulateOptions options;
  options.until = 3;
  const Trajectory with = simulate(problem, consistent_point(problem), options);
  options.global_error = false;
  const Trajectory without = simulate(problem, consistent_point(problem), options);
  EXPECT_FALSE(without.global_error.known());
  EXPECT_EQ(with.statistics.accepted, without.statistics.accepted);
  ASSERT_EQ(with.table.rows(), without.table.rows());
  EXPECT_TRUE(
      std::equal(with.table.data().begin(), with.table.data().end(), without.table.data().begin()));
}

TEST(Interrupted, a_run_keeps_its_rows) {
  std::atomic<bool> interrupt = false;
  SimulateOptions options;
  options.until = 100;
  options.every = 0.1;
  options.watch.stop = &interrupt;
  options.watch.progress = [&](const Progress& p) { interrupt = p.fraction > 0.1; };
  const formulate::Problem problem = problem_of(pendulum_text);
  const Trajectory t = simulate(problem, consistent_point(problem), options);
  EXPECT_EQ(t.status, Status::interrupted);
  EXPECT_THAT(t.reason, HasSubstr("interrupted at t = "));
  EXPECT_FALSE(t.global_error.known());
  ASSERT_GT(t.table.rows(), 10u);
  ASSERT_LT(t.table.rows(), 900u);
  for (std::size_t r = 0; r < t.table.rows(); ++r)
    EXPECT_EQ(t.table.at(r, 0), 0.1 * static_cast<double>(r));
}

}  // namespace
}  // namespace daedal::solve::testing
