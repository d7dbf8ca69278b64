// Whole simulations from model text: accuracy, drift, energy, rows, reasons.

#include "daedal/run/simulate.hpp"

#include "daedal/integrate/combination.hpp"
#include "daedal/system/break_points.hpp"
#include "support/bounds.hpp"
#include "support/elliptic.hpp"
#include "support/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedal::solve::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Trajectory simulate_text(const std::string& text, const SimulateOptions& options,
                         const formulate::Formulation& formulation = {}) {
  const formulate::Problem problem = problem_of(text, formulation);
  return simulate(problem, consistent_point(problem), options);
}

SimulateOptions with(const Method& method, double until, double every = 0) {
  SimulateOptions options;
  options.method = method;
  options.until = until;
  options.every = every;
  return options;
}

Method rk45(double tolerance) {
  Rk45Options options;
  options.tolerance = tolerance;
  return options;
}
Method radau5(double tolerance) {
  Radau5Options options;
  options.tolerance = tolerance;
  return options;
}
Method ida(double tolerance) {
  IdaOptions options;
  options.tolerance = tolerance;
  return options;
}

formulate::Formulation formulation(formulate::Kind kind, double pole = 0) {
  formulate::Formulation f;
  f.kind = kind;
  f.all = {2 * pole, pole * pole};
  return f;
}

double largest_pendulum_error(const Trajectory& trajectory) {
  const support::HorizontalPendulum<> exact;
  double worst = 0;
  for (std::size_t r = 0; r < trajectory.table.rows(); ++r) {
    const auto at = exact.at(trajectory.table.at(r, 0));
    worst = std::max({worst, std::abs(trajectory.table.at(r, 1) - at.x),
                      std::abs(trajectory.table.at(r, 2) - at.y)});
  }
  return worst;
}

TEST(Simulate, pendulum_follows_elliptic_functions_to_1e_10_over_ten_periods) {
  const double until = 10 * support::HorizontalPendulum<>{}.period();
  const Trajectory trajectory = simulate_text(pendulum_text, with(rk45(1e-13), until));
  ASSERT_EQ(trajectory.status, Status::completed) << trajectory.reason;
  EXPECT_LT(largest_pendulum_error(trajectory), 1e-10);
  EXPECT_LT(trajectory.energy.largest_error, 1e-10);
}

TEST(Simulate, all_methods_and_formulations_follow_the_pendulum) {
  for (const Method& method : {rk45(1e-10), radau5(1e-10), ida(1e-11)})
    for (const auto kind :
         {formulate::Kind::projection, formulate::Kind::index1, formulate::Kind::baumgarte}) {
      const Trajectory trajectory =
          simulate_text(pendulum_text, with(method, 3), formulation(kind, 5));
      ASSERT_EQ(trajectory.status, Status::completed) << trajectory.reason;
      EXPECT_LT(largest_pendulum_error(trajectory), 1e-6) << name(method) << static_cast<int>(kind);
    }
}

TEST(Simulate, senseless_combinations_are_refused_with_the_reason) {
  using formulate::Kind;
  const auto message = [](const char* method, Kind kind) {
    const auto refused =
        refusal(problem_of(pendulum_text, formulation(kind)), make_method(method, {}));
    return refused ? refused->message + " | " + refused->help : "";
  };
  EXPECT_EQ(
      message("rk4", Kind::index3),
      "method rk4 solves the equations for accelerations and multipliers, which they do not "
      "determine in index3 | take an implicit method (radau5, bdf), or the formulation projection");
  EXPECT_EQ(message("ida", Kind::index2),
            "method ida measures the error of multipliers by the tolerance of a step, which stalls "
            "it in index2 | take radau5, which weighs them by powers of the step, or the "
            "formulation projection");
  EXPECT_EQ(message("taylor", Kind::baumgarte),
            "method taylor expands the equations themselves and has no use for baumgarte | leave "
            "the formulation out: taylor projects on the constraints and the hidden ones");
  for (const char* method : {"rk45", "taylor", "ida", "radau5"})
    EXPECT_EQ(message(method, Kind::projection), "");
  EXPECT_EQ(message("radau5", Kind::index3), "");
}

