// Drift of the constraints, with and without stabilisation: the tables of the reference, and their closed forms.
// Numbers: independent recomputation (SciPy) of [OlivaLooper, chapter 4] and [Bortoff2018, section 2].
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace daedal::test {
namespace {

using formulate::Formulation;
using formulate::Kind;

struct Run {
  std::string model;
  Formulation formulation;
  solve::Method method;
  double until = 10;
  double disturbance = 0;  // of every start value of the looper
};

solve::Trajectory simulate(const Run& run) {
  model::Overrides overrides;
  if (run.disturbance != 0) overrides.parameters["disturbance"] = std::to_string(run.disturbance);
  const auto model = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path(run.model)), overrides));
  solve::PrepareOptions prepare;
  if (run.disturbance != 0) prepare.start.values = solve::StartValues::as_given;
  const solve::Prepared prepared = solve::prepare(
      std::make_shared<const derive::Dae>(derive::derive(model)), run.formulation, prepare);
  solve::SimulateOptions options;
  options.until = run.until;
  options.every = run.until;
  options.method = run.method;
  return solve::simulate(prepared.problem, prepared.start, options);
}

double at_end(const solve::Trajectory& t, const std::string& column) {
  return t.table.at(t.table.rows() - 1, t.table.find(column).value());
}

struct Gap {
  double h1 = 0, h2 = 0;
};

/// How far the looper's links are apart at the end of a run.
Gap gap_of(const solve::Trajectory& t) {
  const double theta1 = at_end(t, "theta1"), theta2 = at_end(t, "theta2");
  const double reach = 0.29 + 1.392 + at_end(t, "s");
  return {reach * std::cos(theta1) - 0.8 - 0.55 * std::sin(theta2),
          reach * std::sin(theta1) - 2.2 + 0.55 * std::cos(theta2)};
}
Gap gap(const Run& run) {
  const solve::Trajectory t = simulate(run);
  EXPECT_EQ(t.status, solve::Status::completed) << t.reason;
  return gap_of(t);
}

Formulation of_kind(Kind kind) {
  Formulation formulation;
  formulation.kind = kind;
  return formulation;
}
Formulation baumgarte(double a1, double a0) {
  Formulation formulation = of_kind(Kind::baumgarte);
  formulation.all = {a1, a0};
  return formulation;
}
/// Both factors of (s^2 + 18 s + 80) (s^2 + 10 s + 24), one for each constraint.
Formulation split() {
  Formulation formulation = of_kind(Kind::baumgarte);
  formulation.each = {{"h1", {18, 80}}, {"h2", {10, 24}}};
  return formulation;
}

/// h0 and h0' of the start that is off by 0.01 in every value.
const Gap h0{-.0177730349, .0169339895}, rate0{-.0179027418, .0168663915};

struct LooperRow {
  solve::Method method;
  double until;
  Gap h;
  double digit;  // the last one printed, in which the table is rounded
};

TEST(LooperDrift, fixed_steps_drift_by_the_digits_of_the_table) {
  const LooperRow rows[] = {
      {solve::EulerOptions{.step = 1e-2}, 10, {1.79e-3, -1.01e-2}, 1e-4},
      {solve::EulerOptions{.step = 1e-3}, 10, {1.04e-4, -5.77e-4}, 1e-6},
      {solve::EulerOptions{.step = 1e-3}, 100, {1.57e-4, -8.40e-4}, 1e-6},
      {solve::Rk4Options{.step = 2e-2}, 10, {2.54e-8, 1.20e-8}, 1e-10},
      {solve::Rk4Options{.step = 2e-2}, 100, {6.98e-7, 3.03e-7}, 1e-9},
      {solve::Rk4Options{.step = 1e-2}, 10, {1.60e-9, 1.03e-9}, 1e-11},
      {solve::Rk4Options{.step = 1e-2}, 100, {4.34e-8, 2.40e-8}, 1e-10},
      {solve::Rk4Options{.step = 5e-3}, 10, {1.01e-10, 7.3e-11}, 1e-12},
  };
  for (const LooperRow& row : rows) {
    const Gap h = gap({"looper", of_kind(Kind::index1), row.method, row.until});
    // half a unit of the last digit, and a little of ours
    EXPECT_NEAR(h.h1, row.h.h1, 0.51 * row.digit) << name(row.method) << " " << row.until << " s";
    // likewise
    EXPECT_NEAR(h.h2, row.h.h2, 0.51 * row.digit) << name(row.method) << " " << row.until << " s";
  }
}

