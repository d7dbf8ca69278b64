// A kernel computes what the graph says, to the last bit.
#include "daedal/compile/kernel.hpp"

#include "compile/random_function.hpp"

#include <gtest/gtest.h>

namespace daedal::compile {
namespace {

using testing::bits;
using testing::random_function;

const Options on_tape{.backend = Backend::tape};

TEST(Layout, gives_each_leaf_one_place) {
  Layout layout;
  EXPECT_EQ(layout.add({7, 0}), 0u);
  EXPECT_EQ(layout.add({7, 1}), 1u);
  EXPECT_EQ(layout.find({7, 1}), 1u);
  EXPECT_EQ(layout.find({7, 2}), absent);
  EXPECT_EQ(layout.leaf(1), (expr::Leaf{7, 1}));
  EXPECT_THROW(layout.add({7, 0}), std::invalid_argument);
}

TEST(Kernel, tape_equals_plain_evaluation_bit_for_bit) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto random = random_function(seed, 12, 20 + 5 * static_cast<std::uint32_t>(seed), 15);
    const auto kernel = compile(random.function, random.layout, on_tape);
    const std::vector<double> rows = testing::evaluate(*kernel, random.point);
    const std::vector<double> truth =
        expr::evaluate(*random.graph, random.outputs,
                       [&](expr::Leaf leaf) { return random.point[random.layout.find(leaf)]; });
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(bits(rows[i]), bits(truth[i])) << "row " << i;
  }
}

TEST(Kernel, parameters_take_effect_through_prepare_only) {
  auto graph = std::make_shared<expr::Graph>();
  const expr::Expr x = graph->leaf({1, 0}), p = graph->leaf({2, 0});
  const expr::Expr y = graph->mul(x, graph->unary(expr::Op::exp, p));
  Layout layout;
  layout.add({1, 0});
  layout.add({2, 0});
  layout.first_parameter = 1;
  const expr::Term term{y, 0};
  const expr::Function f{1, {expr::identity_family(graph, std::span(&term, 1))}};
  const auto kernel = compile(f, layout, on_tape);
  Workspace work = kernel->workspace();
  double point[] = {3, 0}, row = 0;
  kernel->prepare(point, work);
  kernel->evaluate(point, &row, work);
  EXPECT_EQ(row, 3);
  point[1] = 1;
  kernel->evaluate(point, &row, work);
  EXPECT_EQ(row, 3);
  kernel->prepare(point, work);
  kernel->evaluate(point, &row, work);
  EXPECT_DOUBLE_EQ(row, 3 * M_E);
}

TEST(Kernel, rows_of_several_functions_follow_each_other) {
  const auto f = random_function(5, 12, 40, 4), g = random_function(5, 12, 40, 7);
  const expr::Function both[] = {f.function, g.function};
  const auto together = compile(both, f.layout, on_tape);
  ASSERT_EQ(together->rows(), 11u);
  const auto rows = testing::evaluate(*together, f.point);
  const auto first = testing::evaluate(*compile(f.function, f.layout, on_tape), f.point);
  const auto second = testing::evaluate(*compile(g.function, g.layout, on_tape), f.point);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bits(rows[i]), bits(first[i]));
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(bits(rows[4 + i]), bits(second[i]));
}

TEST(Kernel, a_leaf_without_a_place_is_refused) {
  const auto random = random_function(1, 12, 40, 4);
  Layout empty;
  EXPECT_THROW(compile(random.function, empty, on_tape), std::invalid_argument);
}

}  // namespace
}  // namespace daedal::compile