TEST(Simulate, radau5_controls_its_steps_on_index_2_and_3) {
  for (const auto kind : {formulate::Kind::index2, formulate::Kind::index3}) {
    const Trajectory trajectory =
        simulate_text(pendulum_text, with(radau5(1e-9), 3), formulation(kind));
    ASSERT_EQ(trajectory.status, Status::completed) << trajectory.reason;
    EXPECT_LT(largest_pendulum_error(trajectory), 1e-5);
  }
}

// The rod of stiffness k carries at most 3 m g: the constraint x^2 + y^2 - 1 is violated by lambda/k, lambda = 3 g/2.
TEST(Simulate, penalty_violates_the_constraint_by_force_over_stiffness) {
  formulate::Formulation penalty;
  penalty.kind = formulate::Kind::penalty;
  for (const double stiffness : {1e5, 1e6}) {
    penalty.penalty = {stiffness, 2 * std::sqrt(stiffness)};
    const Trajectory trajectory = simulate_text(pendulum_text, with(radau5(1e-8), 2), penalty);
    ASSERT_EQ(trajectory.status, Status::completed) << trajectory.reason;
    EXPECT_NEAR(trajectory.drift[0].largest * stiffness, 1.5 * 9.81,
                0.01 * 1.5 * 9.81);  // less the damper's share: the force changes within 1/sqrt(k)
  }
}

TEST(Simulate, projection_keeps_all_levels_at_rounding_and_index_1_drifts) {
  const Trajectory projected = simulate_text(pendulum_text, with(rk45(1e-6), 20));
  ASSERT_EQ(projected.drift.size(), 3u);
  EXPECT_EQ(projected.drift[0].level, "position");
  EXPECT_EQ(projected.drift[1].level, "velocity");
  EXPECT_EQ(projected.drift[2].level, "acceleration");
  // c = x^2 + y^2 - 1, c' of size 2 |v| ~ 9, c'' of size 2 g: a few units in the last place of
  // these
  EXPECT_LT(projected.drift[0].largest, 8 * 2.3e-16);
  EXPECT_LT(projected.drift[1].largest, 9 * 8 * 2.3e-16);
  EXPECT_LT(projected.drift[2].largest, 60 * 8 * 2.3e-16);
  const Trajectory drifting =
      simulate_text(pendulum_text, with(rk45(1e-6), 20), formulation(formulate::Kind::index1));
  EXPECT_GT(drifting.drift[0].largest, 1e-7);
  EXPECT_EQ(drifting.drift[0].constraint, "rod");
  EXPECT_GT(drifting.drift[0].at, 1);
}

TEST(Simulate, baumgarte_keeps_the_drift_near_the_tolerance) {
  const Trajectory trajectory = simulate_text(pendulum_text, with(rk45(1e-8), 20),
                                              formulation(formulate::Kind::baumgarte, 5));
  EXPECT_LT(trajectory.drift[0].largest, 1e-6);
}

TEST(Simulate, levels_of_plain_equations_are_counted_by_derivatives) {
  const formulate::Problem problem = problem_of_file("cstr");
  const Trajectory trajectory = simulate(problem, consistent_point(problem), with(rk45(1e-9), 2));
  ASSERT_EQ(trajectory.drift.size(), 2u);
  EXPECT_EQ(trajectory.drift[0].level, "equations");
  EXPECT_EQ(trajectory.drift[1].level, "derivative 1");
  EXPECT_FALSE(trajectory.energy.known);
}

