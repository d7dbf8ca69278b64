// Which part of a run can be relied on: where the motion is chaotic, where nothing was estimated, where energy is lost, and
// where all is well although it looks odd.

#include "run/trust.hpp"

#include "daedal/start/prepare.hpp"
#include "run/global_error.hpp"
#include "support/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace daedal::solve::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string double_pendulum = R"(model dp
coordinate a = 2*pi/3 [rad], b = 2*pi/3 + 0.1 [rad]
let P = [sin(a), -cos(a)]
let Q = P + [sin(b), -cos(b)]
kinetic (dot(P', P') + dot(Q', Q'))/2
potential 9.81*(P[2] + Q[2])
)";

SimulateOptions options_for(double until, const Method& method) {
  SimulateOptions options;
  options.until = until;
  options.method = method;
  return options;
}

Trajectory run_to(const formulate::Problem& problem, double until, const Method& method = {}) {
  return simulate(problem, consistent_point(problem), options_for(until, method));
}

TEST(Trust, of_a_chaotic_motion_ends_where_its_error_is_a_tenth_of_the_motion) {
  const formulate::Problem problem = problem_of(double_pendulum);
  const Trajectory t = run_to(problem, 60, Rk45Options{.tolerance = 1e-9});
  ASSERT_EQ(t.status, Status::completed);
  EXPECT_EQ(t.trust.level, Trust::Level::none);
  EXPECT_EQ(status_name(t), "wrong");
  ASSERT_GT(t.trust.until, 10);
  ASSERT_LT(t.trust.until, 50);
  ASSERT_THAT(t.warnings, SizeIs(1));
  EXPECT_THAT(t.warnings[0].message,
              ::testing::MatchesRegex(
                  "model 'dp': the result cannot be trusted after t = [0-9.]+ s: the estimated "
                  "error of '[ab]'*' grows to [0-9.]+ rad(/s)? for a motion of [0-9.]+ "
                  "rad(/s)?"));
  // Series in 18 digits are right to far below a tenth of the motion for that long.
  const Trajectory exact = run_to(problem, t.trust.until, TaylorOptions{.tolerance = 1e-18});
  const auto row = static_cast<std::size_t>(std::lround(t.trust.until / 0.06));
  for (const std::size_t c : {1u, 2u})
    EXPECT_NEAR(t.table.at(row, c), exact.table.at(exact.table.rows() - 1, c),
                3 * notable_share * t.global_error.columns[c - 1].motion);
}

TEST(Trust, a_regular_motion_is_trusted_to_its_end) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const Trajectory t = run_to(problem_of(pendulum_text), 5, Rk45Options{.tolerance = tolerance});
    EXPECT_EQ(t.trust.level, Trust::Level::full) << tolerance;
    EXPECT_EQ(t.trust.until, 5);
    EXPECT_THAT(t.warnings, IsEmpty());
    EXPECT_EQ(status_name(t), "completed");
  }
}

/// A good run of the pendulum, to be spoilt.
struct Spoilt {
  formulate::Problem problem = problem_of(pendulum_text);
  ConsistentPoint start = consistent_point(problem);
  SimulateOptions options;
  Trajectory first, second;

  explicit Spoilt(double tolerance) : options(options_for(5, Rk45Options{.tolerance = tolerance})) {
    options.global_error = false;
    options.history = true;
    first = simulate(problem, start, options);
    options.method = finer(options.method, 10'000);
    second = simulate(problem, start, options);
    options.method = Rk45Options{.tolerance = tolerance};
    options.global_error = true;
    first.warnings.clear();
  }
  Trust judged() {
    first.global_error = difference(
        first, second, motion_size(*problem.dae->model, first, tolerance(options.method)));
    first.global_error.method = "rk45";
    judge(problem, start, options, first);
    return first.trust;
  }
};

TEST(Trust, energy_that_both_runs_lose_is_not_explained_by_their_difference_at_any_tolerance) {
  for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-9}) {
    Spoilt runs(tolerance);
    runs.first.energy.largest_error = 0.9 * runs.first.energy.scale;
    runs.second.energy.largest_error = 0.8 * runs.first.energy.scale;
    EXPECT_EQ(runs.judged().level, Trust::Level::none) << tolerance;
    EXPECT_THAT(runs.first.trust.reason, HasSubstr("that no force accounts for"));
    EXPECT_THAT(runs.first.warnings.back().help, HasSubstr("formulation = null_space"));
  }
}

TEST(Trust, energy_that_comes_back_with_shorter_steps_is_an_error_like_any_other) {
  Spoilt runs(1e-3);
  runs.first.energy.largest_error = 0.05 * runs.first.energy.scale;
  runs.second.energy.largest_error = 0.002 * runs.first.energy.scale;
  EXPECT_EQ(runs.judged().level, Trust::Level::full);
}

TEST(Trust, rows_without_an_estimate_have_no_number_that_could_be_mistaken) {
  Spoilt runs(1e-6);
  Table half(runs.second.table.columns());
  for (std::size_t r = 0; r <= 500; ++r)
    std::ranges::copy(runs.second.table.row(r), half.append().begin());
  runs.second.table = half;
  runs.second.status = Status::stopped;
  runs.second.reason = "stopped at t = 2.501 s: for a reason\n  and more";
  EXPECT_EQ(runs.judged().level, Trust::Level::partial);
  EXPECT_EQ(runs.first.trust.until, 2.5);
  EXPECT_EQ(status_name(runs.first), "unverified");
  EXPECT_EQ(runs.first.global_error.columns[0].largest, std::numeric_limits<double>::infinity());
  EXPECT_LT(runs.first.global_error.columns[0].compared, 1e-3);
  EXPECT_EQ(runs.first.warnings.back().message,
            "model 'pendulum': the result has no estimate of its error after t = 2.5 s: the second "
            "run stopped at t = 2.501 s: for a reason");
}

