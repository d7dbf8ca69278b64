// What every integrator must do, one suite over all methods; then what each claims for itself.

#include "daedal/integrate/integrator.hpp"

#include "support/bounds.hpp"
#include "support/elliptic.hpp"
#include "support/observed_order.hpp"
#include "support/reachable.hpp"
#include "support/run.hpp"
#include "support/systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedal::solve::testing {
namespace {

template <class Options>
Method with_fixed_step(double step) {
  Options options;
  options.step = step;
  options.adaptive = false;
  options.tolerance = 1e-14;  // of Newton, where there is one
  return options;
}

template <class Options>
class EveryIntegrator : public ::testing::Test {};
using Methods = ::testing::Types<Rk45Options, Dop853Options, Rk23Options, Rk4Options, EulerOptions,
                                 Radau5Options, ImplicitEulerOptions, LinearImplicitEulerOptions,
                                 BdfOptions, GeneralizedAlphaOptions, IdaOptions>;
TYPED_TEST_SUITE(EveryIntegrator, Methods);

TYPED_TEST(EveryIntegrator, keeps_the_error_near_the_tolerance_on_the_oscillator) {
  Oscillator system;
  for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
    if (tolerance < reachable<TypeParam>(tolerance)) continue;
    const RunResult result =
        run(system, with_tolerance<TypeParam>(tolerance), {1, 0}, grid(10, 50));
    ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
    double worst = 0;
    for (const auto& row : result.rows) {
      worst = std::max(worst, std::abs(row.s[0] - std::cos(row.t)));
      worst = std::max(worst, std::abs(row.s[1] + std::sin(row.t)));
    }
    EXPECT_LT(worst, error_factor<TypeParam> * tolerance);
  }
}

TYPED_TEST(EveryIntegrator, solves_a_nonlinear_index_1_system) {
  Nonlinear system;
  const double tolerance = reachable<TypeParam>(1e-10);
  const RunResult result = run(system, with_tolerance<TypeParam>(tolerance), {1}, grid(6, 30));
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  for (const auto& row : result.rows) {
    EXPECT_NEAR(row.s[0], Nonlinear::exact(row.t), error_factor<TypeParam> * tolerance);
    EXPECT_NEAR(row.z[1], row.s[0] * row.s[0], 1e-14);  // tops of a row belong to its states
  }
}

