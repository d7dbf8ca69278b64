// Normal forms and zero dynamics: closed forms, and the looper [OlivaLooper] as recomputed independently (SymPy, SciPy).
#include "daedal/analyse/normal_form.hpp"

#include "daedal/analyse/relative_degree.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::analysis::test {
namespace {

using ::testing::ElementsAre;

// x' = v, v' = -sin x + cos(x) u, y = x^2: y' = 2 x v, y'' = 2 v^2 + 2 x (-sin x + cos(x) u).
TEST(NormalForm, of_a_pendulum_by_hand) {
  const SharedDae dae = text_model(
      "model m\nvariable x = 0.7, v = 0.2, w = 1\ninput u\nequation first: x' = v\n"
      "equation second: v' = -sin(x) + cos(x)*u\nequation third: w' = -w + x*u\noutput y = x^2\n");
  const NormalForm form(*dae, {}, {"w"});
  EXPECT_THAT(form.relative_degree(), ElementsAre(2));
  const double x = 0.9, v = -0.4, w = 1.3;
  const NormalFormPoint p = form.at({{"x", x}, {"v", v}, {"w", w}});
  EXPECT_NEAR(p.xi[0][0], x * x, daedal::test::rounding(2));
  EXPECT_NEAR(p.xi[0][1], 2 * x * v, daedal::test::rounding(4));
  EXPECT_NEAR(p.b[0], 2 * v * v - 2 * x * std::sin(x), daedal::test::rounding(8, 2));
  EXPECT_NEAR(p.a(0, 0), 2 * x * std::cos(x), daedal::test::rounding(8, 2));
  EXPECT_NEAR(p.q[0], -w, daedal::test::rounding(2, w));
  EXPECT_NEAR(p.p(0, 0), x, daedal::test::rounding(2));
  EXPECT_NEAR(p.eta_rate[0], -w - x * p.b[0] / p.a(0, 0), daedal::test::rounding(16, 2));
}

// y = x of x' = -x + x^2 without input: Lie derivatives of the logistic curve, n-th by recursion of Taylor coefficients.
TEST(NormalForm, lie_derivatives_to_the_twelfth_order) {
  const SharedDae dae = text_model(
      "model m\nvariable x = 0.5\ninput u\nequation first: x' = -x + x^2 + u\noutput y = x\n");
  const NormalForm form(*dae, {}, {});
  const std::vector<double> lie = form.lie_derivatives(0, 12, {{"x", 0.3}});
  std::vector<double> c = {0.3};
  for (int n = 0; n < 12; ++n) {
    double square = 0;
    for (int k = 0; k <= n; ++k)
      square += c[static_cast<std::size_t>(k)] * c[static_cast<std::size_t>(n - k)];
    c.push_back((square - c.back()) / (n + 1));
  }
  for (int n = 0; n <= 12; ++n) {
    const double exact = std::tgamma(n + 1.0) * c[static_cast<std::size_t>(n)];
    EXPECT_NEAR(lie[static_cast<std::size_t>(n)], exact,
                daedal::test::rounding(20 * (n + 1), std::max(1.0, std::abs(exact))))
        << n;
  }
}

// Two methods: jets at a point, and the leading terms of the linearised model's determinants.
TEST(NormalForm, decoupling_matrix_is_that_of_the_linear_model) {
  for (const char* folder : {"torsional_oscillator", "mass_on_car", "manipulator_3d"}) {
    SCOPED_TRACE(folder);
    const SharedDae dae = library_model(folder);
    const NormalForm form(*dae, {}, {});
    const Equilibrium rest = equilibrium(*dae);
    std::vector<NamedOutput> outputs;
    for (const model::Relation& servo : dae->model->servos)
      outputs.push_back({servo.name, servo.residual});
    const RelativeDegree linear = relative_degree(linearise(*dae, point_of(rest), outputs));
    EXPECT_EQ(form.relative_degree(), linear.outputs);
    StateValues state;
    for (const expr::SymbolId s : dae->unknowns) {
      state[dae->model->symbols[s].name] = rest.values[s];
      state[dae->model->symbols[s].name + "'"] = 0;
    }
    EXPECT_LT((form.at(state).a - linear.decoupling_matrix).norm(),
              1e-9 * linear.decoupling_matrix.norm());
  }
}

class LooperForms : public ::testing::Test {
 protected:
  SharedDae closed = library_model("looper");
  Equilibrium rest = equilibrium(*closed);
  SharedDae open = std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(without_drive())));
  StateValues at_rest;

  LooperForms() {
    for (const char* name : {"theta1", "s", "theta2"}) {
      at_rest[name] = rest.values[closed->model->find(name)];
      at_rest[std::string(name) + "'"] = 0;
    }
  }
  /// The reactions are the inputs; the drive's force is a parameter, 0.
  model::Model without_drive() const {
    model::Model m = with_open_constraints(*closed->model);
    const expr::SymbolId u = m.find("u");
    std::erase_if(m.inputs, [&](const model::InputDefault& input) { return input.input == u; });
    m.symbols[u].kind = model::SymbolKind::parameter;
    m.symbols[u].value = 0;
    return m;
  }
};