TEST(LooperDrift, euler_with_long_steps_diverges) {
  const auto run =
      simulate({"looper", of_kind(Kind::index1), solve::EulerOptions{.step = 1e-2}, 100});
  const Gap h = gap_of(run);
  EXPECT_GT(std::abs(h.h1) + std::abs(h.h2), 1);  // metres; the reference has 6.2 and 15.3
}

TEST(LooperDrift, a_disturbed_start_drifts_along_a_straight_line) {
  // Index 1 keeps h'' = 0: h(t) = h0 + h0' t, up to the error of the method.
  for (const double until : {10.0, 100.0}) {
    const Gap h =
        gap({"looper", of_kind(Kind::index1), solve::Rk4Options{.step = 1e-2}, until, 0.01});
    // rk4 at 10 ms drifts by 4e-8 m in 100 s from a consistent start (the table above); more from here
    EXPECT_NEAR(h.h1, h0.h1 + rate0.h1 * until, 1e-8 * until);
    // likewise
    EXPECT_NEAR(h.h2, h0.h2 + rate0.h2 * until, 1e-8 * until);
  }
}

TEST(LooperDrift, baumgarte_with_split_polynomials_decays_by_its_roots) {
  const auto decayed = [](double h, double rate, double fast, double slow, double t) {
    const double b = (rate + slow * h) / (slow - fast), a = h - b;
    return a * std::exp(-slow * t) + b * std::exp(-fast * t);
  };
  const solve::Method rk4 = solve::Rk4Options{.step = 1e-3};
  const Gap h = gap({"looper", split(), rk4, 1, 0.01});
  // printed with eight digits
  EXPECT_NEAR(h.h1, -2.9179826e-5, printed(12));
  EXPECT_NEAR(h.h2, 9.8007575e-4, printed(11));
  EXPECT_NEAR(h.h1, decayed(h0.h1, rate0.h1, 10, 8, 1), 1e-11);  // the roots of both polynomials
  EXPECT_NEAR(h.h2, decayed(h0.h2, rate0.h2, 6, 4, 1),
              1e-11);  // rk4 at 1 ms: h^4/120 p^5 t, of roots p = 10 and a gap of 0.02 m
  const Gap late = gap({"looper", split(), rk4, 10, 0.01});
  EXPECT_LE(std::abs(late.h1) + std::abs(late.h2), 1e-12);
}

TEST(LooperDrift, baumgarte_with_the_coefficients_of_the_quartic_overflows) {
  // (4.16) of the thesis used for equations of second order: a root at -1919/s, h times it far outside of rk4's interval.
  Formulation literal = of_kind(Kind::baumgarte);
  literal.each = {{"h1", {284, 28}}, {"h2", {1920, 1232}}};
  const auto run = simulate({"looper", literal, solve::Rk4Options{.step = 1e-2}, 10, 0.01});
  EXPECT_EQ(run.status, solve::Status::stopped);
}

TEST(LooperDrift, the_nonlinear_stabiliser_decays_as_the_method_integrates_a_linear_equation) {
  // Euler: xi1_n = a^n xi1_0 + n T a^(n-1) xi2_0, a = 1 - 3 T.
  Formulation stabiliser = of_kind(Kind::nonlinear_stabiliser);
  stabiliser.stabiliser.rate = 3;
  const Gap h = gap({"looper", stabiliser, solve::EulerOptions{.step = 1e-3}, 1, 0.01});
  EXPECT_NEAR(h.h1, -1.7708714e-3, printed(10));
  EXPECT_NEAR(h.h2, 1.6777665e-3, printed(10));
  const double a = 0.997, power = std::pow(a, 1000);
  EXPECT_NEAR(h.h1, power * (h0.h1 + rate0.h1 / a),
              1e-11);  // h0 and its rate are printed with ten decimals
  EXPECT_NEAR(h.h2, power * (h0.h2 + rate0.h2 / a), 1e-11);  // likewise
}

TEST(LooperDrift, the_nonlinear_stabiliser_keeps_a_consistent_start_at_rounding) {
  Formulation stabiliser = of_kind(Kind::nonlinear_stabiliser);
  stabiliser.stabiliser.rate = 3;
  for (const solve::Method& method : {solve::Method(solve::EulerOptions{.step = 1e-2}),
                                      solve::Method(solve::Rk4Options{.step = 2e-2})}) {
    const Gap h = gap({"looper", stabiliser, method, 10});
    EXPECT_LE(std::abs(h.h1) + std::abs(h.h2), 1e-14) << name(method);
  }
}

