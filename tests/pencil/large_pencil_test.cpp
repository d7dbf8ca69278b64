// The fast methods for large blocks against the slow ones: singular values, QZ.
#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/pencil/qz.hpp"
#include "daedal/pencil/singular_values.hpp"
#include "daedal/pencil/staircase.hpp"
#include "pencil/null_space.hpp"
#include "pencil/standard_eigenvalues.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace daedal::analysis {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double eps = std::numeric_limits<double>::epsilon();

MatrixXd random(Index rows, Index columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return entry(generator); });
}

MatrixXd orthogonal(Index n, unsigned seed) { return Qr(random(n, n, seed)).q(); }

/// E has singular values from 1 to `condition`; three rows are above.
FinitePart pencil(Index n, double condition) {
  const Eigen::VectorXd sigma = Eigen::VectorXd::LinSpaced(n, 0, std::log(condition)).array().exp();
  return {orthogonal(n, 1) * sigma.asDiagonal() * orthogonal(n, 2), random(n, n, 3),
          random(3, n, 4), random(3, n, 5)};
}

/// Of `sigma`, in an arbitrary basis.
MatrixXd with_singular_values(const Eigen::VectorXd& sigma) {
  return orthogonal(sigma.size(), 6) * sigma.asDiagonal() * orthogonal(sigma.size(), 7);
}

/// R = diag(1, s, s^2, ...) (I - c N), N full of ones above its diagonal: QR with pivoting leaves it as it is, and its
/// diagonal stays far above the smallest singular value [GolubVanLoan1996, section 5.5.7].
MatrixXd kahan(Index n, double c) {
  const double s = std::sqrt(1 - c * c);
  MatrixXd r = MatrixXd::Identity(n, n);
  r.triangularView<Eigen::StrictlyUpper>().setConstant(-c);
  for (Index i = 0; i < n; ++i) r.row(i) *= std::pow(s, static_cast<double>(i));
  // a hair more on the left keeps rounding from exchanging columns
  for (Index j = 0; j < n; ++j) r.col(j) *= 1 - 1e-13 * static_cast<double>(j);
  return r;
}

TEST(LargePencil, the_standard_problem_has_the_eigenvalues_and_conditions_of_qz) {
  const FinitePart given = pencil(80, 4);
  const auto quick = standard_eigenvalues(given);
  ASSERT_TRUE(quick);
  const GeneralisedEigenvalues slow = qz(given);
  ASSERT_EQ(quick->values.size(), slow.values.size());
  for (std::size_t i = 0; i < slow.values.size(); ++i) {
    const auto nearest = std::min_element(
        quick->values.begin(), quick->values.end(), [&](const auto& a, const auto& b) {
          return std::abs(a - slow.values[i]) < std::abs(b - slow.values[i]);
        });
    const auto k = static_cast<Index>(i), j = nearest - quick->values.begin();
    const double condition = slow.left_norm[k] * slow.right_norm[k] / slow.product[k];
    const double estimated = quick->left_norm[j] * quick->right_norm[j] / quick->product[j];
    const double size = given.a.norm() + std::abs(slow.values[i]) * given.e.norm();
    EXPECT_LT(std::abs(*nearest - slow.values[i]), 10 * eps * size * estimated);
    // at least the condition number, at most cond(E) and the growth of E^-1 A more; norms are estimated to some per cent
    EXPECT_GT(estimated, 0.9 * condition);
    EXPECT_LT(estimated, 4 * safe_growth * condition);
    // the rows above, which do not know the length of x
    const double above = quick->above.col(j).norm() / quick->right_norm[j];
    // backward errors of two eigenvector computations, some eps times the size each
    EXPECT_NEAR(above, slow.above.col(k).norm() / slow.right_norm[k], 1e3 * eps * size * condition);
  }
}

TEST(LargePencil, a_nearly_singular_e_is_left_to_qz) {
  EXPECT_FALSE(standard_eigenvalues(pencil(80, 1e6)));
}

TEST(LargePencil, bounds_enclose_the_singular_values_on_both_sides_of_the_rank) {
  Eigen::VectorXd sigma = Eigen::VectorXd::LinSpaced(60, 3, 1);
  sigma.tail(4).setZero();
  const MatrixXd m = with_singular_values(sigma);
  const double certain = 8 * 60 * eps * m.norm();
  const auto found = clear_null_space(m, certain, certain);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->nullity(), 4);
  EXPECT_EQ(found->decision.rank, decide_rank(singular_values(m).values, certain, certain).rank);
  EXPECT_LE(found->decision.smallest_kept, sigma[55] * (1 + 60 * eps));
  EXPECT_GE(found->decision.smallest_kept, sigma[55] / 60);
  MatrixXd turned = m, v = MatrixXd::Identity(60, 60);
  found->turn_columns(turned);
  found->turn_columns(v);
  EXPECT_LE(turned.leftCols(4).norm(), certain);
  EXPECT_EQ(Lu(v).determinant() < 0 ? -1 : 1, found->sign);
}

TEST(LargePencil, singular_values_are_asked_where_one_lies_in_doubt) {
  Eigen::VectorXd sigma = Eigen::VectorXd::LinSpaced(60, 3, 1);
  sigma[59] = 1e-9;
  EXPECT_FALSE(clear_null_space(with_singular_values(sigma), 1e-12, 1e-6));  // between both
  EXPECT_TRUE(clear_null_space(with_singular_values(sigma), 1e-12, 1e-12));
  EXPECT_FALSE(clear_null_space(MatrixXd::Zero(60, 60), 1e-12, 1e-12));
}

TEST(LargePencil, a_diagonal_that_hides_a_small_singular_value_does_not_deceive) {
  const MatrixXd m = kahan(90, 0.285);
  const Eigen::VectorXd sigma = singular_values(m).values;
  const PivotedQr qr(m);
  const double smallest = sigma[89], shown = std::abs(qr.r()(89, 89));
  ASSERT_GT(shown, 1e3 * smallest);  // so that the diagonal does deceive
  EXPECT_FALSE(clear_null_space(m, smallest / 100, std::sqrt(shown * smallest)));
}

}  // namespace
}  // namespace daedal::analysis
