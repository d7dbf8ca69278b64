// Hash-consing, arenas, and simplification that keeps values.
#include "daedal/expr/graph.hpp"

#include "random_expressions.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedal::expr {
namespace {

class GraphTest : public ::testing::Test {
 protected:
  Graph g;
  Expr x = g.leaf({1, 0}), y = g.leaf({2, 0}), z = g.leaf({3, 0});
  Expr number(double value) { return g.constant(value); }
};

TEST_F(GraphTest, equal_expressions_are_one_node) {
  EXPECT_EQ(g.leaf({1, 0}), x);
  EXPECT_NE(g.leaf({1, 1}), x);
  EXPECT_EQ(g.mul(g.add(x, y), z), g.mul(g.add(x, y), z));
  EXPECT_EQ(g.rest_to_rest(x, 4, 1), g.rest_to_rest(x, 4, 1));
  EXPECT_NE(g.rest_to_rest(x, 4, 1), g.rest_to_rest(x, 4, 2));
  EXPECT_NE(g.rest_to_rest(x, 4), g.rest_to_rest(x, 5));
}

TEST_F(GraphTest, commutative_operations_do_not_depend_on_operand_order) {
  for (const Op op : {Op::add, Op::mul, Op::min, Op::max, Op::logical_and, Op::logical_or}) {
    EXPECT_EQ(g.binary(op, x, y), g.binary(op, y, x));
  }
  EXPECT_NE(g.sub(x, y), g.sub(y, x));
  EXPECT_NE(g.binary(Op::less, x, y), g.binary(Op::less, y, x));
}

TEST_F(GraphTest, operand_order_is_kept_so_that_instances_keep_one_shape) {
  const Node& forward = g.node(g.add(y, x));
  EXPECT_EQ(Expr{forward.a}, y);
  EXPECT_EQ(Expr{forward.b}, x);
}

TEST_F(GraphTest, constants_are_told_apart_by_their_bits) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(number(0.0), number(-0.0));
  EXPECT_EQ(number(nan), number(nan));
  EXPECT_EQ(number(0.1), number(0.1));
  EXPECT_NE(number(0.1), number(std::nextafter(0.1, 1.0)));
  EXPECT_EQ(g.constant_value(number(-1.5e300)), -1.5e300);
}

TEST_F(GraphTest, neutral_and_absorbing_elements_vanish) {
  const Expr zero = number(0), one = number(1);
  EXPECT_EQ(g.add(x, zero), x);
  EXPECT_EQ(g.add(zero, x), x);
  EXPECT_EQ(g.sub(x, zero), x);
  EXPECT_EQ(g.sub(zero, x), g.neg(x));
  EXPECT_EQ(g.sub(x, x), zero);
  EXPECT_EQ(g.mul(x, one), x);
  EXPECT_EQ(g.mul(zero, x), zero);
  EXPECT_EQ(g.mul(x, number(-1)), g.neg(x));
  EXPECT_EQ(g.div(x, one), x);
  EXPECT_EQ(g.div(x, number(-1)), g.neg(x));
  EXPECT_EQ(g.div(zero, x), zero);
  EXPECT_EQ(g.powi(x, 0), one);
  EXPECT_EQ(g.powi(x, 1), x);
  EXPECT_EQ(g.powi(g.powi(x, 2), 3), g.powi(x, 6));
}

TEST_F(GraphTest, signs_move_outwards_and_cancel) {
  EXPECT_EQ(g.neg(g.neg(x)), x);
  EXPECT_EQ(g.add(x, g.neg(y)), g.sub(x, y));
  EXPECT_EQ(g.add(g.neg(y), x), g.sub(x, y));
  EXPECT_EQ(g.sub(x, g.neg(y)), g.add(x, y));
  EXPECT_EQ(g.neg(g.sub(x, y)), g.sub(y, x));
  EXPECT_EQ(g.mul(g.neg(x), g.neg(y)), g.mul(x, y));
  EXPECT_EQ(g.div(g.neg(x), g.neg(y)), g.div(x, y));
  EXPECT_EQ(g.powi(g.neg(x), 2), g.powi(x, 2));
  EXPECT_EQ(g.powi(g.neg(x), 3), g.neg(g.powi(x, 3)));
}

