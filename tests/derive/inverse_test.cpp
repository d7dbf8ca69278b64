#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace daedal::derive {
namespace {

Dae forward(const std::string& text) {
  return derive(std::make_shared<model::Model>(model::elaborate(model::load_text(text))));
}

std::string fault_of(const std::string& text) {
  try {
    inverse(forward(text));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

std::vector<double> residuals(const Dae& dae, const std::map<std::string, double>& at) {
  expr::Graph graph(dae.model->graph);
  const std::vector<expr::Expr> rows = expr::expand(dae.residual, graph);
  return expr::evaluate(graph, rows, [&](expr::Leaf leaf) {
    const model::Symbol& symbol = dae.model->symbols[leaf.symbol];
    const auto given = at.find(model::name_of(symbol, leaf.order));
    return given != at.end() ? given->second : symbol.value;
  });
}

TEST(Inverse, servo_rows_follow_the_equations_and_inputs_the_unknowns) {
  const Dae plant = forward(
      "model two\nparameter m = 2, k = 10\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential "
      "k/2*(y - x)^2\n"
      "input u\nforce u on x\noutput z = y\nservo path: z = sin(t)\n");
  const Dae dae = inverse(plant);
  EXPECT_TRUE(dae.inverse);
  EXPECT_FALSE(plant.inverse);
  ASSERT_EQ(dae.unknowns.size(), 3u);
  EXPECT_EQ(dae.model->symbols[dae.unknowns[2]].name, "u");
  ASSERT_EQ(dae.equations.size(), 3u);
  EXPECT_EQ(dae.equations[2].name, "path");
  EXPECT_EQ(dae.equations[2].kind, EquationKind::servo);
  const std::vector<double> r =
      residuals(dae, {{"t", 0.4}, {"x", 0.1}, {"y", 0.3}, {"x''", 1.5}, {"y''", -0.5}, {"u", 0.7}});
  EXPECT_NEAR(r[0], 2 * 1.5 - 10 * 0.2 - 0.7, test::rounding(6, 3));
  EXPECT_NEAR(r[1], -2 * 0.5 + 10 * 0.2, test::rounding(4, 2));
  EXPECT_NEAR(r[2], 0.3 - std::sin(0.4), test::rounding(4));
}

TEST(Inverse, inputs_of_many_equal_terms_are_unknowns_too) {
  // 12 forces of one shape: the rows of the motion are one family, and so are the servos.
  const Dae dae =
      inverse(forward("model many\nsize N = 12\ncoordinate x[1..N]\ninput u[1..N]\n"
                      "kinetic sum(i in 1..N: x[i]'^2/2)\nfor i in 1..N: force u[i] on x[i]\n"
                      "servo path[i in 1..N]: x[i]^2 = t\n"));
  ASSERT_EQ(dae.unknowns.size(), 24u);
  ASSERT_EQ(dae.residual.rows, 24u);
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::string k = "[" + std::to_string(i + 1) + "]";
    const auto r = residuals(dae, {{"x" + k + "''", 3}, {"u" + k, 5}, {"x" + k, 4}, {"t", 2}});
    EXPECT_DOUBLE_EQ(r[i], 3 - 5);
    EXPECT_DOUBLE_EQ(r[12 + i], 16 - 2);
  }
}

TEST(Inverse, parameters_equal_to_zero_are_folded_in_servos_too) {
  const Dae dae =
      inverse(forward("model m\nparameter a = 0\ncoordinate x, y\nkinetic (x'^2 + "
                      "y'^2)/2\npotential (x - y)^2\ninput u\nforce u on x\n"
                      "servo path: y + a*x'' = t\n"));
  std::vector<std::string> in_servo;
  for (const expr::Occurrence& o : expr::occurrences(dae.residual))
    if (o.row == 2) in_servo.push_back(dae.model->symbols[o.leaf.symbol].name);
  EXPECT_THAT(in_servo, ::testing::UnorderedElementsAre("t", "y"));
}

// min u^2 + ((w - 3)/2)^2 with 2 u + w = F:  (u, w - 3) = (2, 4) (F - 3)/8 by Lagrange's multiplier.
TEST(Inverse, more_inputs_than_servos_are_those_nearest_to_their_own_values) {
  const Dae dae =
      inverse(forward("model m\ncoordinate x\nkinetic x'^2/2\ninput u, w = 3 (nominal = 2)\n"
                      "force 2*u + w on x\nservo path: x = t\n"));
  ASSERT_EQ(dae.equations.size(), dae.unknowns.size());
  EXPECT_EQ(dae.equations.back().kind, EquationKind::servo);
  EXPECT_EQ(dae.model->symbols[dae.unknowns.back()].name, "w");
  ASSERT_EQ(dae.shared.multipliers.size(), 1u);
  const std::string p = dae.model->symbols[dae.shared.multipliers[0]].name;
  const double force = 7, u = 2 * (force - 3) / 8, w = 3 + 4 * (force - 3) / 8;
  const std::vector<double> r =
      residuals(dae, {{"x''", force}, {"u", u}, {"w", w}, {p, u / 2}, {"t", 0}});
  for (const double residual : r) EXPECT_NEAR(residual, 0, test::rounding(10, force));
}

TEST(Inverse, limits_of_shared_inputs_bound_the_choice) {
  const Dae plant = forward(
      "model m\nparameter most = 4\ncoordinate x\nkinetic x'^2/2\ninput u, w\n"
      "force u + w on x\nlimit u in [0, most + t], x in [0, 1], u - w in [0, 1]\n"
      "servo path: x = t\n");
  const Dae dae = inverse(plant);
  ASSERT_EQ(dae.shared.bounds.size(), 1u);
  EXPECT_EQ(dae.model->symbols[dae.shared.bounds[0].input].name, "u");
  EXPECT_EQ(dae.model->limits.size(), 2u) << "those of other quantities are checked as before";
  EXPECT_EQ(plant.model->limits.size(), 3u);
}

TEST(Inverse, counts_must_agree) {
  const std::string mass = "model m\ncoordinate x\nkinetic x'^2/2\n";
  EXPECT_EQ(fault_of("model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
                     "input u, w\nforce u on x, w on y\nservo path: x = t\n"),
            "<text>:4:10: error: model 'm' has 1 servo-constraint for 2 inputs, so it cannot be "
            "inverted\n"
            "    input u, w\n"
            "             ^\n"
            "  servo-constraints: path\n"
            "  inputs: u, w\n"
            "  inputs share the work where constraints and servo-constraints determine the whole "
            "motion: here they are 1 for 2 unknowns, x, y\n"
            "  help: every entry of a servo is one servo-constraint: prescribe one more motion, or "
            "make the "
            "input a parameter");
  EXPECT_EQ(
      fault_of(mass + "input u\nforce u on x\noutput z = [x, 2*x]\nservo z = [t, t]\n"),
      "<text>:7:1: error: model 'm' has 2 servo-constraints for 1 input, so it cannot be inverted\n"
      "    servo z = [t, t]\n"
      "    ^~~~~\n"
      "  servo-constraints: servo1[1], servo1[2]\n"
      "  inputs: u\n"
      "  help: every entry of a servo is one servo-constraint: drop one, or add an input");
  EXPECT_EQ(
      fault_of(mass + "input u\nforce u on x\n"),
      "<text>:4:7: error: model 'm' has no servo-constraint for 1 input, so it cannot be inverted\n"
      "    input u\n"
      "          ^\n"
      "  inputs: u\n"
      "  help: write the desired motion:  servo z = ...");
  EXPECT_EQ(fault_of(mass),
            "<text>:1:7: error: model 'm' has neither inputs nor servo-constraints, so it cannot "
            "be inverted\n"
            "    model m\n"
            "          ^\n"
            "  help: declare an input and the desired motion:  input u  and  servo z = ...");
}

}  // namespace
}  // namespace daedal::derive
