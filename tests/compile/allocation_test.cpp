// Nothing allocates once the workspace exists: every operator new of this program is counted.
#include "compile/klu_solver.hpp"
#include "compile/random_function.hpp"
#include "daedal/compile/kernel.hpp"
#include "support/allocations.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

namespace daedal::compile {
namespace {

using test::allocations;

std::uint64_t allocations_during(auto&& work) {
  const std::uint64_t before = allocations;
  work();
  return allocations - before;
}

TEST(Allocation, the_counter_counts) {
  EXPECT_GT(allocations_during([] {
              std::vector<int> v(100);
              asm volatile("" : : "r"(v.data()) : "memory");
            }),
            0u);
}

TEST(Allocation, kernels_allocate_nothing_after_set_up) {
  const auto random = testing::random_function(12, 12, 300, 20);
  for (const Backend backend : {Backend::tape, Backend::native, Backend::automatic}) {
    const auto kernel = compile(random.function, random.layout, Options{.backend = backend});
    Workspace work = kernel->workspace();
    std::vector<double> rows(kernel->rows());
    EXPECT_EQ(allocations_during([&] {
                kernel->prepare(random.point.data(), work);
                for (int i = 0; i < 10; ++i)
                  kernel->evaluate(random.point.data(), rows.data(), work);
              }),
              0u);
  }
}

TEST(Allocation, kernels_in_lanes_allocate_nothing_after_set_up) {
  auto graph = std::make_shared<expr::Graph>();
  const expr::Expr y =
      graph->unary(expr::Op::sin, graph->mul(graph->leaf({0, 0}), graph->leaf({1, 0})));
  expr::Family family{graph, {y}, 2, 100, {}, {}};
  Layout layout;
  std::vector<double> point;
  for (std::uint32_t i = 0; i < 101; ++i) {
    layout.add({i, 0});
    point.push_back(0.1 * i);
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    family.symbols.insert(family.symbols.end(), {i, i + 1});
    family.rows.push_back(i);
  }
  for (const Backend backend : {Backend::tape, Backend::native}) {
    const auto kernel = compile(expr::Function{100, {family}}, layout,
                                Options{.backend = backend, .expand_limit = 0});
    Workspace work = kernel->workspace();
    std::vector<double> rows(100);
    EXPECT_EQ(allocations_during([&] {
                kernel->prepare(point.data(), work);
                kernel->evaluate(point.data(), rows.data(), work);
              }),
              0u);
    EXPECT_NEAR(rows[3], std::sin(point[3] * point[4]), test::rounding(4));
  }
}

TEST(Allocation, solvers_allocate_nothing_after_set_up) {
  auto graph = std::make_shared<expr::Graph>();
  Layout layout;
  std::vector<double> point{3, 1, 2, 5, 7};
  expr::SparseFunction matrix{{2, 2, {0, 2, 4}, {0, 1, 0, 1}}, {}};
  std::vector<expr::Term> values, right;
  for (std::uint32_t k = 0; k < 4; ++k) {
    layout.add({k + 1, 0});
    values.push_back({graph->leaf({k + 1, 0}), k});
  }
  layout.add({5, 0});
  for (std::uint32_t k = 0; k < 2; ++k) right.push_back({graph->leaf({5, 0}), k});
  matrix.values = {4, {expr::identity_family(graph, values)}};
  const expr::Function b{2, {expr::identity_family(graph, right)}};
  const auto unrolled = compile_solver(matrix, b, layout, point);
  const auto klu = make_klu_solver(matrix, b, layout, point, Options{});
  for (LinearSolver* solver : {unrolled.get(), klu.get()}) {
    double x[2], other[2] = {1, 2};
    solver->solve(point.data(), x);
    EXPECT_EQ(allocations_during([&] {
                for (int i = 0; i < 10; ++i) {
                  point[0] += 0.1;
                  EXPECT_TRUE(solver->solve(point.data(), x).ok);
                  solver->resolve(other, x);
                }
              }),
              0u)
        << solver->describe();
  }
}

}  // namespace
}  // namespace daedal::compile
