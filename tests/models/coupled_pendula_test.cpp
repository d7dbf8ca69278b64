// Coupled pendula up to index 47 against an independent solution: no pendulum depends on the next one, so they are ordinary
// differential equations of the angles, one after the other,
//     l theta'' + 2 l' theta' + g sin(theta) = 0,   lambda = theta'^2 + (g cos(theta) - l'')/l,   l of the next = L + c lambda,
// here by plain Taylor series in quadruple precision, each two coefficients shorter than the one before.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

__extension__ typedef __float128 Quad;
using Series = std::vector<Quad>;  // Taylor coefficients

constexpr double gravity = 9.81, rope = 10, coupling = 0.1;

Quad product(const Series& a, const Series& b, std::size_t n) {
  Quad sum = 0;
  for (std::size_t i = 0; i <= n; ++i) sum += a[i] * b[n - i];
  return sum;
}
Series derivative(const Series& a) {
  Series d(a.size() - 1);
  for (std::size_t n = 0; n < d.size(); ++n) d[n] = Quad(n + 1) * a[n + 1];
  return d;
}
Quad value(const Series& a, Quad h) {
  Quad sum = 0;
  for (std::size_t n = a.size(); n-- > 0;) sum = sum * h + a[n];
  return sum;
}

/// Sine and cosine of an angle of moderate size.
std::pair<Quad, Quad> sine_and_cosine(Quad angle) {
  Quad sine = 0, cosine = 0, term = 1;
  for (int n = 0; n < 60; ++n) {
    (n % 2 == 0 ? cosine : sine) += n % 4 < 2 ? term : -term;
    term *= angle / (n + 1);
  }
  return {sine, cosine};
}

struct Angle {
  Quad theta = 0, rate = 0;
};
struct Motion {
  Series theta, length, lambda;
};

/// Series of one pendulum on a rope of known length.
Motion expand(const Angle& start, const Series& length) {
  const Series l1 = derivative(length), l2 = derivative(l1);
  const std::size_t order = l2.size();
  Series theta = {start.theta, start.rate}, rate = {start.rate}, sine, cosine, acceleration;
  const auto [s, c] = sine_and_cosine(start.theta);
  sine = {s};
  cosine = {c};
  for (std::size_t n = 0; n < order; ++n) {
    acceleration.push_back(0);
    const Quad rest =
        product(length, acceleration, n) + 2 * product(l1, rate, n) + gravity * sine[n];
    acceleration[n] = -rest / length[0];
    theta.push_back(acceleration[n] / (Quad(n + 1) * Quad(n + 2)));
    rate.push_back(acceleration[n] / Quad(n + 1));
    sine.push_back(product(cosine, rate, n) / Quad(n + 1));
    cosine.push_back(-product(sine, rate, n) / Quad(n + 1));
  }
  Series lambda;  // l (lambda - theta'^2) = g cos(theta) - l''
  Series excess;
  for (std::size_t n = 0; n < order; ++n) {
    excess.push_back(0);
    excess[n] = (gravity * cosine[n] - l2[n] - product(length, excess, n)) / length[0];
    lambda.push_back(excess[n] + product(rate, rate, n));
  }
  return {theta, length, lambda};
}

std::vector<Motion> expand(const std::vector<Angle>& angles, std::size_t order) {
  Series length(order + 2 * angles.size() + 2, 0);
  length[0] = rope;
  std::vector<Motion> motions;
  for (const Angle& angle : angles) {
    motions.push_back(expand(angle, length));
    length = motions.back().lambda;
    for (Quad& coefficient : length) coefficient *= coupling;
    length[0] += rope;
  }
  return motions;
}

struct Reference {
  std::vector<double> x, y, lambda;
};

Reference integrate(std::vector<Angle> angles, double until, int steps) {
  const Quad h = Quad(until) / steps;
  for (int k = 0; k < steps; ++k) {
    const std::vector<Motion> motions = expand(angles, 30);
    for (std::size_t i = 0; i < angles.size(); ++i)
      angles[i] = {value(motions[i].theta, h), value(derivative(motions[i].theta), h)};
  }
  Reference end;
  for (const Motion& motion : expand(angles, 2)) {
    const auto [s, c] = sine_and_cosine(motion.theta[0]);
    end.x.push_back(static_cast<double>(motion.length[0] * s));
    end.y.push_back(static_cast<double>(motion.length[0] * c));
    end.lambda.push_back(static_cast<double>(motion.lambda[0]));
  }
  return end;
}

struct Size {
  int pendula;
  double until;
};

class CoupledPendula : public ::testing::TestWithParam<Size> {};

TEST_P(CoupledPendula, motion_is_that_of_the_pendula_one_after_the_other) {
  const auto& [pendula, until] = GetParam();
  const auto model = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path("coupled_pendula")),
                       {.parameters = {{"P", std::to_string(pendula)}}}));
  const formulate::Problem problem = formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))),
      formulate::Formulation{});
  ASSERT_EQ(problem.structure.index, 2 * pendula + 1);
  solve::SimulateOptions options;
  options.until = until;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-14}});
  const solve::ConsistentPoint point = solve::consistent_point(problem);
  const solve::Trajectory run = solve::simulate(problem, point, options);
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  const auto name_of = [](const char* name, int k) {
    return std::string(name) + "[" + std::to_string(k) + "]";
  };
  const auto state = [&](const char* name, int k, std::uint16_t order) {
    return point.states[problem.layout.find({model->find(name_of(name, k)), order}) - 1];
  };
  std::vector<Angle> start;
  for (int k = 1; k <= pendula; ++k) {
    const double x = state("x", k, 0), y = state("y", k, 0);
    const double spin = state("x", k, 1) * y - state("y", k, 1) * x;
    start.push_back({std::atan2(x, y), spin / (x * x + y * y)});
  }
  const Reference end = integrate(start, until, static_cast<int>(std::ceil(until / 0.1)));
  const auto last = [&](const char* name, int k) {
    return run.table.column(run.table.find(name_of(name, k)).value()).back();
  };
  for (int k = 1; k <= pendula; ++k) {
    const auto i = static_cast<std::size_t>(k - 1);
    EXPECT_NEAR(last("x", k), end.x[i], rounding(1000, rope)) << k;
    EXPECT_NEAR(last("y", k), end.y[i], rounding(1000, rope)) << k;
    EXPECT_NEAR(last("lambda", k), end.lambda[i], rounding(1000, 10)) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, CoupledPendula,
                         ::testing::Values(Size{1, 5}, Size{2, 5}, Size{7, 5}, Size{15, 2},
                                           Size{23, 2}),
                         [](const auto& tested) {
                           return "P" + std::to_string(tested.param.pendula);
                         });

}  // namespace
}  // namespace daedal::test
