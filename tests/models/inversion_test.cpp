// Inputs of the flat inverse models against independent references, closed forms and each other.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/csv.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

__extension__ typedef __float128 Quad;

struct Inversion {
  std::vector<Diagnostic> warnings;
  Table columns;  // by name, "t" included
};

Inversion invert(const std::string& folder, const model::Overrides& overrides, double until,
                 double every) {
  const auto model = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path(folder)), overrides));
  const inversion::InverseModel inverse = inversion::inverse_model(derive::derive(model));
  EXPECT_TRUE(inverse.algebraic());
  solve::SimulateOptions options;
  options.until = until;
  options.every = every;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-9}});
  const solve::Trajectory trajectory =
      solve::simulate(inverse.problem, solve::consistent_point(inverse.problem), options);
  EXPECT_EQ(trajectory.status, solve::Status::completed) << trajectory.reason;
  Inversion result{inverse.warnings, {}};
  for (std::size_t c = 0; c < trajectory.table.width(); ++c)
    result.columns[trajectory.table.columns()[c].name] = trajectory.table.column(c);
  return result;
}

Table reference(const std::string& folder, const std::string& file = "reference.csv") {
  return read_csv(std::string(DAEDAL_SOURCE_DIR) + "/models/" + folder + "/" + file);
}

/// The largest difference strictly between the first and the last row.
double interior_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 1; i + 1 < std::min(a.size(), b.size()); ++i)
    worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// ---- crane

class CableRobotInverse : public ::testing::TestWithParam<const char*> {};

