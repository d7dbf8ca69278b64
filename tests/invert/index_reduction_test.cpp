// Index-reduced variants: generated from servo lines, they have the index, the errors and the condition numbers of an
// independent recomputation (Python, NumPy) of [Druecker2022, chapters 4 and 5].
#include "daedal/invert/index_reduction.hpp"

#include "daedal/invert/classical.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/structure/examine.hpp"
#include "invert/exact_torque.hpp"
#include "support/csv.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

using inversion::Reduction;

inversion::InverseModel inverse_of(const std::string& folder,
                                   const model::Overrides& overrides = {}) {
  return inversion::inverse_model(*forward_of_file(folder, overrides));
}

inversion::SteppedInversion run(const inversion::InverseModel& inverse, const solve::Method& method,
                                double until, const inversion::ClassicalForm& form, double every) {
  inversion::SteppedInversion result =
      inversion::step_through(inverse, solve::consistent_point(inverse.problem), method, until,
                              every, {.backend = compile::Backend::tape}, form);
  EXPECT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  return result;
}

std::vector<double> column(const inversion::SteppedInversion& run, const std::string& name) {
  const auto found = run.trajectory.table.find(name);
  EXPECT_TRUE(found) << name;
  return found ? run.trajectory.table.column(*found) : std::vector<double>{};
}

/// A printed number, its last digit at `digit` of the first.
void expect_digits(double value, double printed, double digit = 1e-3) {
  // half a unit is theirs, a tenth ours
  EXPECT_NEAR(value, printed, 0.6 * digit * std::pow(10, std::floor(std::log10(printed))));
}

int index_of(const inversion::InverseModel& inverse, Reduction reduction) {
  const solve::ConsistentPoint point = solve::consistent_point(inverse.problem);
  const structure::Point at = solve::point_of(inverse.problem, point);
  return structure::examine(inversion::reduce(inverse, at, {.reduction = reduction}).dae).index;
}

// ---- disks

double disk_error(int n, int smoothness, double step, Reduction reduction) {
  const inversion::InverseModel inverse = inverse_of(
      "torsional_oscillator",
      {.parameters = {{"N", std::to_string(n)}, {"smooth", std::to_string(smoothness)}}});
  // The start of the table is rest, also where the exact torque jumps away from it.
  solve::ConsistentPoint rest = solve::consistent_point(inverse.problem);
  std::fill(rest.states.begin(), rest.states.end(), 0.0);
  std::fill(rest.tops.begin(), rest.tops.end(), 0.0);
  const inversion::SteppedInversion result = inversion::step_through(
      inverse, rest, solve::ImplicitEulerOptions{.step = step}, 6, step,
      {.backend = compile::Backend::tape}, {.reduction = {.reduction = reduction}});
  EXPECT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  const std::vector<double> t = column(result, "t"), u = column(result, "u");
  double worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    worst = std::max(worst, std::abs(u[i] - exact_torque(n, smoothness, t[i])));
  return worst;
}

struct DiskRow {
  int n, smoothness;
  double step, original, projection;  // errors; 0: rounding errors are as large
  double digit = 1e-3;
};

class ReducedDisks : public ::testing::TestWithParam<DiskRow> {};

TEST_P(ReducedDisks, errors_are_those_of_the_table) {
  const auto& [n, smoothness, step, original, projection, digit] = GetParam();
  if (original > 0)
    expect_digits(disk_error(n, smoothness, step, Reduction::original), original, digit);
  expect_digits(disk_error(n, smoothness, step, Reduction::projection), projection, digit);
  expect_digits(disk_error(n, smoothness, step, Reduction::substitution), projection, digit);
}

INSTANTIATE_TEST_SUITE_P(
    rows, ReducedDisks,
    ::testing::Values(DiskRow{2, 7, 0.01, 9.336e-3, 4.668e-3}, DiskRow{2, 7, 0.001, 0, 4.668e-4},
                      DiskRow{3, 7, 0.02, 1.6235e-2,
                              1.179e-2},  // printed 1.627e-2: with rounding errors
                      DiskRow{3, 7, 0.01, 0, 5.897e-3}, DiskRow{4, 7, 0.05, 3.114e-2, 2.516e-2},
                      DiskRow{5, 7, 0.1, 0.2647, 0.2647}, DiskRow{3, 6, 0.01, 0, 5.44e-3, 1e-2},
                      DiskRow{4, 8, 0.05, 0, 2.55e-2, 1e-2}, DiskRow{4, 8, 0.02, 0, 9.94e-3, 1e-2},
                      DiskRow{5, 10, 0.1, 0, 0.110, 1e-2}, DiskRow{5, 10, 0.05, 0, 5.15e-2, 1e-2},
                      DiskRow{5, 10, 0.02, 0, 1.97e-2, 1e-2}),
    [](const auto& row) {
      return "N" + std::to_string(row.param.n) + "_s" + std::to_string(row.param.smoothness) + "_" +
             std::to_string(static_cast<int>(1e3 * row.param.step)) + "ms";
    });

