// Jets against closed forms, against symbolic derivatives, and the linear correction against renewed evaluation.

#include "daedal/compile/jet.hpp"

#include "daedal/expr/graph.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace daedal::compile {
namespace {

using expr::Expr;
using expr::Graph;
using expr::Op;

constexpr expr::SymbolId x_symbol = 1, y_symbol = 2, p_symbol = 3;

/// One row of unknowns x and y, both known to stage + d, without anything to solve.
struct Row {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  Expr t = graph->leaf({expr::time_symbol, 0});
  Expr x = graph->leaf({x_symbol, 0}), y = graph->leaf({y_symbol, 0});
  Expr p = graph->leaf({p_symbol, 0});
  Expr number(double v) { return graph->constant(v); }

  JetSpec spec(Expr row, int c = 0, int d = 0) const {
    return {graph, {row}, {c}, {x_symbol, y_symbol}, {d, d}, {p_symbol}, {}};
  }
};

/// Coefficients 0 .. order of a row that depends on time only.
template <class T = double>
std::vector<T> series(const Row& r, Expr row, double t0, int order, double p = 0) {
  Jet<T> jet(make_jet_program(r.spec(row)), order, std::vector{p});
  jet.set_time(t0);
  std::vector<T> found;
  for (int k = jet.first_stage(); k <= order; ++k) {
    jet.evaluate(k);
    if (k >= 0) found.push_back(jet.row(0, k));
  }
  return found;
}

double factorial(int n) { return std::tgamma(n + 1.0); }

TEST(Jet, exponential_to_order_60) {
  Row r;
  const auto found = series(r, r.graph->unary(Op::exp, r.graph->mul(r.p, r.t)), 0.5, 60, -1.5);
  for (int n = 0; n <= 60; ++n) {
    const double exact = std::exp(-0.75) * std::pow(-1.5, n) / factorial(n);
    EXPECT_NEAR(found[n], exact, test::rounding(2 * n + 4, exact)) << n;
  }
}

TEST(Jet, sine_cosine_and_their_quotient) {
  Row r;
  const Expr s = r.graph->unary(Op::sin, r.t), c = r.graph->unary(Op::cos, r.t);
  const auto sine = series(r, s, 0.3, 60);
  const double turning[] = {std::sin(0.3), std::cos(0.3), -std::sin(0.3), -std::cos(0.3)};
  for (int n = 0; n <= 60; ++n)  // a rounding each time the factorial grows
    EXPECT_NEAR(sine[n] * factorial(n), turning[n % 4], test::rounding(2 * (n + 2))) << n;
  const auto quotient = series(r, r.graph->div(s, c), 0.3, 40);
  const auto tangent = series(r, r.graph->unary(Op::tan, r.t), 0.3, 40);
  for (int n = 0; n <= 40; ++n)
    EXPECT_NEAR(quotient[n], tangent[n], test::rounding(10 * (n + 2), tangent[n])) << n;
}

TEST(Jet, arc_functions_invert_their_functions) {
  Row r;
  const struct {
    Op outer, inner;
  } pairs[] = {{Op::asin, Op::sin}, {Op::atan, Op::tan}, {Op::log, Op::exp}};
  for (const auto& pair : pairs) {
    const auto found =
        series(r, r.graph->unary(pair.outer, r.graph->unary(pair.inner, r.t)), 0.4, 30);
    EXPECT_NEAR(found[0], 0.4, test::rounding(4));
    EXPECT_NEAR(found[1], 1, test::rounding(8));
    for (int n = 2; n <= 30; ++n)  // rounding grows like the coefficients of the inner function
      EXPECT_NEAR(found[n], 0, test::rounding(40, std::pow(1 / (M_PI / 2 - 0.4), n))) << n;
  }
}

TEST(Jet, geometric_series_and_roots) {
  Row r;
  const Expr rest = r.graph->sub(r.number(1), r.t);
  const auto geometric = series(r, r.graph->div(r.number(1), rest), 0, 60);
  for (const double a : geometric) EXPECT_DOUBLE_EQ(a, 1);
  const auto root = series(r, r.graph->unary(Op::sqrt, rest), 0, 60);
  const auto power = series(r, r.graph->pow(rest, r.p), 0, 60, 0.5);
  double binomial = 1;  // binom(1/2, n) (-1)^n
  for (int n = 0; n <= 60; ++n) {
    EXPECT_NEAR(root[n], binomial, test::rounding(2 * n + 4, binomial)) << n;
    EXPECT_NEAR(power[n], binomial, test::rounding(4 * n + 4, binomial)) << n;
    binomial *= -(0.5 - n) / (n + 1);
  }
}

TEST(Jet, quadruple_precision_agrees_with_double) {
  Row r;
  const Expr u = r.graph->mul(r.graph->unary(Op::sin, r.t), r.graph->unary(Op::exp, r.t));
  const Expr row =
      r.graph->unary(Op::tanh, r.graph->div(u, r.graph->add(r.p, r.graph->powi(r.t, -3))));
  const auto fine = series<Quad>(r, row, 0.7, 40, 2.5);
  const auto plain = series(r, row, 0.7, 40, 2.5);
  double size = 0;
  for (int n = 0; n <= 40; ++n) {
    size = std::max(size * 2, std::abs(plain[n]));  // coefficients grow like the radius, near 1/2
    EXPECT_NEAR(plain[n], static_cast<double>(fine[n]), test::rounding(90, size)) << n;
  }
}

TEST(Jet, rest_to_rest_is_the_polynomial_also_behind_a_curved_argument) {
  Row r;
  for (const int m : {2, 4, 7}) {
    for (const double t0 : {0.2, 0.75}) {
      const auto direct = series(r, r.graph->rest_to_rest(r.t, m), t0, 2 * m + 4);
      // the same function of t^2, at sqrt(t0), summed at a nearby time
      const auto curved =
          series(r, r.graph->rest_to_rest(r.graph->powi(r.t, 2), m), std::sqrt(t0), 40);
      const double h = 0.05;
      double near_direct = 0, near_curved = 0;
      for (int n = 2 * m + 4; n >= 0; --n) near_direct = near_direct * h + direct[n];
      for (int n = 40; n >= 0; --n) near_curved = near_curved * h + curved[n];
      EXPECT_NEAR(near_direct, expr::rest_to_rest_value(t0 + h, m, 0), test::rounding(2 * m + 20));
      const double s = (std::sqrt(t0) + h) * (std::sqrt(t0) + h);
      EXPECT_NEAR(near_curved, expr::rest_to_rest_value(s, m, 0), test::rounding(40, 20));
      EXPECT_EQ(direct[2 * m + 2], 0);
    }
  }
}

TEST(Jet, rest_to_rest_in_quadruple_precision_beyond_the_smoothness) {
  Row r;
  for (const int m : {4, 20, 40}) {
    const Expr row = r.graph->rest_to_rest(r.t, m);
    const auto fine = series<Quad>(r, row, 0.375, 2 * m + 1);
    const auto plain = series(r, row, 0.375, 2 * m + 1);
    double peak = 0;
    for (const Quad a : fine) peak = std::max(peak, std::abs(static_cast<double>(a)));
    for (int n = 0; n <= 2 * m + 1; ++n)  // the notes: 4e-16 at m = 4, 3e-14 at m = 40
      EXPECT_NEAR(plain[n], static_cast<double>(fine[n]), test::rounding(20 * (m + 1), peak))
          << m << ' ' << n;
  }
}

TEST(Jet, splines_are_their_local_polynomials_also_behind_a_curved_argument) {
  Row r;
  expr::PiecewisePolynomial p;  // 1 + 2h - h^3 on [0, 1], then 2 - h + h^2/2 on [1, 3]
  p.breaks = {0, 1, 3};
  p.coefficients = {1, 2, 0, -1, 2, -1, 0.5, 0};
  p.degree = 3;
  const std::uint16_t index = r.graph->add_spline(p);
  const auto straight = series(r, r.graph->spline(index, r.t), 0.25, 6);
  const double h = 0.25, exact[] = {1 + 2 * h - h * h * h, 2 - 3 * h * h, -3 * h, -1, 0, 0, 0};
  for (int n = 0; n <= 6; ++n) EXPECT_NEAR(straight[n], exact[n], test::rounding(8)) << n;
  // t^2 at t = 1.5 lies in the second piece, h = 1.25: the series in t of 2 - (t^2 - 1) + (t^2 - 1)^2/2
  const auto curved = series(r, r.graph->spline(index, r.graph->powi(r.t, 2)), 1.5, 6);
  const double t = 1.5, t2 = t * t;
  const double powers[] = {
      3.5 - 2 * t2 + t2 * t2 / 2, -4 * t + 2 * t * t2, -2 + 3 * t2, 2 * t, 0.5, 0, 0};
  for (int n = 0; n <= 6; ++n) EXPECT_NEAR(curved[n], powers[n], test::rounding(20, 4)) << n;
  const auto beyond = series(r, r.graph->spline(index, r.t), 5, 3);  // constant after its end
  EXPECT_NEAR(beyond[0], 2 - 2 + 2, test::rounding(8));
  EXPECT_EQ(beyond[1], 0);
}

TEST(Jet, signals_have_derivatives) {
  Row r;
  const Expr signal = r.graph->unary(Op::sin, r.graph->mul(r.p, r.t));
  const Expr row = r.graph->add(r.graph->leaf({9, 2}), r.graph->leaf({9, 0}));  // u'' + u
  JetSpec spec = r.spec(row);
  spec.signals.emplace_back(9, signal);
  Jet<double> jet(make_jet_program(spec), 20, std::vector{3.0});
  jet.set_time(0.1);
  for (int k = jet.first_stage(); k <= 20; ++k) {
    jet.evaluate(k);
    if (k >= 0) {
      const double scale = std::pow(3, k) / factorial(k);
      EXPECT_NEAR(jet.row(0, k), -8 * scale * std::sin(0.3 + k * M_PI / 2),
                  test::rounding(4 * (k + 4), scale * 9));
    }
  }
}

/// Rows that contain every operation, for the comparisons below.
std::vector<Expr> rows_of_every_kind(Row& r) {
  Graph& g = *r.graph;
  const Expr dx = g.leaf({x_symbol, 1}), ddy = g.leaf({y_symbol, 2});
  const auto u = [&](Op op, Expr a) { return g.unary(op, a); };
  return {
      g.add(g.mul(u(Op::sin, r.x), ddy), g.mul(dx, dx)),
      g.div(g.mul(u(Op::cos, r.x), u(Op::cosh, r.y)), g.add(r.number(3), g.powi(dx, 2))),
      g.mul(u(Op::exp, g.mul(r.x, r.y)), u(Op::sinh, r.x)),
      g.add(u(Op::log, g.add(r.number(4), dx)), u(Op::sqrt, g.add(r.number(4), ddy))),
      g.mul(u(Op::tan, r.x), u(Op::tanh, ddy)),
      g.add(u(Op::atan, ddy), g.mul(u(Op::asin, r.x), u(Op::acos, r.y))),
      g.binary(Op::atan2, g.add(r.x, ddy), g.add(r.number(2), r.y)),
      g.pow(g.add(r.number(2), r.x), ddy),
      g.pow(g.add(r.number(2), dx), r.p),
      g.powi(g.add(r.number(2), r.x), -3),
      g.add(u(Op::abs, ddy), g.mul(u(Op::sign, r.y), r.x)),
      g.binary(Op::min, g.mul(r.x, ddy), g.sub(r.y, r.number(5))),
      g.binary(Op::max, g.mul(r.x, ddy), g.sub(r.y, r.number(5))),
      g.binary(Op::mod, g.add(r.number(7), ddy), r.number(3)),
      g.select(g.binary(Op::less, dx, ddy), g.mul(r.y, ddy), r.x),
      g.mul(g.rest_to_rest(g.div(r.t, r.number(2)), 3), ddy),
      g.rest_to_rest(g.add(r.number(0.4), g.mul(r.number(0.01), ddy)), 3),
      g.neg(g.div(r.p, g.add(r.number(3), g.mul(r.t, ddy)))),
  };
}

double start_value(int symbol, int order) { return std::sin(1.3 * symbol + 0.7 * order) * 0.4; }

TEST(Jet, coefficients_are_symbolic_derivatives_over_factorials) {
  Row r;
  constexpr int highest = 6;
  for (const Expr row : rows_of_every_kind(r)) {
    Jet<double> jet(make_jet_program(r.spec(row, 0, 2)), highest, std::vector{1.7});
    jet.set_time(0.9);
    for (std::uint32_t j = 0; j < 2; ++j)
      for (int n = 0; n <= highest + 2; ++n)
        jet.coefficient(j, n) = start_value(static_cast<int>(j) + 1, n) / factorial(n);
    std::vector<Expr> derivative{row};
    for (int k = jet.first_stage(); k <= highest; ++k) {
      jet.evaluate(k);
      if (k < 0) continue;
      const double exact = expr::evaluate(*r.graph, derivative, [](expr::Leaf leaf) {
        if (leaf.symbol == expr::time_symbol) return leaf.order == 0 ? 0.9 : 1.0;
        if (leaf.symbol == p_symbol) return leaf.order == 0 ? 1.7 : 0.0;
        return start_value(static_cast<int>(leaf.symbol), leaf.order);
      })[0];
      EXPECT_NEAR(jet.row(0, k) * factorial(k), exact,
                  test::rounding(100 * (k + 1) * (k + 1), std::max(1.0, std::abs(exact))))
          << "row " << row.id << ", order " << k;
      derivative = expr::time_derivative(*r.graph, derivative,
                                         [](expr::SymbolId s) { return s != p_symbol; });
    }
  }
}

TEST(Jet, correction_equals_evaluation_anew) {
  Row r;
  constexpr int highest = 5;
  for (const Expr row : rows_of_every_kind(r))
    for (const int c : {0, 1}) {
      const auto program = make_jet_program(r.spec(row, c, 2 + c));
      Jet<double> corrected(program, highest, std::vector{1.7}),
          once = Jet<double>(program, highest, std::vector{1.7}),  // rows not evaluated again
          anew = Jet<double>(program, highest, std::vector{1.7});
      for (Jet<double>* jet : {&corrected, &once, &anew}) {
        jet->set_time(0.9);
        for (std::uint32_t j = 0; j < 2; ++j)
          for (int n = 0; n <= highest + 2 + c; ++n)
            jet->coefficient(j, n) = start_value(static_cast<int>(j) + 1, n) / factorial(n);
      }
      for (int k = corrected.first_stage(); k <= highest; ++k) {
        corrected.evaluate(k);
        once.evaluate(k);
        EXPECT_EQ(once.row(0, k), corrected.row(0, k)) << "row " << row.id << ", stage " << k;
        if (k >= 1) {
          const double change[] = {0.3 / factorial(k), -0.2 / factorial(k)};
          corrected.correct(k, change, true);
          once.correct(k, change, false);
          for (std::uint32_t j = 0; j < 2; ++j) anew.coefficient(j, k + 2 + c) += change[j];
        }
        anew.evaluate(k);
        EXPECT_NEAR(corrected.row(0, k), anew.row(0, k),
                    test::rounding(200, std::max(1.0, std::abs(anew.row(0, k)))))
            << "row " << row.id << ", c " << c << ", stage " << k;
      }
    }
}

TEST(Jet, foreign_symbols_and_invalid_offsets_are_refused) {
  Row r;
  EXPECT_THROW(make_jet_program(r.spec(r.graph->leaf({17, 0}))), std::invalid_argument);
  EXPECT_THROW(make_jet_program(r.spec(r.graph->leaf({x_symbol, 3}), 0, 2)), std::invalid_argument);
  EXPECT_THROW(Jet<double>(make_jet_program(r.spec(r.x)), -1, {}), std::invalid_argument);
}

}  // namespace
}  // namespace daedal::compile
