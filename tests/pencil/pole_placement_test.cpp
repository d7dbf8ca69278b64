// Poles that are placed, by the eigenvalues of the loop and against closed forms.
#include "daedal/pencil/pole_placement.hpp"

#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace daedal::analysis {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using test::rounding;

MatrixXd random_matrix(Index rows, Index columns, std::mt19937& random) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// Poles in the left half plane: some real, some pairs.
std::vector<Complex> random_poles(Index n, Index pairs, std::mt19937& random) {
  std::uniform_real_distribution<double> size(0.5, 3);
  std::vector<Complex> poles;
  for (Index k = 0; k < pairs; ++k) {
    poles.emplace_back(-size(random), size(random));
    poles.push_back(std::conj(poles.back()));
  }
  while (static_cast<Index>(poles.size()) < n) poles.emplace_back(-size(random));
  return poles;
}

/// Distance of the nearest eigenvalue of `closed` from each pole, over what rounding in A - B F of that size makes of it: the
/// condition number of the matrix of eigenvectors times the norms [BauerFike1960].
double relative_error(const MatrixXd& a, const MatrixXd& b, const MatrixXd& gain,
                      const std::vector<Complex>& poles) {
  const MatrixXd closed = a - b * gain;
  const Eigen::EigenSolver<MatrixXd> eigen(closed);
  const Eigen::VectorXd singular = eigen.eigenvectors().jacobiSvd().singularValues();
  const double condition = singular[0] / singular[singular.size() - 1];
  const double size = a.norm() + b.norm() * gain.norm();
  double largest = 0;
  for (const Complex pole : poles) {
    double nearest = INFINITY;
    for (const Complex found : eigen.eigenvalues())
      nearest = std::min(nearest, std::abs(found - pole));
    largest = std::max(largest, nearest);
  }
  return largest / (condition * size);
}

TEST(PolePlacement, loops_have_the_poles_that_were_asked_for) {
  std::mt19937 random(5);
  for (const Index n : {1, 2, 3, 4, 5, 6, 8, 10})
    for (const Index m : {1, 2, 3})
      for (Index pairs = 0; 2 * pairs <= n; ++pairs) {
        SCOPED_TRACE(testing::Message()
                     << n << " states, " << m << " inputs, " << pairs << " pairs");
        const MatrixXd a = random_matrix(n, n, random), b = random_matrix(n, m, random);
        const std::vector<Complex> poles = random_poles(n, pairs, random);
        const PolePlacement found = place_poles(a, b, poles);
        ASSERT_TRUE(found.placed());
        EXPECT_LE(relative_error(a, b, found.gain, poles),
                  rounding(10.0 * static_cast<double>(n * n)));
      }
}

// Integrators in a row: the gains are the coefficients of the polynomial.
TEST(PolePlacement, of_a_chain_of_integrators_is_the_polynomial) {
  constexpr Index n = 4;
  MatrixXd a = MatrixXd::Zero(n, n), b = MatrixXd::Zero(n, 1);
  for (Index k = 0; k + 1 < n; ++k) a(k, k + 1) = 1;
  b(n - 1, 0) = 1;
  // (s + 1)(s + 2)(s^2 + 2 s + 5)
  const PolePlacement found = place_poles(a, b, {-1, -2, {-1, 2}, {-1, -2}});
  ASSERT_TRUE(found.placed());
  const double coefficients[] = {10, 19, 13, 5};
  for (Index k = 0; k < n; ++k)
    EXPECT_NEAR(found.gain(0, k), coefficients[k], rounding(1000, coefficients[k]));
}

// With one input there is one feedback, whatever the coordinates.
TEST(PolePlacement, with_one_input_does_not_depend_on_the_basis) {
  std::mt19937 random(8);
  const Index n = 6;
  const MatrixXd a = random_matrix(n, n, random), b = random_matrix(n, 1, random);
  const MatrixXd turn = Eigen::HouseholderQR<MatrixXd>(random_matrix(n, n, random)).householderQ();
  const std::vector<Complex> poles = random_poles(n, 2, random);
  const PolePlacement one = place_poles(a, b, poles),
                      other = place_poles(turn.transpose() * a * turn, turn.transpose() * b, poles);
  ASSERT_TRUE(one.placed() && other.placed());
  MatrixXd reached(n, n);
  reached.col(0) = b;
  for (Index k = 1; k < n; ++k) reached.col(k) = a * reached.col(k - 1);
  const Eigen::VectorXd singular = reached.jacobiSvd().singularValues();
  const double condition = singular[0] / singular[n - 1];  // of the map from poles to gains
  EXPECT_NEAR((one.gain - other.gain * turn.transpose()).norm(), 0,
              rounding(100 * condition, one.gain.norm()));
}

// Open poles may be asked for again, and poles may be equal.
TEST(PolePlacement, poles_may_stay_and_may_be_equal) {
  MatrixXd a = MatrixXd::Zero(3, 3), b = MatrixXd::Zero(3, 1);
  a << -1, 1, 0, 0, -2, 1, 0, 0, -3;
  b(2, 0) = 1;
  const PolePlacement same = place_poles(a, b, {-3, -1, -2});
  ASSERT_TRUE(same.placed());
  EXPECT_NEAR(same.gain.norm(), 0, rounding(100, 3));
  const PolePlacement equal = place_poles(a, b, {-4, -4, -4});
  ASSERT_TRUE(equal.placed());
  const MatrixXd shifted = a - b * equal.gain + 4 * MatrixXd::Identity(3, 3);
  EXPECT_NEAR((shifted * shifted * shifted).norm(), 0, rounding(1000, std::pow(shifted.norm(), 3)));
}

// Equal pairs: blocks with the same eigenvalues are exchanged, and the polynomial of the loop is that of the poles.
TEST(PolePlacement, pairs_may_be_equal) {
  std::mt19937 random(11);
  for (const Index m : {1, 2})
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE(testing::Message() << m << " inputs, trial " << trial);
      const MatrixXd a = random_matrix(6, 6, random), b = random_matrix(6, m, random);
      const PolePlacement found =
          place_poles(a, b, {{-1, 2}, {-1, -2}, {-1, 2}, {-1, -2}, {-1, 2}, {-1, -2}});
      ASSERT_TRUE(found.placed());
      const MatrixXd loop = a - b * found.gain;
      const MatrixXd once = loop * loop + 2 * loop + 5 * MatrixXd::Identity(6, 6);
      const double size = a.norm() + b.norm() * found.gain.norm();
      EXPECT_LE((once * once * once).norm(), rounding(1000, std::pow(size, 6)));
    }
}

TEST(PolePlacement, says_that_nothing_moves_a_mode) {
  MatrixXd a = MatrixXd::Zero(2, 2), b = MatrixXd::Zero(2, 1);
  a.diagonal() << 1, 2;
  b(0, 0) = 1;
  EXPECT_EQ(place_poles(a, b, {-1, -2}).status, PlacementStatus::not_controllable);
}

TEST(PolePlacement, refuses_poles_without_conjugates) {
  const MatrixXd a = MatrixXd::Zero(2, 2), b = MatrixXd::Identity(2, 2);
  EXPECT_THROW(place_poles(a, b, {{-1, 2}, -1}), std::invalid_argument);
  EXPECT_THROW(place_poles(a, b, {-1}), std::invalid_argument);
}

}  // namespace
}  // namespace daedal::analysis
