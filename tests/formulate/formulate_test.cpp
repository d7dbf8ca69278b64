#include "daedal/elaborate/elaborate.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/model/model.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::formulate {
namespace {

Problem problem_of(const std::string& text, const Formulation& formulation = {},
                   const model::Overrides& overrides = {}) {
  auto m = std::make_shared<model::Model>(model::elaborate(model::load_text(text), overrides));
  return formulate(structure::by_signature(std::make_shared<derive::Dae>(derive::derive(m))),
                   formulation);
}

/// Values of a Function's rows with leaves given by name; parameters have theirs.
std::vector<double> rows_at(const Problem& problem, const expr::Function& f,
                            const std::map<std::string, double>& values) {
  const model::Model& m = *problem.dae->model;
  expr::Graph graph(m.graph);
  return expr::evaluate(graph, expr::expand(f, graph), [&](expr::Leaf leaf) {
    if (leaf.symbol >= m.symbols.size()) return 0.0;  // the work
    const model::Symbol& symbol = m.symbols[leaf.symbol];
    if (symbol.kind == model::SymbolKind::parameter) return symbol.value;
    return values.at(model::name_of(symbol, leaf.order));
  });
}

const std::string pendulum =
    "model m\nparameter L = 1\ncoordinate x = L, y\nkinetic (x'^2 + y'^2)/2\npotential "
    "9.81*y\nconstraint rod: x^2 + y^2 = L^2\n";
const std::map<std::string, double> somewhere{{"x", 0.9}, {"y", -0.3}, {"x'", 0.4},  {"y'", 1.1},
                                              {"x''", 2}, {"y''", -3}, {"rod", 0.7}, {"t", 0}};
const double c0 = 0.81 + 0.09 - 1, c1 = 2 * (0.9 * 0.4 - 0.3 * 1.1),
             c2 = 2 * (0.16 + 1.21 + 0.9 * 2 + 0.3 * 3);
const double of_terms = test::rounding(20, 10);  // a row is a sum of a few products, none above 10

TEST(Formulate, index1_is_the_twice_differentiated_constraint) {
  const Problem problem = problem_of(pendulum, {Kind::index1, {}, {}});
  EXPECT_TRUE(problem.linear);
  EXPECT_EQ(problem.states, 4u);
  EXPECT_EQ(problem.tops, 3u);
  EXPECT_NEAR(rows_at(problem, problem.residual, somewhere)[2], c2, of_terms);
}

TEST(Formulate, baumgarte_adds_its_terms_for_all_or_for_one) {
  const Problem pole = problem_of(pendulum, {Kind::baumgarte, {10, 25}, {}});
  EXPECT_NEAR(rows_at(pole, pole.residual, somewhere)[2], c2 + 10 * c1 + 25 * c0, of_terms);
  const Problem own = problem_of(pendulum, {Kind::baumgarte, {1, 1}, {{"rod", {18, 80}}}});
  EXPECT_NEAR(rows_at(own, own.residual, somewhere)[2], c2 + 18 * c1 + 80 * c0, of_terms);
}

TEST(Formulate, index2_and_index3_keep_the_constraint_on_its_velocity_and_position_level) {
  const struct {
    Kind kind;
    double constraint;
    std::vector<std::uint8_t> missing;
  } expected[] = {
      {Kind::index1, c2, {}}, {Kind::index2, c1, {0, 0, 1}}, {Kind::index3, c0, {0, 0, 2}}};
  for (const auto& [kind, constraint, missing] : expected) {
    const Problem problem = problem_of(pendulum, {kind, {}, {}, {}});
    const ImplicitForm form = implicit_form(problem);
    const auto rows = rows_at(problem, form.residual, somewhere);
    EXPECT_NEAR(rows[0], 2 - 2 * 0.9 * 0.7, of_terms);  // x'' = 2 x lambda
    EXPECT_NEAR(rows[2], constraint, of_terms);
    EXPECT_EQ(form.missing, missing);
    EXPECT_NEAR(rows_at(problem, problem.residual, somewhere)[2], c2,
                of_terms);  // determines the tops
  }
}

TEST(Formulate, penalty_makes_the_multiplier_a_spring_and_a_damper) {
  const Problem problem = problem_of(pendulum, {Kind::penalty, {}, {}, {100, 7}});
  EXPECT_NEAR(rows_at(problem, problem.residual, somewhere)[2], 0.7 + 100 * c0 + 7 * c1, of_terms);
  ASSERT_EQ(problem.levels.size(), 2u);  // violations are still watched, and starts consistent
  const auto gradient = rows_at(problem, problem.levels[0].jacobian.values, somewhere);
  ASSERT_EQ(gradient.size(), 2u);
  EXPECT_NEAR(gradient[0], 2 * 0.9, test::rounding(2, 1.8));
  EXPECT_NEAR(gradient[1], -2 * 0.3, test::rounding(2, 0.6));
}

TEST(Formulate, penalty_holds_velocity_level_constraints_by_damping) {
  const std::string skate =
      "model m\ncoordinate x, y, a\nkinetic (x'^2 + y'^2 + a'^2)/2\nconstraint blade: x'*sin(a) = "
      "y'*cos(a)\n";
  const std::map<std::string, double> at{{"x'", 0.4}, {"y'", 1.1},    {"a", 0.3}, {"x''", 0},
                                         {"y''", 0},  {"blade", 0.7}, {"a''", 0}, {"a'", 0},
                                         {"x", 0},    {"y", 0},       {"t", 0}};
  const Problem problem = problem_of(skate, {Kind::penalty, {}, {}, {100, 7}});
  EXPECT_NEAR(rows_at(problem, problem.residual, at)[3],
              0.7 + 7 * (0.4 * std::sin(0.3) - 1.1 * std::cos(0.3)), test::rounding(8, 7 * 1.1));
  try {
    problem_of(skate, {Kind::penalty, {}, {}, {100, 0}});
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "<text>:4:12: error: constraint 'blade' is on velocity level: penalty holds it by "
                 "damping\n"
                 "    constraint blade: x'*sin(a) = y'*cos(a)\n"
                 "               ^~~~~\n"
                 "  help: give a damping above 0");
  }
}