TEST(ReducedModels, condition_numbers_of_two_disks_are_those_of_the_notes) {
  const inversion::InverseModel inverse =
      inverse_of("torsional_oscillator", {.parameters = {{"N", "2"}}});
  const solve::ConsistentPoint point = solve::consistent_point(inverse.problem);
  const structure::Point start = solve::point_of(inverse.problem, point);
  const auto condition = [&](Reduction reduction, double step) {
    const inversion::ReducedModel reduced =
        inversion::reduce(inverse, start, {.reduction = reduction});
    return inversion::newton_condition(*reduced.dae, inversion::point_of(reduced, start), step);
  };
  expect_digits(condition(Reduction::original, 1e-3), 7e12, 1);
  expect_digits(condition(Reduction::projection, 1e-3), 1.2e8, 0.1);
  expect_digits(condition(Reduction::substitution, 1e-3), 6e7, 1);
  // the condition of E/h - A grows with h^-index: from 5 to 3
  const auto power = [&](Reduction reduction) {
    return std::log10(condition(reduction, 1e-4) / condition(reduction, 1e-3));
  };
  // the leading term in 1/h alone: the next one is h = 1e-3 of it, 0.0004 of a decade
  EXPECT_NEAR(power(Reduction::original), 5, 1e-3);
  // likewise
  EXPECT_NEAR(power(Reduction::projection), 3, 1e-3);
  // likewise
  EXPECT_NEAR(power(Reduction::substitution), 3, 1e-3);
  // likewise
  EXPECT_NEAR(power(Reduction::minimal_extension), 3, 1e-3);
}

// ---- mass on car, crane

/// The largest error of `name` over the rows with t >= from, against the reference of a folder.
double error_of(const inversion::SteppedInversion& run, const std::string& folder,
                const std::vector<std::pair<std::string, std::string>>& columns, double from = 0) {
  const auto reference =
      read_csv(std::string(DAEDAL_SOURCE_DIR "/models/") + folder + "/reference.csv");
  const std::vector<double> t = column(run, "t");
  double worst = 0;
  for (const auto& [name, in_reference] : columns) {
    const std::vector<double> u = column(run, name), &exact = reference.at(in_reference);
    for (std::size_t i = 0; i < std::min(u.size(), exact.size()); ++i)
      if (t[i] >= from) worst = std::max(worst, std::abs(u[i] - exact[i]));
  }
  return worst;
}

TEST(ReducedMassOnCar, errors_of_the_projected_equations_are_those_of_the_table) {
  const inversion::InverseModel inverse = inverse_of("mass_on_car");
  const inversion::ClassicalForm projected{.reduction = {.reduction = Reduction::projection}};
  const auto error = [&](const solve::Method& method, double from = 0) {
    return error_of(run(inverse, method, 15, projected, 0.01), "mass_on_car", {{"u", "u"}}, from);
  };
  expect_digits(error(solve::ImplicitEulerOptions{.step = 0.01}), 0.46781, 1e-4);
  expect_digits(error(solve::BdfOptions{.order = 2, .step = 0.01}), 5.09e-2, 1e-2);
  expect_digits(error(solve::BdfOptions{.order = 3, .step = 0.01}), 5.41e-2, 1e-2);
  expect_digits(error(solve::BdfOptions{.order = 3, .step = 0.01}, 8.1), 6.19e-4, 1e-2);
  expect_digits(error(solve::Radau5Options{.step = 0.01}), 2.306e-4);
}

