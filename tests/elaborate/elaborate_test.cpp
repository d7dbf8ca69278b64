// What the statements mean, each at a point against its closed form.
#include "elaborated.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace daedal::model {
namespace {

using testing::ElementsAre;
using Values = Elaborated::Values;

TEST(Models, the_last_one_runs_unless_another_is_asked_for) {
  const std::string text = "model a \"first\"\nvariable x\nmodel b\nvariable y\n";
  EXPECT_EQ(Elaborated(text)->name, "b");
  EXPECT_EQ(Elaborated(text, {.model = "a"})->doc, "first");
}

TEST(Names, may_be_used_before_they_are_defined) {
  const Elaborated m(
      "model m\noutput z = f(P[2])\nlet f(a) = a + c\nlet P[k in 1..2] = k*c\nlet c = d\n"
      "parameter d = 2*e, e = 5\n");
  EXPECT_EQ(m("z"), 30);
}

TEST(Names, units_and_docs_are_kept) {
  const Elaborated m(
      "model m\nparameter L \"length\" = 2 [m]\ncoordinate q[1..2] \"angles\" = [1, 2] [rad] "
      "(nominal = 1e-3)\n"
      "input u \"torque\" [N*m]\nconstraint c \"closed\": q[1] = 0\noutput z \"tip\" = L*q [mm]\n");
  EXPECT_EQ(m.symbol("L").unit, "m");
  EXPECT_EQ(m.symbol("L").doc, "length");
  EXPECT_EQ(m.symbol("q[2]").unit, "rad");
  EXPECT_EQ(m.symbol("q[2]").nominal, 1e-3);
  EXPECT_EQ(m.symbol("u").unit, "N*m");
  EXPECT_EQ(m.symbol("c").doc, "closed");
  EXPECT_EQ(m->outputs[1].unit, "m");  // results are in SI
  EXPECT_EQ(m->outputs[1].doc, "tip");
  EXPECT_EQ(m.start("q[2]"), 2);
}

// Sums and differences are lists of terms, in which terms of one shape can be found again.
TEST(Energies, add_up_and_stay_lists_of_terms) {
  const Elaborated m(
      "model m\nsize N = 4\nparameter k = 3\ncoordinate x[1..N]\nkinetic 2 + sum(i in 1..N: "
      "x[i]'^2/2)\n"
      "potential k/2*x[1]^2 - (sum(i in 1..N: x[i]) - x[2]*x[3])\npotential -5\n"
      "for i in 1..2: dissipation i*x[i]'^2\n");
  EXPECT_EQ(m->kinetic.size(), 4u);
  EXPECT_EQ(m->potential.size(), 1u + 4 + 1);
  const Values at{{"x[1]", 1},  {"x[2]", 2},  {"x[3]", 3},  {"x[4]", 4},
                  {"x[1]'", 5}, {"x[2]'", 6}, {"x[3]'", 7}, {"x[4]'", 8}};
  EXPECT_EQ(m.sum(m->kinetic, at), (25 + 36 + 49 + 64) / 2.0);
  EXPECT_EQ(m.sum(m->potential, at), 1.5 - 10 + 6);
  EXPECT_EQ(m.sum(m->dissipation, at), 25 + 2 * 36);
}

// Twenty terms of one shape, each with its own k.
TEST(Energies, numbers_in_which_many_terms_differ_are_parameters) {
  const Elaborated m(
      "model m\nsize N = 20\ncoordinate x[1..N]\npotential sum(k in 1..N: 3*sin(k*x[k] - 0.25))\n"
      "constraint c[k in 1..N]: x[k] = k/10\n");
  EXPECT_EQ(m.symbol("17").value, 17);
  EXPECT_EQ(m.symbol("17").kind, SymbolKind::parameter);
  EXPECT_EQ(m->find("0.25"), expr::time_symbol);  // equal in all terms: it stays a number
  Values at;
  double expected = 0;
  for (int k = 1; k <= 20; ++k) {
    at["x[" + std::to_string(k) + "]"] = 0.1 * k;
    expected += 3 * std::sin(k * 0.1 * k - 0.25);
  }
  EXPECT_NEAR(m.sum(m->potential, at), expected, test::rounding(20 * 3, 3));
  for (const Relation& row : m->constraints)
    EXPECT_NEAR(m.value(row.residual, at), 0, test::rounding(2, 2));
}

TEST(Loads, are_virtual_work) {
  const Elaborated m(
      "model m\ncoordinate x, phi\ninput u = 3\nlet P = [x + cos(phi), sin(phi)]\n"
      "force u on x, [1, u] at P\ntorque 4 about 2*phi\n");
  ASSERT_EQ(m->loads.size(), 4u);
  const Values at{{"x", 1}, {"phi", 0.5}};
  EXPECT_EQ(m.value(m->loads[0].force, at), 3);
  EXPECT_EQ(m.value(m->loads[0].displacement, at), 1);
  EXPECT_EQ(m.value(m->loads[2].force, at), 3);
  EXPECT_DOUBLE_EQ(m.value(m->loads[2].displacement, at), std::sin(0.5));
  EXPECT_EQ(m.value(m->loads[3].displacement, at), 1);
}

TEST(Relations, are_left_minus_right_row_by_row) {
  const Elaborated m(
      "model m\nsize N = 2\ncoordinate x[1..N], y\nvariable w\n"
      "constraint pin[k in 1..N]: [x[k], y] = [k, 2*k]\nconstraint A: [x[1], x[2]; y, w] = [1, 2; "
      "3, 4]\n"
      "constraint y = 7\nequation flow: w' = x[1]\nservo goal: y'' = 2*t\nconstraint v: x[1]'*y' = "
      "1 nonlinear\n");
  EXPECT_THAT(m.names(SymbolKind::multiplier),
              ElementsAre("pin[1][1]", "pin[1][2]", "pin[2][1]", "pin[2][2]", "A[1,1]", "A[1,2]",
                          "A[2,1]", "A[2,2]", "constraint1", "v"));
  const Values at{{"x[1]", 10}, {"x[2]", 20}, {"y", 30}, {"w", 40},
                  {"w'", 50},   {"y''", 60},  {"t", 5}};
  EXPECT_EQ(m.value(m->constraints[3].residual, at), 30 - 4);
  EXPECT_EQ(m.value(m->constraints[6].residual, at), 30 - 3);
  EXPECT_EQ(m.value(m->constraints[8].residual, at), 30 - 7);
  EXPECT_EQ(m->equations[0].name, "flow");
  EXPECT_EQ(m.value(m->equations[0].residual, at), 50 - 10);
  EXPECT_EQ(m.value(m->servos[0].residual, at), 60 - 10);
  EXPECT_FALSE(m->constraints[8].nonlinear);
  EXPECT_TRUE(m->constraints[9].nonlinear);
}

// A constraint's name is its multiplier, and its force the opposite.
TEST(Relations, multipliers_and_forces_have_the_sign_of_the_left_hand_side) {
  const Elaborated m(
      "model m\ncoordinate x, y\nconstraint rod: x = 1\nconstraint pin: [x, y] = [2, 3]\n"
      "output l = rod, f = rod.force, g = pin[2].force, h = pin.force\n");
  const Values at{{"rod", 5}, {"pin[1]", 6}, {"pin[2]", 7}};
  EXPECT_EQ(m("l", at), 5);
  EXPECT_EQ(m("f", at), -5);
  EXPECT_EQ(m("g", at), -7);
  EXPECT_EQ(m("h[1]", at), -6);
}

struct DriveCase {
  const char* law;
  DriveLaw kind;
  double residual;  // at x = 2, x' = 3, x'' = 5, x''' = 7, u = 11
};
class Drives : public testing::TestWithParam<DriveCase> {};

TEST_P(Drives, follow_their_law) {
  const Elaborated m(
      std::string(
          "model m\nparameter w = 4, d = 0.5, T = 0.1\ncoordinate x\ninput u\ndrive x by u ") +
      GetParam().law + "\n");
  ASSERT_EQ(m->drives.size(), 1u);
  EXPECT_EQ(m->drives[0].law, GetParam().kind);
  EXPECT_EQ(m->symbols[m->drives[0].coordinate].name, "x");
  EXPECT_EQ(m->symbols[m->drives[0].input].name, "u");
  const Values at{{"x", 2}, {"x'", 3}, {"x''", 5}, {"x'''", 7}, {"u", 11}};
  EXPECT_DOUBLE_EQ(m.value(m->drives[0].residual, at), GetParam().residual);
}

INSTANTIATE_TEST_SUITE_P(
    Laws, Drives,
    testing::Values(DriveCase{"velocity()", DriveLaw::velocity, 3 - 11},
                    DriveCase{"velocity(lag = T)", DriveLaw::velocity_lag, 0.1 * 5 + 3 - 11},
                    DriveCase{"velocity(omega = w, zeta = d)", DriveLaw::velocity_second_order,
                              7 + 2 * 0.5 * 4 * 5 + 16 * 3 - 16 * 11},
                    DriveCase{"position()", DriveLaw::position, 2 - 11},
                    DriveCase{"position(zeta = d, omega = w)", DriveLaw::position_second_order,
                              5 + 2 * 0.5 * 4 * 3 + 16 * 2 - 16 * 11}));

TEST(Drives, have_a_force_that_is_an_unknown_when_something_refers_to_it) {
  const Elaborated m(
      "model m\ncoordinate x, y\ninput u\ndrive x by u velocity()\ndrive y by u velocity()\n"
      "output f = x.force, twice = 2*x.force\n");
  ASSERT_EQ(m->drive_forces.size(), 1u);
  EXPECT_EQ(m->symbols[m->drive_forces[0].symbol].name, "x.force");
  EXPECT_EQ(m("twice", {{"x.force", 4}}), 8);
}

TEST(Doubts, forgotten_inertia_is_told) {
  const auto warnings = [](const std::string& text) {
    std::vector<std::string> messages;
    const Elaborated m("model m\n" + text);
    for (const Diagnostic& warning : m->warnings) messages.push_back(warning.message);
    return messages;
  };
  using testing::ElementsAre;
  using testing::HasSubstr;
  using testing::IsEmpty;
  EXPECT_THAT(warnings("coordinate x\npotential x^2\n"),
              ElementsAre(HasSubstr("forces and no kinetic energy")));
  EXPECT_THAT(warnings("coordinate x\npotential x^2\ndissipation x'^2\n"), IsEmpty());
  EXPECT_THAT(warnings("coordinate x\nconstraint x = sin(t)\n"), IsEmpty());
}

TEST(Doubts, energies_of_the_wrong_sign_are_told) {
  const auto warnings = [](const std::string& text) {
    const Elaborated m("model m\n" + text);
    std::vector<std::string> texts;
    for (const Diagnostic& warning : m->warnings) texts.push_back(render(warning));
    return texts;
  };
  using testing::ElementsAre;
  using testing::HasSubstr;
  using testing::IsEmpty;
  EXPECT_THAT(
      warnings("coordinate x = 1\nkinetic -x'^2/2\npotential x^2\n"),
      ElementsAre("model.daedal:3:1: warning: model 'm': the kinetic energy is not positive: -0.5 "
                  "at x' = 1\n"
                  "    kinetic -x'^2/2\n"
                  "    ^~~~~~~\n"
                  "  help: check the signs: a mass or a moment of inertia below 0 runs away"));
  EXPECT_THAT(warnings("coordinate x\nkinetic x'^2/2\ndissipation -0.1*x'^2\n"),
              ElementsAre(HasSubstr("the dissipation feeds energy in: -0.1 at x' = 1, 0 at rest")));
  // indefinite, although each coordinate alone has a positive mass: eigenvalues 3 and -1
  EXPECT_THAT(warnings("coordinate x, y\nkinetic x'^2/2 + y'^2/2\nkinetic 2*x'*y'\n"),
              ElementsAre(HasSubstr("not positive: -0.5 at ")));
  // positive as a whole, though one term alone is not; massless; a moving frame; dry and turbulent friction
  EXPECT_THAT(warnings("coordinate x, y\nkinetic x'^2 + y'^2\nkinetic x'*y'\n"), IsEmpty());
  EXPECT_THAT(warnings("coordinate x, y\nkinetic (x' + y')^2/2\npotential x^2 + y^2\n"), IsEmpty());
  EXPECT_THAT(warnings("coordinate x\nkinetic (x' + 3)^2/2 - 9\n"), IsEmpty());
  EXPECT_THAT(warnings("coordinate x\nkinetic x'^2/2\ndissipation abs(x') + abs(x')^3\n"),
              IsEmpty());
  // a damper between the mass and a road that moves is least where both move alike; without its square it drives
  const std::string on_a_road = "signal road = sin(7*t)\ncoordinate x\nkinetic x'^2/2\n";
  EXPECT_THAT(warnings(on_a_road + "dissipation (x' - road')^2\n"), IsEmpty());
  EXPECT_THAT(warnings(on_a_road + "dissipation -(x' - road')^2\n"),
              ElementsAre(HasSubstr("the dissipation feeds energy in")));
  EXPECT_THAT(warnings("coordinate x\nkinetic x'^2/2\ndissipation 0.1*x'\n"),
              ElementsAre(HasSubstr("feeds energy in: -0.1 at x' = -1, 0 at rest")));
}

TEST(Drives, warn_of_a_force_that_cannot_move_what_they_prescribe) {
  const Elaborated m(
      "model m\ncoordinate x, y\ninput u\nforce 1 on x, 2 on y\ndrive x by u velocity()\n"
      "kinetic y'^2\n");
  ASSERT_EQ(m->warnings.size(), 1u);
  EXPECT_EQ(
      render(m->warnings[0]),
      "model.daedal:4:1: warning: the force on 'x' does not move it: the coordinate is driven\n"
      "    force 1 on x, 2 on y\n"
      "    ^~~~~\n"
      "  help: it only changes what the drive must deliver, x.force");
}

TEST(StartValues, are_guesses_or_fixed_and_initial_outranks_the_declaration) {
  const Elaborated m(
      "model m\nsize N = 2\nparameter L = 3\ncoordinate x = 2*L, y = 1, q[1..N] = 0.1, z fixed\n"
      "initial y = 5 fixed, x' = L\nfor k in 1..N: initial q[k]' = k\ninitial q[2] = 7\n");
  EXPECT_EQ(m.start("x"), 6);
  EXPECT_EQ(m.start("y"), 5);
  EXPECT_EQ(m.start("x'"), 3);
  EXPECT_EQ(m.start("q[1]"), 0.1);
  EXPECT_EQ(m.start("q[2]"), 7);
  EXPECT_EQ(m.start("q[2]'"), 2);
  EXPECT_EQ(m.start("z"), 0);
  for (const StartValue& start : m->starts) {
    const std::string name = name_of(m->symbols[start.leaf.symbol], start.leaf.order);
    EXPECT_EQ(start.fixed, name == "y" || name == "z") << name;
  }
}

TEST(Bounds, name_what_they_bound) {
  const Elaborated m(
      "model m\nparameter b = 2\ncoordinate x, q[1..2]\nlimit x' in [-3, b], q in [0, 1]\n");
  ASSERT_EQ(m->limits.size(), 3u);
  EXPECT_EQ(m->limits[0].text, "x'");
  EXPECT_EQ(m->limits[2].text, "q[2]");
  EXPECT_EQ(m.value(m->limits[0].high), 2);
  EXPECT_EQ(m.value(m->limits[2].value, {{"q[2]", 9}}), 9);
}

TEST(Events, release_attach_and_set) {
  const Elaborated m(
      "model m\ncoordinate x, y, q[1..2]\nevent snap: when rod.force > 10 and x > 0 then release "
      "rod, pin, "
      "set x' = -0.5*x', q' = 0, attach pin[2] (restitution = 0.3)\n"
      "constraint rod: x = 1\nconstraint pin[k in 1..2]: [q[k], y] = [0, k]\n");
  ASSERT_EQ(m->events.size(), 1u);
  const Event& snap = m->events[0];
  EXPECT_EQ(m.value(snap.condition, {{"rod", -11}, {"x", 1}}), 1);
  EXPECT_EQ(m.value(snap.condition, {{"rod", -9}, {"x", 1}}), 0);
  ASSERT_EQ(snap.actions.size(), 5u);
  const auto names = [&](std::size_t action) {
    std::vector<std::string> list;
    for (const std::size_t c : snap.actions[action].constraints)
      list.push_back(m->constraints[c].name);
    return list;
  };
  EXPECT_THAT(names(0), ElementsAre("rod"));
  EXPECT_THAT(names(1), ElementsAre("pin[1][1]", "pin[1][2]", "pin[2][1]", "pin[2][2]"));
  EXPECT_EQ(m.value(snap.actions[2].values[0], {{"x'", 8}}), -4);
  EXPECT_EQ(snap.actions[3].targets.size(), 2u);
  EXPECT_THAT(names(4), ElementsAre("pin[2][1]", "pin[2][2]"));
  EXPECT_EQ(snap.actions[4].restitution, 0.3);
}

TEST(Pictures, keep_points_numbers_and_texts) {
  const Elaborated m(
      "model m\nparameter r = 2\ncoordinate x\ndraw line [0, 0] -> [x, 1], disc [x, 1] radius r/4 "
      "label \"bob\"\n");
  ASSERT_EQ(m->drawing.size(), 2u);
  EXPECT_EQ(m.value(m->drawing[0].points[1][0], {{"x", 3}}), 3);
  EXPECT_EQ(m.value(m->drawing[1].options.at("radius")), 0.5);
  EXPECT_EQ(m->drawing[1].texts.at("label"), "bob");
}

TEST(Experiments, hold_options_words_and_signals) {
  const Elaborated m(
      "model arm\ninput u\nvariable v\nequation v' = u\n"
      "model m\nparameter tf = 4\ninput w[1..2]\npart a[i in 1..2] = arm()\n"
      "experiment e \"doc\": simulate(until = 2*tf, method = radau5(tolerance = 1e-8), "
      "formulation = baumgarte(h = [1, 2]), w = 0.5*sin(t), a[2].u = tf, w[1] = 3)\n");
  ASSERT_EQ(m->experiments.size(), 1u);
  const Experiment& e = m->experiments[0];
  EXPECT_EQ(e.command, "simulate");
  EXPECT_EQ(e.doc, "doc");
  ASSERT_EQ(e.options.size(), 3u);
  EXPECT_EQ(e.options[0].numbers, std::vector<double>{8});
  EXPECT_EQ(e.options[1].word, "radau5");
  EXPECT_EQ(e.options[1].options[0].numbers, std::vector<double>{1e-8});
  EXPECT_EQ(e.options[2].options[0].numbers, (std::vector<double>{1, 2}));
  EXPECT_EQ(e.inputs.at("w"), "0.5*sin(t)");
  EXPECT_EQ(e.inputs.at("a[2].u"), "tf");
  EXPECT_EQ(e.inputs.at("w[1]"), "3");
}

}  // namespace
}  // namespace daedal::model