TEST(Formulate, levels_are_the_constraint_and_its_derivative) {
  const Problem problem = problem_of(pendulum);
  ASSERT_EQ(problem.levels.size(), 2u);
  EXPECT_NEAR(rows_at(problem, problem.levels[0].residual, somewhere)[0], c0, of_terms);
  EXPECT_NEAR(rows_at(problem, problem.levels[1].residual, somewhere)[0], c1, of_terms);
  EXPECT_EQ(problem.levels[0].metric.column.size(), 2u);  // the mass matrix is diagonal
}

TEST(Formulate, right_hand_side_and_matrix_reproduce_the_residual) {
  const Problem problem = problem_of(pendulum, {Kind::baumgarte, {10, 25}, {}});
  const auto r = rows_at(problem, problem.residual, somewhere),
             b = rows_at(problem, problem.right_hand_side, somewhere),
             a = rows_at(problem, problem.top_matrix.values, somewhere);
  const double z[] = {2, -3, 0.7};
  for (std::uint32_t i = 0; i < 3; ++i) {
    double sum = -b[i];
    for (std::uint32_t e = problem.top_matrix.row_start[i]; e < problem.top_matrix.row_start[i + 1];
         ++e)
      sum += a[e] * z[problem.top_matrix.column[e]];
    EXPECT_NEAR(sum, r[i], of_terms);
  }
}

TEST(Formulate, driven_coordinates_do_not_move_in_projections) {
  const Problem problem = problem_of(
      "model m\ncoordinate s, x\nkinetic x'^2/2\ninput u, w\ndrive s by u velocity(lag = "
      "0.1)\nconstraint link: x = 2*s\n");
  ASSERT_EQ(problem.levels.size(), 2u);
  for (const Level& level : problem.levels) {
    ASSERT_EQ(level.unknowns.size(), 2u);
    for (std::size_t k = 0; k < level.unknowns.size(); ++k) {
      const expr::Leaf leaf = problem.layout.leaf(level.unknowns[k]);
      EXPECT_EQ(level.movable[k], problem.dae->model->symbols[leaf.symbol].name == "x");
    }
  }
}

TEST(Formulate, a_stirred_tank_in_equilibrium_has_index_2) {
  const Problem problem = problem_of(
      "model m\nvariable a = 1, b, r\nequation a' = -r\nequation b' = r - b\nequation 0 = a - "
      "2*b\n");
  EXPECT_EQ(problem.structure.index, 2);
  EXPECT_EQ(problem.states, 2u);
  ASSERT_EQ(problem.levels.size(), 1u);
}

TEST(Formulate, input_derivatives_are_exact) {
  const Problem problem = problem_of(
      "model m\ncoordinate x\nkinetic x'^2/2\ninput u = sin(3*t)\ndrive x by u position()\n");
  // x = u is differentiated twice, so u'' is needed: -9 sin(3 t).
  const auto rows = rows_at(problem, problem.inputs, {{"t", 0.4}});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_NEAR(rows[2], -9 * std::sin(1.2), test::rounding(4, 9));
}

TEST(Formulate, a_signal_with_impulses_in_its_derivative_is_refused) {
  try {
    problem_of(
        "model m\ncoordinate x\nkinetic x'^2/2\ninput u = abs(t - 1)\ndrive x by u position()\n");
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "<text>:4:7: error: the signal of input 'u' is not smooth enough: the equations "
                 "contain u'', and its derivative 2 is an impulse\n"
                 "    input u = abs(t - 1)\n"
                 "          ^\n"
                 "  help: give a signal with at least 1 continuous derivatives");
  }
}

// The pieces of a signal count, not that it is written with `if`.
TEST(Formulate, pieces_that_fit_together_are_no_impulse) {
  const auto accepts = [](const std::string& signal) {
    try {
      problem_of("model m\ncoordinate x\nkinetic x'^2/2\ninput u = " + signal +
                 "\ndrive x by u position()\n");  // needs u''
      return true;
    } catch (const ModelError&) {
      return false;
    }
  };
  EXPECT_TRUE(accepts("if t < 1 then sin(pi*t)^2 else 0"));  // u'' jumps, u' does not
  EXPECT_TRUE(accepts("if t < 0.7 then 1 - cos(2*pi*t/0.7) else 0"));
  EXPECT_TRUE(accepts("min(max(t - 1, 0), 2)^2*(3 - min(max(t - 1, 0), 2))"));
  EXPECT_TRUE(accepts("abs(t - 1)*(t - 1)"));
  EXPECT_TRUE(accepts("if t < 1 then 0 else if t < 2 then (t - 1)^2 else 2*t - 3"));
  EXPECT_FALSE(accepts("if t < 1 then sin(pi*t) else 0"));       // u' jumps
  EXPECT_FALSE(accepts("if t < 1 then sin(pi*t)^2 else 1e-3"));  // u jumps
  EXPECT_FALSE(accepts("max(t - 1, 0)"));
  EXPECT_FALSE(accepts("sin(pi*mod(t, 1))"));  // for ever: what the operations promise
}

}  // namespace
}  // namespace daedal::formulate
