// Factorisations that are compiled once: each is what its header says, on matrices with known properties.
#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/symmetric_eigen.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

namespace daedal {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

constexpr double rounding = 1e-13;

/// Entries that follow no pattern.
MatrixXd matrix(int rows, int columns) {
  return MatrixXd::NullaryExpr(rows, columns, [](Eigen::Index i, Eigen::Index j) {
    return std::sin(static_cast<double>(1 + 7 * i + 3 * j * j + 5 * i * j));
  });
}

MatrixXd identity(Eigen::Index n) { return MatrixXd::Identity(n, n); }

TEST(Qr, IsOrthogonalTimesTriangular) {
  const MatrixXd m = matrix(6, 4);
  const Qr qr(m);
  EXPECT_LT((qr.q().transpose() * qr.q() - identity(6)).norm(), rounding);
  EXPECT_LT((qr.q(4) * qr.r() - m).norm(), rounding);
  EXPECT_TRUE(qr.r().isUpperTriangular(0));
  EXPECT_NEAR(qr.q().determinant(), qr.sign_of_q(), rounding);
}

TEST(Qr, MultipliesInPlaceAsTheMatrixDoes) {
  const Qr qr(matrix(5, 3));
  MatrixXd left = matrix(5, 7), right = matrix(2, 5);
  qr.multiply_by_q_transposed(left);
  qr.multiply_into_q(right);
  EXPECT_LT((left - qr.q().transpose() * matrix(5, 7)).norm(), rounding);
  EXPECT_LT((right - matrix(2, 5) * qr.q()).norm(), rounding);
}

TEST(Qr, LeavesAResidualAcrossTheColumns) {
  const MatrixXd m = matrix(6, 3);
  const VectorXd b = matrix(6, 1), x = Qr(m).least_squares(b);
  EXPECT_LT((m.transpose() * (m * x - b)).norm(), rounding);
}

TEST(PivotedQr, FindsTheRankAndTheNullSpace) {
  const MatrixXd m = matrix(5, 3) * matrix(3, 6);
  const PivotedQr qr(m);
  EXPECT_EQ(qr.rank(), 3);
  const MatrixXd r = qr.r().triangularView<Eigen::Upper>();
  EXPECT_LT((qr.q() * r - m * qr.permutation()).norm(), rounding * m.norm());
  const MatrixXd free = null_space_of(m, 1e-10);
  ASSERT_EQ(free.cols(), 3);
  EXPECT_LT((m * free).norm(), rounding * m.norm());
  EXPECT_LT((free.transpose() * free - identity(3)).norm(), rounding);
  EXPECT_EQ(null_space_of(MatrixXd(0, 4), 1e-10), identity(4));
}

TEST(PivotedQr, CountsPivotsAboveTheThreshold) {
  const MatrixXd m = VectorXd{{1, 1e-5, 1e-9}}.asDiagonal();
  EXPECT_EQ(PivotedQr(m).rank(), 3);
  EXPECT_EQ(PivotedQr(m, 1e-7).rank(), 2);
  EXPECT_EQ(LeastNorm(m, 1e-3).rank(), 1);
}

TEST(LeastNorm, GivesTheSmallestOfTheBestSolutions) {
  const MatrixXd m = matrix(5, 2) * matrix(2, 4);
  const VectorXd b = matrix(5, 1), x = LeastNorm(m).solve(b);
  EXPECT_LT((m.transpose() * (m * x - b)).norm(), rounding * m.squaredNorm());
  EXPECT_LT((null_space_of(m, 1e-10).transpose() * x).norm(), rounding);
  EXPECT_LT((pseudo_inverse(m) * b - x).norm(), rounding);
  EXPECT_LT((LeastNorm(m).solve(MatrixXd(b)) - x).norm(), rounding);
}

TEST(Lu, SolvesBothSidesAndKnowsTheDeterminant) {
  const MatrixXd m = matrix(5, 5);
  const Lu lu(m);
  const VectorXd b = matrix(5, 1);
  EXPECT_LT((m * lu.solve(b) - b).norm(), rounding);
  EXPECT_LT((m * lu.solve(matrix(5, 3)) - matrix(5, 3)).norm(), rounding);
  EXPECT_LT((m.transpose() * lu.solve_transposed(b) - b).norm(), rounding);
  EXPECT_LT((m * lu.inverse() - identity(5)).norm(), rounding);
  EXPECT_NEAR(lu.sign_of_permutation() * lu.pivots().prod(), lu.determinant(), rounding);
  // Hager's estimate is a lower bound of the norm of the inverse, rarely by more than a factor of three
  const auto norm = [](const MatrixXd& a) { return a.cwiseAbs().colwise().sum().maxCoeff(); };
  const double condition = norm(m) * norm(lu.inverse());
  EXPECT_GE(lu.reciprocal_condition(), (1 - rounding) / condition);
  EXPECT_LE(lu.reciprocal_condition(), 3 / condition);
  EXPECT_EQ(Lu(MatrixXd{{0, 2}, {3, 0}}).determinant(), -6);
}

TEST(Lu, SolvesComplexEquations) {
  const MatrixXcd m = matrix(4, 4) + std::complex<double>(0, 1) * matrix(4, 4).transpose();
  const VectorXcd b = m.col(2);
  EXPECT_LT((ComplexLu(m).solve(b) - VectorXcd::Unit(4, 2)).norm(), rounding);
  EXPECT_LT((ComplexLu(m).solve(m) - MatrixXcd::Identity(4, 4)).norm(), rounding);
  EXPECT_LT((m.adjoint() * ComplexLu(m).solve_adjoint(b) - b).norm(), rounding);
}

TEST(SymmetricEigen, DiagonalisesInAscendingOrder) {
  const MatrixXd m = matrix(5, 5) + matrix(5, 5).transpose();
  const auto [values, vectors] = symmetric_eigen(m);
  EXPECT_LT((vectors * values.asDiagonal() * vectors.transpose() - m).norm(), rounding * m.norm());
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LT((symmetric_eigenvalues(m) - values).norm(), rounding * m.norm());
}

}  // namespace
}  // namespace daedal
