#include "system/derived.hpp"

#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <set>

namespace daedal::solve::testing {
namespace {

std::set<std::string> derived_names(const formulate::Problem& problem) {
  std::set<std::string> names;
  for (const formulate::Level& level : problem.levels) {
    const std::vector<bool> derived = derived_columns(problem, level);
    for (std::size_t c = 0; c < derived.size(); ++c) {
      const expr::Leaf leaf = problem.layout.leaf(level.unknowns[c]);
      if (derived[c])
        names.insert(model::name_of(problem.dae->model->symbols[leaf.symbol], leaf.order));
    }
  }
  return names;
}

using Names = std::set<std::string>;

TEST(DerivedColumns, a_mechanism_integrates_its_positions_and_velocities) {
  EXPECT_EQ(derived_names(problem_of(pendulum_text)), Names{});
}

TEST(DerivedColumns, what_the_constraints_below_determine_is_not_integrated) {
  // The force of the first pendulum drives the length of the second: x, y and lambda of the first are needed with more
  // derivatives, and these follow from x, y, x', y'.
  const formulate::Problem problem = problem_of(
      "model two\nvariable x = 1, y = 0, l, u = 1, v = 0, m\n"
      "equation x'' + l*x = 0\nequation y'' + l*y = 1\nequation x^2 + y^2 = 1\n"
      "equation u'' + m*u = 0\nequation v'' + m*v = 1\nequation u^2 + v^2 = (1 + 0.1*l)^2\n");
  EXPECT_EQ(derived_names(problem), (Names{"x''", "x'''", "y''", "y'''", "l", "l'"}));
}

TEST(DerivedColumns, nonlinear_equations_are_followed_along_their_branch) {
  // x is determined by time alone, but which of the two roots, only the motion so far determines; x' is linear.
  const formulate::Problem problem =
      problem_of("model roots\nvariable x = 1, w\nequation x^2 = 1 + t\nequation w = x'\n");
  EXPECT_EQ(derived_names(problem), Names{});
  const formulate::Problem again =
      problem_of("model roots\nvariable x = 1, w\nequation x^2 = 1 + t\nequation w = x''\n");
  EXPECT_EQ(derived_names(again), Names{"x'"});
}

}  // namespace
}  // namespace daedal::solve::testing
