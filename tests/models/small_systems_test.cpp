// freak_shows, linear_index3 and torsional_position_drive against closed forms, and what the tool says where they break down.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

formulate::Problem problem_of(const std::string& folder, const model::Overrides& overrides,
                              formulate::Kind kind = formulate::Kind::projection) {
  const auto model = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path(folder)), overrides));
  return formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))),
      formulate::Formulation{.kind = kind});
}

solve::Trajectory simulate(const std::string& folder, const model::Overrides& overrides,
                           double until, const char* method = "taylor") {
  const formulate::Problem problem = problem_of(folder, overrides);
  solve::SimulateOptions options;
  options.until = until;
  options.method = solve::make_method(method, {{"tolerance", 1e-13}});
  const solve::Trajectory run = solve::simulate(problem, solve::consistent_point(problem), options);
  EXPECT_EQ(run.status, solve::Status::completed) << run.reason;
  return run;
}

std::vector<double> column(const solve::Trajectory& run, const std::string& name) {
  return run.table.column(run.table.find(name).value());
}

/// Largest difference of a column from a function of time.
double difference(const solve::Trajectory& run, const std::string& name,
                  const std::function<double(double)>& exact) {
  const std::vector<double> t = column(run, "t"), value = column(run, name);
  double worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    worst = std::max(worst, std::abs(value[i] - exact(t[i])));
  return worst;
}

