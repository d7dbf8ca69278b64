// Equilibria against closed forms and independent recomputations named in the models' READMEs.
#include "models.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::analysis::test {
namespace {

double value(const derive::Dae& dae, const Equilibrium& e, const std::string& name) {
  return e.values[dae.model->find(name)];
}
EquilibriumOptions all_free(const derive::Dae& dae) {
  EquilibriumOptions options;
  for (const model::InputDefault& input : dae.model->inputs)
    options.free_inputs.push_back(input.input);
  return options;
}

TEST(Equilibrium, looper) {
  const SharedDae dae = library_model("looper");
  const Equilibrium e = equilibrium(*dae);
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(value(*dae, e, "theta1"), 1.0945842207, daedal::test::printed(10));
  EXPECT_NEAR(value(*dae, e, "s"), 0.1773773652, daedal::test::printed(10));
  EXPECT_NEAR(value(*dae, e, "theta2"), 0.0953597077, daedal::test::printed(10));
  EXPECT_NEAR(value(*dae, e, "h1"), -94.1576478, daedal::test::printed(7));
  EXPECT_NEAR(value(*dae, e, "h2"), 703.2070560, daedal::test::printed(7));
  EXPECT_EQ(e.neutral_directions, 0);
  EXPECT_EQ(e.moves.size(), 3u);
}

TEST(Equilibrium, free_inputs_hold_the_pose) {
  const SharedDae dae = library_model("delta_robot");
  const Equilibrium e = equilibrium(*dae, all_free(*dae));
  ASSERT_TRUE(e.found);
  EXPECT_TRUE(e.moves.empty());
  for (const char* input : {"arm[1].u", "arm[2].u", "arm[3].u"})
    EXPECT_NEAR(value(*dae, e, input), -1.9293, daedal::test::rounding(1000, 1.9293));
  EXPECT_NEAR(value(*dae, e, "closure2[1]"), -2.406284553, daedal::test::printed(9));
  EXPECT_NEAR(value(*dae, e, "closure3[2]"), -1.389269034, daedal::test::printed(9));
  EXPECT_EQ(e.neutral_directions, 3);  // other poses can be held as well
}

TEST(Equilibrium, fixed_inputs_move_the_pose_to_where_they_balance) {
  const SharedDae dae = text_model(
      "model m\nparameter k = 4\ncoordinate x = 1\nkinetic x'^2/2\npotential k/2*x^2\ninput u = 2\n"
      "force u on x\n");
  const Equilibrium e = equilibrium(*dae);
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(value(*dae, e, "x"), 0.5, daedal::test::rounding(8, 0.5));
  ASSERT_EQ(e.moves.size(), 1u);
  EXPECT_EQ(e.moves[0].name, "x");
  EXPECT_EQ(e.moves[0].from, 1);
}

TEST(Equilibrium, where_the_start_says_nothing_the_lowest_is_taken) {
  const SharedDae dae = library_model("pendulum");  // starts horizontal, no force in the rod yet
  const Equilibrium e = equilibrium(*dae);
  ASSERT_TRUE(e.found);
  EXPECT_TRUE(e.from_perturbed_guess);
  EXPECT_NEAR(value(*dae, e, "y"), -1, daedal::test::rounding(100));
}

TEST(Equilibrium, rigid_motions_are_neutral) {
  const SharedDae dae = library_model("manipulator_3d");
  const Equilibrium e = equilibrium(*dae);
  EXPECT_TRUE(e.found);
  EXPECT_TRUE(e.moves.empty());
  EXPECT_EQ(e.neutral_directions, 3);
}

// Where all forces vanish a residual of 1e-167 was as large as its terms, so the upright pose was none; from 0.05 rad it was found a
// turn away, from perturbed guesses.
TEST(Equilibrium, is_found_where_all_forces_vanish) {
  for (const char* start : {"0.05", "0.1", "0.2", "0.3", "0.5"}) {
    const SharedDae dae =
        text_model("model m\ncoordinate x = 0, y = 0, psi = 0, th = " + std::string(start) +
                   "\nlet q = [x + sin(th)*sin(psi), y - sin(th)*cos(psi)]\n"
                   "kinetic (x'^2 + y'^2 + psi'^2 + th'^2)/2\npotential cos(th)\nconstraint roll: "
                   "q' = [0, 0]\n");
    const Equilibrium e = equilibrium(*dae);
    ASSERT_TRUE(e.found) << start;
    EXPECT_FALSE(e.from_perturbed_guess) << start;
    EXPECT_NEAR(value(*dae, e, "th"), 0, daedal::test::rounding(8)) << start;
    EXPECT_EQ(value(*dae, e, "psi"), 0) << start;
  }
}

TEST(Equilibrium, none_is_told_with_the_equation_that_is_left) {
  const SharedDae dae = text_model("model m\ncoordinate x\nkinetic x'^2/2\npotential x\n");
  const Equilibrium e = equilibrium(*dae);
  EXPECT_FALSE(e.found);
  EXPECT_EQ(render(no_equilibrium(*dae, e)),
            "<text>:2:12: error: model 'm': no equilibrium near the start values\n"
            "    coordinate x\n"
            "               ^\n"
            "  largest residual left at rest: 'motion of x', 1\n"
            "  help: give start values nearer to one");
}

}  // namespace
}  // namespace daedal::analysis::test
