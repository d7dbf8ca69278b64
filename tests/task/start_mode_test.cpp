// Every question of analysis sees the mechanism that a simulation starts with: a constraint that an event attaches later does not
// act in any of them, whether the equations are those of the model or of one made from it.
#include "daedal/study/analyse.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

// Two masses of 1 kg, the first pulled by u, a spring k between them and c = 1 N/m to the ground. The grip holds the second
// mass once the first has gone far enough, which it has not at the start.
//   poles: -w^2 of K = [k, -k; -k, k + 1];  zeros of x against u: the second mass on both springs, s^2 = -(k + 1)
// With the grip there would be two poles and no zero.
Model pair() {
  return load_text(R"(model pair
parameter k = 2, c = 1
coordinate x, y
kinetic (x'^2 + y'^2)/2
potential k/2*(x - y)^2 + c/2*y^2
constraint grip: y = 0
event far: when x > 1 then attach grip
input u
force u on x
output z = x, other = x + y
)");
}

constexpr double rounding = 1e-12;  // of 4x4 eigenvalues of size 1, condition numbers included

std::vector<double> frequencies_at(double k) {
  const double half = k + 0.5, root = std::sqrt(half * half - k);
  return {std::sqrt(half - root), std::sqrt(half + root)};
}

void expect_on_axis(std::vector<std::complex<double>> values, std::vector<double> frequencies) {
  std::erase_if(values, [](const std::complex<double>& z) { return z.imag() < 0; });
  std::sort(values.begin(), values.end(),
            [](const auto& a, const auto& b) { return a.imag() < b.imag(); });
  ASSERT_EQ(values.size(), frequencies.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i].real(), 0, rounding);
    EXPECT_NEAR(values[i].imag(), frequencies[i], rounding);
  }
}

std::vector<std::complex<double>> values_of(const std::vector<Track>& tracks, std::size_t at) {
  std::vector<std::complex<double>> values;
  for (const Track& track : tracks) values.push_back(track[at]);
  return values;
}

TEST(StartMode, simulation_moves_both_masses) {
  const Simulation s = simulate(pair(), {.until = 1, .global_error = false});
  EXPECT_EQ(s.problem.structure.degrees_of_freedom, 4);
}

TEST(StartMode, the_portrait_is_that_of_the_free_mechanism) {
  const Analysis a = analyse(pair(), {.outputs = {"z"}});
  ASSERT_TRUE(a.found);
  expect_on_axis(a.poles, frequencies_at(2));
  expect_on_axis(a.zeros, {std::sqrt(3.0)});
}

TEST(StartMode, a_locus_follows_the_same_poles) {
  const RootLocus l = locus(pair(), {.over = {"k", 1, 2, 3}, .outputs = {"z"}});
  ASSERT_EQ(l.poles.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    const double k = l.over.values()[i];
    expect_on_axis(values_of(l.poles, i), frequencies_at(k));
    expect_on_axis(values_of(l.zeros, i), {std::sqrt(k + 1)});
  }
}

TEST(StartMode, a_map_and_a_branch_do_too) {
  const ClassMap m =
      map(pair(), {.x = {"k", 1, 2, 2}, .y = {"c", 1, 2, 2}, .outputs = {"z"}, .threads = 1});
  for (const std::string& kind : m.classes) EXPECT_EQ(kind, "marginal");
  const Branches b = follow(pair(), {.over = {"k", 1, 2}});
  EXPECT_EQ(b.events.front().stability, "stable");
  EXPECT_TRUE(b.holds);
}

TEST(StartMode, zeros_over_a_parameter_are_those_of_the_free_mechanism) {
  const ZeroPathMap v = vary(pair(), {.vary = {{"k", 1, 2}}, .samples = 3, .outputs = {"z"}});
  for (const ZeroPathPoint& point : v.points)
    expect_on_axis(point.zeros, {std::sqrt(point.parameters[0].value + 1)});
}

// other = x + y = 0 leaves s^2 = -(2k + 1); in between  Gamma x + (1 - Gamma)(x + y) = 0,  x = -(1 - Gamma) y
TEST(StartMode, zeros_over_the_weight_of_another_output_too) {
  const ZeroPathMap v = vary(pair(), {.redefine = "z:other", .samples = 3});
  for (const ZeroPathPoint& point : v.points) {
    const double gamma = point.parameters[0].value;
    expect_on_axis(point.zeros, {std::sqrt(3 + 2 * (1 - gamma))});
  }
}

TEST(StartMode, the_normal_form_has_the_second_mass_as_internal_state) {
  const NormalForm n =
      normal_form(pair(), {.internal = {"y", "y'"}, .disturb = {{"y", 0.5}}, .outputs = {"z"}});
  ASSERT_EQ(n.q.size(), 2u);
  EXPECT_NEAR(n.q[1], -3 * 0.5, rounding);  // y'' = -(k + 1) y + k x
}

}  // namespace
}  // namespace task
}  // namespace daedal
