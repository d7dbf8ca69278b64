// Pencils whose eigenvalues are known because they are built from them.
#include "daedal/pencil/pencil.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
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

// Random mixing, chains of infinite eigenvalues and their deflation: eps times a condition of some 10.
const double mixed_rounding = daedal::test::rounding(100, 10);

struct Pencil {
  MatrixXd e, a;
};

/// det != 0 and condition below some tens: a random orthogonal matrix times a mild diagonal.
MatrixXd mixing(Index n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const MatrixXd m = MatrixXd::NullaryExpr(n, n, [&] { return normal(random); });
  const MatrixXd q = Qr(m).q();
  return q * Eigen::VectorXd::LinSpaced(n, 1, 4).asDiagonal();
}

Pencil mixed(const Pencil& p, unsigned seed) {
  std::mt19937 random(seed);
  const MatrixXd left = mixing(p.a.rows(), random), right = mixing(p.a.rows(), random);
  return {left * p.e * right, left * p.a * right};
}

/// diag(J - s I, I - s N): finite eigenvalues are those of J, N nilpotent with chains of the given lengths.
Pencil with_infinite_part(const MatrixXd& finite, const std::vector<Index>& chains) {
  Index n = finite.rows();
  for (const Index length : chains) n += length;
  Pencil p{MatrixXd::Zero(n, n), MatrixXd::Zero(n, n)};
  Index at = finite.rows();
  p.e.topLeftCorner(at, at).setIdentity();
  p.a.topLeftCorner(at, at) = finite;
  p.a.bottomRightCorner(n - at, n - at).setIdentity();
  for (const Index length : chains) {
    for (Index k = 0; k + 1 < length; ++k) p.e(at + k, at + k + 1) = 1;
    at += length;
  }
  return p;
}

MatrixXd jordan_block(double value, Index size) {
  MatrixXd j = value * MatrixXd::Identity(size, size);
  for (Index k = 0; k + 1 < size; ++k) j(k, k + 1) = 1;
  return j;
}

MatrixXd diagonal(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Index>(values.size()))
      .asDiagonal();
}

TEST(Pencil, finite_and_infinite_eigenvalues_are_told_apart_whatever_the_index) {
  for (unsigned seed = 1; seed <= 10; ++seed)
    for (const std::vector<Index>& chains :
         {std::vector<Index>{1}, {2}, {3, 1}, {5, 2, 1}, {7}, {4, 4, 3}}) {
      const Pencil p = mixed(with_infinite_part(diagonal({4, 0.5, -1, -30}), chains), seed);
      const Spectrum s = finite_eigenvalues(p.e, p.a);
      ASSERT_TRUE(s.regular());
      ASSERT_EQ(s.finite(), 4) << "seed " << seed;
      EXPECT_EQ(s.infinite, p.a.rows() - 4);
      EXPECT_GT(s.smallest_gap(), convincing_gap);
      const double expected[] = {4, 0.5, -1, -30};
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(std::abs(s.values[k].value - expected[k]), 0, mixed_rounding * 30)
            << "seed " << seed;
    }
}

TEST(Pencil, errors_are_estimated_within_two_orders) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Pencil p = mixed(with_infinite_part(diagonal({2, 1, -1, -3}), {3}), seed);
    const Spectrum s = finite_eigenvalues(p.e, p.a);
    ASSERT_EQ(s.finite(), 4);
    const double expected[] = {2, 1, -1, -3};
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_LT(std::abs(s.values[k].value - expected[k]), 10 * s.values[k].error);
      EXPECT_LT(s.values[k].error, 1e-11);
    }
  }
}

TEST(Pencil, a_defective_eigenvalue_is_one_cluster_with_a_good_mean) {
  for (const Index size : {2, 3, 4})
    for (unsigned seed = 1; seed <= 5; ++seed) {
      MatrixXd finite = MatrixXd::Zero(size + 2, size + 2);
      finite.topLeftCorner(size, size) = jordan_block(-3, size);
      finite(size, size) = 1;
      finite(size + 1, size + 1) = -7;
      const Pencil p = mixed(with_infinite_part(finite, {2}), seed);
      const Spectrum s = finite_eigenvalues(p.e, p.a);
      ASSERT_EQ(s.clusters.size(), 3u) << "size " << size << ", seed " << seed;
      EXPECT_EQ(s.clusters[1].multiplicity, size);
      EXPECT_NEAR(s.clusters[1].mean.real(), -3, mixed_rounding * 30);
      EXPECT_NEAR(s.clusters[1].mean.imag(), 0, daedal::test::rounding(1000, 7));
      // rounding splits a block of size m by eps^(1/m) times a moderate constant
      EXPECT_LT(s.clusters[1].spread, 20 * std::pow(1e-15, 1.0 / static_cast<double>(size)));
    }
}

TEST(Pencil, an_exactly_defective_eigenvalue_does_not_swallow_the_others) {
  // S diag(J_2(0), 5, 5.1) S^-1 with small integers: QZ may find the double zero exactly, its vectors orthogonal
  MatrixXd similarity(4, 4), jordan = diagonal({0, 0, 5, 5.1});
  similarity << 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 2;
  jordan(0, 1) = 1;
  const Spectrum s =
      finite_eigenvalues(MatrixXd::Identity(4, 4), similarity * jordan * Lu(similarity).inverse());
  ASSERT_EQ(s.clusters.size(), 3u);
  EXPECT_EQ(s.clusters[2].multiplicity, 2);
  EXPECT_NEAR(s.clusters[2].mean.real(), 0, daedal::test::rounding(1000, 5));
}