// A hanging chain of 40 links in absolute coordinates: 200 unknowns, projected with matrices kept
// over many steps.
TEST(Simulate, a_large_system_is_projected_to_rounding_with_kept_matrices) {
  const std::string text = R"(model links
size N = 40
coordinate x[1..N], y[1..N]
kinetic   sum(i in 1..N: (x[i]'^2 + y[i]'^2)/2)
potential sum(i in 1..N: 9.81*y[i])
constraint first: x[1]^2 + y[1]^2 = 1
constraint link[i in 2..N]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1
for i in 1..N: initial x[i] = i
)";
  const Trajectory trajectory = simulate_text(text, with(rk45(1e-7), 1));
  ASSERT_EQ(trajectory.status, Status::completed) << trajectory.reason;
  EXPECT_LT(trajectory.drift[0].largest, 40 * 8 * 2.3e-16);  // coordinates up to 40
  EXPECT_LT(trajectory.drift[1].largest, 40 * 8 * 2.3e-15);  // velocities up to 10
  EXPECT_LT(trajectory.energy.largest_error, 1e-4 * trajectory.energy.scale);
}

TEST(Simulate, rows_begin_at_0_end_at_until_and_carry_the_users_names) {
  const Trajectory trajectory = simulate_text(pendulum_text, with(rk45(1e-8), 1, 0.3));
  std::vector<std::string> names;
  for (const Column& column : trajectory.table.columns()) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("t", "x", "y", "x'", "y'", "rod.force", "height", "rod.tension"));
  EXPECT_EQ(trajectory.table.columns()[3].unit, "m/s");
  EXPECT_THAT(trajectory.table.column(0), ElementsAre(0, 0.3, 0.6, 3 * 0.3, 1));
  EXPECT_EQ(trajectory.table.column(6), trajectory.table.column(2));
}

TEST(Simulate, a_whole_number_of_intervals_gives_no_sliver_at_the_end) {
  const Trajectory trajectory = simulate_text(pendulum_text, with(rk45(1e-6), 0.3, 0.1));
  EXPECT_EQ(trajectory.table.rows(), 4u);
  EXPECT_EQ(simulate_text(pendulum_text, with(rk45(1e-6), 0.7)).table.rows(), 1001u);
}

TEST(Simulate, the_same_run_gives_the_same_bits_on_tape_and_native) {
  SimulateOptions options = with(rk45(1e-9), 2);
  options.compile.backend = compile::Backend::tape;
  const Trajectory tape = simulate_text(pendulum_text, options);
  options.compile.backend = compile::Backend::automatic;
  const Trajectory automatic = simulate_text(pendulum_text, options);
  EXPECT_TRUE(std::ranges::equal(tape.table.data(), automatic.table.data()));
}

// A driven, damped oscillator: the work of force and damper accounts for the energy.
TEST(Simulate, work_of_inputs_and_dampers_closes_the_energy_balance) {
  const std::string text = R"(model driven
coordinate x = 0.2 [m]
kinetic     x'^2/2
potential   4*x^2/2
dissipation 0.3*x'^2/2
input       u = 0.5*sin(3*t)
force       u on x
)";
  const Trajectory trajectory = simulate_text(text, with(rk45(1e-11), 20));
  ASSERT_TRUE(trajectory.energy.known);
  EXPECT_GT(std::abs(trajectory.energy.work), 1e-3);
  EXPECT_LT(trajectory.energy.largest_error, 1e-9 * std::max(1.0, trajectory.energy.scale));
  const auto u = trajectory.table.find("u");
  ASSERT_TRUE(u.has_value());
  EXPECT_NEAR(trajectory.table.at(1000, *u), 0.5 * std::sin(60.0), test::rounding(16, 30));
}

