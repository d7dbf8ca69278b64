// Output redefinition [Druecker2022, section 6.5] and maps of zeros: critical weights and residual oscillations against
// reference values (independent recomputation, SciPy), critical masses against the closed form.
#include "daedal/analyse/redefine.hpp"
#include "daedal/analyse/zero_map.hpp"
#include "daedal/analyse/zero_search.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/csv.hpp"
#include "support/model_point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

constexpr double sharpness = 1e-8;  // ZeroMapOptions', of the path

model::Model arm(int N) {
  return model::elaborate(model::load(model_path("flexible_link")),
                          {.parameters = {{"N", std::to_string(N)}}, .inputs = {}, .model = ""});
}
derive::Dae redefined_arm(int N, double weight) {
  return derive::derive(
      std::make_shared<const model::Model>(analysis::redefined(arm(N), {"tip", "rigid"}, weight)));
}
analysis::ZeroMap map_of_arm(int N, const analysis::ZeroMapOptions& options = {}) {
  const derive::Dae dae = redefined_arm(N, 0.5);
  return analysis::zero_map(dae, {{dae.model->find("Gamma(tip)"), 0, 1}}, options);
}

class CriticalWeight : public ::testing::TestWithParam<std::pair<int, double>> {};

TEST_P(CriticalWeight, is_that_of_the_reference) {
  const auto [N, critical] = GetParam();
  const analysis::ZeroMap map = map_of_arm(N, {.samples = 11, .sharpness = 1e-7});
  ASSERT_FALSE(map.crossings.empty());
  EXPECT_NEAR(map.crossings[0].s, critical, 1e-6);  // ten times the sharpness of the map
  EXPECT_TRUE(map.crossings[0].acceptable_before);
  EXPECT_GT(std::abs(map.crossings[0].zero.mean.imag()), 1) << "imaginary zeros collide";
  EXPECT_EQ(map.points.front().margin.side, analysis::Side::axis);
  EXPECT_EQ(map.points.back().margin.side, analysis::Side::right);
}

INSTANTIATE_TEST_SUITE_P(arms, CriticalWeight,
                         ::testing::Values(std::pair{1, 0.769898}, std::pair{2, 0.781082},
                                           std::pair{3, 0.764375}, std::pair{4, 0.760735},
                                           std::pair{6, 0.758643}, std::pair{8, 0.758001},
                                           std::pair{10, 0.757719}),
                         [](const auto& tested) {
                           return "N" + std::to_string(tested.param.first);
                         });

// ---- the arm moves

constexpr double degree = std::numbers::pi / 180;

Table columns_of(const daedal::Table& table) {
  Table columns;
  for (std::size_t c = 0; c < table.width(); ++c)
    columns[table.columns()[c].name] = table.column(c);
  return columns;
}

/// The redefined inverse model over `until`, a row every 0.01 s; columns by name.
Table inverted(const derive::Dae& redefined, double until = 2) {
  const inversion::InverseModel inverse = inversion::inverse_model(redefined);
  solve::SimulateOptions options;
  options.until = until;
  options.every = 0.01;
  options.global_error = false;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-9}});
  const solve::Trajectory run =
      solve::simulate(inverse.problem, solve::consistent_point(inverse.problem), options);
  EXPECT_EQ(run.status, solve::Status::completed) << run.reason;
  return columns_of(run.table);
}

/// The largest magnitude from `first` on.
double largest(const std::vector<double>& t, const std::vector<double>& values, double first) {
  double most = 0;
  for (std::size_t k = 0; k < t.size(); ++k)
    if (t[k] >= first - 1e-9) most = std::max(most, std::abs(values[k]));
  return most;
}

struct Moves {
  int N = 0;
  double weight = 0, residual = 0, residual_error = 0;  // [deg] and what the reference is good for
  double squares = 0;  // [rad^2], integral of the squared error over the motion of 1 s
};
class Arm : public ::testing::TestWithParam<Moves> {};

TEST_P(Arm, oscillates_behind_the_motion_by_as_much_as_the_reference) {
  // The reference is a trapezoidal rule of 2.5 ms on the equations in a rotating frame.
  const Moves& expected = GetParam();
  const Table run = inverted(redefined_arm(expected.N, expected.weight));
  const std::vector<double>&t = run.at("t"), &error = run.at("tip - desired");
  double squares = 0;
  for (std::size_t k = 0; k < t.size(); ++k)
    if (t[k] <= 1 - 1e-9)
      squares += 0.005 * (error[k] * error[k] + error[k + 1] * error[k + 1]);  // trapezoidal
  EXPECT_NEAR(largest(t, error, 1) / degree, expected.residual, expected.residual_error);
  EXPECT_NEAR(
      squares, expected.squares,
      5e-3 *
          expected
              .squares);  // the trapezoidal rule of the reference, 2.5 ms, of oscillations of some 100 rad/s
}