TEST_F(LooperForms, determinant_of_the_decoupling_matrix_is_that_of_equation_2_26) {
  const NormalForm form(*open, {}, {});
  EXPECT_THAT(form.relative_degree(), ElementsAre(2, 2));
  EXPECT_NEAR(form.at(at_rest).a.determinant(), 8.283957091e-4, daedal::test::printed(13));
}

// eta_2 = theta1' has P = r (-sin, cos)(theta1)/J1, eta_2 = theta2' has P = -R34 (cos, sin)(theta2)/J2.
TEST_F(LooperForms, both_have_the_known_input_terms) {
  const StateValues state = {{"theta1", 1.13}, {"s", 0.16},  {"theta2", 0.01},
                             {"theta1'", 0.1}, {"s'", -0.2}, {"theta2'", 0.3}};
  const double r = 0.29 + 1.392 + 0.16,
               j1 = 130.6 * 0.703 * 0.703 + 66.8 * std::pow(0.29 + 0.674 + 0.16, 2) + 32.55 + 10.18,
               j2 = 86.71 * 0.182 * 0.182 + 5.63;
  const NormalFormPoint arm = NormalForm(*open, {}, {"theta1", "theta1'"}).at(state);
  EXPECT_NEAR(arm.p(1, 0), -r * std::sin(1.13) / j1, daedal::test::rounding(20));
  EXPECT_NEAR(arm.p(1, 1), r * std::cos(1.13) / j1, daedal::test::rounding(20));
  EXPECT_NEAR(arm.p.row(0).norm(), 0, daedal::test::rounding(4));
  const NormalFormPoint link = NormalForm(*open, {}, {"theta1", "theta2'"}).at(state);
  EXPECT_NEAR(link.p(1, 0), -0.55 * std::cos(0.01) / j2, daedal::test::rounding(20, 1 / j2));
  EXPECT_NEAR(link.p(1, 1), -0.55 * std::sin(0.01) / j2, daedal::test::rounding(20, 1 / j2));
  // inputs that hold h'' = 0 are the reactions of the closed model, on its manifold or off it
  EXPECT_NEAR(arm.holding_input[0], -36.38308093345, 1e-9);
  EXPECT_NEAR(arm.holding_input[1], 705.140459638, 1e-8);
  EXPECT_NEAR(arm.eta_rate[1], -0.418133244005, 1e-11);
  EXPECT_NEAR(link.eta_rate[1], 1.680151312358, 1e-11);
}

