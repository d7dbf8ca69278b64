// Branches of equilibria against closed forms.
#include "daedal/analyse/continuation.hpp"

#include "models.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::analysis::test {
namespace {

// Newton's method ends at the rounding of the residual; the stiffness is some 1e-3 of its terms near folds and crossings.
const double balanced = daedal::test::rounding(100, 1e3);

DaeAt over(const std::string& text, const std::string& parameter) {
  return dae_of_parameters(model::load_text(text), {}, {parameter});
}
double value(const DaeAt& dae_at, const BranchPoint& p, const std::string& name) {
  return p.equilibrium.values[dae_at(std::span(&p.parameter, 1))->model->find(name)];
}

// Two bars of span 2 and rise h, a spring each, pressed down by a force: the shallow truss snaps through. With the apex at
// height y the force is 2 k (L0 - L) y / L, L = sqrt(1 + y^2); it turns where L^3 = L0, that is y^2 = L0^(2/3) - 1.
const char* const truss =
    "model truss\nparameter k = 100, h = 0.3, load = 0\ncoordinate y = 0.3\n"
    "let L0 = sqrt(1 + h^2)\nlet L = sqrt(1 + y^2)\nkinetic y'^2/2\npotential k*(L - L0)^2\n"
    "force -load on y\n";

TEST(Continuation, a_shallow_truss_snaps_through_at_two_folds) {
  const DaeAt dae_at = over(truss, "load");
  ContinuationOptions options;
  options.from = -2, options.to = 2;
  const std::vector<Branch> branches = follow_equilibria(dae_at, options);
  ASSERT_EQ(branches.size(), 1u);
  const Branch& branch = branches[0];
  EXPECT_EQ(branch.stopped, "");
  const double l0 = std::sqrt(1.09), y = std::sqrt(std::pow(l0, 2.0 / 3) - 1);
  const double force = 2 * 100 * (l0 - std::sqrt(1 + y * y)) * y / std::sqrt(1 + y * y);
  std::vector<BranchPoint> folds;
  for (const BranchPoint& p : branch.points) {
    if (p.mark == BranchMark::fold) folds.push_back(p);
    const double at = value(dae_at, p, "y"), l = std::sqrt(1 + at * at);
    EXPECT_NEAR(p.parameter, 200 * (l0 - l) * at / l, 1e-9);  // every point balances
    if (p.mark != BranchMark::fold) {
      EXPECT_EQ(p.stability->unstable, std::abs(at) < y ? 1 : 0) << at;
    }
  }
  ASSERT_EQ(folds.size(), 2u);
  EXPECT_NEAR(value(dae_at, folds[0], "y"), y, daedal::test::rounding(1000));
  EXPECT_NEAR(folds[0].parameter, force, daedal::test::rounding(1000, force));
  EXPECT_NEAR(value(dae_at, folds[1], "y"), -y, daedal::test::rounding(1000));
  EXPECT_NEAR(folds[1].parameter, -force, daedal::test::rounding(1000, force));
  EXPECT_EQ(branch.points.back().mark, BranchMark::end);
  EXPECT_NEAR(branch.points.back().parameter, 2, daedal::test::rounding(4, 2));
}

// A pendulum on a torsion spring, upright: beyond m g l = k it buckles, and the upright branch goes on.
TEST(Continuation, buckling_is_a_crossing_of_branches_and_loses_static_stability) {
  const DaeAt dae_at = over(
      "model column\nparameter P = 1, k = 2\ncoordinate a = 0\nkinetic a'^2/2\n"
      "potential k/2*a^2 + P*cos(a)\n",
      "P");
  ContinuationOptions options;
  options.from = 1, options.to = 3;
  const std::vector<Branch> branches = follow_equilibria(dae_at, options);
  const Branch& branch = branches[0];
  int crossings = 0;
  for (const BranchPoint& p : branch.points) {
    if (p.mark == BranchMark::crossing) {
      ++crossings;
      EXPECT_NEAR(p.parameter, 2, balanced);
    } else {
      EXPECT_EQ(p.stability->unstable, p.parameter > 2 ? 1 : 0);
    }
    EXPECT_NEAR(p.stability->stiffness[0], 2 - p.parameter, daedal::test::rounding(16, 2));
  }
  EXPECT_EQ(crossings, 1);
}

// Beyond m g l = k the column leans to either side by an angle with P sin(a) = k a, and is stable there.
TEST(Continuation, the_buckled_column_is_followed_to_both_sides) {
  const DaeAt dae_at = over(
      "model column\nparameter P = 1, k = 2\ncoordinate a = 0\nkinetic a'^2/2\n"
      "potential k/2*a^2 + P*cos(a)\n",
      "P");
  ContinuationOptions options;
  options.from = 1, options.to = 3;
  const std::vector<Branch> branches = follow_equilibria(dae_at, options);
  ASSERT_EQ(branches.size(), 3u);
  double sides = 0;
  for (const std::size_t b : {1u, 2u}) {
    EXPECT_EQ(branches[b].leaves, 0u);
    EXPECT_EQ(branches[b].stopped, "");
    EXPECT_EQ(branches[b].points.front().mark, BranchMark::crossing);
    EXPECT_NEAR(branches[b].points.back().parameter, 3, daedal::test::rounding(4, 3));
    for (const BranchPoint& p : branches[b].points) {
      const double a = value(dae_at, p, "a");
      EXPECT_NEAR(p.parameter * std::sin(a), 2 * a, balanced);
      EXPECT_TRUE(p.mark == BranchMark::crossing || p.stability->unstable == 0) << a;
    }
    sides += std::copysign(1, value(dae_at, branches[b].points.back(), "a"));
  }
  EXPECT_EQ(sides, 0);
}

// x (p - x) = 0: two lines through the origin, each stable on one side of it.
TEST(Continuation, a_transcritical_crossing_leads_to_the_other_line) {
  const DaeAt dae_at = over(
      "model lines\nparameter p = -1\ncoordinate x = 0\nkinetic x'^2/2\n"
      "potential x^3/3 - p*x^2/2\n",
      "p");
  ContinuationOptions options;
  options.from = -1, options.to = 1;
  const std::vector<Branch> branches = follow_equilibria(dae_at, options);
  ASSERT_EQ(branches.size(), 3u);
  for (const std::size_t b : {1u, 2u}) {
    EXPECT_NEAR(std::abs(branches[b].points.back().parameter), 1, daedal::test::rounding(4));
    for (const BranchPoint& p : branches[b].points)
      EXPECT_NEAR(value(dae_at, p, "x"), p.parameter, balanced);
  }
}

// (x^2 + p^2 - 1) x = 0: a circle and a line. The arcs between the two crossings are followed once each.
TEST(Continuation, a_branch_between_two_crossings_is_followed_once) {
  const DaeAt dae_at = over(
      "model circle\nparameter p = -2\ncoordinate x = 0\nkinetic x'^2/2\n"
      "potential x^4/4 + (p^2 - 1)*x^2/2\n",
      "p");
  ContinuationOptions options;
  options.from = -2, options.to = 2;
  const std::vector<Branch> branches = follow_equilibria(dae_at, options);
  ASSERT_EQ(branches.size(), 3u);
  for (const std::size_t b : {1u, 2u}) {
    EXPECT_NEAR(branches[b].points.front().parameter, -1, balanced);
    EXPECT_EQ(branches[b].points.back().mark, BranchMark::crossing);
    EXPECT_NEAR(branches[b].points.back().parameter, 1, balanced);
    EXPECT_EQ(branches[b].stopped, "");
  }
}

// Cartesian pendulum: the constraint's reaction is part of the stiffness, k = m g / L hanging, - m g / L upright.
TEST(StaticStability, of_a_pendulum_held_by_a_constraint) {
  for (const double side : {-1.0, 1.0}) {
    const SharedDae dae = text_model(
        "model p\nparameter m = 2, g = 9.81, L = 0.5\ncoordinate x = 0, y = " +
        std::to_string(0.5 * side) +
        "\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint rod: x^2 + y^2 = L^2\n");
    const auto s = static_stability(*dae, equilibrium(*dae));
    ASSERT_EQ(s->stiffness.size(), 1);
    EXPECT_NEAR(s->stiffness[0], -side * 2 * 9.81 / 0.5,
                daedal::test::rounding(100, 2 * 9.81 / 0.5));
    EXPECT_EQ(describe(*s), side < 0 ? "stable" : "unstable in 1 direction");
  }
}

// K = [3 4; -4 -1] has eigenvalues 1 +- 3.5i; with damping d the motion is asymptotically stable where d^2 > 12. The symmetric
// part of K alone, diag(3, -1), would call it unstable.
TEST(StaticStability, is_not_defined_for_a_feedback_without_a_potential) {
  const SharedDae dae = text_model(
      "model loop\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\ndissipation 5/2*(x'^2 + y'^2)\n"
      "force -3*x - 4*y on x; force 4*x + y on y\n");
  EXPECT_FALSE(static_stability(*dae, equilibrium(*dae)).has_value());
}

TEST(Continuation, parameters_that_follow_from_others_do) {
  const DaeAt dae_at = over(
      "model m\nparameter a = 1, b = 3*a\ncoordinate x = 1\nkinetic x'^2/2\n"
      "potential (x - b)^2/2\n",
      "a");
  ContinuationOptions options;
  options.from = 1, options.to = 2;
  const std::vector<Branch> branches = follow_equilibria(dae_at, options);
  for (const BranchPoint& p : branches[0].points)
    EXPECT_NEAR(value(dae_at, p, "x"), 3 * p.parameter, balanced);
}

}  // namespace
}  // namespace daedal::analysis::test
