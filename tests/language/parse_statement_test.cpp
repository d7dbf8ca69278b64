// Every statement, parsed to the tree it means.
#include "language/tree_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::model {
namespace {

using namespace syntax;
using test::source;
using test::TreeText;
using testing::ElementsAre;
using testing::SizeIs;

File parsed(const std::string& text) {
  Diagnostics diagnostics;
  File file = parse(source(text), diagnostics);
  EXPECT_EQ(render(diagnostics.list()), "");
  return file;
}

std::vector<Statement> statements(const std::string& text) {
  File file = parsed("model m\n" + text);
  return file.models.empty() ? std::vector<Statement>() : file.models.back().statements;
}

template <class Node>
Node only(const std::string& text) {
  const std::vector<Statement> list = statements(text);
  EXPECT_THAT(list, SizeIs(1));
  return std::get<Node>(list.at(0).node);
}

std::string of(const ExpressionPtr& e) { return TreeText::of(e); }
std::string of(const std::vector<Argument>& arguments) { return TreeText::of(arguments); }

TEST(ParseFile, models_imports_and_docs) {
  const File file = parsed(
      "import \"a.daedal\"\n"
      "model one \"the first\"\n"
      "import \"sub/b.daedal\"\n"
      "model two");
  ASSERT_THAT(file.imports, SizeIs(2));
  EXPECT_EQ(file.imports[0].path, "a.daedal");
  EXPECT_EQ(file.imports[1].path, "sub/b.daedal");
  EXPECT_EQ(file.imports[1].place.text(), "a.daedal:3:8");
  ASSERT_THAT(file.models, SizeIs(2));
  EXPECT_EQ(file.models[0].name, "one");
  EXPECT_EQ(file.models[0].doc, "the first");
  EXPECT_EQ(file.models[1].name, "two");
  EXPECT_EQ(file.models[1].place.text(), "a.daedal:4:7");
}

TEST(ParseFile, statements_are_separated_by_line_ends_and_semicolons) {
  EXPECT_THAT(statements("let a = 1; let b = 2;; let c = [1; 2]\n\n;let d = 4"), SizeIs(4));
  EXPECT_THAT(statements("kinetic a +\n  b*\n\n # why\n  c\npotential d"), SizeIs(2));
  EXPECT_THAT(statements("parameter a = 1,\n  b = 2"), SizeIs(1));
  EXPECT_THAT(statements("constraint rod:\n  x =\n  y"), SizeIs(1));
}

TEST(ParseFile, line_ends_of_any_system_tabs_and_a_byte_order_mark_are_fine) {
  const File file =
      parsed("\xEF\xBB\xBFmodel m\r\n\tparameter a = 1\t[kg] # c\r\n\r\nlet b = 2\r\n");
  EXPECT_THAT(file.models.at(0).statements, SizeIs(2));
}

TEST(ParseFile, nothing_is_a_file_without_models) {
  EXPECT_THAT(parsed("").models, SizeIs(0));
  EXPECT_THAT(parsed(" \n # only a comment").models, SizeIs(0));
}

TEST(ParseDeclare, each_kind) {
  EXPECT_EQ(only<Declare>("size N = 4").kind, DeclarationKind::size);
  EXPECT_EQ(only<Declare>("parameter m = 1").kind, DeclarationKind::parameter);
  EXPECT_EQ(only<Declare>("coordinate x").kind, DeclarationKind::coordinate);
  EXPECT_EQ(only<Declare>("variable V = 1").kind, DeclarationKind::variable);
  EXPECT_EQ(only<Declare>("input u").kind, DeclarationKind::input);
  EXPECT_EQ(only<Declare>("signal car = [0, 0]").kind, DeclarationKind::signal);
}

TEST(ParseDeclare, several_with_values_ranges_and_units) {
  const Declare d =
      only<Declare>("parameter I = 0.12 [kg*m^2], d[1..N-1] = 0 [N*m*s/rad], l0, A[2, 1..3]");
  ASSERT_THAT(d.items, SizeIs(4));
  EXPECT_EQ(d.items[0].name, "I");
  EXPECT_EQ(of(d.items[0].value), "0.12");
  EXPECT_EQ(d.items[0].unit, "kg*m^2");
  EXPECT_EQ(d.items[0].place.text(), "a.daedal:2:11");
  ASSERT_THAT(d.items[1].dimensions, SizeIs(1));
  EXPECT_EQ(of(d.items[1].dimensions[0]), "(range 1 (N - 1))");
  EXPECT_EQ(d.items[1].unit, "N*m*s/rad");
  EXPECT_EQ(d.items[2].value, nullptr);
  ASSERT_THAT(d.items[3].dimensions, SizeIs(2));
  EXPECT_EQ(of(d.items[3].dimensions[0]), "2");
}

TEST(ParseDeclare, a_unit_bracket_follows_a_blank_and_an_index_bracket_does_not) {
  const Declare d = only<Declare>(
      "parameter anchor = [6, 2] [m], b = q[2] [m], phi[1..N] [rad], c = (a + b)[1] [ m ]");
  EXPECT_EQ(of(d.items[0].value), "(matrix 6 2)");
  EXPECT_EQ(d.items[0].unit, "m");
  EXPECT_EQ(of(d.items[1].value), "(at q 2)");
  EXPECT_EQ(d.items[1].unit, "m");
  EXPECT_EQ(d.items[2].unit, "rad");
  EXPECT_EQ(of(d.items[3].value), "(at (a + b) 1)");
  EXPECT_EQ(d.items[3].unit, "m");
}

TEST(ParseDeclare, units_are_kept_as_written) {
  const Declare d = only<Declare>(
      "parameter a = 1 [\u00B0C], b = 2 [%], c = 3 [1/s], d = 4 [N m], e = 5 [\u00B5m\u00B7s^-1]");
  EXPECT_EQ(d.items[0].unit, "\u00B0C");
  EXPECT_EQ(d.items[1].unit, "%");
  EXPECT_EQ(d.items[2].unit, "1/s");
  EXPECT_EQ(d.items[3].unit, "N m");
  EXPECT_EQ(d.items[4].unit, "\u00B5m\u00B7s^-1");
}

TEST(ParseDeclare, doc_options_unit_and_fixed_come_in_any_order_after_the_name) {
  for (const std::string text : {"coordinate x \"way\" = L [m] (nominal = 1e-3) fixed",
                                 "coordinate x \"way\" (nominal = 1e-3) [m] = L fixed",
                                 "coordinate x [m] = L fixed (nominal = 1e-3) \"way\""}) {
    const Declaration x = only<Declare>(text).items.at(0);
    EXPECT_EQ(x.doc, "way");
    EXPECT_EQ(of(x.value), "L");
    EXPECT_EQ(x.unit, "m");
    EXPECT_EQ(of(x.options), " nominal=0.001");
    EXPECT_TRUE(x.fixed);
  }
}

TEST(ParseLet, values_entries_families_and_functions) {
  const Let value = only<Let>("let l \"rod\" = length/N [m]");
  EXPECT_EQ(value.name, "l");
  EXPECT_EQ(value.doc, "rod");
  EXPECT_EQ(of(value.value), "(length / N)");
  EXPECT_EQ(value.unit, "m");
  EXPECT_FALSE(value.function);

  EXPECT_EQ(of(only<Let>("let P[0] = car").at), "0");
  const Let family = only<Let>("let P[k in 1..N] = P[k-1]");
  ASSERT_TRUE(family.binder);
  EXPECT_EQ(TreeText::of(*family.binder), "k in 1..N");
  EXPECT_EQ(family.at, nullptr);

  const Let function = only<Let>("let hyp(a, b) = sqrt(a^2 + b^2)");
  EXPECT_TRUE(function.function);
  EXPECT_THAT(function.parameters, ElementsAre("a", "b"));
  EXPECT_TRUE(only<Let>("let f() = 1").function);
}

TEST(ParseLet, a_list_is_one_definition_each) {
  const auto list = statements("let l = length/N, m = mass/N");
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(std::get<Let>(list[1].node).name, "m");
}

TEST(ParseEnergy, each_kind) {
  EXPECT_EQ(of(only<Energy>("kinetic m/2*x'^2").value), "(m / 2 * (pow (der x 1) 2))");
  EXPECT_EQ(only<Energy>("potential m*g*y").kind, EnergyKind::potential);
  EXPECT_EQ(only<Energy>("dissipation d/2*x'^2").kind, EnergyKind::dissipation);
}

TEST(ParseLoad, forces_on_and_at_torques_about) {
  const Load on = only<Load>("force u on phi[1]");
  EXPECT_EQ(on.kind, LoadKind::on);
  EXPECT_EQ(of(on.load), "u");
  EXPECT_EQ(of(on.target), "(at phi 1)");
  const Load at = only<Load>("force [0, -F] at P[N]");
  EXPECT_EQ(at.kind, LoadKind::at);
  EXPECT_EQ(of(at.load), "(matrix 0 (neg F))");
  const Load about = only<Load>("torque tau about a - b");
  EXPECT_EQ(about.kind, LoadKind::about);
  EXPECT_EQ(of(about.target), "(a - b)");
}

TEST(ParseLoad, a_list_is_one_load_each) {
  const auto list = statements("force a on x, b at P");
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(std::get<Load>(list[1].node).kind, LoadKind::at);
}

TEST(ParseRelation, with_and_without_a_name) {
  const Relation rod = only<Relation>("constraint rod: x^2 + y^2 = L^2");
  EXPECT_EQ(rod.kind, RelationKind::constraint);
  EXPECT_EQ(rod.name, "rod");
  EXPECT_EQ(rod.place.text(), "a.daedal:2:12");
  EXPECT_EQ(of(rod.left), "((pow x 2) + (pow y 2))");
  EXPECT_EQ(of(rod.right), "(pow L 2)");
  const Relation plain = only<Relation>("equation u*x' + x = 0");
  EXPECT_EQ(plain.kind, RelationKind::equation);
  EXPECT_EQ(plain.name, "");
  EXPECT_EQ(of(plain.left), "((u * (der x 1)) + x)");
  EXPECT_EQ(only<Relation>("servo z = sum(k in 1..N: q[k])").name, "");
}

TEST(ParseRelation, families_docs_and_nonlinear) {
  const Relation family = only<Relation>("constraint c[k in 1..N] \"links\": P[k] = Q[k]");
  ASSERT_TRUE(family.binder);
  EXPECT_EQ(family.binder->name, "k");
  EXPECT_EQ(family.doc, "links");
  EXPECT_FALSE(family.nonlinear);
  EXPECT_TRUE(only<Relation>("constraint roll: x'*y' = 1 nonlinear").nonlinear);
  EXPECT_TRUE(only<Relation>("constraint roll (nonlinear): x'*y' = 1").nonlinear);
  EXPECT_TRUE(only<Relation>("constraint x'*y' = 1 (nonlinear)").nonlinear);
}

TEST(ParseOutput, values_docs_units) {
  const Output bob = only<Output>("output bob \"tip\" = [x, y] [m]");
  EXPECT_EQ(bob.name, "bob");
  EXPECT_EQ(bob.doc, "tip");
  EXPECT_EQ(of(bob.value), "(matrix x y)");
  EXPECT_EQ(bob.unit, "m");
  EXPECT_THAT(statements("output a = x, b = y"), SizeIs(2));
}

TEST(ParseDrive, target_input_law) {
  const Drive drive = only<Drive>("drive arm[1].q[2] by u_T velocity(omega = 20, zeta = 0.7)");
  EXPECT_EQ(of(drive.target), "(at (member (at arm 1) q) 2)");
  EXPECT_EQ(of(drive.input), "u_T");
  EXPECT_EQ(drive.law, "velocity");
  EXPECT_EQ(drive.law_place.text(), "a.daedal:2:26");
  EXPECT_EQ(of(drive.options), " omega=20 zeta=0.7");
  EXPECT_THAT(only<Drive>("drive x by u position()").options, SizeIs(0));
}

TEST(ParseInitial, guesses_and_fixed_values) {
  const Initial initial = only<Initial>("initial x' = 0.3 fixed, y = -0.2");
  ASSERT_THAT(initial.items, SizeIs(2));
  EXPECT_EQ(of(initial.items[0].target), "(der x 1)");
  EXPECT_TRUE(initial.items[0].fixed);
  EXPECT_EQ(of(initial.items[1].value), "(neg 0.2)");
  EXPECT_FALSE(initial.items[1].fixed);
}

TEST(ParseLimit, ranges) {
  const Limit limit = only<Limit>("limit x_T in [0, 20], x_T' - v in [-3, 3*s]");
  ASSERT_THAT(limit.items, SizeIs(2));
  EXPECT_EQ(of(limit.items[0].high), "20");
  EXPECT_EQ(of(limit.items[1].value), "((der x_T 1) - v)");
  EXPECT_EQ(of(limit.items[1].low), "(neg 3)");
}

TEST(ParseEvent, conditions_and_actions) {
  const Event snap = only<Event>("event snap \"rope\": when rod.force > strength then release rod");
  EXPECT_EQ(snap.name, "snap");
  EXPECT_EQ(snap.doc, "rope");
  EXPECT_EQ(of(snap.condition), "(> (member rod force) strength)");
  ASSERT_THAT(snap.actions, SizeIs(1));
  EXPECT_EQ(snap.actions[0].kind, EventAction::Kind::release);
  EXPECT_EQ(of(snap.actions[0].target), "rod");
  EXPECT_EQ(snap.actions[0].place.text(), "a.daedal:2:51");
}

TEST(ParseEvent, an_action_without_its_word_repeats_the_one_before) {
  const Event event = only<Event>(
      "event e: when x > 2 then release a, b, set x' = -x', y' = 0, attach c (restitution = 0.5)");
  ASSERT_THAT(event.actions, SizeIs(5));
  EXPECT_EQ(event.actions[1].kind, EventAction::Kind::release);
  EXPECT_EQ(event.actions[3].kind, EventAction::Kind::set);
  EXPECT_EQ(of(event.actions[3].target), "(der y 1)");
  EXPECT_EQ(event.actions[4].kind, EventAction::Kind::attach);
  EXPECT_EQ(of(event.actions[4].options), " restitution=0.5");
}

TEST(ParseDraw, shapes_points_options) {
  const Draw draw = only<Draw>(
      "draw line [0, 0] -> bob -> [1, 1], disc bob radius 0.05*L, text bob label \"tip\" size 2");
  ASSERT_THAT(draw.items, SizeIs(3));
  EXPECT_EQ(draw.items[0].shape, "line");
  ASSERT_THAT(draw.items[0].points, SizeIs(3));
  EXPECT_EQ(of(draw.items[0].points[0]), "(matrix 0 0)");
  EXPECT_EQ(of(draw.items[1].options), " radius=(0.05 * L)");
  EXPECT_EQ(of(draw.items[2].options), " label=\"tip\" size=2");
}

TEST(ParseExperiment, keeps_the_call) {
  const Experiment e = only<Experiment>(
      "experiment swing \"20 s\": simulate(until = 20, formulation = baumgarte(h1 = [18, 80]))");
  EXPECT_EQ(e.name, "swing");
  EXPECT_EQ(e.doc, "20 s");
  EXPECT_EQ(of(e.call), "(simulate! until=20 formulation=(baumgarte! h1=(matrix 18 80)))");
}

TEST(ParsePart, single_and_indexed) {
  EXPECT_EQ(of(only<Part>("part beam = ancf_beam(elements = N)").call), "(ancf_beam! elements=N)");
  const Part arm = only<Part>("part arm[i in 1..3] = delta_arm(l0 = 0.2)");
  ASSERT_TRUE(arm.binder);
  EXPECT_EQ(TreeText::of(*arm.binder), "i in 1..3");
}

TEST(ParseFor, repeats_a_statement) {
  const For loop = only<For>("for k in 2..N: initial q[k] = k*0.1");
  EXPECT_EQ(TreeText::of(loop.binder), "k in 2..N");
  EXPECT_TRUE(std::holds_alternative<Initial>(loop.body->node));
}

TEST(ParseFor, the_body_may_stand_on_the_next_line_nest_and_list) {
  const auto list =
      statements("for i in 1..2:\n  for j in 1..2:\n    force a[i] on x[j], b[i] on y[j]");
  ASSERT_THAT(list, SizeIs(2));
  const For outer = std::get<For>(list[1].node);
  const For inner = std::get<For>(outer.body->node);
  EXPECT_EQ(of(std::get<Load>(inner.body->node).load), "(at b i)");
}

TEST(ParseStatement, its_place_is_the_word_that_starts_it) {
  EXPECT_EQ(statements("  kinetic m").at(0).place.text(), "a.daedal:2:3");
  EXPECT_EQ(statements("  kinetic m").at(0).place.length, 7u);
}

TEST(ParseStatement, a_line_inside_brackets_may_start_with_an_argument_named_like_a_statement) {
  EXPECT_EQ(of(only<Part>("part b = box(\n  size = 2,\n  force = 3)").call),
            "(box! size=2 force=3)");
}

}  // namespace
}  // namespace daedal::model