INSTANTIATE_TEST_SUITE_P(weights, Arm,
                         ::testing::Values(Moves{10, 0, 8.391, 1e-2, 5.79e-3},
                                           Moves{10, 0.2, 5.265, 1e-2, 3.29e-3},
                                           Moves{10, 0.75, 0.103, 1e-3, 7.70e-5},
                                           Moves{4, 0.75, 0.0807, 1e-3, 7.378e-5}),
                         [](const auto& tested) {
                           return "N" + std::to_string(tested.param.N) + "_" +
                                  std::to_string(std::lround(100 * tested.param.weight));
                         });

TEST(RedefinedArm, inverse_is_that_of_the_reference_file) {
  // The file's own error: a trapezoidal rule of h = 2.5 ms turns a mode of frequency w too slowly by w^3 h^2/12. The input
  // holds the two slowest modes of the zeros, w = 31.4 and 43.9 1/s, with amplitudes near 0.12 and 0.03 rad/s after the
  // motion: an error that grows by 0.016*0.12 + 0.044*0.03 = 3.3e-3 rad/s in every second. Angles are smaller by w.
  const Table file =
      read_csv(std::string(DAEDAL_SOURCE_DIR) + "/models/flexible_link/reference_gamma075.csv");
  const Table run = inverted(redefined_arm(4, 0.75));
  for (std::size_t k = 0; k < file.at("t").size(); ++k) {
    const double t = file.at("t")[k],
                 error = 3.3e-3 * (t + 0.2);  // the forced motion has its own, from the start
    EXPECT_NEAR(run.at("u")[k], file.at("u_vel")[k], error) << t;
    EXPECT_NEAR(run.at("rigid")[k], file.at("gamma")[k], error / 31) << t;
  }
}

TEST(RedefinedArm, input_of_four_elements_moves_ten_as_in_the_reference) {
  const Table coarse = inverted(redefined_arm(4, 0.75));
  const std::string file = ::testing::TempDir() + "redefined_arm.csv";
  {
    std::ofstream rows(file);
    rows << "t,u\n" << std::setprecision(17);
    for (std::size_t k = 0; k < coarse.at("t").size(); ++k)
      rows << coarse.at("t")[k] << "," << coarse.at("u")[k] << "\n";
  }
  const auto plant = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path("flexible_link")),
                       {.parameters = {{"N", "10"}}, .inputs = {{"u", "@" + file}}, .model = ""}));
  const solve::Prepared prepared =
      solve::prepare(std::make_shared<const derive::Dae>(derive::derive(plant)), {});
  solve::SimulateOptions options;
  options.until = 2;
  options.every = 0.01;
  options.global_error = false;
  options.method = solve::make_method("radau5", {{"tolerance", 1e-8}});
  const solve::Trajectory run =
      solve::simulate(prepared.problem, solve::consistent_point(prepared.problem), options);
  std::remove(file.c_str());
  Table fine = columns_of(run.table);
  for (double& angle : fine["tip"]) angle -= std::numbers::pi / 6;
  EXPECT_NEAR(largest(fine["t"], fine["tip"], 1) / degree, 0.202,
              5e-3);  // printed with three decimals; the input is a table of 10 ms
}

// ---- other models

derive::Dae redefined_two_links(int N, double weight) {
  return derive::derive(std::make_shared<const model::Model>(analysis::redefined(
      model::elaborate(model::load(model_path("flexible_two_link")),
                       {.parameters = {{"N", std::to_string(N)}}, .inputs = {}, .model = ""}),
      {"tip", "rigid"}, weight)));
}

TEST(RedefinedTwoLink, is_stepped_by_bdf_as_in_the_dissertation) {
  const derive::Dae dae = redefined_two_links(1, 0.49);
  const inversion::InverseModel model = inversion::inverse_model(dae);
  const Table exact = inverted(dae, 3);
  const auto error = [&](double step) {
    const inversion::SteppedInversion stepped =
        inversion::step_through(model, solve::consistent_point(model.problem),
                                solve::make_method("bdf", {{"order", 2}, {"step", step}}), 3, 0.01);
    EXPECT_EQ(stepped.trajectory.status, solve::Status::completed) << stepped.trajectory.reason;
    const Table bdf = columns_of(stepped.trajectory.table);
    double most = 0;
    for (std::size_t k = 0; k < exact.at("t").size(); ++k)
      most = std::max(most, std::abs(exact.at("u2")[k] - bdf.at("u2")[k]));
    return most;
  };
  // order 2 on the slow modes: four times the error at twice the step
  EXPECT_NEAR(error(0.005) / error(0.0025), 4, 1);
}

derive::Dae manipulator(const std::string& name) {
  return derive::derive(std::make_shared<const model::Model>(model::elaborate(
      model::load(model_path("manipulator_3d")), {.parameters = {}, .inputs = {}, .model = name})));
}