TYPED_TEST(EveryIntegrator, reports_rows_at_the_times_asked_for_and_the_last_exactly) {
  Oscillator system;
  const std::vector<double> times = {0, 0.1, 0.1000001, 0.7, 3.14159, 5};
  const RunResult result = run(system, with_tolerance<TypeParam>(1e-8), {1, 0}, times);
  ASSERT_EQ(result.rows.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(result.rows[i].t, times[i]);
  EXPECT_EQ(result.stopped_at, 5);
}

// The derivative jumps at b. Without a break point the jump would cost accuracy control many
// rejected steps; with it the two smooth pieces are integrated as such, even when the jump is
// enormous.
TYPED_TEST(EveryIntegrator, meets_break_points_so_that_jumps_cost_no_accuracy) {
  const double b = 1.0 / 3;
  Quadrature system([b](double t) { return t < b ? std::cos(t) : 1e6 + std::cos(t); });
  system.breaks = {b};
  const double tolerance = reachable<TypeParam>(1e-9);
  const RunResult result = run(system, with_tolerance<TypeParam>(tolerance), {0}, {0, b, 1});
  ASSERT_TRUE(result.outcome.ok);
  EXPECT_NEAR(result.rows[1].s[0], std::sin(b), 100 * tolerance);
  EXPECT_NEAR(result.rows[2].s[0], 1e6 * (1 - b) + std::sin(1.0),
              test::accumulated(tolerance, 100, 1e6));
  EXPECT_TRUE(std::any_of(result.steps.begin(), result.steps.end(),
                          [&](const auto& s) { return std::abs(s.t - b) < 1e-15; }));
}

TYPED_TEST(EveryIntegrator, dense_output_is_continuous_and_as_accurate_as_the_steps) {
  Oscillator system;
  const double tolerance = reachable<TypeParam>(1e-9);
  const auto integrator = make_integrator(with_tolerance<TypeParam>(tolerance), system);
  const double s0[] = {1, 0}, z0[] = {0};
  ASSERT_TRUE(integrator->start(0, s0, z0, 20).ok);
  std::vector<double> end = {1, 0}, s(2);
  double worst = 0, jump = 0;
  while (integrator->time() < 20) {
    ASSERT_TRUE(integrator->step(20).ok);
    const double a = integrator->previous_time(), b = integrator->time();
    integrator->interpolate(a, s.data());
    jump = std::max({jump, std::abs(s[0] - end[0]), std::abs(s[1] - end[1])});
    for (int i = 0; i <= 10; ++i) {
      const double t = a + (b - a) * i / 10;
      integrator->interpolate(t, s.data());
      worst = std::max(worst, std::abs(s[0] - std::cos(t)));
    }
    integrator->interpolate(b, end.data());
    EXPECT_EQ(end[0], integrator->state()[0]);
  }
  // IDA's interpolants of neighbouring steps differ by their order changes: within the local error,
  // not to rounding
  EXPECT_LT(jump, (std::is_same_v<TypeParam, IdaOptions>) ? 20 * tolerance : 1e-14);
  EXPECT_LT(worst, 2 * error_factor<TypeParam> * tolerance);
}

TYPED_TEST(EveryIntegrator, the_same_run_gives_the_same_bits) {
  Pendulum system;
  const RunResult first = run(system, with_tolerance<TypeParam>(1e-8), {1, 0, 0, 0}, grid(5, 100));
  const RunResult second = run(system, with_tolerance<TypeParam>(1e-8), {1, 0, 0, 0}, grid(5, 100));
  ASSERT_EQ(first.rows.size(), second.rows.size());
  for (std::size_t i = 0; i < first.rows.size(); ++i) {
    EXPECT_EQ(first.rows[i].s, second.rows[i].s);
    EXPECT_EQ(first.rows[i].z, second.rows[i].z);
  }
}

TYPED_TEST(EveryIntegrator, rows_of_the_pendulum_satisfy_the_constraint_to_rounding) {
  Pendulum system;
  const RunResult result = run(system, with_tolerance<TypeParam>(1e-6), {1, 0, 0, 0}, grid(5, 200));
  ASSERT_TRUE(result.outcome.ok);
  for (const auto& row : result.rows) {
    EXPECT_NEAR(system.position_drift(row.s.data()), 0, test::rounding(8));
    EXPECT_NEAR(system.velocity_drift(row.s.data()), 0, test::rounding(16, 5));
  }
}

// IDA at a tolerance of 1e-12 on a mechanism: accelerations pass zero beside large ones.
TYPED_TEST(EveryIntegrator, reaches_tight_tolerances_on_the_pendulum) {
  Pendulum system;
  const support::HorizontalPendulum<> exact;
  const double tolerance = reachable<TypeParam>(1e-12);
  const RunResult result =
      run(system, with_tolerance<TypeParam>(tolerance), {1, 0, 0, 0}, grid(3, 60));
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  const double accepted = std::max(1e-8, error_factor<TypeParam> * tolerance);
  for (const auto& row : result.rows) {
    EXPECT_NEAR(row.s[0], exact.at(row.t).x, accepted);
    EXPECT_NEAR(row.s[1], exact.at(row.t).y, accepted);
  }
}

TYPED_TEST(EveryIntegrator, a_solution_that_ceases_to_exist_stops_the_run_in_words) {
  BlowUp system;
  const RunResult result = run(system, with_tolerance<TypeParam>(1e-8), {-1}, {0, 2});
  EXPECT_FALSE(result.outcome.ok);
  EXPECT_FALSE(result.outcome.reason.empty());
  // rk4's equal steps of 0.01 s notice one step later
  EXPECT_NEAR(result.stopped_at, 1, Adaptive<TypeParam> ? 1e-2 : 2e-2);
}

TYPED_TEST(EveryIntegrator, the_number_of_steps_is_bounded) {
  Oscillator system;
  TypeParam options;
  options.max_steps = 5;
  const RunResult result = run(system, options, {1, 0}, {0, 100});
  EXPECT_FALSE(result.outcome.ok);
  EXPECT_THAT(std::string(result.outcome.reason), ::testing::HasSubstr("max_steps"));
}

TYPED_TEST(EveryIntegrator, no_step_is_longer_than_the_option_says) {
  Quadrature system([](double) { return 1.0; });
  TypeParam options;
  options.step = 0.125;
  const RunResult result = run(system, options, {0}, {0, 4});
  ASSERT_TRUE(result.outcome.ok);
  double previous = 0;
  for (const auto& step : result.steps) {
    EXPECT_LE(step.t - previous, 0.125 * 1.0101);
    previous = step.t;
  }
}

TYPED_TEST(EveryIntegrator, a_system_without_states_has_rows_of_tops) {
  class Algebraic final : public SmallSystem {
   public:
    Algebraic() : SmallSystem(0, 1, {}) {}
    Failure derivative(double t, const double*, double* z, double*) override {
      z[0] = std::sin(t);
      return Failure::none;
    }
    void residual(double t, const double*, const double* z, double* r) override {
      r[0] = z[0] - std::sin(t);
    }
    void jacobians(double, const double*, const double*, double* v) override { v[0] = 1; }
  } system;
  const RunResult result = run(system, TypeParam{}, {}, grid(2, 10));
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  for (const auto& row : result.rows) EXPECT_NEAR(row.z[0], std::sin(row.t), test::rounding(2));
}

// ---- rk45

/// Error at the fraction `at` of a single step of length h, from a start in mid-motion.
template <class Options>
double error_within_a_step(double h, double at) {
  Oscillator system;
  const double t0 = 0.4;
  const double s0[] = {std::cos(t0), -std::sin(t0)}, z0[] = {-std::cos(t0)};
  const auto integrator = make_integrator(with_fixed_step<Options>(h), system);
  EXPECT_TRUE(integrator->start(t0, s0, z0, t0 + 1).ok);
  EXPECT_TRUE(integrator->step(t0 + h).ok);
  double s[2];
  integrator->interpolate(t0 + at * h, s);
  return std::hypot(s[0] - std::cos(t0 + at * h), s[1] + std::sin(t0 + at * h));
}

TEST(Rk45, converges_with_order_5) {
  const auto observed = support::observed_order(0.25, 6, [](double h) {
    Oscillator system;
    const RunResult result = run(system, with_fixed_step<Rk45Options>(h), {1, 0}, {0, 4});
    return std::hypot(result.end()[0] - std::cos(4.0), result.end()[1] + std::sin(4.0));
  });
  EXPECT_NEAR(observed.slope, 5, support::slope_margin / 2)
      << ::testing::PrintToString(observed.errors);
}

// Order p has a local error of h^(p+1): 6 at the end of a step, 5 for dense output of order 4.
TEST(Rk45, a_step_has_order_5_and_its_dense_output_order_4) {
  const auto end = support::observed_order(
      0.8, 5, [](double h) { return error_within_a_step<Rk45Options>(h, 1); });
  EXPECT_NEAR(end.slope, 6, support::slope_margin) << ::testing::PrintToString(end.errors);
  const auto within = support::observed_order(
      0.8, 5, [](double h) { return error_within_a_step<Rk45Options>(h, 0.37); });
  EXPECT_NEAR(within.slope, 5, support::slope_margin) << ::testing::PrintToString(within.errors);
}

TEST(Rk45, is_exact_on_polynomials_of_degree_5_and_between_steps_of_degree_4) {
  Quadrature quintic([](double t) { return 5 * std::pow(t, 4) - 3 * t * t; });
  const RunResult steps = run(quintic, with_fixed_step<Rk45Options>(0.5), {0}, {0, 2});
  EXPECT_NEAR(steps.end()[0], 32 - 8, test::rounding(32, 32));
  Quadrature quartic([](double t) { return 4 * t * t * t - 2 * t; });
  const RunResult dense = run(quartic, with_fixed_step<Rk45Options>(0.5), {0}, grid(2, 23));
  for (const auto& row : dense.rows)
    EXPECT_NEAR(row.s[0], std::pow(row.t, 4) - row.t * row.t, test::rounding(24, 8)) << row.t;
}

// Ten periods from the horizontal at tolerance 1e-13: projection keeps the rod, step control the
// rest.
TEST(Rk45, follows_the_elliptic_pendulum_over_ten_periods_to_1e_10) {
  const support::HorizontalPendulum<> exact;
  EXPECT_NEAR(exact.period(), 2.36784194757624, 1e-14);  // K(1/sqrt 2), mpmath, 15 digits
  Pendulum system;
  const RunResult result =
      run(system, with_tolerance<Rk45Options>(1e-13), {1, 0, 0, 0}, grid(10 * exact.period(), 400));
  ASSERT_TRUE(result.outcome.ok);
  double position = 0, velocity = 0, energy = 0;
  for (const auto& row : result.rows) {
    const auto at = exact.at(row.t);
    position = std::max({position, std::abs(row.s[0] - at.x), std::abs(row.s[1] - at.y)});
    velocity = std::max({velocity, std::abs(row.s[2] - at.vx), std::abs(row.s[3] - at.vy)});
    energy = std::max(energy, std::abs(system.energy(row.s.data())));
  }
  EXPECT_LT(position, 1e-10);
  EXPECT_LT(velocity, 1e-10 * exact.frequency() * 3);
  EXPECT_LT(energy, 1e-10);
}

TEST(Rk45, six_evaluations_a_step) {
  Oscillator system;
  const RunResult result = run(system, with_fixed_step<Rk45Options>(0.1), {1, 0}, {0, 10});
  EXPECT_EQ(result.statistics.accepted, 100u);
  EXPECT_EQ(result.statistics.evaluations,
            6 * result.statistics.accepted + 1);  // FSAL: one to begin with
}

TEST(Rk45, notices_stiffness) {
  class Stiff final : public SmallSystem {
   public:
    Stiff() : SmallSystem(1, 1, {1}) {}
    Failure derivative(double t, const double* s, double* z, double* ds) override {
      z[0] = -1e4 * (s[0] - std::cos(t));
      differentiate(s, z, ds);
      return Failure::none;
    }
    void residual(double t, const double* s, const double* z, double* r) override {
      r[0] = z[0] + 1e4 * (s[0] - std::cos(t));
    }
    void jacobians(double, const double*, const double*, double* v) override {
      v[0] = 1e4, v[1] = 1;
    }
  } stiff;
  EXPECT_TRUE(run(stiff, with_tolerance<Rk45Options>(1e-6), {1}, {0, 5}).stiff);
  Oscillator easy;
  EXPECT_FALSE(run(easy, with_tolerance<Rk45Options>(1e-6), {1, 0}, {0, 500}).stiff);
}

// ---- the other explicit methods

TEST(Dop853, a_step_has_order_8_and_its_dense_output_order_7) {
  const std::vector<double> steps = {1, 0.8, 0.6, 0.5, 0.4, 0.3};  // below, rounding
  std::vector<double> at_end, within;
  for (const double h : steps) {
    at_end.push_back(error_within_a_step<Dop853Options>(h, 1));
    within.push_back(error_within_a_step<Dop853Options>(h, 0.37));
  }
  EXPECT_NEAR(support::fitted_order(steps, at_end).slope, 9, support::slope_margin)
      << ::testing::PrintToString(at_end);
  EXPECT_NEAR(support::fitted_order(steps, within).slope, 8, support::slope_margin)
      << ::testing::PrintToString(within);
}

TEST(Dop853, is_exact_on_polynomials_of_degree_8_and_between_steps_of_degree_7) {
  Quadrature eighth([](double t) { return 8 * std::pow(t, 7) - 3 * t * t; });
  const RunResult steps = run(eighth, with_fixed_step<Dop853Options>(0.5), {0}, {0, 2});
  EXPECT_NEAR(steps.end()[0], 256 - 8, 256 * 2.3e-16 * 15);  // 15: sum of |b_j|
  Quadrature seventh([](double t) { return 7 * std::pow(t, 6) - 2 * t; });
  const RunResult dense = run(seventh, with_fixed_step<Dop853Options>(0.5), {0}, grid(2, 23));
  for (const auto& row : dense.rows)
    EXPECT_NEAR(row.s[0], std::pow(row.t, 7) - row.t * row.t, test::rounding(30 * 23, 128))
        << row.t;
}

TEST(Rk23, a_step_and_its_dense_output_have_order_3) {
  const auto end = support::observed_order(
      0.4, 5, [](double h) { return error_within_a_step<Rk23Options>(h, 1); });
  EXPECT_NEAR(end.slope, 4, support::slope_margin / 2) << ::testing::PrintToString(end.errors);
  const auto within = support::observed_order(
      0.4, 5, [](double h) { return error_within_a_step<Rk23Options>(h, 0.37); });
  EXPECT_NEAR(within.slope, 4, support::slope_margin / 2)
      << ::testing::PrintToString(within.errors);
}

TEST(Rk4, is_exact_on_polynomials_of_degree_4_and_between_steps_of_degree_3) {
  Quadrature quartic([](double t) { return 4 * t * t * t - 2 * t; });
  Rk4Options options;
  options.step = 0.5;
  EXPECT_NEAR(run(quartic, options, {0}, {0, 2}).end()[0], 16 - 4, test::rounding(16, 16));
  Quadrature cubic([](double t) { return 3 * t * t - 2 * t; });
  for (const auto& row : run(cubic, options, {0}, grid(2, 23)).rows)
    EXPECT_NEAR(row.s[0], std::pow(row.t, 3) - row.t * row.t, test::rounding(16, 8)) << row.t;
}

// Evaluations of a step: Euler 1, rk4 4, rk23 3 (the fourth is the first of the next step), dop853 12 and 3 for its dense
// output; one more to begin with.
TEST(Explicit, evaluations_a_step) {
  Oscillator system;
  const auto evaluations = [&](const Method& method) {
    return (run(system, method, {1, 0}, {0, 10}).statistics.evaluations - 1) / 100;
  };
  EulerOptions euler;
  euler.step = 0.1;
  Rk4Options rk4;
  rk4.step = 0.1;
  EXPECT_EQ(evaluations(euler), 1u);
  EXPECT_EQ(evaluations(rk4), 4u);
  EXPECT_EQ(evaluations(with_fixed_step<Rk23Options>(0.1)), 3u);
  EXPECT_EQ(evaluations(with_fixed_step<Dop853Options>(0.1)), 15u);
}

// ---- radau5

TEST(Radau5, converges_with_order_5_on_index_1) {
  const auto observed = support::observed_order(0.5, 6, [](double h) {
    Nonlinear system;
    const RunResult result = run(system, with_fixed_step<Radau5Options>(h), {1}, {0, 4});
    return std::abs(result.end()[0] - Nonlinear::exact(4));
  });
  EXPECT_NEAR(observed.slope, 5, support::slope_margin)
      << ::testing::PrintToString(observed.errors);
}

TEST(Radau5, is_exact_on_polynomials_of_degree_5_and_between_steps_of_degree_3) {
  Quadrature quintic([](double t) { return 5 * std::pow(t, 4) - 3 * t * t; });
  const RunResult steps = run(quintic, with_fixed_step<Radau5Options>(0.5), {0}, {0, 2});
  EXPECT_NEAR(steps.end()[0], 32 - 8, test::rounding(64, 32));
  Quadrature cubic([](double t) { return 3 * t * t - 2 * t; });
  const RunResult dense = run(cubic, with_fixed_step<Radau5Options>(0.5), {0}, grid(2, 23));
  for (const auto& row : dense.rows)
    EXPECT_NEAR(row.s[0], std::pow(row.t, 3) - row.t * row.t, test::rounding(64, 8)) << row.t;
}

// Between steps, after the first two: Hermite's polynomial follows the order of the steps.
TEST(Radau5, dense_output_converges_with_order_5_on_a_smooth_problem) {
  const auto observed = support::observed_order(0.2, 5, [](double h) {
    Nonlinear system;
    std::vector<double> times = {0};
    for (double t = 1 + 0.37 * h; t < 3; t += h) times.push_back(t);
    times.push_back(3);
    const RunResult result = run(system, with_fixed_step<Radau5Options>(h), {1}, times);
    double worst = 0;
    for (const auto& row : result.rows)
      worst = std::max(worst, std::abs(row.s[0] - Nonlinear::exact(row.t)));
    return worst;
  });
  EXPECT_NEAR(observed.slope, 5, support::slope_margin)
      << ::testing::PrintToString(observed.errors);
}

// Reference at t = 40: independent recomputation with Taylor series in 20 digits (mpmath) of
// [Robertson1966]. At t = 1e11: Test Set for IVP Solvers, release 2.4, problem ROBER.
TEST(Radau5, solves_robertson_with_few_steps) {
  Robertson system;
  const RunResult result = run(system, with_tolerance<Radau5Options>(1e-8), {1, 0}, {0, 40, 1e11});
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  // relative to value + nominal
  EXPECT_NEAR(result.rows[1].s[0], 0.715827068719405090,
              test::accumulated(1e-8, error_factor<Radau5Options>, 0.7168));
  EXPECT_NEAR(result.rows[1].s[1], 9.18553476455776350e-6,
              test::accumulated(1e-8, error_factor<Radau5Options>, 1.0186e-5));
  EXPECT_NEAR(result.rows[1].z[2], 0.284163745745830352,
              test::accumulated(1e-8, error_factor<Radau5Options>, 0.7168));
  // far below its nominal value the tolerance is absolute, but errors decay with the solution; the rest is in the sum of all three
  constexpr double late = 0.2083340149701255e-7, share = 1e-5;
  EXPECT_NEAR(result.rows[2].s[0], late, share * late);
  EXPECT_NEAR(result.rows[2].z[2], 0.9999999791665050, share * late);
  EXPECT_LT(result.statistics.accepted, 500u);
}

TEST(Radau5, reuses_jacobians_and_factorisations) {
  Oscillator system;  // linear: one Jacobian serves for ever
  const RunResult result = run(system, with_tolerance<Radau5Options>(1e-8), {1, 0}, {0, 100});
  EXPECT_EQ(result.statistics.jacobians, 1u);
  EXPECT_LT(result.statistics.factorisations, result.statistics.accepted / 2);
}

// ---- implicit methods with equal steps

TEST(TopNewton, exact_difference_and_broyden_matrices_lead_to_the_same_steps) {
  Pendulum system(false);
  const auto end_with = [&](JacobianKind jacobian, int renew) {
    BdfOptions options;
    options.order = 3;
    options.step = 0.01;
    options.newton.jacobian = jacobian;
    options.newton.renew = renew;
    const RunResult result = run(system, options, {1, 0, 0, 0}, {0, 2});
    EXPECT_TRUE(result.outcome.ok) << result.outcome.reason;
    return result;
  };
  const RunResult exact = end_with(JacobianKind::exact, 1);
  EXPECT_EQ(exact.statistics.jacobians, exact.statistics.accepted - 2);  // two starting steps
  for (const JacobianKind jacobian :
       {JacobianKind::exact, JacobianKind::difference, JacobianKind::broyden}) {
    const RunResult kept = end_with(jacobian, 1000);
    EXPECT_LT(kept.statistics.jacobians, exact.statistics.jacobians / 2);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(kept.end()[i], exact.end()[i], test::rounding(200, 1000));
  }
}

TEST(TopNewton, an_iteration_cap_that_is_too_low_stops_the_run_in_words) {
  Pendulum system(false);
  ImplicitEulerOptions options;
  options.step = 0.1;
  options.newton.newton_iterations = 1;
  const RunResult result = run(system, options, {1, 0, 0, 0}, {0, 2});
  EXPECT_FALSE(result.outcome.ok);
  EXPECT_EQ(result.outcome.reason, describe(Failure::newton_diverged));
}

TEST(Bdf, is_exact_on_polynomials_of_its_order_between_steps_too) {
  for (int k = 1; k <= 6; ++k) {
    Quadrature power([k](double t) { return k * std::pow(t, k - 1); });
    BdfOptions options;
    options.order = k;
    options.step = 0.25;
    for (const auto& row : run(power, options, {0}, grid(2, 23)).rows)
      EXPECT_NEAR(row.s[0], std::pow(row.t, k), test::rounding(50 * 8, std::pow(2, k)))
          << k << " at " << row.t;
  }
}

// x' = -1e6 (x - cos t): an explicit start would need a million steps.
TEST(Bdf, starts_with_rising_orders_when_the_problem_is_stiff) {
  class Stiff final : public SmallSystem {
   public:
    Stiff() : SmallSystem(1, 1, {1}) {}
    Failure derivative(double t, const double* s, double* z, double* ds) override {
      z[0] = -1e6 * (s[0] - std::cos(t));
      differentiate(s, z, ds);
      return Failure::none;
    }
    void residual(double t, const double* s, const double* z, double* r) override {
      r[0] = z[0] + 1e6 * (s[0] - std::cos(t));
    }
    void jacobians(double, const double*, const double*, double* v) override {
      v[0] = 1e6, v[1] = 1;
    }
  } system;
  BdfOptions options;
  options.order = 4;
  options.step = 0.05;
  const RunResult result = run(system, options, {1}, {0, 2});
  ASSERT_TRUE(result.outcome.ok);
  // truncation h^4/5 |x^(5)|, of a solution of size 1
  EXPECT_NEAR(result.end()[0], std::cos(2.0), 1.0 / 5 * std::pow(0.05, 4));
  EXPECT_LT(result.statistics.evaluations, 1000u);
}

// The spectral radius at infinite frequency is what remains of a stiff oscillation after a step.
TEST(GeneralizedAlpha, damps_infinite_frequencies_by_the_spectral_radius) {
  class Spring final : public SmallSystem {
   public:
    Spring() : SmallSystem(2, 1, {1, 2}) {}
    Failure derivative(double, const double* s, double* z, double* ds) override {
      z[0] = -1e6 * s[0];
      differentiate(s, z, ds);
      return Failure::none;
    }
    void residual(double, const double* s, const double* z, double* r) override {
      r[0] = 1e-6 * z[0] + s[0];
    }
    void jacobians(double, const double*, const double*, double* v) override {
      v[0] = 1, v[1] = 0, v[2] = 1e-6;
    }
  } system;
  for (const double radius : {0.9, 0.5}) {
    GeneralizedAlphaOptions options;
    options.spectral_radius = radius;
    options.step = 1;
    const RunResult result = run(system, options, {1e-3, 0}, {0, 60});
    ASSERT_TRUE(result.outcome.ok);
    const auto speed = [&](std::size_t step) {
      return std::hypot(result.steps[step].s[0], result.steps[step].s[1]);
    };
    // a double eigenvalue: radius^n times a polynomial in n of degree 2 at most
    const double observed = std::pow(speed(59) / speed(39), 1.0 / 20);
    // 20 steps from n = 39: a polynomial of degree 2 adds (59/39)^2 to their ratio, 4 % a step
    EXPECT_NEAR(observed, radius, 0.06 * radius);
  }
}

// ---- ida and the others

TEST(Ida, agrees_with_radau5_on_robertson) {
  Robertson system;
  const RunResult ida =
      run(system, with_tolerance<IdaOptions>(1e-11), {1, 0}, {0, 0.4, 4, 40, 400, 4000});
  const RunResult radau =
      run(system, with_tolerance<Radau5Options>(1e-11), {1, 0}, {0, 0.4, 4, 40, 400, 4000});
  ASSERT_TRUE(ida.outcome.ok) << ida.outcome.reason;
  ASSERT_TRUE(radau.outcome.ok) << radau.outcome.reason;
  for (std::size_t i = 0; i < ida.rows.size(); ++i) {
    EXPECT_NEAR(ida.rows[i].s[0], radau.rows[i].s[0], test::accumulated(1e-11, 1000));
    EXPECT_NEAR(ida.rows[i].s[1], radau.rows[i].s[1], test::accumulated(1e-11, 1000, 1e-5));
  }
}

TEST(Integrators, agree_on_a_system_large_enough_for_sparse_elimination) {
  const std::uint32_t n = 80;  // above ReducedNewton's dense_limit
  Chain system(n);
  std::vector<double> start(2 * n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) start[i] = system.shape(i);
  for (const Method& method :
       {with_tolerance<Radau5Options>(1e-9), with_tolerance<IdaOptions>(1e-9)}) {
    const RunResult result = run(system, method, start, {0, 50});
    ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
    for (std::uint32_t i = 0; i < n; ++i)
      EXPECT_NEAR(result.end()[i], system.shape(i) * std::cos(system.frequency() * 50),
                  test::accumulated(1e-9, error_factor<IdaOptions>));
  }
}

}  // namespace
}  // namespace daedal::solve::testing