TEST_F(GraphTest, coefficients_merge_when_they_meet) {
  EXPECT_EQ(g.mul(number(2), g.mul(number(3), x)), g.mul(number(6), x));
  EXPECT_EQ(g.mul(g.div(x, number(2)), g.mul(number(2), y)), g.mul(x, y));
  EXPECT_EQ(g.mul(number(2), g.div(x, number(24))), g.div(x, number(12)));
  EXPECT_EQ(g.mul(g.div(x, number(24)), g.mul(number(2), y)), g.mul(g.div(x, number(12)), y));
  EXPECT_EQ(g.div(g.mul(number(2), x), g.mul(number(2), y)), g.div(x, y));
  EXPECT_EQ(g.add(x, x), g.mul(number(2), x));
  EXPECT_EQ(g.mul(x, x), g.powi(x, 2));
}

TEST_F(GraphTest, parameter_products_are_not_torn_apart) {
  const Expr half_mass = g.div(x, number(2));
  const Node& product = g.node(g.mul(half_mass, y));
  EXPECT_EQ(Expr{product.a}, half_mass);
}

TEST_F(GraphTest, choices_with_known_outcome_are_made) {
  EXPECT_EQ(g.select(number(1), x, y), x);
  EXPECT_EQ(g.select(number(0), x, y), y);
  EXPECT_EQ(g.select(z, x, x), x);
  const Expr condition = g.binary(Op::less, x, y);
  EXPECT_EQ(g.binary(Op::logical_and, condition, number(0)), number(0));
  EXPECT_EQ(g.binary(Op::logical_and, condition, number(1)), condition);
  EXPECT_EQ(g.binary(Op::logical_or, number(3), condition), number(1));
}

TEST_F(GraphTest, constants_fold_to_the_value_of_the_operation) {
  EXPECT_EQ(g.unary(Op::sqrt, number(2)), number(std::sqrt(2.0)));
  EXPECT_EQ(g.pow(number(2), number(10)), number(1024));
  EXPECT_EQ(g.powi(number(2), -2), number(0.25));
  EXPECT_EQ(g.binary(Op::mod, number(-7), number(3)), number(2));
  EXPECT_EQ(g.rest_to_rest(number(0.5), 6), number(0.5));
}

TEST_F(GraphTest, faulty_constants_stay_detectable) {
  EXPECT_TRUE(std::isinf(g.constant_value(g.div(number(1), number(0)))));
  EXPECT_TRUE(std::isnan(g.constant_value(g.mul(number(0), g.div(number(1), number(0))))));
  EXPECT_TRUE(std::isnan(g.constant_value(g.div(number(0), number(0)))));
  EXPECT_TRUE(std::isnan(g.constant_value(g.unary(Op::log, number(-1)))));
  EXPECT_EQ(g.node(g.div(x, number(0))).op, Op::div);
}

TEST_F(GraphTest, powers_take_their_cheapest_form) {
  EXPECT_EQ(g.pow(x, number(3)), g.powi(x, 3));
  EXPECT_EQ(g.pow(x, number(0.5)), g.unary(Op::sqrt, x));
  EXPECT_EQ(g.node(g.pow(x, number(1.5))).op, Op::pow);
  EXPECT_EQ(g.node(g.pow(x, number(1e9))).op, Op::pow);
}

TEST_F(GraphTest, misuse_is_refused) {
  EXPECT_THROW(g.unary(Op::add, x), std::invalid_argument);
  EXPECT_THROW(g.unary(Op::powi, x), std::invalid_argument);
  EXPECT_THROW(g.binary(Op::sin, x, y), std::invalid_argument);
  EXPECT_THROW(g.spline(0, x), std::invalid_argument);
  EXPECT_THROW(g.rest_to_rest(x, -1), std::invalid_argument);
  EXPECT_THROW(g.rest_to_rest(x, max_smoothness + 1), std::invalid_argument);
  EXPECT_THROW(g.rest_to_rest(x, 2, -1), std::invalid_argument);
}

TEST(IntegerPower, agrees_with_repeated_multiplication) {
  for (const double base : {-1.5, 0.75, 2.0}) {
    long double product = 1;
    for (int n = 0; n <= 20; ++n) {
      // n - 1 roundings at most, each half an ulp
      const auto tolerance = static_cast<double>(n * std::fabs(product) * 1.2e-16L);
      EXPECT_NEAR(integer_power(base, n), static_cast<double>(product), tolerance);
      EXPECT_EQ(integer_power(base, -n), 1 / integer_power(base, n));
      product *= base;
    }
  }
  EXPECT_EQ(integer_power(0, 0), 1);
}