TEST(ZeroMap, finds_the_counter_weight_of_the_closed_form) {
  // J = I + m s^2 - L4 m s + mc (dc^2 + L4 dc) changes its sign, and zeros pass through infinity.
  const derive::Dae dae = manipulator("manipulator_3d_counterweight");
  const double critical = (0.5 * 3.438 * 0.25 - 0.0738 - 3.438 * 0.0625) / (0.09 + 0.15);
  const analysis::ZeroMap map = analysis::zero_map(dae, {{dae.model->find("mc"), 1, 0.4}});
  ASSERT_EQ(map.crossings.size(), 1u);
  EXPECT_NEAR(1 - 0.6 * map.crossings[0].s, critical, sharpness);
  ASSERT_TRUE(map.best);
  EXPECT_NEAR(1 - 0.6 * map.best->s, critical + 0.6 * 0.01, sharpness);
  EXPECT_EQ(map.best->margin.side, analysis::Side::left);
}

TEST(ZeroMap, margin_bounds_the_mass_from_the_other_side) {
  // Re = -(1 + L4/L3) d/(2 J) = -0.05/J: a margin of 2 1/s requires J <= 0.025.
  const derive::Dae dae = manipulator("manipulator_3d_counterweight");
  const double least = 0.141075 / 0.24, most = (0.141075 + 0.025) / 0.24;
  const analysis::ZeroMap map =
      analysis::zero_map(dae, {{dae.model->find("mc"), 0.4, 1}}, {.margin = 2});
  ASSERT_EQ(map.crossings.size(), 2u);
  EXPECT_NEAR(0.4 + 0.6 * map.crossings[0].s, least, sharpness);
  EXPECT_NEAR(0.4 + 0.6 * map.crossings[1].s, most, sharpness);
  ASSERT_TRUE(map.best);
  EXPECT_NEAR(0.4 + 0.6 * map.best->s, most - 0.006, sharpness);
}

TEST(ZeroMap, parameters_move_together) {
  // J = I4 - m4 s4 (L4 - s4) with s4 from 0.25 to 0.15 and I4 from 0.2 to 0.3.
  const derive::Dae dae = manipulator("");
  const analysis::ZeroMap map = analysis::zero_map(
      dae, {{dae.model->find("s4"), 0.25, 0.15}, {dae.model->find("I4"), 0.2, 0.3}});
  ASSERT_EQ(map.crossings.size(), 1u);
  const double s = map.crossings[0].s, s4 = 0.25 - 0.1 * s;
  EXPECT_NEAR(0.2 + 0.1 * s, 3.969 * s4 * (0.5 - s4), sharpness);
}

TEST(ZeroSearch, trades_a_lever_for_a_mass_as_the_closed_form_does) {
  // J = -0.141075 + mc (dc^2 + L4 dc) > 0: the least mass for each distance beyond the joint.
  const derive::Dae dae = manipulator("manipulator_3d_counterweight");
  const auto lines = analysis::zero_search(dae, {{dae.model->find("mc"), 2, 0}},
                                           {{dae.model->find("dc"), 0.1, 0.5}}, 5, {.samples = 11});
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_FALSE(lines[0].map.best) << "2.35 kg would be needed at 0.1 m";
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const double dc = 0.1 + 0.4 * lines[k].s;
    ASSERT_EQ(lines[k].map.crossings.size(), 1u);
    EXPECT_NEAR(2 - 2 * lines[k].map.crossings[0].s, 0.141075 / (dc * dc + 0.5 * dc),
                10 * sharpness);
  }
}

TEST(RedefinedTwoLink, axial_zeros_bound_the_weight_at_one_half) {
  // A rod whose base moves by x_e and whose tip by U: x_e = U cosh(k L), so (1 - Gamma) x_e + Gamma U = 0 requires
  // cosh(k L) = -Gamma/(1 - Gamma), imaginary k L up to Gamma = 1/2 and not beyond.
  const derive::Dae dae = redefined_two_links(2, 0.5);
  const analysis::ZeroMap map = analysis::zero_map(
      dae, {{dae.model->find("Gamma(tip)"), 0.41, 0.61}}, {.samples = 5, .sharpness = 1e-6});
  ASSERT_FALSE(map.crossings.empty());
  EXPECT_NEAR(0.41 + 0.2 * map.crossings[0].s, 0.5, 0.2 * 1e-6);  // the sharpness of this map
}

std::string refused(const std::string& text, const analysis::Redefinition& redefinition) {
  try {
    analysis::redefined(model::elaborate(model::load_text(text)), redefinition, 0.5);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Redefinition, faults_are_named) {
  const std::string text =
      "model m\ncoordinate x, y\nkinetic x'^2 + y'^2\npotential (x - y)^2\ninput u\nforce u on x\n"
      "output z = y, base = x, both = [x, y]\n";
  EXPECT_THAT(refused(text, {"z", "bass"}), ::testing::HasSubstr("did you mean 'base'?"));
  EXPECT_THAT(refused(text, {"z", "both"}),
              ::testing::HasSubstr("'z' has 1 entry, but 'both' has 2"));
  EXPECT_THAT(refused(text + "servo x = sin(t)\n", {"z", "base"}),
              ::testing::HasSubstr("no servo line prescribes the output 'z'"));
  EXPECT_EQ(refused(text, {"z", "base"}), "");
  EXPECT_THROW(analysis::read_redefinition("z:"), ModelError);
  EXPECT_THROW(analysis::read_redefinition("a:b:c"), ModelError);
}

}  // namespace
}  // namespace daedal::test