TEST_P(CableRobotInverse, inputs_are_those_of_the_flat_solution) {
  const Table r = reference("cable_robot");
  const Inversion run = invert("cable_robot", {.model = GetParam()}, 10, 0.01);
  EXPECT_TRUE(run.warnings.empty()) << render(run.warnings);
  EXPECT_LE(interior_difference(run.columns.at("u_T"), r.at("uT")), 1e-12);
  EXPECT_LE(interior_difference(run.columns.at("u_L"), r.at("uL")), 1e-12);
  EXPECT_LE(interior_difference(run.columns.at("x_T"), r.at("xT")), 1e-11);  // 13 digits of 15 m
  EXPECT_LE(interior_difference(run.columns.at("L"), r.at("L")), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(coordinates, CableRobotInverse,
                         ::testing::Values("cable_robot", "cable_robot_generalised"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(CableRobotInverseForms, index_3_forms_simulate_to_the_same_inputs) {
  const Table r = reference("cable_robot");
  for (const char* name : {"cable_robot_projected", "cable_robot_substituted"}) {
    const auto model = std::make_shared<const model::Model>(
        model::elaborate(model::load(model_path("cable_robot")), {.model = name}));
    const formulate::Problem problem = formulate::formulate(
        structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))),
        formulate::Formulation{});
    solve::SimulateOptions options;
    options.until = 10;
    options.every = 0.01;
    options.method = solve::make_method("taylor", {{"tolerance", 1e-12}});
    const solve::Trajectory run =
        solve::simulate(problem, solve::consistent_point(problem), options);
    const auto column = [&](const char* c) { return run.table.column(*run.table.find(c)); };
    EXPECT_LE(interior_difference(column("u_T"), r.at("uT")), 1e-12) << name;
    EXPECT_LE(interior_difference(column("u_L"), r.at("uL")), 1e-12) << name;
  }
}

// ---- platform

struct PlatformCase {
  const char *model, *file, *prefix;
  double every;
};

class PlatformInverse : public ::testing::TestWithParam<PlatformCase> {};

TEST_P(PlatformInverse, inputs_are_those_of_the_flat_solution) {
  const auto& [model, file, p, every] = GetParam();
  const std::string prefix = p;
  const Table r = reference("cable_robot_platform", file);
  const Inversion run = invert("cable_robot_platform", {.model = model}, 10, every);
  for (const auto& [name, column] :
       {std::pair{"u_T", "uT"}, {"u_L1", "uL1"}, {"u_L2", "uL2"}, {"delta", "delta"}})
    EXPECT_LE(interior_difference(run.columns.at(prefix + name), r.at(column)), 1e-12) << name;
  EXPECT_LE(interior_difference(run.columns.at(prefix + "x_T"), r.at("xT")), 1e-11);
  for (const auto& [name, column] :
       {std::pair{"cable1.force", "lambda1"}, {"cable2.force", "lambda2"}})
    EXPECT_LE(interior_difference(run.columns.at(prefix + name), r.at(column)), 1e-10)
        << name;  // of 93 N
}

INSTANTIATE_TEST_SUITE_P(
    cases, PlatformInverse,
    ::testing::Values(PlatformCase{"cable_robot_platform", "reference.csv", "", 0.02},
                      PlatformCase{"cable_robot_platform_desired", "reference.csv", "robot.", 0.02},
                      PlatformCase{"cable_robot_platform_parallel", "reference_parallel.csv",
                                   "robot.", 0.1}),
    [](const auto& tested) { return std::string(tested.param.model); });

TEST(PlatformInverseForms, unknown_accelerations_lead_to_the_same_inputs_at_index_7) {
  const Inversion explicit_tilt =
      invert("cable_robot_platform", {.parameters = {{"smooth", "6"}}}, 10, 0.05);
  const Inversion unknown =
      invert("cable_robot_platform", {.model = "cable_robot_platform_unknown"}, 10, 0.05);
  for (const char* input : {"u_T", "u_L1", "u_L2"})
    EXPECT_LE(interior_difference(explicit_tilt.columns.at(input),
                                  unknown.columns.at("robot." + std::string(input))),
              1e-12)
        << input;
  EXPECT_TRUE(unknown.warnings.empty()) << render(unknown.warnings);
}

// ---- disks

/// d^n/dx^n of [x (1 - x)]^m by the product rule, in quadruple precision: it loses 13 digits at m = 40 and has 34.
Quad bell(int m, int n, Quad x) {
  const auto power = [](Quad base, int exponent) {
    Quad product = 1;
    for (int i = 0; i < exponent; ++i) product *= base;
    return product;
  };
  const auto factor = [&](int k, Quad base, Quad sign) {  // d^k/dx^k base^m
    Quad value = k > m ? 0 : power(base, m - k);
    for (int i = 0; i < k; ++i) value *= sign * (m - i);
    return value;
  };
  Quad sum = 0, binomial = 1;
  for (int k = 0; k <= n; ++k) {
    sum += binomial * factor(k, x, 1) * factor(n - k, 1 - x, -1);
    binomial = binomial * (n - k) / (k + 1);
  }
  return sum;
}

/// u = k sum_j binom(N+j-1, 2j-1) (I/k)^j z^(2j), z = 2 pi C int [x (1 - x)]^m dx, C = (2m+1) binom(2m, m), x = t/tf.
double exact_torque(int disks, int m, double tf, double t) {
  const Quad inertia = 0.12, stiffness = 2, x = Quad(t) / tf;
  Quad scale = Quad(2 * std::numbers::pi) * (2 * m + 1);
  for (int i = 1; i <= m; ++i) scale = scale * (m + i) / i;
  Quad u = 0, binomial = disks, ratio = 1;
  for (int j = 1; j <= disks; ++j) {
    ratio *= inertia / stiffness / (Quad(tf) * tf);
    u += stiffness * binomial * ratio * scale * bell(m, 2 * j - 1, x);
    binomial = binomial * (disks + j) * (disks - j) / (Quad(2 * j) * (2 * j + 1));
  }
  return static_cast<double>(u);
}

struct Disks {
  int count;
  double tf;
  double peak = 0, within = 0;  // of an independent computation with mpmath, on a coarser grid
  int rows = 300;
};

class DisksInverse : public ::testing::TestWithParam<Disks> {};

TEST_P(DisksInverse, torque_is_the_exact_one_when_the_motion_is_smooth_enough) {
  const auto& [count, tf, peak, within, rows] = GetParam();
  const Inversion run = invert("torsional_oscillator",
                               {.parameters = {{"N", std::to_string(count)},
                                               {"smooth", std::to_string(2 * count)},
                                               {"tf", std::to_string(tf)}}},
                               tf, tf / rows);
  EXPECT_TRUE(run.warnings.empty()) << render(run.warnings);
  const std::vector<double>&t = run.columns.at("t"), &u = run.columns.at("u");
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double exact = exact_torque(count, 2 * count, tf, t[i]);
    largest = std::max(largest, std::abs(exact));
    worst = std::max(worst, std::abs(u[i] - exact));
  }
  RecordProperty("relative_error", std::to_string(1e15 * worst / largest) + "e-15");
  EXPECT_LE(worst, 1e-12 * largest);
  if (peak > 0) {
    EXPECT_NEAR(largest, peak, within);
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, DisksInverse,
                         ::testing::Values(Disks{2, 6}, Disks{3, 6}, Disks{4, 6}, Disks{5, 6},
                                           Disks{6, 6}, Disks{7, 6}, Disks{8, 6}, Disks{9, 6},
                                           Disks{10, 6, 43.7, 0.05}, Disks{20, 30, 0.3704, 2e-4}),
                         [](const auto& tested) {
                           return "N" + std::to_string(tested.param.count);
                         });

// Beyond 170 derivatives factorials are beyond a double, though the derivatives of a motion are not. The terms of u are about
// exp(N^2/tf) times their sum: 2e4 here, of which 1e-12 of it still is rounding.
INSTANTIATE_TEST_SUITE_P(SlowSizes, DisksInverse, ::testing::Values(Disks{100, 1000, 0, 0, 50}),
                         [](const auto& tested) {
                           return "N" + std::to_string(tested.param.count);
                         });

TEST(DisksInverseTooMany, are_refused_with_the_number_of_derivatives) {
  const auto model = std::make_shared<const model::Model>(model::elaborate(
      model::load(model_path("torsional_oscillator")), {.parameters = {{"N", "600"}}}));
  const inversion::InverseModel inverse = inversion::inverse_model(derive::derive(model));
  try {
    solve::consistent_point(inverse.problem);
    FAIL() << "1200 derivatives";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("its equations contain derivative 1200 of an unknown, "
                                         "Taylor series support up to 1000"),
              std::string::npos)
        << e.what();
  }
}