// Whatever the builders simplify, the value is the textbook's, up to rounding.
TEST(Simplification, keeps_the_value_of_random_expressions) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Graph g;
    const testing::Point point{{{1, 0}, 0.7L}, {{2, 0}, 1.3L}, {{3, 0}, -0.4L}, {{4, 0}, 2.1L}};
    testing::RandomExpressions random(g, point, seed);
    random.grow(150);
    std::vector<Expr> all;
    for (const auto& known : random.all()) all.push_back(known.e);
    const std::vector<double> values =
        evaluate(g, all, [&](Leaf leaf) { return static_cast<double>(point.at(leaf)); });
    for (std::size_t i = 0; i < all.size(); ++i) {
      // Rounding grows through a deep expression; the extended-precision evaluation of the graph's own
      // nodes distinguishes the graph's mistakes (none) from the amplification of rounding.
      const testing::Real reference = testing::reference_value(g, all[i], point);
      EXPECT_NEAR(static_cast<double>(random.all()[i].value), static_cast<double>(reference),
                  test::rounding(150));
      EXPECT_NEAR(values[i], static_cast<double>(reference), test::rounding(150, 100));
    }
  }
}

TEST(ChildGraph, sees_its_parents_nodes_and_adds_its_own) {
  auto parent = std::make_shared<Graph>();
  const Expr x = parent->leaf({1, 0}), y = parent->leaf({2, 0});
  const Expr sum = parent->add(x, y);
  const std::uint32_t size = parent->size();

  auto child = std::make_shared<Graph>(parent);
  EXPECT_EQ(child->size(), size);
  EXPECT_EQ(child->add(x, y), sum);
  EXPECT_EQ(child->add(y, x), sum);
  EXPECT_EQ(child->leaf({2, 0}), y);
  const Expr product = child->mul(sum, x);
  EXPECT_EQ(product.id, size);
  EXPECT_EQ(parent->size(), size);

  Graph grandchild(child);
  EXPECT_EQ(grandchild.mul(x, sum), product);
  EXPECT_EQ(grandchild.node(sum), parent->node(sum));
  EXPECT_TRUE(grandchild.extends(*parent));
  EXPECT_TRUE(grandchild.extends(grandchild));
  EXPECT_FALSE(parent->extends(*child));
}

TEST(ChildGraph, is_not_disturbed_by_a_parent_that_grows) {
  auto parent = std::make_shared<Graph>();
  const Expr x = parent->leaf({1, 0}), y = parent->leaf({2, 0});
  Graph child(parent);
  EXPECT_TRUE(child.extends(*parent));
  const Expr late = parent->mul(x, y);
  const Expr own = child.sub(x, y), product = child.mul(x, y);
  EXPECT_EQ(own.id, late.id);
  EXPECT_NE(product.id, late.id);
  EXPECT_EQ(child.node(product).op, Op::mul);
  EXPECT_FALSE(child.extends(*parent));
}

TEST(ChildGraph, numbers_splines_on_from_its_parent) {
  const PiecewisePolynomial ramp{{0, 1}, {0, 1}, 1, 0};
  const PiecewisePolynomial step{{0, 2}, {5, 0}, 1, 0};
  auto parent = std::make_shared<Graph>();
  EXPECT_EQ(parent->add_spline(ramp), 0);
  Graph child(parent);
  EXPECT_EQ(child.add_spline(ramp), 0);
  EXPECT_EQ(child.add_spline(step), 1);
  EXPECT_EQ(child.spline(1), step);
  EXPECT_EQ(parent->spline_count(), 1);
}

TEST(Graph, a_million_nodes_are_found_again) {
  Graph g;
  std::vector<Expr> first;
  Expr e = g.leaf({1, 0});
  for (std::uint32_t i = 0; i < 500000; ++i)
    first.push_back(e = g.add(g.unary(Op::sin, e), g.leaf({i % 100, 1})));
  const std::uint32_t size = g.size();
  e = g.leaf({1, 0});
  for (std::uint32_t i = 0; i < 500000; ++i) {
    e = g.add(g.leaf({i % 100, 1}), g.unary(Op::sin, e));
    ASSERT_EQ(e, first[i]);
  }
  EXPECT_EQ(g.size(), size);
}

}  // namespace
}  // namespace daedal::expr