TEST(ReducedCrane, substituted_and_projected_equations_have_the_errors_of_the_table) {
  const std::vector<std::pair<std::string, std::string>> inputs{{"u_T", "uT"}, {"u_L", "uL"}};
  const auto error = [&](const inversion::InverseModel& inverse, Reduction reduction, double step) {
    return error_of(run(inverse, solve::ImplicitEulerOptions{.step = step}, 10,
                        {.reduction = {.reduction = reduction}}, 0.01),
                    "cable_robot", inputs);
  };
  const inversion::InverseModel redundant = inverse_of("cable_robot");
  expect_digits(error(redundant, Reduction::original, 0.01), 2.0723e-3, 1e-4);
  expect_digits(error(redundant, Reduction::substitution, 0.01), 1.4368e-3, 1e-4);
  // The recomputation divides the sway equation by m L; which part of a projected equation is discretised depends on that.
  const inversion::InverseModel generalised =
      inversion::inverse_model(*forward_of(model::load_text(R"(model crane
parameter g = 9.81, tau_T = 0.03, tau_L = 0.02
variable x_T = 15, L = 4, phi = 0
input u_T, u_L
equation tau_T*x_T'' + x_T' = u_T
equation tau_L*L'' + L' = u_L
equation cos(phi)*x_T'' + L*phi'' + 2*phi'*L' = -g*sin(phi)
servo [x_T + L*sin(phi), L*cos(phi)] = line([15, 4], [11, 7], rest_to_rest(t/10, smoothness = 4))
)",
                                                            "crane.daedal")));
  expect_digits(error(generalised, Reduction::original, 0.01), 2.0504e-3, 1e-4);
  expect_digits(error(generalised, Reduction::projection, 0.01), 1.4408e-3, 1e-4);
}

// ---- every variant leads to the same inputs

struct VariantCase {
  const char *folder, *model;
  std::map<std::string, std::string> parameters;
  int original, reduced, projected;  // index
  double step = 0.01;                // and half of it
  bool substitutes = true;
};

class ReducedInputs : public ::testing::TestWithParam<VariantCase> {};

TEST_P(ReducedInputs, index_falls_and_inputs_stay) {
  const auto& [folder, model, parameters, original, reduced, projected, coarse, substitutes] =
      GetParam();
  const inversion::InverseModel inverse =
      inverse_of(folder, {.parameters = parameters, .model = model});
  EXPECT_EQ(inverse.structure.index, original);
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
  solve::SimulateOptions options;
  options.until = 1;
  options.every = 0.05;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-12}});
  const solve::Trajectory exact = solve::simulate(inverse.problem, start, options);
  for (const Reduction reduction : {Reduction::baumgarte, Reduction::projection,
                                    Reduction::substitution, Reduction::minimal_extension}) {
    if (reduction == Reduction::substitution && !substitutes) continue;
    const std::string& name = inversion::reduction_names()[static_cast<std::size_t>(reduction)];
    EXPECT_EQ(index_of(inverse, reduction),
              reduction == Reduction::projection ? projected : reduced)
        << name;
    double errors[2], peak = 0;
    int n = 0;
    for (const double step : {coarse, coarse / 2}) {
      const inversion::SteppedInversion stepped =
          run(inverse, solve::BdfOptions{.order = 2, .step = step}, 1,
              {.reduction = {.reduction = reduction}}, 0.05);
      double worst = 0;
      for (const model::Symbol& symbol : inverse.dae->model->symbols) {
        if (symbol.kind != model::SymbolKind::input) continue;
        const std::vector<double> u = column(stepped, symbol.name),
                                  right = exact.table.column(*exact.table.find(symbol.name));
        for (std::size_t i = u.size() / 2; i < u.size(); ++i) {  // after the first steps from rest
          worst = std::max(worst, std::abs(u[i] - right[i]));
          peak = std::max(peak, std::abs(right[i]));
        }
      }
      errors[n++] = worst;
    }
    EXPECT_LE(errors[1], 2e-2 * peak) << name;
    EXPECT_LE(errors[1], errors[0] / 3) << name;  // order 2
  }
}

INSTANTIATE_TEST_SUITE_P(
    models, ReducedInputs,
    ::testing::Values(
        VariantCase{"cable_robot", "cable_robot", {}, 5, 3, 3},
        VariantCase{"cable_robot", "cable_robot_generalised", {}, 5, 3, 3},
        VariantCase{"cable_robot_platform", "cable_robot_platform", {{"smooth", "6"}}, 5, 3, 3},
        VariantCase{"torsional_oscillator", "torsional_oscillator", {{"N", "3"}}, 7, 5, 5},
        VariantCase{"mass_on_car", "mass_on_car", {}, 5, 3, 3},
        VariantCase{"mass_on_car", "mass_on_car_output", {}, 5, 3, 3},
        // the passive joint's equation contains accelerations of the others: still index 3
        VariantCase{"manipulator_3d", "manipulator_3d", {}, 3, 1, 3, 0.002, false}),
    [](const auto& tested) { return std::string(tested.param.model); });

}  // namespace
}  // namespace daedal::test