TEST(DisksInverseWithJumps, torque_of_the_source_is_matched_inside_and_its_jumps_are_told) {
  const Table r = reference("torsional_oscillator");
  for (int count = 2; count <= 6; ++count) {
    const std::string n = std::to_string(count);
    const Inversion run =
        invert("torsional_oscillator", {.parameters = {{"N", n}, {"smooth", "7"}}}, 6, 0.01);
    const std::vector<double>& expected = r.at("u_N" + n);
    double largest = 0;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    EXPECT_LE(interior_difference(run.columns.at("u"), expected), 1e-12 * largest) << count;
    if (2 * count <= 7) {
      EXPECT_TRUE(run.warnings.empty()) << render(run.warnings);
      continue;
    }
    ASSERT_EQ(run.warnings.size(), 1u) << count;
    EXPECT_EQ(run.warnings[0].message,
              "model 'torsional_oscillator': the inputs contain derivative " +
                  std::to_string(2 * count) +
                  " of servo 'servo1', which has 7 continuous derivatives");
    ASSERT_EQ(run.warnings[0].details.size(), 1u);
    EXPECT_EQ(run.warnings[0].details[0],
              std::string("derivative 8 jumps at t = 0 s and t = 6 s: ") +
                  (count == 4 ? "the inputs jump there"
                              : "the exact inputs contain impulses there, which are left out"));
  }
}

}  // namespace
}  // namespace daedal::test
