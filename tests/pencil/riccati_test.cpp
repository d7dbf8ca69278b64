// Riccati equations against closed forms, against digits of a slower arithmetic, and by what their solutions mean.
#include "daedal/pencil/riccati.hpp"

#include "daedal/base/lu.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace daedal::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using test::rounding;

MatrixXd matrix(Index rows, Index columns, std::initializer_list<double> values) {
  MatrixXd m(rows, columns);
  auto value = values.begin();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) m(i, j) = *value++;
  return m;
}

MatrixXd random_matrix(Index rows, Index columns, std::mt19937& random) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

RiccatiEquation random_equation(Index n, Index m, std::mt19937& random) {
  RiccatiEquation p;
  p.a = random_matrix(n, n, random) /
        std::sqrt(static_cast<double>(n));  // eigenvalues in the unit disc
  p.b = random_matrix(n, m, random);
  const MatrixXd seen = random_matrix(n, n, random), paid = random_matrix(m, m, random);
  p.q = seen * seen.transpose();
  p.r = paid * paid.transpose() + MatrixXd::Identity(m, m);
  return p;
}

// x' = a x + b u, q x^2 + r u^2: b^2/r X^2 - 2 a X - q = 0, the larger root
TEST(ContinuousRiccati, one_state_has_the_root_of_a_quadratic_equation) {
  for (const double a : {-2.0, 0.0, 3.0}) {
    const double b = 0.5, q = 2, r = 4;
    const RiccatiSolution found = continuous_riccati(
        {matrix(1, 1, {a}), matrix(1, 1, {b}), matrix(1, 1, {q}), matrix(1, 1, {r})});
    ASSERT_TRUE(found.solved());
    const double exact = (a + std::sqrt(a * a + b * b * q / r)) * r / (b * b);
    EXPECT_NEAR(found.x(0, 0), exact, rounding(50, exact));
    EXPECT_NEAR(found.closed[0].real(), -std::sqrt(a * a + b * b * q / r), rounding(50, 3));
  }
}

// x'' = u, Q = 1, R = 1: X = [sqrt 3, 1; 1, sqrt 3]
TEST(ContinuousRiccati, the_double_integrator) {
  const RiccatiSolution found =
      continuous_riccati({matrix(2, 2, {0, 1, 0, 0}), matrix(2, 1, {0, 1}),
                          MatrixXd::Identity(2, 2), MatrixXd::Identity(1, 1)});
  ASSERT_TRUE(found.solved());
  const double root = std::sqrt(3.0);
  EXPECT_LE((found.x - matrix(2, 2, {root, 1, 1, root})).norm(), rounding(100, root));
  EXPECT_LE((found.gain - matrix(1, 2, {1, root})).norm(), rounding(100, root));
}

// a^2 X - X - (a b X)^2/(r + b^2 X) + q = 0
TEST(DiscreteRiccati, one_state_has_the_root_of_a_quadratic_equation) {
  for (const double a : {0.5, 1.0, 2.0}) {
    const double b = 0.5, q = 2, r = 4;
    const RiccatiSolution found = discrete_riccati(
        {matrix(1, 1, {a}), matrix(1, 1, {b}), matrix(1, 1, {q}), matrix(1, 1, {r})});
    ASSERT_TRUE(found.solved());
    const double half = (r * (1 - a * a) - b * b * q) / 2;
    const double exact = (-half + std::sqrt(half * half + b * b * q * r)) / (b * b);
    EXPECT_NEAR(found.x(0, 0), exact, rounding(100, exact));
    EXPECT_LT(std::abs(found.closed[0]), 1.0);
    EXPECT_NEAR(std::abs(found.closed[0]), std::abs(a - b * found.gain(0, 0)), rounding(50, 2));
  }
}