TEST(LooperDrift, large_disturbances_decay_too) {
  // Up to 0.3 rad, m, rad/s and m/s. What is left: e^(-30) (h0 + 10 h0') of the stabiliser; rounding times a0 of Baumgarte.
  Formulation stabiliser = of_kind(Kind::nonlinear_stabiliser);
  stabiliser.stabiliser.rate = 3;
  for (const double disturbance : {-0.2, -0.1, 0.03, 0.1, 0.3})
    for (const Formulation& formulation : {split(), stabiliser}) {
      const Gap h = gap({"looper", formulation, solve::Rk4Options{.step = 1e-3}, 10, disturbance});
      EXPECT_LE(std::abs(h.h1) + std::abs(h.h2), 1e-11)
          << name(formulation.kind) << " " << disturbance;
    }
}

TEST(ElevatorDrift, a_guess_that_misses_the_anchor_is_carried_onto_it_by_a_double_pole) {
  // From rest: h(t) = h0 (1 + p t) e^(-p t), whatever the cable does meanwhile.
  const int rods = 20;
  const auto model = std::make_shared<const model::Model>(model::elaborate(
      model::load(model_path("elevator_cable")),
      {.parameters = {{"N", std::to_string(rods)}, {"sway", "0"}}, .inputs = {}, .model = {}}));
  solve::PrepareOptions prepare;
  prepare.start.values = solve::StartValues::as_given;
  const double p = 1;
  const solve::Prepared prepared = solve::prepare(
      std::make_shared<const derive::Dae>(derive::derive(model)), baumgarte(2 * p, p * p), prepare);
  solve::SimulateOptions options;
  options.until = 10;
  options.every = 1;
  options.method = solve::Rk45Options{.tolerance = 1e-11};
  const solve::Trajectory run = solve::simulate(prepared.problem, prepared.start, options);
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  const auto gap_in = [&](std::size_t row) {
    Gap gap{-6, -2};  // of the end of the cable from its anchor
    for (int k = 1; k <= rods; ++k) {
      const double q = run.table.at(row, *run.table.find("q[" + std::to_string(k) + "]"));
      gap.h1 += 30.0 / rods * std::sin(q);
      gap.h2 += 30.0 / rods * std::cos(q);
    }
    return gap;
  };
  const Gap start = gap_in(0);
  EXPECT_GT(std::abs(start.h1) + std::abs(start.h2), 1e-3);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.table.at(row, 0), decay = (1 + p * t) * std::exp(-p * t);
    EXPECT_NEAR(gap_in(row).h1, start.h1 * decay, accumulated(1e-11, 10)) << t;
    EXPECT_NEAR(gap_in(row).h2, start.h2 * decay, accumulated(1e-11, 10)) << t;
  }
}

struct PendulumRow {
  double pole;
  double drift[4];  // largest |x^2 + y^2 - L^2| in 20 s for tolerances 1e-4, 1e-6, 1e-8, 1e-10
};

TEST(PendulumDrift, adaptive_steps_drift_as_in_the_table_of_poles_within_a_factor_3) {
  const PendulumRow rows[] = {{0, {.71, 2.6e-3, 6.6e-6, 2.9e-8}},
                              {1, {2.9e-3, 9.0e-6, 2.5e-8, 1.4e-10}},
                              {5, {6.2e-4, 2.9e-6, 1.2e-8, 6.1e-11}},
                              {20, {2.8e-5, 1.8e-7, 1.4e-9, 1.3e-11}}};
  for (const PendulumRow& row : rows) {
    double tolerance = 1e-4;
    for (const double drift : row.drift) {
      const auto run = simulate({"pendulum", baumgarte(2 * row.pole, row.pole * row.pole),
                                 solve::Rk45Options{.tolerance = tolerance}, 20});
      EXPECT_EQ(run.status, solve::Status::completed) << run.reason;
      EXPECT_LE(run.constraints.largest, 3 * drift) << "pole " << row.pole << ", " << tolerance;
      EXPECT_GE(run.constraints.largest, drift / 3) << "pole " << row.pole << ", " << tolerance;
      tolerance /= 100;
    }
  }
}

}  // namespace
}  // namespace daedal::test
