// Feedback whose commands come late: against the augmented state of a double integrator, solved by value iteration.
#include "daedal/control/prediction.hpp"

#include "analyse/models.hpp"
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/control/regulator.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

namespace daedal::feedback {
namespace {

using analysis::test::SharedDae;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::rounding;

analysis::LinearModel at_rest(const SharedDae& dae) {
  const analysis::Equilibrium rest = analysis::equilibrium(*dae);
  EXPECT_TRUE(rest.found);
  return analysis::linearise(*dae, analysis::point_of(rest));
}

SharedDae mass() {
  return analysis::test::text_model(
      "model mass\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\n");
}

constexpr double period = 0.1, weight_x = 3, weight_v = 0.7, weight_u = 0.05;

Regulator late_regulator(double delay) {
  RegulatorOptions options;
  options.q = Eigen::Vector2d(weight_x, weight_v).asDiagonal();
  options.r = MatrixXd::Constant(1, 1, weight_u);
  options.period = period;
  options.delay = delay;
  return regulator(*mass(), at_rest(mass()), options);
}

/// State and cost of x'' = u from one sample to the next over (x, x', v_(k-1), ..., v_(k-1-whole), v_k): the command of `whole` samples ago acts
/// from `rest` on, the one before it until then. The cost over each part is a polynomial of degree 4 in time: three points of Gauss are exact.
struct Augmented {
  MatrixXd step, cost;
};
Augmented augmented(int whole, double rest) {
  const int kept = whole + 1, n = 2 + kept;
  Augmented made{MatrixXd::Zero(n, n + 1), MatrixXd::Zero(n + 1, n + 1)};
  const auto command = [&](int age) { return age == 0 ? n : 1 + age; };
  MatrixXd z = MatrixXd::Zero(2, n + 1);  // at the beginning of a part
  z(0, 0) = z(1, 1) = 1;
  const auto run = [&](double time, int acting) {
    const auto at = [&](double t) {
      MatrixXd there = z;
      there.row(0) += t * z.row(1);
      there(0, acting) += t * t / 2;
      there(1, acting) += t;
      return there;
    };
    const std::array<double, 3> nodes{-std::sqrt(0.6), 0, std::sqrt(0.6)},
        weights{5.0 / 9, 8.0 / 9, 5.0 / 9};
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const MatrixXd there = at(time / 2 * (1 + nodes[k]));
      made.cost += time / 2 * weights[k] *
                   (weight_x * there.row(0).transpose() * there.row(0) +
                    weight_v * there.row(1).transpose() * there.row(1));
    }
    made.cost(acting, acting) += weight_u * time;
    z = at(time);
  };
  run(rest, command(whole + 1));
  run(period - rest, command(whole));
  made.step.topRows(2) = z;
  for (int age = 1; age <= kept; ++age) made.step(command(age), command(age - 1)) = 1;
  return made;
}

/// Gains of the cheapest feedback of the augmented state, by value iteration: each step adds a sample to the horizon.
VectorXd cheapest(const Augmented& system) {
  const Eigen::Index n = system.step.rows();
  MatrixXd value = MatrixXd::Identity(n, n);  // also of commands on their way: none is free
  VectorXd gain = VectorXd::Zero(n);
  constexpr int samples = 2000;  // 200 s: what the start contributes decays with the loop's 1 s
  for (int k = 0; k < samples; ++k) {
    const MatrixXd whole = system.cost + system.step.transpose() * value * system.step;
    gain = whole.topRightCorner(n, 1) / whole(n, n);
    value = whole.topLeftCorner(n, n) - gain * whole.bottomLeftCorner(1, n);
  }
  return gain;
}

// The gains are K [e^(A delay), what earlier commands do until then] with K of the loop without delay: the augmented problem, which
// knows nothing of that, has the same ones.
TEST(Prediction, gains_are_those_of_the_augmented_state_of_a_double_integrator) {
  for (const auto& [whole, rest] : {std::pair{0, 0.04}, {1, 0.04}, {2, 0.09}, {3, 0.001}}) {
    const Regulator found = late_regulator(whole * period + rest);
    const VectorXd expected = cheapest(augmented(whole, rest));
    ASSERT_EQ(found.past_gains.size(), static_cast<std::size_t>(whole + 1));
    const double bound =
        rounding(1e4, expected.norm());  // of a recursion that forgets in 10 samples
    EXPECT_NEAR(found.gain(0, 0), expected[0], bound);
    EXPECT_NEAR(found.gain(0, 1), expected[1], bound);
    for (int age = 1; age <= whole + 1; ++age)
      EXPECT_NEAR(found.past_gains[static_cast<std::size_t>(age - 1)](0, 0), expected[1 + age],
                  bound)
          << age;
  }
}

// x'' = u by hand: e^(A tau) = [1, tau; 0, 1], and a command adds its displacement until the new one acts.
TEST(Prediction, prediction_of_a_double_integrator_has_the_closed_form) {
  MatrixXd f = MatrixXd::Zero(2, 2), g(2, 1);
  f(0, 1) = 1;
  g << 0, 1;
  const double rest = 0.03, delay = 2 * period + rest;
  const Prediction found = prediction(f, g, period, delay);
  EXPECT_LE((found.ahead - (MatrixXd(2, 2) << 1, delay, 0, 1).finished()).norm(), rounding(100));
  ASSERT_EQ(found.past.size(), 3u);
  // of 1 and 2 samples ago for whole periods, the later of which ends when the new one acts; of 3 for the rest
  const auto acts = [&](double begin, double end) {
    const double time = end - begin;
    return Eigen::Vector2d(time * time / 2 + time * (delay - end), time);
  };
  EXPECT_LE((found.past[0] - acts(rest + period, delay)).norm(), rounding(100));
  EXPECT_LE((found.past[1] - acts(rest, rest + period)).norm(), rounding(100));
  EXPECT_LE((found.past[2] - acts(0, rest)).norm(), rounding(100));
}

/// Factors that are not those of commands on their way.
std::vector<std::complex<double>> moving(const SampledLoop& loop) {
  constexpr double gone = 0.05;  // zeros of multiplicity 8 are known to eps^(1/8)
  std::vector<std::complex<double>> found;
  for (const analysis::Eigenvalue& factor : factors_of(loop).values)
    if (std::abs(factor.value) > gone) found.push_back(factor.value);
  return found;
}

TEST(Prediction, a_late_loop_has_the_factors_of_the_loop_without_delay) {
  const Regulator on_time = late_regulator(0);
  for (const double delay : {0.04, 0.1, 0.17, 0.3}) {
    const Regulator late = late_regulator(delay);
    const std::vector<std::complex<double>> factors = moving(*late.sampled);
    ASSERT_EQ(factors.size(), 2u) << delay;
    for (const std::complex<double> designed : on_time.closed)
      EXPECT_LE(std::min(std::abs(factors[0] - designed), std::abs(factors[1] - designed)),
                rounding(1e4))
          << delay;
  }
}

// Without the prediction the gains of the loop on time are unstable at twice the delay margin.
TEST(Prediction, a_delay_that_the_loop_does_not_bear_is_designed_for) {
  const Regulator on_time = late_regulator(0);
  ASSERT_TRUE(on_time.margins[0].delay);
  const double delay = 2 * *on_time.margins[0].delay;
  const MatrixXd f = on_time.f, g = on_time.g;
  EXPECT_EQ(stability_of(factors_of(late_loop(f, g, on_time.reduced_gain, {}, period, delay))),
            "unstable");
  EXPECT_EQ(stability_of(factors_of(*late_regulator(delay).sampled)), "asymptotically stable");
}

std::string fault_of(double sampling, double delay) {
  RegulatorOptions options;
  options.period = sampling;
  options.delay = delay;
  try {
    regulator(*mass(), at_rest(mass()), options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Prediction, refuses_delays_without_a_clock_and_endless_ones) {
  EXPECT_THAT(fault_of(0, 0.01),
              testing::HasSubstr("delay = 0.01: a continuous feedback would need all that it "
                                 "commanded during the delay"));
  EXPECT_THAT(fault_of(0.1, -1), testing::HasSubstr("delay = -1: a delay is 0 s or longer"));
  EXPECT_THAT(fault_of(0.001, 10), testing::HasSubstr("delay = 10 is longer than 1000 samples"));
}

}  // namespace
}  // namespace daedal::feedback
