// Classical methods on inverse models: the error tables of an independent recomputation (Python, mpmath and NumPy) of
// [Druecker2022, chapters 4 and 5], to the digits printed there. Its Newton iterations end at 1e-13, its integrators have
// fixed steps; errors are largest differences of an input from the exact one over the steps.
#include "invert/exact_torque.hpp"
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

/// A printed number, its last digit at `digit` of the first; more where rounding errors are as large.
void expect_digits(double value, double printed, double digit = 1e-3, double rounding = 0) {
  // half a unit is theirs, a tenth ours
  EXPECT_NEAR(value, printed,
              0.6 * digit * std::pow(10, std::floor(std::log10(printed))) + rounding);
}

// ---- crane: x_T = x + w, w = z x''/(g - z''), L^2 = z^2 + w^2, u = q' + tau q''

/// s_4(t/10) and its derivatives in t.
double path(double t, int derivative) {
  return expr::rest_to_rest_value(t / 10, 4, derivative) / std::pow(10, derivative);
}

struct CraneInputs {
  double trolley = 0, winch = 0;
};

/// Values and two derivatives of a quantity, with the rules of calculus.
struct Jet {
  double v = 0, d = 0, dd = 0;
  friend Jet operator+(Jet a, Jet b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
  friend Jet operator*(Jet a, Jet b) {
    return {a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
  }
  friend Jet operator/(Jet a, Jet b) {
    Jet q;
    q.v = a.v / b.v;
    q.d = (a.d - q.v * b.d) / b.v;
    q.dd = (a.dd - 2 * q.d * b.d - q.v * b.dd) / b.v;
    return q;
  }
  friend Jet sqrt(Jet a) {
    Jet r;
    r.v = std::sqrt(a.v);
    r.d = a.d / (2 * r.v);
    r.dd = (a.dd - 2 * r.d * r.d) / (2 * r.v);
    return r;
  }
};
Jet scaled(double factor, double t, int derivative, double offset) {
  return {offset + factor * path(t, derivative), factor * path(t, derivative + 1),
          factor * path(t, derivative + 2)};
}

CraneInputs exact_crane(double t) {
  const Jet x = scaled(-4, t, 0, 15), z = scaled(3, t, 0, 4);
  const Jet w = z * scaled(-4, t, 2, 0) / scaled(-3, t, 2, 9.81);
  const Jet trolley = x + w, length = sqrt(z * z + w * w);
  return {trolley.d + 0.03 * trolley.dd, length.d + 0.02 * length.dd};
}

double crane_error(const SteppedRun& run, double from = 0) {
  EXPECT_EQ(run.status, solve::StepStatus::ok);
  double worst = 0;
  for (std::size_t n = 0; n < run.t.size(); ++n) {
    if (run.t[n] < from - 1e-9) continue;
    const CraneInputs exact = exact_crane(run.t[n]);
    worst = std::max({worst, std::abs(run.values[0][n] - exact.trolley),
                      std::abs(run.values[1][n] - exact.winch)});
  }
  return worst;
}

/// The crane in one of its four forms: index 5 from servo lines, index 3 as equations.
SteppedRun crane(const std::string& name, const solve::StepFormula& formula, double step,
                 solve::StepperOptions options = {}) {
  const auto forward = forward_of_file("cable_robot", {.model = name});
  const bool inverse = !forward->model->servos.empty();
  const derive::Dae dae = inverse ? derive::tracking(*forward) : *forward;
  // the multiplier that holds the load at rest: -m g / (2 z); `cable` is a variable of the substituted form
  const structure::Point still = rest(*dae.model);
  const structure::Point start = [&](expr::Leaf leaf) {
    const std::string& symbol = dae.model->symbols[leaf.symbol].name;
    if (symbol == "cable" && leaf.order == 0) return -18.9 * 9.81 / (2 * 4);
    if (symbol == "desired z[1]") return 15.0;
    if (symbol == "desired z[2]") return 4.0;
    return still(leaf);
  };
  return stepped(
      dae, formula, step, 10, {"u_T", "u_L"}, start,
      [](std::size_t k, double t) { return k == 0 ? 15 - 4 * path(t, 0) : 4 + 3 * path(t, 0); },
      options);
}

TEST(ClassicalCrane, implicit_euler_has_the_errors_of_the_table) {
  const solve::StepFormula euler = solve::bdf_formula(1);
  expect_digits(crane_error(crane("cable_robot", euler, 0.01)), 2.0723e-3, 1e-4);
  expect_digits(crane_error(crane("cable_robot_substituted", euler, 0.01)), 1.4368e-3, 1e-4);
  expect_digits(crane_error(crane("cable_robot_generalised", euler, 0.01)), 2.0504e-3, 1e-4);
  expect_digits(crane_error(crane("cable_robot_substituted", euler, 0.001)), 1.4368e-4, 1e-4);
}

TEST(ClassicalCrane, pivots_of_the_start_serve_the_whole_way) {
  // at the start the cable hangs straight down and sin(phi), which is 0 there, must not look like a small entry
  EXPECT_LE(crane_error(crane("cable_robot_projected", solve::bdf_formula(1), 0.001)), 1.5e-4);
}

TEST(ClassicalCrane, linear_implicit_euler_is_as_good) {
  // The table's guess is the last state, ours the last acceleration: differences are of second order.
  constexpr double second_order = 0.1 * 0.01 * 0.01;
  const solve::StepperOptions once{.linear = true};
  const solve::StepFormula euler = solve::bdf_formula(1);
  EXPECT_NEAR(crane_error(crane("cable_robot", euler, 0.01, once)), 2.0726e-3, second_order);
  EXPECT_NEAR(crane_error(crane("cable_robot_substituted", euler, 0.01, once)), 1.4367e-3,
              second_order);
  EXPECT_NEAR(crane_error(crane("cable_robot_generalised", euler, 0.01, once)), 2.0530e-3,
              second_order);
  EXPECT_NEAR(crane_error(crane("cable_robot_projected", euler, 0.01, once)), 1.4356e-3,
              second_order);
}

struct BdfRow {
  int order;
  std::vector<double> errors;  // h = 0.2, 0.1, 0.05, 0.025, 0.0125, t >= 2.5
  double observed;
};

class ClassicalCraneBdf : public ::testing::TestWithParam<BdfRow> {};

TEST_P(ClassicalCraneBdf, errors_and_order_are_those_of_the_table) {
  const auto& [order, errors, observed] = GetParam();
  std::vector<double> measured;
  double step = 0.2;
  for (const double printed : errors) {
    measured.push_back(
        crane_error(crane("cable_robot_substituted", solve::bdf_formula(order), step), 2.5));
    // an input contains the second difference of positions of 15 m, in coefficients of up to (12/h)^2, times 0.03 s
    const double rounding = 15 * 1.1e-16 * 0.03 * (12 / step) * (12 / step);
    expect_digits(measured.back(), printed, 1e-3, rounding);
    step /= 2;
  }
  EXPECT_NEAR(
      std::log2(measured[measured.size() - 2] / measured.back()), observed,
      0.02);  // the observed order is printed with two decimals, and of errors with four digits
}

INSTANTIATE_TEST_SUITE_P(
    orders, ClassicalCraneBdf,
    ::testing::Values(BdfRow{1, {2.868e-2, 1.437e-2, 7.185e-3, 3.592e-3, 1.796e-3}, 1.00},
                      BdfRow{2, {4.800e-3, 1.391e-3, 3.743e-4, 9.707e-5, 2.472e-5}, 1.97},
                      BdfRow{3, {1.294e-3, 1.957e-4, 2.689e-5, 3.524e-6, 4.511e-7}, 2.97},
                      BdfRow{4, {3.091e-4, 2.383e-5, 1.665e-6, 1.103e-7, 7.113e-9}, 3.96},
                      BdfRow{5, {5.894e-5, 2.474e-6, 9.302e-8, 3.222e-9}, 4.85},
                      BdfRow{6, {1.039e-5, 3.135e-7, 7.086e-9}, 5.47}),
    [](const auto& row) { return "k" + std::to_string(row.param.order); });

TEST(ClassicalCrane, radau5_has_order_two_in_the_inputs) {
  const std::vector<std::pair<double, double>> table{
      {0.2, 1.543e-4}, {0.1, 2.981e-5}, {0.05, 6.209e-6}, {0.025, 1.386e-6}};
  for (const auto& [step, printed] : table)
    expect_digits(crane_error(crane("cable_robot_substituted", solve::radau5_formula(), step)),
                  printed);
  expect_digits(crane_error(crane("cable_robot_substituted", solve::radau5_formula(), 0.01)),
                2.05e-7, 1e-2);
}

// ---- disks

/// phi_N = z put into the equations: one unknown less, index 2 N - 1.
std::string disks_with_the_motion_put_in(int n, int smoothness) {
  std::string text =
      "model shaft\nparameter I = 0.12, k = 2\nlet z = 2*pi*rest_to_rest(t/6, "
      "smoothness = " +
      std::to_string(smoothness) + ")\nvariable u";
  for (int i = 1; i < n; ++i) text += ", phi" + std::to_string(i);
  text += "\n";
  const auto disk = [&](int i) { return i == n ? std::string("z") : "phi" + std::to_string(i); };
  for (int i = 1; i <= n; ++i) {
    text += "equation I*" + disk(i) + "''";
    if (i > 1) text += " + k*(" + disk(i) + " - " + disk(i - 1) + ")";
    if (i < n) text += " + k*(" + disk(i) + " - " + disk(i + 1) + ")";
    text += i == 1 ? " = u\n" : " = 0\n";
  }
  return text;
}

double disk_error(const SteppedRun& run, int n, int smoothness) {
  EXPECT_EQ(run.status, solve::StepStatus::ok);
  double worst = 0;
  for (std::size_t i = 0; i < run.t.size(); ++i)
    worst = std::max(worst, std::abs(run.values[0][i] - exact_torque(n, smoothness, run.t[i])));
  return worst;
}

SteppedRun original_disks(int n, int smoothness, double step) {
  const auto forward = forward_of_file(
      "torsional_oscillator",
      {.parameters = {{"N", std::to_string(n)}, {"smooth", std::to_string(smoothness)}}});
  const derive::Dae dae = derive::tracking(*forward);
  return stepped(dae, solve::bdf_formula(1), step, 6, {"u"}, rest(*dae.model),
                 [&](std::size_t, double t) {
                   return 2 * std::numbers::pi * expr::rest_to_rest_value(t / 6, smoothness, 0);
                 });
}

SteppedRun substituted_disks(int n, int smoothness, double step) {
  const auto dae =
      forward_of(model::load_text(disks_with_the_motion_put_in(n, smoothness), "shaft.daedal"));
  return stepped(*dae, solve::bdf_formula(1), step, 6, {"u"}, rest(*dae->model));
}

TEST(ClassicalDisks, implicit_euler_on_the_original_equations) {
  expect_digits(disk_error(original_disks(2, 7, 0.01), 2, 7), 9.336e-3);
  // the table has 1.627e-2, with its rounding errors; in 40 digits it is this
  expect_digits(disk_error(original_disks(3, 7, 0.02), 3, 7), 1.6235e-2);
  expect_digits(disk_error(original_disks(4, 7, 0.05), 4, 7), 3.114e-2);
}

TEST(ClassicalDisks, implicit_euler_with_the_motion_put_in) {
  expect_digits(disk_error(substituted_disks(2, 7, 0.01), 2, 7), 4.668e-3);
  expect_digits(disk_error(substituted_disks(2, 7, 0.001), 2, 7), 4.668e-4);
  expect_digits(disk_error(substituted_disks(3, 7, 0.02), 3, 7), 1.179e-2);
  expect_digits(disk_error(substituted_disks(3, 7, 0.01), 3, 7), 5.897e-3);
  // with motions as smooth as the inputs ask for
  expect_digits(disk_error(substituted_disks(3, 6, 0.01), 3, 6), 5.44e-3, 1e-2);
  expect_digits(disk_error(substituted_disks(4, 8, 0.05), 4, 8), 2.55e-2, 1e-2);
  expect_digits(disk_error(substituted_disks(4, 8, 0.02), 4, 8), 9.94e-3, 1e-2);
}

TEST(ClassicalDisks, errors_of_the_source_for_four_and_five_disks_are_jumps_of_the_exact_input) {
  // s_7 has 7 continuous derivatives, the inputs contain 8 and 10: at t = 0 the table compares rest with u(0+).
  expect_digits(disk_error(substituted_disks(4, 7, 0.05), 4, 7), 2.516e-2);
  EXPECT_NEAR(exact_torque(4, 7, 0), 0.02515787397, daedal::test::printed(11));
}

// ---- manipulator, mass on car: rows of an independent reference

double error_against(const SteppedRun& run, const std::vector<std::vector<double>>& reference,
                     double interval, std::size_t first = 0) {
  EXPECT_EQ(run.status, solve::StepStatus::ok);
  double worst = 0;
  for (std::size_t n = 0; n < run.t.size(); ++n) {
    const double row = run.t[n] / interval;
    const auto k = static_cast<std::size_t>(std::llround(row));
    if (std::abs(row - static_cast<double>(k)) > 1e-6 || k >= reference[0].size() || k < first)
      continue;
    for (std::size_t v = 0; v < reference.size(); ++v)
      worst = std::max(worst, std::abs(run.values[v][n] - reference[v][k]));
  }
  return worst;
}

Table reference_of(const std::string& folder) {
  return read_csv(std::string(DAEDAL_SOURCE_DIR "/models/") + folder + "/reference.csv");
}

/// Case 2.2 projected: servo-constraint, its second derivative with the accelerations of the equations of motion put in, and
/// those equations along the servo-constraint, (1, -1, 0) and (0, cos a, -1). Index 3.
SteppedRun mass_on_car(const solve::StepFormula& formula, double step) {
  const auto dae = forward_of(model::load_text(R"(model car
parameter m1 = 1, m2 = 1, m3 = 3, k1 = 3, k2 = 3, a = pi/12
let z_d = 1 + 3*rest_to_rest(t/8, smoothness = 4)
variable x1 = 1, s1, s2, u
let z = x1 + s1 + s2*cos(a)
let of_x1 = m1*x1'' + m2*(x1'' + s1'') + m3*z'' - u
let of_s1 = m2*(x1'' + s1'') + m3*z'' + k1*s1
let of_s2 = m3*(z''*cos(a) + s2''*sin(a)^2) + k2*s2
equation z = z_d
equation (m2 + m3*sin(a)^2)*z_d'' + k1*s1*sin(a)^2 + m2*k2*s2*cos(a)/m3 = 0
equation of_x1 - of_s1 = 0
equation cos(a)*of_s1 - of_s2 = 0
)",
                                               "car.daedal"));
  return stepped(*dae, formula, step, 15, {"u"}, rest(*dae->model));
}

TEST(ClassicalMassOnCar, errors_are_those_of_the_table) {
  const Table r = reference_of("mass_on_car");
  const std::vector<std::vector<double>> u{r.at("u")};
  // printed with five digits, and rows of 0.01 s against every step: a tenth of the last digit but one
  EXPECT_NEAR(error_against(mass_on_car(solve::bdf_formula(1), 0.01), u, 0.01), 0.46781, 5e-5);
  // the table looks at every step, the reference has every tenth
  const double fine = error_against(mass_on_car(solve::bdf_formula(1), 0.001), u, 0.01);
  EXPECT_LE(fine, 0.0761685);
  EXPECT_GE(fine, 0.0761);
  expect_digits(error_against(mass_on_car(solve::bdf_formula(2), 0.01), u, 0.01), 5.09e-2, 1e-2);
  expect_digits(error_against(mass_on_car(solve::radau5_formula(), 0.01), u, 0.01), 2.306e-4);
}

struct ManipulatorRow {
  int order;
  double step, gamma, torque;
  double gamma_digit = 1e-2, torque_digit = 1e-2;
};

class ClassicalManipulator : public ::testing::TestWithParam<ManipulatorRow> {};

TEST_P(ClassicalManipulator, errors_are_those_of_the_table) {
  const auto& [order, step, gamma, torque, gamma_digit, torque_digit] = GetParam();
  const auto forward = forward_of_file("manipulator_3d");
  const derive::Dae dae = derive::inverse(*forward);
  const structure::Point still = rest(*dae.model);
  const SteppedRun run =
      stepped(dae, solve::bdf_formula(order), step, 2, {"gamma", "u1", "u2", "u3"}, still);
  const Table r = reference_of("manipulator_3d");
  SteppedRun passive = run, torques = run;
  passive.values = {run.values[0]};
  torques.values = {run.values[1], run.values[2], run.values[3]};
  expect_digits(error_against(passive, {r.at("gamma")}, 0.01), gamma, gamma_digit);
  expect_digits(error_against(torques, {r.at("u1"), r.at("u2"), r.at("u3")}, 0.01), torque,
                torque_digit);
}

INSTANTIATE_TEST_SUITE_P(rows, ClassicalManipulator,
                         ::testing::Values(ManipulatorRow{1, 0.001, 9.8e-3, 21, 1e-1, 1e-1},
                                           ManipulatorRow{2, 0.001, 5.83e-4, 1.40},
                                           ManipulatorRow{2, 0.002, 2.29e-3, 5.57},
                                           ManipulatorRow{3, 0.001, 2.91e-5, 0.075, 1e-2, 1e-1},
                                           ManipulatorRow{4, 0.001, 1.54e-6, 4.3e-3, 1e-2, 1e-1}),
                         [](const auto& row) {
                           return "k" + std::to_string(row.param.order) + "_" +
                                  std::to_string(static_cast<int>(1e6 * row.param.step)) + "us";
                         });

}  // namespace
}  // namespace daedal::test
