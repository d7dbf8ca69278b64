// Root loci, maps and sensitivities against closed forms.
#include "daedal/analyse/sweep.hpp"

#include "models.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;

DaeAt library_at(const std::string& folder, const std::string& name,
                 const std::vector<std::string>& parameters) {
  return dae_of_parameters(
      model::load(std::string(DAEDAL_SOURCE_DIR "/models/") + folder + "/" + folder + ".daedal"),
      {.parameters = {}, .inputs = {}, .model = name}, parameters);
}
std::vector<double> evenly(double from, double to, int count) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back(from + (to - from) * k / (count - 1));
  return values;
}

// m3 sin^2(alpha) s^2 + d2 s + k2 = 0: two tracks over the angle of the incline, mirror images.
TEST(RootLocus, of_the_mass_on_car_over_the_angle_of_its_incline) {
  const std::vector<double> angles = evenly(0.2, 1.5, 14);
  const RootLocus locus =
      root_locus(library_at("mass_on_car", "mass_on_car", {"alpha"}), angles, {});
  ASSERT_EQ(locus.zeros.size(), 2u);
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const double w = std::sqrt(3 / (3 * std::pow(std::sin(angles[k]), 2)));
    EXPECT_NEAR(std::abs(locus.zeros[0][k]), w, daedal::test::rounding(1000, w));
    EXPECT_LT(std::abs(locus.zeros[0][k] - std::conj(locus.zeros[1][k])), 1e-12);
    EXPECT_GT(locus.zeros[0][k].imag() * locus.zeros[0][0].imag(), 0);  // tracks do not swap
  }
  EXPECT_EQ(locus.poles.size(), 6u);
  EXPECT_THAT(locus.crossings, ::testing::IsEmpty());
}

// x''' + 2 x'' + 4 x' + K x = 0 crosses at K = 8, where s = +-2i (Routh).
TEST(RootLocus, crossings_of_the_axis_are_located) {
  const DaeAt dae_at = dae_of_parameters(
      model::load_text("model m\nparameter K = 1\nvariable x\ninput u\n"
                       "equation loop: x''' + 2*x'' + 4*x' + K*x = u\noutput y = x\n"),
      {}, {"K"});
  const RootLocus locus = root_locus(dae_at, evenly(1, 20, 7), {});
  ASSERT_EQ(locus.crossings.size(), 1u);
  EXPECT_NEAR(locus.crossings[0].parameter, 8, daedal::test::rounding(1000, 8));
  EXPECT_NEAR(locus.crossings[0].frequency, 2, daedal::test::rounding(1000, 2));
  EXPECT_TRUE(locus.crossings[0].to_the_right);
  EXPECT_FALSE(locus.crossings[0].zero);
}

// Zeros of J s^2 + d s + k = 0 with J = I4 - m4 s4 (L4 - s4): the class changes where J does, whatever c.
TEST(Sweep, the_map_of_the_manipulator_changes_where_the_inertia_does) {
  const DaeAt dae_at = library_at("manipulator_3d", "manipulator_3d", {"s4", "c"});
  std::vector<std::vector<double>> points;
  for (const double s4 : evenly(0.1, 0.25, 7))
    for (const double c : {20.0, 50.0, 90.0}) points.push_back({s4, c});
  SweepOptions options;
  options.threads = 2;
  int calls = 0;
  options.watch.progress = [&](const Progress&) { ++calls; };
  const std::vector<Sample> map = sweep(dae_at, points, options);
  EXPECT_EQ(calls, 21);
  for (const Sample& s : map) {
    const double j = 0.2449 - 3.969 * s.parameters[0] * (0.5 - s.parameters[0]);
    EXPECT_EQ(s.kind, j > 0 ? Class::minimum_phase : Class::non_minimum_phase)
        << s.parameters[0] << ", " << s.parameters[1];
  }
  options.threads = 1;
  options.watch.progress = {};
  const std::vector<Sample> alone = sweep(dae_at, points, options);
  for (std::size_t k = 0; k < map.size(); ++k)  // same bits
    EXPECT_EQ(map[k].phase.worst.mean, alone[k].phase.worst.mean);
}

TEST(Sweep, values_that_a_model_refuses_are_told) {
  const DaeAt dae_at = dae_of_parameters(
      model::load_text("model m\nparameter a = 1\ncoordinate x\nkinetic x'^2/2\npotential a*x\n"),
      {}, {"a"});
  EXPECT_EQ(sweep(dae_at, {{1}}, {})[0].kind, Class::no_equilibrium);
  EXPECT_EQ(sweep(dae_at, {{0}}, {})[0].kind, Class::no_inverse);
}

// x = F/k, poles of m s^2 + d s + k = 0, and b = 2 m: a parameter that follows from another one.
TEST(Sensitivity, of_an_oscillator_in_closed_form) {
  const char* const text =
      "model m\nparameter m = 2, k = 50, F = 3, b = 2*m\ncoordinate x\nkinetic b/4*x'^2\n"
      "potential k/2*x^2 - F*x\ndissipation 0.4*x'^2\ninput u\nforce u on x\noutput y = x\n";
  const auto of = [&](const char* name, double value) {
    return sensitivity(dae_of_parameters(model::load_text(text), {}, {name}), name, value, {});
  };
  const Complex s = (-0.8 + std::sqrt(Complex(0.64 - 4 * 2 * 50))) / 4.0;
  const ParameterSensitivity by_k = of("k", 50), by_m = of("m", 2);
  EXPECT_NEAR(by_k.equilibrium[0].second.value, -3.0 / 2500,
              1e-8 * 3.0 / 2500);  // a difference quotient keeps half the digits
  EXPECT_NEAR(by_m.equilibrium[0].second.value, 0, daedal::test::rounding(100));
  for (const auto& pole : by_k.poles) {
    const Complex exact = -1.0 / (4.0 * pole.of + 0.8);
    EXPECT_LT(std::abs(pole.rate - exact), 1e-9);
    EXPECT_LT(std::abs(pole.rate - exact), 10 * pole.error);
  }
  for (const auto& pole : by_m.poles) {
    EXPECT_LT(std::min(std::abs(pole.of - s), std::abs(pole.of - std::conj(s))), 1e-12);
    EXPECT_LT(std::abs(pole.rate + pole.of * pole.of / (4.0 * pole.of + 0.8)), 1e-8);
  }
  EXPECT_EQ(of("F", 0).missing, "it is 0: terms that it multiplies are not there");
}

}  // namespace
}  // namespace daedal::analysis::test
