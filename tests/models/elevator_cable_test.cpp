// Elevator cable with lifted positions [Bortoff2018, section 6]: long cables against closed forms.
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/system/problem_system.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

constexpr double length = 30, mass = 30, g = 9.81, anchor_x = 6, anchor_y = 2;

formulate::Problem cable(int N, const formulate::Formulation& formulation = {}) {
  model::Overrides overrides;
  overrides.parameters = {{"N", std::to_string(N)}, {"sway", "0"}};
  overrides.lifting = model::Lifting::automatic;
  const auto library =
      model::load(std::string(DAEDAL_SOURCE_DIR) + "/models/elevator_cable/elevator_cable.daedal");
  const auto model = std::make_shared<const model::Model>(model::elaborate(library, overrides));
  return formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))),
      formulation);
}

struct Point {
  double x = 0, y = 0;
};

Point end_of(const std::vector<double>& angle) {
  const double l = length / static_cast<double>(angle.size());
  Point end;
  for (const double q : angle) end.x += l * std::sin(q), end.y += l * std::cos(q);
  return end;
}

/// At rest tan q_i = H/(m g (N - i + 1/2) + V), with the wall's force (H, V) from Newton's method on the end point.
struct Rest {
  std::vector<double> angle;
  double H = 8.23, V = -137.3;

  explicit Rest(int N) : angle(static_cast<std::size_t>(N)) {
    for (int iteration = 0; iteration < 30; ++iteration) {
      double xx = 0, xy = 0, yx = 0, yy = 0;  // d end / d (H, V)
      const double l = length / N;
      for (int i = 1; i <= N; ++i) {
        const double D = mass / N * g * (N - i + 0.5) + V, square = D * D + H * H;
        const double q = angle[static_cast<std::size_t>(i - 1)] = std::atan2(H, D);
        xx += l * std::cos(q) * D / square, xy -= l * std::cos(q) * H / square;
        yx -= l * std::sin(q) * D / square, yy += l * std::sin(q) * H / square;
      }
      const Point end = end_of(angle);
      const double rx = end.x - anchor_x, ry = end.y - anchor_y, det = xx * yy - xy * yx;
      H -= (rx * yy - ry * xy) / det;
      V -= (ry * xx - rx * yx) / det;
    }
  }
};

TEST(ElevatorCable, lifted_cables_of_up_to_1000_rods_hang_at_rest_with_the_known_wall_force) {
  for (const int N : {50, 100, 200, 1000}) {
    const Rest rest(N);
    const formulate::Problem problem = cable(N);
    ASSERT_EQ(problem.dae->model->lifted.size(), 2u * static_cast<unsigned>(N));
    std::vector<double> states(problem.states, 0.0), z(problem.algebraic(), 0.0),
        rate(problem.states);
    std::copy(rest.angle.begin(), rest.angle.end(), states.begin());
    solve::ProblemSystem system(problem, 0, states, z,
                                {.implicit = false, .compile = {compile::Backend::tape}});
    ASSERT_EQ(system.derivative(0, states.data(), z.data(), rate.data()), solve::Failure::none);
    // Torques of mass g l cancel on rods of inertia m l^2/12: rounding of the one over the other.
    const double rounding = 100 * std::numeric_limits<double>::epsilon() * 12 * g * N * N / length;
    for (int i = 0; i < N; ++i) EXPECT_NEAR(z[static_cast<std::size_t>(i)], 0, rounding) << N;
    // The forces hold up the whole cable, m g, through N joints.
    const double of_wall = test::rounding(10 * N, mass * g);
    const auto wall = [&](int entry) {
      const std::string name = "wall[" + std::to_string(entry) + "]";
      return z[problem.layout.find({problem.dae->model->find(name), 0}) - problem.top_position(0)];
    };
    EXPECT_NEAR(wall(1), rest.H, of_wall) << N;
    EXPECT_NEAR(wall(2), rest.V, of_wall) << N;
    if (N == 100) {
      EXPECT_NEAR(rest.H, 8.23176876, 5e-9);  // independent recomputation (SciPy)
      EXPECT_NEAR(rest.V, -137.32459515, test::printed(8));
    }
  }
}

