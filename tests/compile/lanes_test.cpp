// Families in lanes: the sum of all instances, the same bits on the tape and in native code, for any number of instances.
#include "compile/needs_native.hpp"
#include "compile/random_function.hpp"
#include "daedal/compile/kernel.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <random>

namespace daedal::compile {
namespace {

using testing::bits;

const Options lanes_on_tape{.backend = Backend::tape, .expand_limit = 0};
const Options lanes_in_native_code{.backend = Backend::native, .expand_limit = 0};
const Options written_out{.backend = Backend::tape, .expand_limit = ~0ull};

struct TestFamily {
  expr::Function function;
  Layout layout;
  std::vector<double> point;
};

// `instances` of a random shape: some slots denote the same symbol everywhere, some for consecutive symbols, some for
// any; some outputs share rows, some are dropped, one goes to consecutive rows.
TestFamily random_family(std::uint64_t seed, std::uint32_t instances, std::uint32_t operations) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto shape = testing::random_function(seed, 12, operations, 5);
  TestFamily test;
  const std::uint32_t symbols = instances + 40, slots = 7;  // leaves of the shape use slots 1 .. 6
  for (std::uint16_t order = 0; order < 2; ++order) {
    for (std::uint32_t s = 0; s < symbols; ++s) {
      test.layout.add({s + 1, order});
      test.point.push_back(std::sin(1.0 + s + 0.3 * order));
    }
  }
  expr::Family family{shape.graph, shape.outputs, slots, instances, {}, {}};
  const std::uint32_t rows = instances + 10;
  for (std::uint32_t i = 0; i < instances; ++i) {
    const expr::SymbolId of_slot[slots] = {1, i + 1, i + 3, below(symbols) + 1, below(symbols) + 1,
                                           7, 9};
    family.symbols.insert(family.symbols.end(), std::begin(of_slot), std::end(of_slot));
    family.rows.insert(family.rows.end(), {i, i + 1, below(rows),
                                           below(4) == 0 ? expr::Family::no_row : below(rows), 3});
  }
  test.function = {rows, {family}};
  return test;
}

const std::uint32_t counts[] = {8, 9, 31, 32, 33, 64, 100, 257};

TEST(Lanes, native_code_equals_the_tape_bit_for_bit) {
  for (const std::uint32_t instances : counts) {
    SCOPED_TRACE(instances);
    const TestFamily test = random_family(instances, instances, 60);
    const auto native = compile(test.function, test.layout, lanes_in_native_code);
    NEEDS_NATIVE(native);
    EXPECT_EQ(native->running(), Backend::native);
    const std::vector<double> x = testing::evaluate(*native, test.point);
    const std::vector<double> y =
        testing::evaluate(*compile(test.function, test.layout, lanes_on_tape), test.point);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(bits(x[i]), bits(y[i])) << "row " << i;
  }
}

TEST(Lanes, shapes_cut_into_functions_give_the_same_bits) {
  const TestFamily test = random_family(3, 75, 2600);
  const auto native = compile(test.function, test.layout, lanes_in_native_code);
  NEEDS_NATIVE(native);
  ASSERT_GT(native->operations(), 75u * 2000u);
  const std::vector<double> x = testing::evaluate(*native, test.point);
  const std::vector<double> y =
      testing::evaluate(*compile(test.function, test.layout, lanes_on_tape), test.point);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(bits(x[i]), bits(y[i])) << "row " << i;
}

// Instance by instance in a plain loop; only the order of additions differs, so the difference is bounded by rounding of
// the sum of magnitudes.
TEST(Lanes, rows_are_the_sum_over_all_instances) {
  for (const std::uint32_t instances : counts) {
    SCOPED_TRACE(instances);
    const TestFamily test = random_family(100 + instances, instances, 25);
    const expr::Family& family = test.function.families.front();
    std::vector<double> sum(test.function.rows), magnitude(test.function.rows);
    for (std::uint32_t i = 0; i < instances; ++i) {
      const std::vector<double> values =
          expr::evaluate(*family.graph, family.outputs, [&](expr::Leaf leaf) {
            return test.point[test.layout.find({family.symbol(i, leaf.symbol), leaf.order})];
          });
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (family.row(i, k) == expr::Family::no_row) continue;
        sum[family.row(i, k)] += values[k];
        magnitude[family.row(i, k)] += std::abs(values[k]);
      }
    }
    const std::vector<double> rows =
        testing::evaluate(*compile(test.function, test.layout, lanes_on_tape), test.point);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (!std::isfinite(sum[r])) continue;
      ASSERT_NEAR(rows[r], sum[r], test::rounding(2 * instances, magnitude[r])) << "row " << r;
    }
  }
}