// x'' = a s(t): the trajectory's ends are break points, and between them the solution is a
// polynomial.
TEST(Simulate, joints_of_trajectories_are_break_points) {
  const std::string text = R"(model pushed
coordinate x
kinetic x'^2/2
input   u = rest_to_rest((t - 1)/2, smoothness = 1)
force   u on x
)";
  const formulate::Problem problem = problem_of(text);
  EXPECT_THAT(break_points(problem, 0, 5), ElementsAre(1, 3));
  EXPECT_THAT(break_points(problem, 1, 3), ElementsAre(3));
  const Trajectory trajectory =
      simulate(problem, consistent_point(problem), with(rk45(1e-9), 3, 1));
  // s(p) = 3 p^2 - 2 p^3, p = (t-1)/2: twice integrated over [1, 3]: 4 (1/4 - 1/10) = 0.6
  EXPECT_NEAR(trajectory.table.at(3, 1), 0.6, 1e-9);
  EXPECT_EQ(trajectory.table.at(1, 1), 0);
}

TEST(Simulate, fourbar_keeps_its_constraints_and_its_energy_with_every_method) {
  const formulate::Problem problem = problem_of_file("fourbar");
  const ConsistentPoint start = consistent_point(problem);
  std::vector<Trajectory> results;
  for (const Method& method : {rk45(1e-11), radau5(1e-11), ida(1e-12)}) {
    results.push_back(simulate(problem, start, with(method, 2)));
    ASSERT_EQ(results.back().status, Status::completed) << results.back().reason;
    EXPECT_LT(results.back().drift[0].largest, 1e-14) << name(method);
    EXPECT_LT(results.back().drift[1].largest, 1e-12) << name(method);
    EXPECT_LT(results.back().energy.largest_error, 1e-7) << name(method);
  }
  const std::size_t last = results[0].table.rows() - 1;
  for (std::size_t c = 1; c <= 9; ++c) {
    EXPECT_NEAR(results[1].table.at(last, c), results[0].table.at(last, c),
                test::accumulated(1e-11, 1000));
    EXPECT_NEAR(results[2].table.at(last, c), results[0].table.at(last, c),
                test::accumulated(1e-12, 1000, 100));
  }
}

TEST(Simulate, a_motion_that_runs_away_stops_with_time_and_name) {
  const Trajectory trajectory = simulate_text(
      "model burst\nvariable x = 1\nequation growth: x' = x^2\n", with(rk45(1e-8), 2));
  EXPECT_EQ(trajectory.status, Status::stopped);
  EXPECT_THAT(trajectory.reason,
              HasSubstr("stopped at t = 1 s: the motion has grown without bound\n"));
  EXPECT_THAT(trajectory.reason, HasSubstr("largest value there: x = "));
  EXPECT_GT(trajectory.table.rows(), 400u);  // what was reached is kept
}

// h omega = 10: beyond the 2.8 up to which rk4 is stable
TEST(Simulate, steps_too_long_for_an_oscillation_are_told_as_the_reason) {
  const std::string text =
      "model stiff\ncoordinate x = 1\nkinetic x'^2/2\npotential 1e8*x^2/2 + x^4\n";
  const Trajectory unstable = simulate_text(text, with(make_method("rk4", {{"step", 1e-3}}), 1));
  EXPECT_EQ(unstable.status, Status::stopped);
  EXPECT_THAT(unstable.reason, HasSubstr(": the motion has grown without bound\n"));
  EXPECT_THAT(unstable.reason, HasSubstr("help: rk4 is unstable where its step is long"));
  EXPECT_EQ(simulate_text(text, with(make_method("rk4", {{"step", 1e-4}}), 0.1)).status,
            Status::completed);
}