Eigen::MatrixXd slope(const derive::Dae& zero, const std::vector<std::string>& names,
                      const Eigen::VectorXd& eta) {
  constexpr double h = 1e-4;
  Eigen::MatrixXd a(eta.size(), eta.size());
  for (Eigen::Index k = 0; k < eta.size(); ++k) {
    const Eigen::VectorXd e = h * Eigen::VectorXd::Unit(eta.size(), k);
    const Eigen::VectorXd wide = internal_rate(zero, names, eta + 2 * e) -
                                 internal_rate(zero, names, eta - 2 * e),
                          narrow = internal_rate(zero, names, eta + e) -
                                   internal_rate(zero, names, eta - e);
    a.col(k) = (8 * narrow - wide) / (12 * h);
  }
  return a;
}
// Differences of rates, of forces of some 10 m/s^2 over h = 1e-4; truncation h^4/30 of the fifth derivative is less.
const double of_quotient = daedal::test::rounding(50, 10 / 1e-4);

TEST_F(LooperForms, zero_dynamics_of_both_linearise_to_the_reference) {
  const derive::Dae zero = zero_dynamics(*open, {}, rest);
  const double theta1 = rest.values[closed->model->find("theta1")];
  const Eigen::MatrixXd arm = slope(zero, {"theta1", "theta1'"}, Eigen::Vector2d(theta1, 0));
  EXPECT_NEAR(arm(1, 0), -20.2692938, daedal::test::printed(7) + of_quotient);
  EXPECT_NEAR(arm(1, 1), -0.0435089358, daedal::test::printed(10) + of_quotient);
  const Eigen::MatrixXd link = slope(zero, {"theta1", "theta2'"}, Eigen::Vector2d(theta1, 0));
  EXPECT_NEAR(link(0, 0), 0, of_quotient);
  EXPECT_NEAR(link(0, 1), -0.248781373, daedal::test::printed(9) + of_quotient);
  EXPECT_NEAR(link(1, 0), 81.4743224, daedal::test::printed(7) + of_quotient);
  EXPECT_NEAR(link(1, 1), -0.0435089358, daedal::test::printed(10) + of_quotient);
  // th1'' = T0 + T1 th1' + T2 th1'^2 away from rest
  const auto rate = [&](double v) {
    return internal_rate(zero, {"theta1", "theta1'"}, Eigen::Vector2d(1.2, v))[1];
  };
  EXPECT_NEAR(rate(0), -2.22153003346, daedal::test::printed(11));
  EXPECT_NEAR((rate(1) - rate(-1)) / 2, -0.042337456999, daedal::test::printed(12));
  EXPECT_NEAR((rate(1) + rate(-1)) / 2 - rate(0), 0.521543517114, daedal::test::printed(12));
}

// The zero dynamics of opened constraints is the closed mechanism: the same motion.
TEST_F(LooperForms, zero_dynamics_can_be_simulated) {
  const auto zero =
      std::make_shared<const derive::Dae>(zero_dynamics(*open, {}, rest, {{"theta1", 0.05}}));
  const auto run = [](const SharedDae& dae) {
    const solve::Prepared p = solve::prepare(dae, {});
    solve::SimulateOptions options;
    options.until = 2;
    options.global_error = false;
    solve::Rk45Options rk45;
    rk45.tolerance = 1e-11;
    options.method = rk45;
    const solve::Trajectory trajectory = solve::simulate(p.problem, p.start, options);
    EXPECT_EQ(trajectory.status, solve::Status::completed) << trajectory.reason;
    return trajectory.table.at(trajectory.table.rows() - 1, *trajectory.table.find("theta1"));
  };
  derive::Dae same = *closed;
  model::Model m = *same.model;
  for (model::StartValue& start : m.starts) {
    const double moved = start.leaf.order > 0 ? 0 : rest.values[start.leaf.symbol];
    start.value = moved + (start.leaf == expr::Leaf{m.find("theta1"), 0} ? 0.05 : 0);
  }
  same.model = std::make_shared<const model::Model>(std::move(m));
  EXPECT_NEAR(run(zero), run(std::make_shared<const derive::Dae>(std::move(same))),
              daedal::test::accumulated(1e-11, 100));
}

}  // namespace
}  // namespace daedal::analysis::test
