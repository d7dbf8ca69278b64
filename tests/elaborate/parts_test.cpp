// Models inside models.
#include "elaborated.hpp"

#include <gmock/gmock.h>

namespace daedal::model {
namespace {

using testing::ElementsAre;

const std::string arm =
    "model arm\nsize n = 2\nparameter l, m = 1 [kg], w[1..n] = 3\ncoordinate q[1..n] = 0.1\n"
    "let tip = l*q[n]\nkinetic m/2*dot(q', q')\ninput u = m*t\nforce 1*u on q[1]\n"
    "constraint stop: q[1] = l\noutput height = tip\ninitial q[n]' = 4\n";

TEST(Parts, flatten_under_their_prefix_in_the_order_they_are_written) {
  const Elaborated m(arm + "model robot\ncoordinate a\npart left = arm(l = 2)\ncoordinate b\n");
  EXPECT_THAT(m.names(SymbolKind::coordinate), ElementsAre("a", "left.q[1]", "left.q[2]", "b"));
  EXPECT_THAT(m.names(SymbolKind::parameter),
              ElementsAre("left.l", "left.m", "left.w[1]", "left.w[2]"));
  EXPECT_THAT(m.names(SymbolKind::multiplier), ElementsAre("left.stop"));
  EXPECT_EQ(m->sizes.at("left.n"), 2);
  EXPECT_EQ(m->outputs[0].name, "left.height");
  EXPECT_EQ(m.symbol("left.m").unit, "kg");
  EXPECT_EQ(m.start("left.q[1]"), 0.1);
  EXPECT_EQ(m.start("left.q[2]'"), 4);
}

TEST(Parts, come_in_arrays_whose_arguments_know_the_index) {
  const Elaborated m(arm +
                     "model robot\npart a[i in 0..2] = arm(l = 10*i + 1, n = i + 1, w = i)\n"
                     "output s = sum(i in 0..2: a[i].w[i+1]*a[i].q[1]), t2 = a[2].tip\n");
  EXPECT_EQ(m.names(SymbolKind::coordinate).size(), 1u + 2 + 3);
  EXPECT_EQ(m("s", {{"a[0].q[1]", 5}, {"a[1].q[1]", 7}, {"a[2].q[1]", 9}}), 7 + 2 * 9);
  EXPECT_EQ(m("t2", {{"a[2].q[3]", 2}}), 42);
}

// An argument that is an expression stays one: -p on the outer parameter reaches the part.
TEST(Parts, follow_the_outer_parameters) {
  const std::string text =
      arm + "model robot\nparameter length = 3\npart a = arm(l = 2*length, m = 5)\n";
  const Elaborated m(text), changed(text, {{{"length", "4"}}, {}, {}});
  EXPECT_EQ(m("a.height", {{"a.q[2]", 1}}), 6);
  EXPECT_EQ(m("a.height", {{"a.q[2]", 1}, {"length", 10}}), 20);
  EXPECT_EQ(changed("a.height", {{"a.q[2]", 1}}), 8);
  EXPECT_THAT(m.names(SymbolKind::parameter), ElementsAre("length", "a.m", "a.w[1]", "a.w[2]"));
}

TEST(Parts, may_hang_on_a_moving_point_and_take_their_input_from_outside) {
  const Elaborated m(arm +
                     "model robot\ncoordinate x\ninput u\npart a = arm(l = x, u = 3*u)\n"
                     "output v = a.tip'\n");
  const Elaborated::Values at{{"x", 2}, {"x'", 5}, {"a.q[2]", 3}, {"a.q[2]'", 7}};
  EXPECT_EQ(m("v", at), 5 * 3 + 2 * 7);
  EXPECT_THAT(m.names(SymbolKind::input), ElementsAre("u"));
  EXPECT_EQ(m.value(m->loads[0].force, {{"u", 4}}), 12);
}

TEST(Parts, have_functions_that_know_their_own_names) {
  const std::string lever =
      "model lever\nparameter l\ncoordinate q\nlet point(s) = l*s*q\nkinetic q'^2\n";
  const Elaborated m(lever +
                     "model two\nparameter l = 100\npart a[i in 1..2] = lever(l = 10*i)\n"
                     "output p = a[2].point(3), v = a[1].point(2)'\n");
  EXPECT_EQ(m("p", {{"a[2].q", 7}}), 20 * 3 * 7);
  EXPECT_EQ(m("v", {{"a[1].q'", 5}}), 10 * 2 * 5);
}

// Each link builds on the one it is given; the same function is then used within itself, but each time of another part.
TEST(Parts, are_given_to_parts) {
  const Elaborated m(
      "model base\nlet along(s) = s\n"
      "model link\nparameter before\ncoordinate q\nlet along(s) = before.along(1) + s*q\nkinetic "
      "q'^2\n"
      "model arm\npart foot = base()\npart upper = link(before = foot)\npart lower = link(before = "
      "upper)\n"
      "output tip = lower.along(2)\n");
  EXPECT_EQ(m("tip", {{"upper.q", 10}, {"lower.q", 100}}), 1 + 10 + 200);
}

TEST(Parts, of_parts_are_reached_by_dots) {
  const Elaborated m(
      arm +
      "model pair\nparameter l\npart a[i in 1..2] = arm(l = i*l)\nlet reach = a[1].tip + a[2].tip\n"
      "model four\npart p[k in 1..2] = pair(l = 10*k)\n"
      "output r = p[2].reach, f = p[1].a[2].stop.force\n");
  EXPECT_EQ(m("r", {{"p[2].a[1].q[2]", 1}, {"p[2].a[2].q[2]", 1}}), 20 + 40);
  EXPECT_EQ(m("f", {{"p[1].a[2].stop", 3}}), -3);
}

TEST(Parts, start_where_the_outermost_model_says) {
  const std::string middle =
      "model middle\npart a = arm(l = 1)\ninitial a.q[1] = 0.2 fixed, a.q[2]' = 5\n";
  const Elaborated alone(arm + middle);
  const Elaborated outer(arm + middle + "model outer\npart m = middle()\ninitial m.a.q[1] = 0.3\n");
  EXPECT_EQ(alone.start("a.q[1]"), 0.2);
  EXPECT_EQ(alone.start("a.q[2]"), 0.1);
  EXPECT_EQ(alone.start("a.q[2]'"), 5);
  EXPECT_EQ(outer.start("m.a.q[1]"), 0.3);
  EXPECT_EQ(outer.start("m.a.q[2]'"), 5);
  EXPECT_EQ(outer->starts.size(), 3u);
  for (const StartValue& start : outer->starts) EXPECT_FALSE(start.fixed);
}

TEST(Parts, faults_inside_are_told_once_for_all_instances) {
  EXPECT_EQ(faults_of("model a\nvariable x\nequation x = y\nmodel m\npart p[i in 1..3] = a()\n"),
            "model.daedal:3:14: error: unknown name 'y' in the equation on line 3\n"
            "    equation x = y\n"
            "                 ^\n"
            "  help: declare it:  parameter y = ..., coordinate y  or  let y = ...");
}

}  // namespace
}  // namespace daedal::model