TEST(Lanes, written_out_and_mapped_kernels_agree) {
  const TestFamily test = random_family(7, 40, 20);
  const std::vector<double> x =
      testing::evaluate(*compile(test.function, test.layout, written_out), test.point);
  const std::vector<double> y =
      testing::evaluate(*compile(test.function, test.layout, lanes_on_tape), test.point);
  for (std::size_t r = 0; r < x.size(); ++r) {
    if (!std::isfinite(x[r])) continue;
    ASSERT_NEAR(x[r], y[r], test::rounding(40 * 20, 1 + std::abs(x[r])));
  }
}

// Families add up in their order, identity families and small ones among them.
TEST(Lanes, families_of_all_sizes_share_rows) {
  const TestFamily large = random_family(1, 50, 10), small = random_family(2, 3, 10);
  expr::Function f = large.function;
  expr::Family few = small.function.families.front();
  few.instances = 3;
  f.families.push_back(few);
  auto graph = std::make_shared<expr::Graph>();
  const expr::Term term{graph->mul(graph->leaf({4, 0}), graph->leaf({5, 1})), 2};
  f.families.push_back(expr::identity_family(graph, std::span(&term, 1)));
  const std::vector<double> x =
      testing::evaluate(*compile(f, large.layout, written_out), large.point);
  const std::vector<double> y =
      testing::evaluate(*compile(f, large.layout, lanes_on_tape), large.point);
  for (std::size_t r = 0; r < x.size(); ++r) {
    if (!std::isfinite(x[r])) continue;
    ASSERT_NEAR(x[r], y[r], test::rounding(54 * 10, 1 + std::abs(x[r])));
  }
}

// y_i = exp(p) x_i: exp(p) is common to all instances and belongs to the parameters, so prepare() computes it, once.
TEST(Lanes, what_instances_have_in_common_is_computed_once) {
  auto graph = std::make_shared<expr::Graph>();
  const expr::Expr y =
      graph->mul(graph->unary(expr::Op::exp, graph->leaf({1, 0})), graph->leaf({0, 0}));
  expr::Family family{graph, {y}, 2, 40, {}, {}};
  Layout layout;
  std::vector<double> point;
  for (std::uint32_t i = 0; i < 40; ++i) {
    layout.add({i + 1, 0});
    point.push_back(i);
    family.symbols.insert(family.symbols.end(), {i + 1, 1000});
    family.rows.push_back(39 - i);
  }
  layout.first_parameter = layout.add({1000, 0});
  point.push_back(0);
  const auto kernel = compile(expr::Function{40, {family}}, layout, lanes_on_tape);
  Workspace work = kernel->workspace();
  std::vector<double> rows(40);
  kernel->prepare(point.data(), work);
  point.back() = 1;
  kernel->evaluate(point.data(), rows.data(), work);
  EXPECT_EQ(rows[0], 39);
  kernel->prepare(point.data(), work);
  kernel->evaluate(point.data(), rows.data(), work);
  EXPECT_NEAR(rows[0], 39 * M_E, test::rounding(3, 39 * M_E));
  EXPECT_EQ(kernel->operations(), 40u + 1u);
}

}  // namespace
}  // namespace daedal::compile