TEST(Pencil, close_eigenvalues_that_rounding_tells_apart_are_no_cluster) {
  const Pencil p = mixed(with_infinite_part(diagonal({1, 1 + 1e-6, -2}), {3}), 5);
  EXPECT_EQ(finite_eigenvalues(p.e, p.a).clusters.size(), 3u);
}

TEST(Pencil, a_repeated_eigenvalue_that_is_not_defective_is_a_tight_cluster) {
  const Pencil p = mixed(with_infinite_part(diagonal({-2, -2, -2, 5}), {2}), 3);
  const Spectrum s = finite_eigenvalues(p.e, p.a);
  ASSERT_EQ(s.clusters.size(), 2u);
  EXPECT_EQ(s.clusters[1].multiplicity, 3);
  EXPECT_LT(s.clusters[1].spread, 1e-12);
}

TEST(Pencil, a_singular_pencil_is_told_as_such) {
  // a column of zeros; a common null vector after mixing; two proportional rows
  EXPECT_EQ(finite_eigenvalues(diagonal({1, 0}), diagonal({1, 0})).status, PencilStatus::singular);
  Pencil p = mixed({diagonal({1, 2, 0}), diagonal({1, 1, 0})}, 4);
  EXPECT_EQ(finite_eigenvalues(p.e, p.a).status, PencilStatus::singular);
  // L_1 and L_1^T: no common null vector, and yet det(A - s E) = 0 for every s
  p = {MatrixXd::Zero(3, 3), MatrixXd::Zero(3, 3)};
  p.e(0, 0) = p.a(0, 1) = p.e(1, 2) = p.a(2, 2) = 1;
  p = mixed(p, 9);
  EXPECT_EQ(finite_eigenvalues(p.e, p.a).status, PencilStatus::singular);
}

TEST(Pencil, units_do_not_matter) {
  const Pencil p = mixed(with_infinite_part(diagonal({3, -1, -20}), {3, 1}), 11);
  const Index n = p.a.rows();
  Eigen::VectorXd rows(n), columns(n);
  for (Index k = 0; k < n; ++k) {
    rows[k] = std::pow(10.0, static_cast<double>(3 * (k % 4) - 6));
    columns[k] = std::pow(10.0, static_cast<double>(4 * (k % 3) - 5));
  }
  const Spectrum s = finite_eigenvalues(rows.asDiagonal() * p.e * columns.asDiagonal(),
                                        rows.asDiagonal() * p.a * columns.asDiagonal());
  ASSERT_EQ(s.finite(), 3);
  EXPECT_NEAR(s.values[0].value.real(), 3, mixed_rounding * 20);
  EXPECT_NEAR(s.values[2].value.real(), -20, mixed_rounding * 20);
}

TEST(Pencil, the_leading_term_of_the_determinant_is_found) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Pencil p = mixed(with_infinite_part(diagonal({4, 0.5, -1}), {3, 2}), seed);
    const Spectrum s = finite_eigenvalues(p.e, p.a);
    ASSERT_EQ(s.leading.degree, 3);
    // det(A - s E) = leading * (s - 4)(s - 0.5)(s + 1), here at s = 2
    const double at = 2, direct = Lu(p.a - at * p.e).determinant();
    const double leading = s.leading.sign * std::exp(s.leading.log_magnitude);
    EXPECT_NEAR(leading * (at - 4) * (at - 0.5) * (at + 1) / direct, 1, mixed_rounding * 4)
        << "seed " << seed;
  }
}

TEST(Pencil, blocks_of_one_are_exact) {
  // upper triangular, shuffled: every diagonal entry is an eigenvalue of its own, however coupled they are
  MatrixXd a = MatrixXd::Zero(4, 4), e = MatrixXd::Zero(4, 4);
  a << 1, 1e6, 0, 3, 0, 1, 1e6, 0, 0, 0, 1, 1e6, 0, 0, 0, 1;
  e.diagonal() << 1, 1, 1, 0;
  Eigen::PermutationMatrix<4> rows, columns;
  rows.indices() << 2, 0, 3, 1;
  columns.indices() << 1, 3, 0, 2;
  const Spectrum s = finite_eigenvalues(rows * e * columns, rows * a * columns);
  ASSERT_EQ(s.finite(), 3);
  EXPECT_EQ(s.infinite, 1);
  EXPECT_TRUE(s.decisions.empty());
  for (const Eigenvalue& value : s.values) EXPECT_EQ(value.value, 1.0);
}

TEST(Pencil, shapes_must_match) {
  EXPECT_THROW(finite_eigenvalues(MatrixXd::Zero(2, 2), MatrixXd::Zero(3, 3)),
               std::invalid_argument);
  EXPECT_EQ(finite_eigenvalues(MatrixXd(0, 0), MatrixXd(0, 0)).finite(), 0);
}

}  // namespace
}  // namespace daedal::analysis
