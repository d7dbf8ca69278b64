// Torsional oscillator [Druecker2022, section 2.4.2]: the equations against the tridiagonal form, and the flat input
//   u = k sum_j binom(N+j-1, 2j-1) (I/k)^j z^(2j)
// against the equations.
#include "daedal/elaborate/elaborate.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace daedal::test {
namespace {

constexpr double inertia = 0.12, stiffness = 2;
std::string phi(int i, const char* primes = "") {
  return "phi[" + std::to_string(i) + "]" + primes;
}

TEST(TorsionalOscillator, accelerations_are_those_of_the_tridiagonal_system) {
  const int N = 6;
  const double damping = 0.3, u = 0.7;
  ModelPoint point("torsional_oscillator", {.parameters = {{"N", "6"}, {"d[2]", "0.3"}}});
  std::vector<double> angle(N + 2), speed(N + 2);
  ModelPoint::Values values = {{"u", u}};
  for (int i = 1; i <= N; ++i) {
    values[phi(i)] = angle[i] = std::sin(1.3 * i);
    values[phi(i, "'")] = speed[i] = std::cos(0.7 * i);
  }
  const auto solution = point.set(values).solve();
  for (int i = 1; i <= N; ++i) {
    double torque = i == 1 ? u : 0;
    if (i > 1) torque -= stiffness * (angle[i] - angle[i - 1]);
    if (i < N) torque -= stiffness * (angle[i] - angle[i + 1]);
    if (i == 2 || i == 3)
      torque -= damping * (speed[i] - speed[i == 2 ? 3 : 2]);  // d[2] sits between disks 2 and 3
    EXPECT_NEAR(solution.at(phi(i, "''")), torque / inertia, rounding(16, 4 * stiffness / inertia))
        << i;
  }
}

TEST(TorsionalOscillator, flat_input_moves_the_last_disk_as_wanted) {
  // z = sin(w t): every phi_i = a_i sin(w t) with a_N = 1, a_{i-1} = 2 a_i - a_{i+1} - (I/k) w^2 a_i, and by the closed form
  // u = k sum_j binom(N+j-1, 2j-1) (-w^2 I/k)^j sin(w t).
  const int N = 5;
  const double w = 1.9, t = 0.4, ratio = -w * w * inertia / stiffness;
  std::vector<double> a(N + 2);
  a[N] = 1;
  a[N + 1] = 1;  // no spring beyond the last disk
  for (int i = N; i > 1; --i) a[i - 1] = 2 * a[i] - a[i + 1] + ratio * a[i];
  double u = 0, binomial = N, power = ratio;
  for (int j = 1; j <= N; ++j) {
    u += stiffness * binomial * power * std::sin(w * t);
    power *= ratio;
    binomial *= double(N + j) * (N - j) / (double(2 * j) * (2 * j + 1));
  }
  ModelPoint point("torsional_oscillator", {.parameters = {{"N", "5"}}});
  ModelPoint::Values values = {{"u", u}, {"t", t}};
  for (int i = 1; i <= N; ++i) {
    values[phi(i)] = a[i] * std::sin(w * t);
    values[phi(i, "'")] = a[i] * w * std::cos(w * t);
  }
  const auto solution = point.set(values).solve();
  for (int i = 1; i <= N; ++i)
    EXPECT_NEAR(solution.at(phi(i, "''")), -w * w * a[i] * std::sin(w * t),
                rounding(100, w * w * a[1]))
        << i;
}

TEST(TorsionalOscillator, inertias_stay_one_shape_for_any_number_of_disks) {
  const model::Model model = model::elaborate(model::load(model_path("torsional_oscillator")),
                                              {.parameters = {{"N", "2000"}}});
  const derive::Dae dae = derive::derive(std::make_shared<const model::Model>(model));
  EXPECT_EQ(dae.unknowns.size(), 2000u);
  std::size_t nodes = 0;
  for (const expr::Family& family : dae.residual.families)
    nodes += family.identity() ? family.outputs.size() : 1;
  EXPECT_LE(nodes, 40u) << "the 2000 equations are a few shapes, not 2000 graphs";
}

}  // namespace
}  // namespace daedal::test
