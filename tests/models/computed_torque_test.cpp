// Fully actuated mechanisms: the inverse model is computed torque, through closed loops too. Against closed forms, energy, and
// the forward model under the torques found.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/verify.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
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

struct Moved {
  inversion::InverseModel inverse;
  solve::Trajectory trajectory;
  std::vector<double> operator[](const std::string& name) const {
    return trajectory.table.column(*trajectory.table.find(name));
  }
};

Moved move(const std::string& folder, const std::string& model, double until, double every) {
  Moved moved;
  const auto m = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path(folder)), {.model = model}));
  moved.inverse = inversion::inverse_model(derive::derive(m));
  EXPECT_TRUE(moved.inverse.algebraic());
  EXPECT_EQ(moved.inverse.structure.index, 3);
  EXPECT_TRUE(moved.inverse.warnings.empty()) << render(moved.inverse.warnings);
  solve::SimulateOptions options;
  options.until = until;
  options.every = every;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-9}});
  moved.trajectory = solve::simulate(moved.inverse.problem,
                                     solve::consistent_point(moved.inverse.problem), options);
  EXPECT_EQ(moved.trajectory.status, solve::Status::completed) << moved.trajectory.reason;
  return moved;
}

double tracking_error(const Moved& moved) {
  const inversion::Verification proof = inversion::verify(moved.inverse, moved.trajectory);
  EXPECT_EQ(proof.forward.status, solve::Status::completed) << proof.forward.reason;
  return proof.forward.largest()->largest;
}

TEST(ComputedTorque, of_five_links_is_the_closed_form_of_a_uniform_chain) {
  // sum_j a_ij (cos(q_i - q_j) q_j'' + sin(q_i - q_j) q_j'^2) + m l^2/12 q_i'' + m g l (n - i + 1/2) cos(q_i) = u_i,
  // a_ii = m l^2 (n - i + 1/4), a_ij = m l^2 (n - max(i, j) + 1/2)
  const Moved moved = move("serial_links", "arm_driven", 1, 0.05);
  const std::vector<double> t = moved["t"];
  constexpr int n = 5;
  constexpr double m = 0.4, l = 0.5, g = 9.81;
  for (int i = 1; i <= n; ++i) {
    const std::vector<double> u = moved["u[" + std::to_string(i) + "]"];
    for (std::size_t k = 1; k + 1 < t.size(); ++k) {
      const double s = expr::rest_to_rest_value(t[k], 2, 0),
                   v = expr::rest_to_rest_value(t[k], 2, 1),
                   a = expr::rest_to_rest_value(t[k], 2, 2);
      double torque = m * l * l / 12 * i * a + m * g * l * (n - i + 0.5) * std::cos(i * s);
      for (int j = 1; j <= n; ++j) {
        const double weight = m * l * l * (i == j ? n - i + 0.25 : n - std::max(i, j) + 0.5);
        torque += weight * (std::cos((i - j) * s) * j * a + std::sin((i - j) * s) * j * v * j * v);
      }
      EXPECT_NEAR(u[k], torque, 1e-12 * 24) << i << " at " << t[k];  // 24 N m at most
    }
  }
}

TEST(ComputedTorque, of_the_four_bar_does_no_work_in_a_whole_turn) {
  const Moved moved = move("fourbar", "fourbar_turned", 2, 0.002);
  const std::vector<double> t = moved["t"], u = moved["bar.u"], w = moved["bar.th1'"];
  double work = 0, size = 0;  // Simpson's rule; u w is smooth inside and begins and ends with 0
  for (std::size_t k = 0; k + 2 < t.size(); k += 2) {
    work += 0.002 / 3 * (u[k] * w[k] + 4 * u[k + 1] * w[k + 1] + u[k + 2] * w[k + 2]);
    size += 0.004 * std::abs(u[k + 1] * w[k + 1]);
  }
  EXPECT_LE(std::abs(work), 1e-8 * size);
  EXPECT_LE(tracking_error(moved), 1e-9);
}

TEST(ComputedTorque,
     of_the_delta_robot_begins_with_its_gravity_compensation_and_moves_the_platform) {
  const Moved moved = move("delta_robot", "delta_robot_moved", 0.5, 0.0005);
  for (const char* input : {"robot.arm[1].u", "robot.arm[2].u", "robot.arm[3].u"})
    EXPECT_NEAR(moved[input].front(), -1.9293, rounding(1000, 1.9293))
        << input;  // arms level, see delta_robots_test.cpp
  EXPECT_LE(tracking_error(moved), 1e-11);
}

TEST(ComputedTorque, of_two_masses_on_a_car_has_its_internal_dynamics_in_closed_form) {
  // Force on m2, output z = x2 + s2 cos(a): s2'' sin(a)^2 + k2/m3 s2 = -z'' cos(a), u = (m2 + m3) z'' - m2 cos(a) s2''
  const auto m = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path("mass_on_car")), {.model = "mass_on_car_two"}));
  const inversion::InverseModel inverse = inversion::inverse_model(derive::derive(m));
  EXPECT_EQ(inverse.structure.degrees_of_freedom, 2);
  solve::SimulateOptions options;
  options.until = 8;
  options.every = 0.05;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-13}});
  const solve::Trajectory run =
      solve::simulate(inverse.problem, solve::consistent_point(inverse.problem), options);
  const auto column = [&](const char* name) { return run.table.column(*run.table.find(name)); };
  const std::vector<double> t = column("t"), u = column("u"), s2 = column("s2");
  const double sine = std::sin(std::numbers::pi / 12), cosine = std::cos(std::numbers::pi / 12),
               omega = 1 / sine;
  const auto acceleration = [](double at) {
    return 3 * expr::rest_to_rest_value(at / 8, 4, 2) / 64;
  };
  for (std::size_t k = 20; k < t.size(); k += 20) {
    // Duhamel's integral from rest, by Simpson's rule
    constexpr int parts = 4000;
    const double h = t[k] / parts;
    double integral = 0;
    for (int i = 0; i <= parts; ++i)
      integral += (i == 0 || i == parts ? 1
                   : i % 2 == 1         ? 4
                                        : 2) *
                  std::sin(omega * (t[k] - i * h)) * acceleration(i * h);
    const double exact = -cosine / (sine * sine) / omega * integral * h / 3;
    const double rate = -(exact + cosine * acceleration(t[k])) / (sine * sine);  // k2 = m3
    EXPECT_NEAR(s2[k], exact, accumulated(1e-12, 100)) << t[k];
    EXPECT_NEAR(u[k], 4 * acceleration(t[k]) - cosine * rate, accumulated(1e-12, 1000)) << t[k];
  }
}

}  // namespace
}  // namespace daedal::test