// A bead on the curve y^2 = x^3, made by two surfaces that touch at its cusp: there the motion cannot continue.
TEST(Simulate, a_singular_position_met_on_the_way_is_named) {
  const std::string text = R"(model bead
coordinate x = 1, y = 1, z = 0
kinetic (x'^2 + y'^2 + z'^2)/2
constraint sheet: z = y^2 - x^3
constraint floor: z = 0
initial x' = -1, y' = -1.5
)";
  for (const Method& method : {rk45(1e-9), radau5(1e-9)}) {
    const Trajectory trajectory = simulate_text(text, with(method, 10));
    ASSERT_EQ(trajectory.status, Status::stopped) << name(method);
    // arc length from (1, 1) to the cusp at speed sqrt(1 + 2.25): (13^1.5 - 8)/27 of it
    const double until = (std::pow(13, 1.5) - 8) / 27 / std::sqrt(3.25);
    const double row = 0.02;  // the table ends with the last row before the cusp
    EXPECT_NEAR(trajectory.table.at(trajectory.table.rows() - 1, 0), until, row) << name(method);
    EXPECT_THAT(trajectory.reason, HasSubstr("constraint_jacobian nearly loses rank there"))
        << trajectory.reason;
    EXPECT_THAT(trajectory.reason, HasSubstr("constraint 'floor' depends on 'sheet' (line 4)"));
    EXPECT_THAT(trajectory.reason, HasSubstr("help: a singular position"));
  }
}

// A mass on a stiff, damped spring that turns with it: Newton's contraction grows with a high power of the step. Before, more
// steps were rejected than taken; a fifth is far below that, and allows for the search of the longest step.
TEST(Simulate, steps_of_radau5_are_no_longer_than_newton_converges_on) {
  const Trajectory t = simulate_text(R"(model spinner
coordinate x = 1, y = 0
let r = sqrt(x^2 + y^2)
let v = (x*x' + y*y')/r
kinetic (x'^2 + y'^2)/2
potential 8e5/2*(r - 1)^2
force -4e4*v*x/r on x
force -4e4*v*y/r on y
initial y' = 2*pi
)",
                                     with(radau5(1e-9), 1));
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_LT(static_cast<double>(t.statistics.rejected),
            0.2 * static_cast<double>(t.statistics.accepted));
}

TEST(Simulate, variables_of_second_order_show_their_rates) {
  const Trajectory t = simulate_text(
      "model m\nvariable x = 1, y = 0\nequation x'' = -x\nequation y' = x\n", with(rk45(1e-12), 1));
  const auto rate = t.table.find("x'");
  ASSERT_TRUE(rate);
  EXPECT_FALSE(t.table.find("y'"));  // it is no state
  EXPECT_NEAR(t.table.at(t.table.rows() - 1, *rate), -std::sin(1.0), test::accumulated(1e-12, 100));
}

TEST(Simulate, limits_are_checked_and_the_first_violation_is_told) {
  const std::string text = pendulum_text + "limit y in [-0.5, 2], x in [-2, 2]\n";
  const Trajectory trajectory = simulate_text(text, with(rk45(1e-8), 2));
  ASSERT_EQ(trajectory.warnings.size(), 1u);
  EXPECT_THAT(trajectory.warnings[0].message, HasSubstr("is violated first at t = 0."));
}

TEST(Simulate, stiffness_is_told_and_radau5_recommended) {
  const std::string text = "model stiff\nvariable x = 1\nequation decay: x' = -1e4*(x - cos(t))\n";
  const Trajectory slow = simulate_text(text, with(rk45(1e-6), 5));
  ASSERT_EQ(slow.warnings.size(), 1u);
  EXPECT_THAT(slow.warnings[0].message, HasSubstr("seems stiff"));
  const Trajectory fast = simulate_text(text, with(radau5(1e-6), 5));
  EXPECT_LT(fast.statistics.accepted * 20, slow.statistics.accepted);
}

TEST(Simulate, wrong_options_are_told_together) {
  Rk45Options method;
  method.tolerance = 2;
  SimulateOptions options = with(method, -1);
  EXPECT_EQ(check(options).size(), 2u);
  const formulate::Problem problem = problem_of(pendulum_text);
  EXPECT_THROW(simulate(problem, consistent_point(problem), options), std::invalid_argument);
  options = with(Rk45Options{}, 10, 1e-9);
  EXPECT_THAT(check(options).at(0).message, HasSubstr("rows"));
}