std::string fault_of(const std::string& model, const model::Overrides& overrides = {}) {
  model::Overrides chosen = overrides;
  chosen.model = model;
  try {
    solve::consistent_point(problem_of("freak_shows", chosen));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(FreakShows, closed_forms_hold_while_the_character_does_not_change) {
  const auto decay = simulate("freak_shows", {.model = "freak_input"}, 3);
  EXPECT_LE(difference(decay, "x", [](double t) { return std::exp(-t); }), 1e-14);
  const auto apart = simulate("freak_shows", {.model = "freak_start"}, 0.5);
  EXPECT_LE(difference(apart, "x_2", [](double t) { return 1 - t; }), 1e-15);
  const auto growth = simulate("freak_shows", {}, 2);
  EXPECT_LE(difference(growth, "x_1", [](double t) { return std::expm1(t); }), 1e-13);
  EXPECT_LE(difference(growth, "x_2", [](double t) { return -2 * std::exp(-t); }), 1e-13);
}

TEST(FreakShows, a_start_where_the_character_changes_is_told_with_its_cause) {
  const std::string vanishing = fault_of("freak_input", {.inputs = {{"u", "0"}}});
  EXPECT_THAT(vanishing,
              HasSubstr("model 'freak_input': the start at t = 0 s is a singular state"));
  EXPECT_THAT(vanishing, HasSubstr("do not determine x' there, though they do elsewhere"));
  EXPECT_THAT(vanishing, HasSubstr("at x = 1, u = 0"));

  const std::string equal = fault_of("freak_start", {.parameters = {{"start_1", "1"}}});
  EXPECT_THAT(equal, HasSubstr("model 'freak_start': the start at t = 0 s is a singular state"));
  EXPECT_THAT(equal, HasSubstr("do not determine x_2' there, though they do elsewhere"));
  EXPECT_THAT(equal, HasSubstr("at x_1 = 1, x_2 = 1"));

  const std::string none = fault_of("freak_shows", {.parameters = {{"start_1", "-1"}}});
  EXPECT_THAT(none, HasSubstr("model 'freak_shows': the start at t = 0 s is a singular state"));
  EXPECT_THAT(none, HasSubstr("do not determine x_2 there, though they do elsewhere"));
  EXPECT_THAT(none, HasSubstr("equations involved: equation 'second'"));
}

TEST(FreakShows, passing_a_singular_state_is_told) {
  // x_1 = (1 - e^-t)/2 meets x_2 = 1 - t at t = 0.7388
  const auto run = simulate("freak_shows", {.model = "freak_start"}, 2);
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings[0].message,
            "model 'freak_start' passes a singular state between t = 0.738 s and t = 0.74 s");
}

TEST(LinearIndex3, solution_is_the_derivatives_of_the_input) {
  for (const char* method : {"taylor", "rk45"}) {
    const auto run = simulate("linear_index3", {}, 10, method);
    EXPECT_LE(difference(run, "x_3", [](double t) { return -std::sin(t); }), 1e-15) << method;
    EXPECT_LE(difference(run, "x_2", [](double t) { return -std::cos(t); }), 1e-15) << method;
    EXPECT_LE(difference(run, "x_1", [](double t) { return std::sin(t); }), 1e-15) << method;
  }
}

/// x_1 of implicit Euler in equal steps h for u = cos(t), index 3: x_3 = -u, and x_2, x_1 are differences of it backwards,
///   x_1(nh) = -(u_n - 2 u_{n-1} + u_{n-2})/h^2 = (2 - 2 cos h)/h^2 cos((n-1)h),   n >= 2.
/// The first step has the start value x_2 = -u'(0) = 0 in place of a difference: x_1(h) = -(u_1 - u_0)/h^2 = (1 - cos h)/h^2.
double x_1_of_implicit_euler(std::size_t n, double h) {
  const double square = 4 * std::pow(std::sin(h / 2), 2) / (h * h);  // (2 - 2 cos h)/h^2
  return n == 1 ? square / 2 : square * std::cos(static_cast<double>(n - 1) * h);
}

TEST(LinearIndex3, first_step_of_implicit_euler_is_wrong_by_a_half_however_short) {
  const formulate::Problem problem =
      problem_of("linear_index3", {.inputs = {{"u", "cos(t)"}}}, formulate::Kind::index3);
  double earlier = 1;  // error at the end, of steps twice as long
  for (const int steps : {10, 20, 40, 80, 160}) {
    const double h = 1.0 / steps;
    solve::SimulateOptions options;
    options.until = 1;
    options.every = h;
    options.method = solve::make_method("implicit_euler", {{"step", h}});
    const solve::Trajectory run =
        solve::simulate(problem, solve::consistent_point(problem), options);
    ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
    const std::vector<double> x_1 = column(run, "x_1");
    ASSERT_EQ(x_1.size(), static_cast<std::size_t>(steps) + 1);
    EXPECT_NEAR(x_1[0], 1, rounding(4));
    // rounding errors of u, divided by h^2
    for (std::size_t n = 1; n < x_1.size(); ++n)
      EXPECT_NEAR(x_1[n], x_1_of_implicit_euler(n, h), 1e-15 / (h * h)) << "step " << n;
    // (1 - cos h)/h^2 - cos h = -1/2 + 11/24 h^2 in the first step, h sin(t) + O(h^2) in all others
    EXPECT_NEAR(x_1[1] - std::cos(h), -0.5, 0.5 * h * h);
    EXPECT_LE(std::abs(x_1[2] - std::cos(2 * h)), 2 * h * h);
    const double at_end = std::abs(x_1.back() - std::cos(1));
    EXPECT_NEAR(at_end, h * std::sin(1), h * h);
    EXPECT_LT(at_end, 0.52 * earlier);
    earlier = at_end;
  }
}

TEST(TorsionalPositionDrive, outer_disks_are_driven_oscillators_in_both_forms) {
  // I phi'' + k phi = k u with u = 1 - cos(t), from rest; the torque turns the middle disk against both springs.
  const double inertia = 0.12, stiffness = 2, square = stiffness / inertia;
  const auto outer = [&](double t) {
    return 1 + (std::cos(std::sqrt(square) * t) - square * std::cos(t)) / (square - 1);
  };
  for (const char* name : {"torsional_position_drive", "torsional_position_drive_drive"}) {
    const auto run =
        simulate("torsional_position_drive", {.inputs = {{"u", "1 - cos(t)"}}, .model = name}, 10);
    EXPECT_LE(difference(run, "phi[1]", outer), 1e-12) << name;
    EXPECT_LE(difference(run, "phi[3]", outer), 1e-12) << name;
    EXPECT_LE(difference(run, "phi[2]", [](double t) { return 1 - std::cos(t); }), 1e-15) << name;
    if (!run.table.find("motor.force")) continue;
    EXPECT_LE(difference(run, "motor.force",
                         [&](double t) {
                           const double u = 1 - std::cos(t);
                           return -inertia * std::cos(t) - 2 * stiffness * (u - outer(t));
                         }),
              1e-11);
  }
}

}  // namespace
}  // namespace daedal::test