TEST(ElevatorCable, static_shapes_converge_to_the_catenary_with_order_2) {
  // x = a asinh((s - s0)/a) + ..., y = -sqrt(a^2 + (s - s0)^2) + ... over the arc length s, y down.
  const auto bisect = [](double low, double high, auto f) {
    for (int k = 0; k < 200; ++k) (f((low + high) / 2) > 0 ? high : low) = (low + high) / 2;
    return (low + high) / 2;
  };
  const double chord = std::sqrt(length * length - anchor_y * anchor_y);
  const double a =
      bisect(0.1, 10, [&](double b) { return chord - 2 * b * std::sinh(anchor_x / (2 * b)); });
  EXPECT_NEAR(a, 0.8391256351, test::printed(10));
  const auto height = [&](double s, double s0) { return std::hypot(a, s - s0); };
  const double s0 =
      bisect(0, length, [&](double s) { return height(0, s) - height(length, s) - anchor_y; });
  const auto error = [&](int N) {
    const Rest rest(N);
    double largest = 0;
    Point node;
    for (int k = 1; k <= N; ++k) {
      const double l = length / N, q = rest.angle[static_cast<std::size_t>(k - 1)], s = k * l;
      node.x += l * std::sin(q), node.y += l * std::cos(q);
      const double x = a * (std::asinh((s - s0) / a) - std::asinh(-s0 / a)),
                   y = height(0, s0) - height(s, s0);
      largest = std::max(largest, std::hypot(node.x - x, node.y - y));
    }
    return largest;
  };
  EXPECT_LE(error(100), 4.6e-3);  // the README's 4.5e-3 m
  for (const int N : {200, 400, 1000})
    // the next term of the error is N^-2 of the leading one
    EXPECT_NEAR(std::log(error(N) / error(2 * N)) / std::log(2.0), 2, 0.01) << N;
}

TEST(ElevatorCable, an_inconsistent_start_decays_as_baumgarte_says) {
  // h'' + 2 p h' + p^2 h = 0 from h(0) = h0, h'(0) = 0: h = h0 (1 + p t) e^(-p t).
  const double p = 5;
  const int N = 100;
  const formulate::Problem problem = cable(
      N, {.kind = formulate::Kind::baumgarte, .all = {2 * p, p * p}, .each = {}, .penalty = {}});
  solve::ConsistentPoint start;
  start.states.assign(problem.states, 0.0);
  for (const model::StartValue& value : problem.dae->model->starts)
    start.states[problem.layout.find(value.leaf) - 1] = 0.95 * value.value;
  start.tops.assign(problem.algebraic(), 0.0);
  solve::SimulateOptions options;
  options.until = 0.5;
  options.every = 0.1;
  options.method = solve::make_method("rk45", {{"tolerance", 1e-9}});
  const solve::Trajectory run = solve::simulate(problem, start, options);
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  const auto wall = [&](std::size_t row) {
    std::vector<double> angle(N);
    for (std::size_t i = 0; i < angle.size(); ++i) angle[i] = run.table.at(row, 1 + i);
    const Point end = end_of(angle);
    return Point{end.x - anchor_x, end.y - anchor_y};
  };
  const Point h0 = wall(0);
  ASSERT_GT(std::hypot(h0.x, h0.y), 0.1);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.table.at(row, 0), decay = (1 + p * t) * std::exp(-p * t);
    EXPECT_NEAR(wall(row).x, h0.x * decay, test::accumulated(1e-9, 10)) << t;
    EXPECT_NEAR(wall(row).y, h0.y * decay, test::accumulated(1e-9, 10)) << t;
  }
}

}  // namespace
}  // namespace daedal::test