TEST(Simulate, a_table_that_does_not_fit_into_memory_is_refused) {
  const formulate::Problem problem = problem_of_file("fourbar");
  const ConsistentPoint start = consistent_point(problem);
  EXPECT_THROW(simulate(problem, start, with(Rk45Options{}, 9e7, 1)), ModelError);
}

TEST(Simulate, progress_grows_to_the_end) {
  SimulateOptions options = with(rk45(1e-12), 20);
  double last = 0;
  int calls = 0;
  options.watch.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.fraction, last);
    EXPECT_THAT(std::string(progress.text), HasSubstr("of 20 s"));
    last = progress.fraction;
    ++calls;
  };
  simulate_text(pendulum_text, options);
  EXPECT_GT(calls, 3);
  EXPECT_LE(last, 1);
}

// x = 1 - t exactly: steps pass t = 1, where u x' + x = 0 says nothing of x', and a row there does not.
TEST(Simulate, a_row_that_cannot_be_written_is_told_with_its_own_time) {
  const formulate::Problem problem =
      problem_of("model m\nvariable x = 1\ninput u = 1 - t\nequation decay: u*x' + x = 0\n");
  SimulateOptions options;
  options.until = 2;
  options.every = 0.25;
  const Trajectory t = simulate(problem, consistent_point(problem), options);
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_THAT(t.reason, HasSubstr("stopped at t = 1 s: "));
  EXPECT_THAT(t.reason,
              HasSubstr("not determined there: x'; equations involved: equation 'decay'"));
  EXPECT_EQ(t.table.rows(), 4u);
}

// A parallelogram swings through its flat pose, where it could become a kite. Its energy is computed here from the rows, so that
// neither the balance nor the warning is judged by itself.
TEST(Simulate, energy_lost_at_a_singular_pose_is_reported) {
  using formulate::Kind;
  constexpr double kinetic_at_start = 64;  // two masses of 1 kg at 8 m/s, at their lowest
  int kept = 0;
  for (const Kind kind : {Kind::projection, Kind::index1, Kind::null_space, Kind::minimal,
                          Kind::hamilton, Kind::nonlinear_stabiliser}) {
    SCOPED_TRACE(name(kind));
    const formulate::Problem problem = problem_of(R"(model parallelogram
coordinate x1 = 0, y1 = -1, x2 = 2, y2 = -1
initial x1' = 8 fixed
kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2
potential 9.81*(y1 + y2)
constraint left: x1^2 + y1^2 = 1
constraint right: (x2 - 2)^2 + y2^2 = 1
constraint coupler: (x2 - x1)^2 + (y2 - y1)^2 = 4
)",
                                                  {.kind = kind, .stabiliser = {.rate = 10}});
    SimulateOptions options;
    options.until = 1;
    options.global_error = false;
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    const auto value = [&](std::size_t row, const char* column) {
      return t.table.at(row, t.table.find(column).value());
    };
    double largest = 0;
    for (std::size_t r = 0; r < t.table.rows(); ++r) {
      double energy = 9.81 * (value(r, "y1") + value(r, "y2"));
      for (const char* v : {"x1'", "y1'", "x2'", "y2'"}) energy += value(r, v) * value(r, v) / 2;
      largest = std::max(largest, std::abs(energy - (kinetic_at_start - 2 * 9.81)));
    }
    EXPECT_NEAR(t.energy.largest_error, largest, test::rounding(100, kinetic_at_start));
    const bool lost = largest > 0.01 * kinetic_at_start;
    const bool warned =
        !t.warnings.empty() &&
        t.warnings.back().message.find("that no force accounts for") != std::string::npos;
    if (t.status == Status::completed) {
      EXPECT_EQ(warned, lost);
    } else {
      EXPECT_FALSE(t.reason.empty());
    }
    kept += t.status == Status::completed && !lost;
  }
  EXPECT_GE(kept, 1);  // the motion through the pose exists: some formulation follows it
}

}  // namespace
}  // namespace daedal::solve::testing
