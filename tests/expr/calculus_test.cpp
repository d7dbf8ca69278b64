// Derivatives against difference quotients, closed forms and each other.
#include "daedal/expr/graph.hpp"
#include "random_expressions.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>

namespace daedal::expr {
namespace {

using testing::Point;
using testing::Real;

const VariesInTime always = [](SymbolId) { return true; };

double value_at(const Graph& g, Expr e, const Point& point) {
  return evaluate(g, std::span(&e, 1),
                  [&](Leaf leaf) { return static_cast<double>(point.at(leaf)); })[0];
}

// Fourth-order central difference of F(h) at h = 0 in extended precision: truncation h^4 F^(5)/30 =
// 3e-14 F^(5) and rounding 1e-19/h = 1e-16 for h = 1e-3.
template <class F>
Real central_difference(const F& f) {
  const Real h = 1e-3L;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

Real difference_quotient(const Graph& g, Expr e, const Point& point, Leaf leaf) {
  return central_difference([&](Real h) {
    Point moved = point;
    moved[leaf] += h;
    return testing::reference_value(g, e, moved);
  });
}

// Deep random expressions have large fifth derivatives: 1e-7 relative allows for F^(5) of 1e6.
constexpr double quotient_tolerance = 1e-7;

class RandomCalculus : public ::testing::TestWithParam<unsigned> {
 protected:
  Graph g;
  Point point{{{1, 0}, 0.7L}, {{2, 0}, 1.3L}, {{3, 0}, -0.4L}, {{4, 0}, 2.1L}};
  std::vector<Leaf> leaves_of_point{{1, 0}, {2, 0}, {3, 0}, {4, 0}};
  testing::RandomExpressions random{g, point, GetParam()};
};

TEST_P(RandomCalculus, gradient_agrees_with_difference_quotients) {
  const Expr e = random.grow(25).e;
  const std::vector<Expr> gradient_of_e = gradient(g, e, leaves_of_point);
  for (std::size_t i = 0; i < leaves_of_point.size(); ++i) {
    const auto quotient = static_cast<double>(difference_quotient(g, e, point, leaves_of_point[i]));
    EXPECT_NEAR(value_at(g, gradient_of_e[i], point), quotient,
                quotient_tolerance * (1 + std::fabs(quotient)));
  }
}

TEST_P(RandomCalculus, jacobian_rows_are_gradients) {
  random.grow(25);
  std::vector<Expr> functions;
  for (std::size_t i = 8; i < random.all().size(); i += 5) functions.push_back(random.all()[i].e);
  const std::vector<JacobianEntry> entries = jacobian(g, functions, leaves_of_point);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Expr> by_place;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_TRUE(
        by_place.emplace(std::pair(entries[i].row, entries[i].column), entries[i].value).second);
    EXPECT_FALSE(g.is_constant(entries[i].value, 0));
    if (i > 0) {
      EXPECT_LT(std::pair(entries[i - 1].row, entries[i - 1].column),
                std::pair(entries[i].row, entries[i].column));
    }
  }
  for (std::uint32_t row = 0; row < functions.size(); ++row) {
    const std::vector<Expr> reverse = gradient(g, functions[row], leaves_of_point);
    for (std::uint32_t column = 0; column < leaves_of_point.size(); ++column) {
      const double by_reverse = value_at(g, reverse[column], point);
      const auto found = by_place.find({row, column});
      const double by_forward = found == by_place.end() ? 0 : value_at(g, found->second, point);
      EXPECT_NEAR(by_forward, by_reverse, test::rounding(50, 1 + std::fabs(by_reverse)));
    }
  }
}

TEST_P(RandomCalculus, hessian_is_symmetric) {
  random.grow(20);
  Expr e = g.mul(g.leaf({1, 0}), g.leaf({2, 0}));  // one mixed derivative at least
  for (const auto& known : random.all()) e = g.add(e, known.e);
  const std::vector<Expr> first = gradient(g, e, leaves_of_point);
  const std::vector<JacobianEntry> second = jacobian(g, first, leaves_of_point);
  double hessian[4][4] = {};
  for (const JacobianEntry& entry : second)
    hessian[entry.row][entry.column] = value_at(g, entry.value, point);
  EXPECT_NE(hessian[1][0], 0);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j)
      EXPECT_NEAR(hessian[i][j], hessian[j][i], test::rounding(200, 1 + std::fabs(hessian[i][j])));
  }
}

