// Gains along a motion against an integration of Riccati's differential equation of its own.
#include "daedal/control/regulator_along.hpp"

#include "analyse/models.hpp"
#include "daedal/pencil/riccati.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace daedal::feedback {
namespace {

using analysis::test::SharedDae;
using Eigen::Index;
using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using test::rounding;

constexpr double end = 3;  // [s]

// A spring that gets stiffer and softer: x'' = -(1 + 0.5 sin 2 t) x + u.
SharedDae spring() {
  return analysis::test::text_model(
      "model spring\ncoordinate x\nkinetic x'^2/2\npotential (1 + 0.5*sin(2*t))*x^2/2\ninput u\n"
      "force u on x\n");
}
Matrix2d slope(double t) {
  Matrix2d f;
  f << 0, 1, -(1 + 0.5 * std::sin(2 * t)), 0;
  return f;
}

Motion motion_of(const SharedDae& dae, int pieces) {
  return {[dae](double t) {
            return analysis::linearise(
                *dae, [t](expr::Leaf leaf) { return leaf.symbol == expr::time_symbol ? t : 0.0; });
          },
          end, pieces};
}

const RegulatorOptions options{.states = {{"x", 3}, {"x'", 1}}, .other_commands = 0.5};
const Matrix2d weights = Vector2d(3, 1).asDiagonal();
const Vector2d input(0, 1);
constexpr double paid = 0.5;

Matrix2d at_the_end() {
  const analysis::RiccatiSolution found =
      analysis::continuous_riccati({slope(end), input, weights, MatrixXd::Constant(1, 1, paid)});
  EXPECT_TRUE(found.solved());
  return found.x;
}

template <class State, class Rate>
State runge_kutta(State y, double t, double h, Rate rate) {
  const State k1 = rate(t, y), k2 = rate(t + h / 2, State(y + h / 2 * k1)),
              k3 = rate(t + h / 2, State(y + h / 2 * k2)), k4 = rate(t + h, State(y + h * k3));
  return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

/// F at t = 0, by 6000 steps of Runge and Kutta's method: (0.0005)^4 of rates of order 10.
Eigen::RowVector2d integrated() {
  Matrix2d x = at_the_end();
  constexpr int steps = 6000;
  const double h = end / steps;
  for (int k = 0; k < steps; ++k)
    x = runge_kutta(x, end - k * h, -h, [](double t, const Matrix2d& y) -> Matrix2d {
      const Matrix2d f = slope(t);
      return -(f.transpose() * y + y * f - y * input * input.transpose() * y / paid + weights);
    });
  return input.transpose() * x / paid;
}

constexpr double reference_error = 1e-10;

TEST(RegulatorAlong, solves_the_differential_equation_with_order_4) {
  const SharedDae dae = spring();
  const Eigen::RowVector2d exact = integrated();
  double before = 0;
  for (const int pieces : {20, 40, 80}) {
    const ScheduledGains found = regulator_along(*dae, motion_of(dae, pieces), options);
    ASSERT_EQ(found.times.size(), static_cast<std::size_t>(pieces) + 1);
    const double error = (found.gains.front() - exact).norm();
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 4, 0.3);  // terms of order 6
    }
    before = error;
  }
  const ScheduledGains fine = regulator_along(*dae, motion_of(dae, 2000), options);
  EXPECT_NEAR((fine.gains.front() - exact).norm(), 0, reference_error);
  EXPECT_NEAR((fine.gains.back() - input.transpose() * at_the_end() / paid).norm(), 0,
              rounding(1e4, exact.norm()));
}

TEST(RegulatorAlong, at_rest_is_the_regulator) {
  const SharedDae dae = analysis::test::library_model("cart_pendulum", "cart_pendulum");
  const auto still = [dae](double) {
    return analysis::linearise(*dae, [&](expr::Leaf leaf) {
      const model::Symbol& symbol = dae->model->symbols[leaf.symbol];
      return symbol.kind == model::SymbolKind::parameter ? symbol.value : 0.0;
    });
  };
  for (const double period : {0.0, 0.02}) {
    RegulatorOptions own{.states = {{"x", 10}, {"theta", 100}}};
    own.period = period;
    const Regulator wanted = regulator(*dae, still(0), own);
    const ScheduledGains found = regulator_along(*dae, {still, 2, 50}, own);
    // errors of a step decay backwards, as the closed loop does; Riccati's equation has a condition of some thousands
    for (const MatrixXd& gain : found.gains)
      EXPECT_NEAR((gain - wanted.gain).norm(), 0, rounding(1e6, wanted.gain.norm()));
  }
}

// The recursion of dynamic programming with the transition and the cost of each period from an integration of its own.
TEST(RegulatorAlong, with_a_clock_is_dynamic_programming) {
  const SharedDae dae = spring();
  RegulatorOptions own = options;
  const double period = 0.25;
  own.period = period;
  const ScheduledGains found = regulator_along(*dae, motion_of(dae, 600), own);
  ASSERT_EQ(found.times.size(), 13u);
  // y = [transition of (x, u); its cost]
  Eigen::Matrix3d w = Eigen::Matrix3d::Zero();
  w.topLeftCorner<2, 2>() = weights;
  w(2, 2) = paid;
  const analysis::LinearModel last = motion_of(dae, 1).linear(end);
  MatrixXd x = regulator(*dae, last, own).cost;
  using Both = Eigen::Matrix<double, 6, 3>;
  for (int k = 11; k >= 0; --k) {
    Both y;
    y << Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero();
    constexpr int steps = 500;
    for (int s = 0; s < steps; ++s)
      y = runge_kutta(y, k * period + s * period / steps, period / steps,
                      [&](double t, const Both& now) -> Both {
                        Eigen::Matrix3d h = Eigen::Matrix3d::Zero();
                        h.topLeftCorner<2, 2>() = slope(t);
                        h.topRightCorner<2, 1>() = input;
                        const Eigen::Matrix3d phi = now.topRows<3>();
                        Both rate;
                        rate << h * phi, phi.transpose() * w * phi;
                        return rate;
                      });
    const Eigen::Matrix<double, 2, 3> moved = y.topRows<2>();
    const Eigen::Matrix3d cost = y.bottomRows<3>() + moved.transpose() * x * moved;
    const Eigen::RowVector2d gain = cost.bottomLeftCorner<1, 2>() / cost(2, 2);
    x = cost.topLeftCorner<2, 2>() - cost.topRightCorner<2, 1>() * gain;
    EXPECT_NEAR((found.gains[static_cast<std::size_t>(k)] - gain).norm(), 0, reference_error) << k;
  }
}

TEST(RegulatorAlong, refuses_constraints) {
  const SharedDae dae = analysis::test::text_model(
      "model p\ncoordinate x = 0, y = -1\nkinetic (x'^2 + y'^2)/2\npotential y\n"
      "constraint rod: x^2 + y^2 = 1\ninput u\nforce u on x\n");
  const analysis::Equilibrium rest = analysis::equilibrium(*dae);
  const auto still = [&](double) { return analysis::linearise(*dae, analysis::point_of(rest)); };
  try {
    regulator_along(*dae, {still, 1, 10}, {});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("model 'p' has constraints"));
  }
}

}  // namespace
}  // namespace daedal::feedback