TEST(Trust, two_runs_of_the_same_steps_say_nothing) {
  Spoilt runs(1e-6);
  runs.second = runs.first;
  const GlobalError error =
      difference(runs.first, runs.second, motion_size(*runs.problem.dae->model, runs.first, 1e-6));
  EXPECT_FALSE(error.known());
  EXPECT_FALSE(error.whole);
  EXPECT_THAT(error.columns, IsEmpty());
  EXPECT_THAT(error.remark, HasSubstr("took the same steps"));
}

// 1 Hz oscillator under a force with a break every 10 ms: rk45 at 1e-3 could step over 20 of them.
TEST(Trust, the_second_run_takes_shorter_steps_where_break_points_rule_them) {
  const Trajectory t = run_to(problem_of(R"(model m
coordinate x = 1
kinetic   x'^2/2
potential 20*x^2
force 1e-3*abs(sin(100*pi*t)) on x
)"),
                              1, Rk45Options{.tolerance = 1e-3});
  EXPECT_GE(t.global_error.statistics.accepted, 2 * t.statistics.accepted - 10);
  EXPECT_GT(t.global_error.columns[0].largest, 0);
}

// x = cos t until the weight acts, then around -5: x + 5 = (cos 1 + 5) cos(t - 1) - sin 1 sin(t - 1).
TEST(Trust, a_potential_that_jumps_in_time_does_work) {
  for (const char* later : {"t > 1", "t >= 1"}) {
    const Trajectory t = run_to(problem_of(std::string(R"(model load
coordinate x = 1
kinetic x'^2/2
potential x^2/2 + (if )") + later + " then 5 else 0)*x\n"),
                                10, Rk45Options{.tolerance = 1e-9});
    const double exact = (std::cos(1) + 5) * std::cos(9) - std::sin(1) * std::sin(9) - 5;
    constexpr double accuracy = 1e-7;  // a hundred tolerances
    EXPECT_NEAR(t.table.at(t.table.rows() - 1, 1), exact, accuracy);
    EXPECT_NEAR(t.energy.work, 5 * std::cos(1), accuracy);
    EXPECT_LT(t.energy.largest_error, accuracy) << later;
    EXPECT_EQ(t.trust.level, Trust::Level::full);
    EXPECT_THAT(t.warnings, IsEmpty());
  }
}

TEST(Trust, noise_around_rest_is_no_motion) {
  // A stiff spring at rest, but for rounding: 1 + 1e-17 of it.
  const Trajectory t = run_to(problem_of(R"(model m
coordinate x = 0.1, y = 0.2
kinetic   (x'^2 + y'^2)/2
potential 1e9*(sqrt(x^2 + y^2) - sqrt(0.05))^2
)"),
                              0.1, Rk45Options{.tolerance = 1e-9});
  EXPECT_EQ(t.trust.level, Trust::Level::full) << t.trust.reason;
  for (const Diagnostic& w : t.warnings) EXPECT_THAT(w.message, HasSubstr("seems stiff"));
}

// Two windows of parallel links through the pose where all are collinear: one pendulum, 3 th'' = 3.5 g sin th. index1 takes
// another branch there at most tolerances; what it does at which one depends on the last bits.
TEST(Trust, no_wrong_end_after_a_singular_pose_goes_without_a_word) {
  const std::string windows = R"(model windows
coordinate x[1..3] = [0, 1, 2], y[1..3] = 1
let P[i in 1..3] = [x[i], y[i]]
let rod(u, v) = (dot(u, u) + dot(u, v) + dot(v, v))/6
initial x' = [1, 1, 1]
kinetic   sum(i in 1..3: rod([0, 0], P[i]')) + sum(i in 1..2: rod(P[i]', P[i+1]'))
potential 9.81*(sum(i in 1..3: y[i]/2) + sum(i in 1..2: (y[i] + y[i+1])/2))
constraint up[i in 1..3]: (x[i] - (i - 1))^2 + y[i]^2 = 1
constraint across[i in 1..2]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1
)";
  const formulate::Problem angle = problem_of(
      "model p\ncoordinate th = 0\ninitial th' = 1\nkinetic 3/2*th'^2\npotential "
      "3.5*9.81*cos(th)\n");
  const Trajectory exact = run_to(angle, 10, TaylorOptions{.tolerance = 1e-14});
  const double th = exact.table.at(exact.table.rows() - 1, 1);
  const formulate::Problem problem = problem_of(windows, {.kind = formulate::Kind::index1});
  for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 10) {
    const Trajectory t = run_to(problem, 10, Dop853Options{.tolerance = tolerance});
    const std::size_t last = t.table.rows() - 1;
    const bool right =
        std::hypot(t.table.at(last, 1) - std::sin(th), t.table.at(last, 4) - std::cos(th)) < 0.2;
    EXPECT_TRUE(right || t.status != Status::completed || t.trust.in_doubt()) << tolerance;
  }
}

}  // namespace
}  // namespace daedal::solve::testing