TEST(Riccati, solutions_satisfy_their_equation_and_stabilise) {
  std::mt19937 random(7);
  for (const Index n : {2, 5, 12, 40}) {
    const RiccatiEquation p = random_equation(n, 2 + n / 5, random);
    for (const bool discrete : {false, true}) {
      SCOPED_TRACE(n);
      const RiccatiSolution found = discrete ? discrete_riccati(p) : continuous_riccati(p);
      ASSERT_TRUE(found.solved());
      EXPECT_LE(found.residual, rounding(100.0 * static_cast<double>(n)));
      EXPECT_LE((found.x - found.x.transpose()).norm(), rounding(1, found.x.norm()));
      EXPECT_GT(found.x.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
      const Eigen::VectorXcd closed = (p.a - p.b * found.gain).eigenvalues();
      if (discrete)
        EXPECT_LT(closed.cwiseAbs().maxCoeff(), 1);
      else
        EXPECT_LT(closed.real().maxCoeff(), 0);
    }
  }
}

// Unlike units: two states of a metre and a thousandth, angles weighted 10^4. X and F by Newton's method with 60 digits
// (mpmath, 15 iterations from poles at -1, -2, -3, -4), of which 20 are printed here.
TEST(ContinuousRiccati, weights_of_unlike_size_agree_with_sixty_digits) {
  const RiccatiEquation p{matrix(4, 4, {0, 1, 0, 0, 0, 0, -9.81, 0, 0, 0, 0, 1, 0, 0, 19.62, 0}),
                          matrix(4, 1, {0, 1, 0, -1}),
                          Eigen::Vector4d(1, 1e-4, 1e4, 0).asDiagonal().toDenseMatrix(),
                          matrix(1, 1, {1e-3})};
  const RiccatiSolution found = continuous_riccati(p);
  ASSERT_TRUE(found.solved());
  const MatrixXd gain = matrix(1, 4,
                               {-31.62277660168379332, -144.29943053778471223,
                                -3249.3495748887948063, -224.52133276263987695});
  const double first[] = {4.5631486556465542311, 10.411112826764477583, 7.0999879482652691752,
                          10.442735603366161376};
  // the closed loop moves at 0.2 to 50 1/s: a condition of some 10^3
  for (Index j = 0; j < 4; ++j) {
    EXPECT_NEAR(found.gain(0, j), gain(0, j), rounding(1e3, gain(0, j)));
    EXPECT_NEAR(found.x(0, j), first[j], rounding(1e3, first[j]));
  }
}

// Completing the square: with u = w - R^-1 S^T x the cost has no cross terms.
TEST(Riccati, cross_terms_are_another_cost_with_another_input) {
  std::mt19937 random(11);
  for (const bool discrete : {false, true}) {
    RiccatiEquation p = random_equation(5, 2, random);
    p.s = 0.1 * random_matrix(5, 2, random);
    const MatrixXd shift = Lu(p.r).solve(MatrixXd(p.s->transpose()));
    const RiccatiEquation without{p.a - p.b * shift, p.b, p.q - *p.s * shift, p.r};
    const auto solve = discrete ? discrete_riccati : continuous_riccati;
    const RiccatiSolution found = solve(p), other = solve(without);
    ASSERT_TRUE(found.solved() && other.solved());
    const double bound =
        rounding(1e4, found.x.norm());  // conditions of random equations are some 10^2
    EXPECT_LE((found.x - other.x).norm(), bound);
    EXPECT_LE((found.gain - (other.gain + shift)).norm(), bound);
  }
}

TEST(Riccati, a_descriptor_form_is_the_explicit_one) {
  std::mt19937 random(13);
  for (const bool discrete : {false, true}) {
    RiccatiEquation p = random_equation(6, 2, random);
    p.e = random_matrix(6, 6, random) + 3 * MatrixXd::Identity(6, 6);
    const Lu e(*p.e);
    const RiccatiEquation plain{e.solve(p.a), e.solve(p.b), p.q, p.r};
    const auto solve = discrete ? discrete_riccati : continuous_riccati;
    const RiccatiSolution found = solve(p), other = solve(plain);
    ASSERT_TRUE(found.solved() && other.solved());
    EXPECT_LE((found.gain - other.gain).norm(), rounding(1e4, other.gain.norm()));
    EXPECT_LE((p.e->transpose() * found.x * *p.e - other.x).norm(), rounding(1e4, other.x.norm()));
  }
}

// Sampled faster and faster, the sum of the costs is the integral: X T -> X of continuous time, with order 1.
TEST(Riccati, discrete_time_becomes_continuous_with_order_1) {
  std::mt19937 random(17);
  const RiccatiEquation p = random_equation(4, 1, random);
  const RiccatiSolution limit = continuous_riccati(p);
  ASSERT_TRUE(limit.solved());
  double before = 0;
  for (const double step : {4e-4, 2e-4, 1e-4}) {
    const RiccatiSolution found = discrete_riccati(
        {MatrixXd::Identity(4, 4) + step * p.a, step * p.b, step * p.q, step * p.r});
    ASSERT_TRUE(found.solved());
    const double error = (found.x - limit.x).norm();
    if (before > 0) {
      EXPECT_NEAR(before / error, 2, 0.02);  // terms of order 2 at these steps
    }
    before = error;
  }
}

// A mode that the input does not move keeps its place: on the axis there is no stabilising feedback.
TEST(Riccati, says_that_modes_on_the_boundary_stay_there) {
  const RiccatiEquation p{matrix(3, 3, {0, 1, 0, -4, 0, 0, 0, 0, -1}), matrix(3, 1, {0, 0, 1}),
                          MatrixXd::Identity(3, 3), MatrixXd::Identity(1, 1)};
  const RiccatiSolution found = continuous_riccati(p);
  EXPECT_EQ(found.status, RiccatiStatus::no_gap);
  ASSERT_FALSE(found.boundary.empty());
  EXPECT_NEAR(std::abs(found.boundary[0].imag()), 2, 1e-7);  // double: the root of rounding
}

TEST(Riccati, says_that_a_weight_is_singular) {
  const RiccatiEquation p{matrix(1, 1, {1}), matrix(1, 2, {1, 1}), matrix(1, 1, {1}),
                          matrix(2, 2, {1, 1, 1, 1})};
  EXPECT_EQ(continuous_riccati(p).status, RiccatiStatus::singular_weight);
}

TEST(Riccati, refuses_matrices_that_do_not_fit) {
  EXPECT_THROW(continuous_riccati({matrix(2, 2, {0, 1, 0, 0}), matrix(1, 1, {1}),
                                   MatrixXd::Identity(2, 2), MatrixXd::Identity(1, 1)}),
               std::invalid_argument);
}

}  // namespace
}  // namespace daedal::analysis