// Substitute x_i(t) = x_i + v_i t + a_i t^2/2: the expression becomes a function of t alone, whose
// difference quotients at t = 0 are the total derivatives at (x, v, a).
TEST_P(RandomCalculus, time_derivatives_agree_with_substituted_polynomials) {
  const Expr e = random.grow(15).e;
  const std::vector<Expr> rate = time_derivative(g, std::span(&e, 1), always);
  const std::vector<Expr> second = time_derivative(g, rate, always);
  const auto velocity = [](Leaf leaf) { return 0.3L * leaf.symbol - 0.5L; };
  const auto acceleration = [](Leaf leaf) { return 0.9L - 0.4L * leaf.symbol; };
  const auto moved_to = [&](Real t) {
    Point moved;
    for (const auto& [leaf, x] : point) {
      moved[leaf] = x + velocity(leaf) * t + acceleration(leaf) * t * t / 2;
      moved[{leaf.symbol, 1}] = velocity(leaf) + acceleration(leaf) * t;
      moved[{leaf.symbol, 2}] = acceleration(leaf);
    }
    return moved;
  };
  const auto first_quotient = static_cast<double>(
      central_difference([&](Real h) { return testing::reference_value(g, e, moved_to(h)); }));
  const auto second_quotient = static_cast<double>(central_difference(
      [&](Real h) { return testing::reference_value(g, rate[0], moved_to(h)); }));
  EXPECT_NEAR(value_at(g, rate[0], moved_to(0)), first_quotient,
              quotient_tolerance * (1 + std::fabs(first_quotient)));
  EXPECT_NEAR(value_at(g, second[0], moved_to(0)), second_quotient,
              quotient_tolerance * (1 + std::fabs(second_quotient)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCalculus, ::testing::Range(100u, 130u),
                         [](const auto& seed) { return "seed" + std::to_string(seed.param); });

// ---- closed forms

class Derivatives : public ::testing::Test {
 protected:
  Graph g;
  Expr x = g.leaf({1, 0}), y = g.leaf({2, 0}), m = g.leaf({3, 0}), v = g.leaf({1, 1}),
       t = g.leaf({time_symbol, 0});
  Expr number(double value) { return g.constant(value); }
  Expr d(Expr e, Leaf leaf = {1, 0}) { return gradient(g, e, std::span(&leaf, 1))[0]; }
  Expr rate(Expr e) {
    return time_derivative(g, std::span(&e, 1), [](SymbolId s) { return s != 3; })[0];
  }
};

TEST_F(Derivatives, of_kinetic_energy_are_momentum_and_mass) {
  const Expr kinetic = g.mul(g.div(m, number(2)), g.powi(v, 2));
  const Expr momentum = d(kinetic, {1, 1});
  EXPECT_EQ(momentum, g.mul(m, v));
  EXPECT_EQ(d(momentum, {1, 1}), m);
  EXPECT_EQ(rate(momentum), g.mul(m, g.leaf({1, 2})));
}

TEST_F(Derivatives, of_a_square_is_twice_the_product) {
  EXPECT_EQ(rate(g.powi(x, 2)), g.mul(number(2), g.mul(x, v)));
  EXPECT_EQ(d(g.powi(x, 2)), g.mul(number(2), x));
}

TEST_F(Derivatives, of_elementary_functions_have_their_textbook_form) {
  EXPECT_EQ(d(g.unary(Op::sin, x)), g.unary(Op::cos, x));
  EXPECT_EQ(d(g.unary(Op::cos, x)), g.neg(g.unary(Op::sin, x)));
  EXPECT_EQ(d(g.unary(Op::exp, x)), g.unary(Op::exp, x));
  EXPECT_EQ(d(g.unary(Op::log, x)), g.div(number(1), x));
  EXPECT_EQ(d(g.unary(Op::sqrt, x)), g.div(number(0.5), g.unary(Op::sqrt, x)));
  EXPECT_EQ(d(g.unary(Op::tan, x)), g.add(number(1), g.powi(g.unary(Op::tan, x), 2)));
  EXPECT_EQ(d(g.unary(Op::abs, x)), g.unary(Op::sign, x));
  EXPECT_EQ(d(g.div(x, y)), g.div(number(1), y));
  EXPECT_EQ(d(g.powi(x, -1)), g.neg(g.powi(x, -2)));
}

TEST_F(Derivatives, of_piecewise_constant_functions_are_zero) {
  for (const Expr e : {g.unary(Op::sign, x), g.unary(Op::floor, x), g.binary(Op::less, x, y),
                       g.unary(Op::logical_not, x), g.binary(Op::logical_and, x, y)}) {
    EXPECT_TRUE(g.is_constant(d(e), 0));
    EXPECT_TRUE(g.is_constant(rate(e), 0));
  }
}

TEST_F(Derivatives, of_choices_differentiate_the_branches_under_the_same_condition) {
  const Expr condition = g.binary(Op::less, x, y);
  const Expr choice = g.select(condition, g.powi(x, 3), g.unary(Op::sin, x));
  EXPECT_EQ(rate(choice), g.select(condition, rate(g.powi(x, 3)), rate(g.unary(Op::sin, x))));
  const Expr remainder = g.binary(Op::mod, g.mul(number(3), x), y);
  EXPECT_EQ(d(remainder), number(3));
  EXPECT_EQ(d(remainder, {2, 0}), g.neg(g.unary(Op::floor, g.div(g.mul(number(3), x), y))));
}

TEST_F(Derivatives, of_powers_with_a_constant_part_avoid_logarithms_of_the_base) {
  const Expr fixed_exponent = g.pow(x, number(1.5));
  EXPECT_EQ(d(fixed_exponent), g.mul(number(1.5), g.unary(Op::sqrt, x)));
  const Expr fixed_base = g.pow(number(2), x);
  EXPECT_NEAR(value_at(g, d(fixed_base), {{{1, 0}, 3.0L}}), 8 * std::log(2.0),
              test::rounding(4, 8));
}

TEST_F(Derivatives, treat_time_parameters_and_constants_apart) {
  EXPECT_EQ(rate(t), number(1));
  EXPECT_EQ(rate(g.powi(t, 2)), g.mul(number(2), t));
  EXPECT_EQ(rate(m), number(0));
  EXPECT_EQ(rate(number(7)), number(0));
  EXPECT_EQ(rate(x), v);
}

TEST_F(Derivatives, of_trajectories_raise_their_order) {
  const std::uint16_t ramp = g.add_spline({{0, 1}, {0, 2, 3}, 2, 0});
  EXPECT_EQ(rate(g.rest_to_rest(t, 3)), g.rest_to_rest(t, 3, 1));
  EXPECT_EQ(d(g.rest_to_rest(x, 3, 2)), g.rest_to_rest(x, 3, 3));
  EXPECT_EQ(d(g.rest_to_rest(x, 3, 7)), number(0));
  EXPECT_EQ(d(g.spline(ramp, x)), g.spline(ramp, x, 1));
  EXPECT_EQ(d(g.spline(ramp, x, 2)), number(0));
}

TEST_F(Derivatives, with_respect_to_absent_leaves_are_zero_and_add_no_leaf) {
  const Leaf absent{77, 3};
  EXPECT_EQ(d(x, absent), number(0));
  EXPECT_TRUE(jacobian(g, std::span(&x, 1), std::span(&absent, 1)).empty());
}

// ---- walks

TEST_F(Derivatives, leaves_and_reachable_nodes_are_sorted_and_complete) {
  const Expr e = g.add(g.mul(x, y), g.unary(Op::sin, v));
  const Expr roots[] = {e, y};
  EXPECT_EQ(leaves(g, roots), (std::vector<Leaf>{{1, 0}, {1, 1}, {2, 0}}));
  const std::vector<Expr> nodes = reachable(g, roots);
  EXPECT_EQ(nodes.size(), 6u);
  EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
}

TEST_F(Derivatives, substitution_replaces_leaves_and_keeps_what_does_not_change) {
  const Expr untouched = g.unary(Op::sin, y);
  const Expr e = g.add(g.powi(x, 2), untouched);
  const LeafMap x_is_three = [&](Leaf leaf) -> std::optional<Expr> {
    if (leaf == Leaf{1, 0}) return g.constant(3);
    return std::nullopt;
  };
  const Expr roots[] = {e, untouched};
  const std::vector<Expr> image = copy(g, roots, g, x_is_three);
  EXPECT_EQ(image[0], g.add(number(9), untouched));
  EXPECT_EQ(image[1], untouched);
}

TEST_F(Derivatives, copies_between_graphs_keep_values_and_splines) {
  g.add_spline({{0, 1}, {1, 1}, 1, 0});
  const std::uint16_t second = g.add_spline({{0, 4}, {2, -1}, 1, 0});
  const Expr e = g.mul(g.spline(second, x), g.rest_to_rest(y, 2));
  Graph other;
  const Expr image = copy(g, std::span(&e, 1), other, {})[0];
  EXPECT_EQ(other.spline_count(), 1);
  const Point point{{{1, 0}, 1.25L}, {{2, 0}, 0.3L}};
  EXPECT_EQ(value_at(other, image, point), value_at(g, e, point));
}

// ---- size

// Processor time: other load on the machine does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct ChainTimes {
  double build = std::numeric_limits<double>::infinity(), differentiate = build;
};

/// sin(... sin(x1) + x2 ...) + xn: the shortest times of three to build it, and to differentiate it by time and by x1.
ChainTimes chain_times(std::uint32_t length) {
  ChainTimes shortest;
  for (int round = 0; round < 3; ++round) {
    Graph g;
    const double start = processor_seconds();
    Expr e = g.leaf({1, 0});
    for (std::uint32_t i = 0; i < length; ++i) e = g.add(g.unary(Op::sin, e), g.leaf({2 + i, 0}));
    const double built = processor_seconds();
    time_derivative(g, std::span(&e, 1), always);
    const Leaf first{1, 0};
    gradient(g, e, std::span(&first, 1));
    shortest.differentiate = std::min(shortest.differentiate, processor_seconds() - built);
    shortest.build = std::min(shortest.build, built - start);
    // a link has 3 nodes; its derivatives add cos, a leaf, a product and a sum by time, and one product by x1
    EXPECT_LE(g.size(), (3 + 5) * length + 8);
  }
  return shortest;
}

// Building is linear, and its time has the caches and the load in it that differentiation has, which makes twice the nodes in two
// walks: it takes some 10 times as long. A walk of the chain for each of its links would take above 1000 times as long.
TEST(Scale, a_chain_of_1e5_links_differentiates_in_linear_time_without_recursion) {
  const ChainTimes times = chain_times(100000);
  EXPECT_LT(times.differentiate, 50 * times.build);
}

// P[k] = P[k-1] + l sin(q[k]) has k derivatives: N^2/2 entries in all, each a product formed once
// per link.
TEST(Scale, jacobian_of_a_nested_chain_is_linear_in_its_entries) {
  constexpr std::uint32_t links = 200;
  Graph g;
  const Expr length = g.leaf({1, 0});
  std::vector<Expr> points;
  std::vector<Leaf> angles;
  Expr p = g.constant(0);
  for (std::uint32_t k = 0; k < links; ++k) {
    angles.push_back({2 + k, 0});
    points.push_back(p = g.add(p, g.mul(length, g.unary(Op::sin, g.leaf(angles.back())))));
  }
  const std::uint32_t before = g.size();
  const std::vector<JacobianEntry> entries = jacobian(g, points, angles);
  EXPECT_EQ(entries.size(), links * (links + 1) / 2);
  EXPECT_LE(g.size(), before + 2 * links + 8) << "entries of one column are one node";
}

TEST(Scale, a_small_query_on_a_large_graph_is_cheap) {
  Graph g;
  Expr e = g.leaf({1, 0});
  for (std::uint32_t i = 0; i < 300000; ++i) e = g.add(g.unary(Op::sin, e), g.leaf({2 + i, 0}));
  const Expr small = g.mul(g.leaf({1, 0}), g.leaf({7, 0}));
  const Leaf wanted[] = {{1, 0}, {7, 0}};
  const double start = processor_seconds();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(gradient(g, small, wanted)[0], g.leaf({7, 0}));
    ASSERT_EQ(jacobian(g, std::span(&small, 1), wanted).size(), 2u);
  }
  // A pass over the whole graph takes above 100 us; two thousand queries of a microsecond or so
  // take a few ms.
  EXPECT_LT(processor_seconds() - start, 0.1);
}

}  // namespace
}  // namespace daedal::expr
