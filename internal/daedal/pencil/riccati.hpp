// Algebraic Riccati equations: the feedback that is best in the sense of a quadratic cost, and filters, its mirror image.
//
//   E x' = A x + B u,   J = int x^T Q x + 2 x^T S u + u^T R u dt      ->      u = -F x
//   A^T X E + E^T X A - (E^T X B + S) R^-1 (B^T X E + S^T) + Q = 0,    F = R^-1 (B^T X E + S^T)
//
// and for  E x_(k+1) = A x_k + B u_k  with the sum of the same terms
//   A^T X A - E^T X E - (A^T X B + S) (R + B^T X B)^-1 (B^T X A + S^T) + Q = 0.
//
// X comes from the stable deflating subspace of the extended pencil [VanDooren1981Riccati], in which neither E nor R is
// inverted, ordered by QZ; one step of Newton's method [Kleinman1968] then removes what the transformations have lost.
#pragma once

#include <Eigen/Core>

#include <complex>
#include <optional>
#include <vector>

namespace daedal::analysis {

struct RiccatiEquation {
  Eigen::MatrixXd a, b;
  Eigen::MatrixXd q, r;              // symmetric
  std::optional<Eigen::MatrixXd> s;  // cross terms, states x inputs; none: 0
  std::optional<Eigen::MatrixXd> e;  // regular; none: 1
};

enum class RiccatiStatus {
  solved,
  no_gap,  // modes on the boundary of stability that the feedback cannot move, or the cost does not see
  singular_weight,  // R, or R + B^T X B, is singular
  not_converged     // QZ gave up
};

struct RiccatiSolution {
  RiccatiStatus status = RiccatiStatus::solved;
  Eigen::MatrixXd x, gain;  // X, F
  std::vector<std::complex<double>>
      closed;  // eigenvalues of the closed loop, rightmost (largest) first
  std::vector<std::complex<double>> boundary;  // no_gap: the eigenvalues nearest to the boundary
  double residual = 0;   // of the equation, over the products of norms whose roundings it contains
  double condition = 0;  // of the basis of the subspace: how many digits X may have lost

  bool solved() const { return status == RiccatiStatus::solved; }
};

/// In continuous time. std::invalid_argument for matrices whose sizes do not fit.
RiccatiSolution continuous_riccati(const RiccatiEquation& equation);
/// In discrete time.
RiccatiSolution discrete_riccati(const RiccatiEquation& equation);

}  // namespace daedal::analysis
