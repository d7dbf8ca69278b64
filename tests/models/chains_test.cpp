// Elevator cable [Bortoff2018, section 6] and chain: static shape, mass matrix, the pendulum as the chain of one link.
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

std::string q(int i, const char* primes = "") { return "q[" + std::to_string(i) + "]" + primes; }

/// Angles at rest under the wall's force: tan q_i = H/(m g (N - i + 1/2) + V).
std::vector<double> static_shape(int N, double mass, double H, double V) {
  std::vector<double> angle(N + 1);
  for (int i = 1; i <= N; ++i) angle[i] = std::atan2(H, mass / N * 9.81 * (N - i + 0.5) + V);
  return angle;
}

TEST(ElevatorCable, static_shape_of_100_rods_is_at_rest_with_the_known_wall_force) {
  // wall: independent recomputation (SciPy), with Daedal's sign.
  const int N = 100;
  const double H = 8.23176876, V = -137.32459515;
  ModelPoint point("elevator_cable", {.parameters = {{"sway", "0"}}});
  const std::vector<double> angle = static_shape(N, 30, H, V);
  for (int i = 1; i <= N; ++i) point.set({{q(i), angle[i]}});
  point.set({{"wall[1]", H}, {"wall[2]", V}});
  for (const auto& [name, residual] : point.residuals()) {
    // Motion: the shape solves the equations exactly. Wall: the force has 8 decimals, the cable gives about 3 m/N.
    EXPECT_NEAR(residual, 0, name.find("wall") == std::string::npos ? 1e-12 : 1e-7) << name;
  }
}

TEST(ElevatorCable, mass_matrix_is_the_closed_form) {
  const int N = 7;
  const double mass = 30.0 / N, l = 30.0 / N;
  ModelPoint point("elevator_cable", {.parameters = {{"N", "7"}}});
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(N, N) / 2;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < i; ++j) W(i, j) = 1;
  }
  Eigen::MatrixXd expected = W.transpose() * W;
  for (int i = 0; i < N; ++i) {
    point.set({{q(i + 1), 0.4 * i}});
    for (int j = 0; j < N; ++j) expected(i, j) *= mass * l * l * std::cos(0.4 * (i - j));
    expected(i, i) += mass * l * l / 12;
  }
  EXPECT_LE((point.mass_matrix() - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.maxCoeff());
}

TEST(ElevatorCable, a_moving_car_adds_its_acceleration) {
  // In the car's accelerated frame gravity is tilted: the motion of the free cable does not know the difference, so with
  // x_car'' = a the generalised force on q_i gains -m l (N - i + 1/2) cos(q_i) a.
  const int N = 5;
  const double mass = 30.0 / N, l = 30.0 / N, sway = 0.3, period = 4, t = 1.1;
  const double w = 2 * std::acos(-1.0) / period, a = -sway * w * w * std::sin(w * t);
  const auto at_rest = [&](const char* amplitude) {
    ModelPoint point("elevator_cable",
                     {.parameters = {{"N", "5"}, {"sway", amplitude}, {"period", "4"}}});
    for (int i = 1; i <= N; ++i) point.set({{q(i), 0.3 * i}});
    return point.set({{"t", t}}).residuals();
  };
  const auto still = at_rest("0"), moving = at_rest("0.3");
  for (int i = 1; i <= N; ++i) {
    const std::string name = "motion of " + q(i);
    EXPECT_NEAR(moving.at(name) - still.at(name), mass * l * (N - i + 0.5) * std::cos(0.3 * i) * a,
                rounding(100, mass * l * N * 9.81))
        << name;
  }
}

TEST(Chain, one_link_is_a_physical_pendulum) {
  const double l = 0.1, g = 9.81, angle = -0.6, rate = 2;
  ModelPoint point("chain", {.parameters = {{"N", "1"}, {"d", "0"}}});
  const auto solution = point
                            .set({{"x[1]", l / 2 * std::cos(angle)},
                                  {"y[1]", l / 2 * std::sin(angle)},
                                  {"theta[1]", angle},
                                  {"x[1]'", -l / 2 * std::sin(angle) * rate},
                                  {"y[1]'", l / 2 * std::cos(angle) * rate},
                                  {"theta[1]'", rate}})
                            .solve();
  EXPECT_NEAR(solution.at("theta[1]''"), -3 * g / (2 * l) * std::cos(angle),
              rounding(1000, 3 * g / (2 * l)));
}

TEST(Chain, absolute_coordinates_agree_with_the_relative_ones_of_the_cable) {
  // Cut the cable from the wall (its reaction is the multiplier), turn y upwards: theta = q - pi/2.
  const int N = 4;
  const double l = 0.1, pi = std::acos(-1.0);
  const double angles[] = {0.3, 0.9, 0.5, -0.4}, rates[] = {1, -2, 0.5, 1.5};
  ModelPoint chain("chain", {.parameters = {{"N", "4"}, {"d", "0.01"}}});
  double x = 0, y = 0, vx = 0, vy = 0;
  for (int i = 0; i < N; ++i) {
    const double th = angles[i] - pi / 2, c = std::cos(th), s = std::sin(th), w = rates[i];
    const std::string k = "[" + std::to_string(i + 1) + "]";
    chain.set({{"x" + k, x + l / 2 * c},
               {"y" + k, y + l / 2 * s},
               {"theta" + k, th},
               {"x" + k + "'", vx - l / 2 * s * w},
               {"y" + k + "'", vy + l / 2 * c * w},
               {"theta" + k + "'", w}});
    x += l * c, y += l * s, vx -= l * s * w, vy += l * c * w;
  }
  const auto absolute = chain.solve();

  // The free cable: equations M q'' + C + G + joint damping = 0 of the closed form.
  Eigen::MatrixXd W = Eigen::MatrixXd::Identity(N, N) / 2;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < i; ++j) W(i, j) = 1;
  }
  const Eigen::MatrixXd WW = W.transpose() * W;
  const double m = 0.1, g = 9.81, d = 0.01;
  Eigen::MatrixXd M(N, N);
  Eigen::VectorXd force(N);
  for (int i = 0; i < N; ++i) {
    force(i) = -m * g * l * (N - i - 0.5) * std::sin(angles[i]);
    for (int j = 0; j < N; ++j) {
      M(i, j) =
          m * l * l * WW(i, j) * std::cos(angles[i] - angles[j]) + (i == j ? m * l * l / 12 : 0);
      force(i) -= m * l * l * WW(i, j) * std::sin(angles[i] - angles[j]) * rates[j] * rates[j];
    }
    force(i) -= d * (rates[i] - (i > 0 ? rates[i - 1] : 0));
    if (i + 1 < N) force(i) += d * (rates[i + 1] - rates[i]);
  }
  const Eigen::VectorXd relative = M.ldlt().solve(force);
  for (int i = 0; i < N; ++i) {
    const std::string name = "theta[" + std::to_string(i + 1) + "]''";
    EXPECT_NEAR(absolute.at(name), relative(i), rounding(1e4, relative.cwiseAbs().maxCoeff()))
        << name;
  }
}

}  // namespace
}  // namespace daedal::test
