// The generalised eigenvalue problem A x = s E x with regular E, by LAPACK's QZ.
#pragma once

#include <Eigen/Core>

#include <complex>
#include <vector>

namespace daedal::analysis {

/// The finite part (E, A) of a pencil, E regular, and the rows (E12, A12) above it, of the part that was split off.
struct FinitePart {
  Eigen::MatrixXd e, a, e_above, a_above;
};

/// Eigenvalues, and of their vectors A x = s E x, y^H A = s y^H E what condition numbers need.
struct GeneralisedEigenvalues {
  bool converged = true;
  std::vector<std::complex<double>> values;
  Eigen::VectorXd right_norm, left_norm, product;  // |x|, |y|, |y^H E x|
  Eigen::MatrixXcd above;                          // columns (A12 - s E12) x
};

GeneralisedEigenvalues qz(const FinitePart& pencil);

/// LAPACK keeps a conjugate pair's vectors as real part and imaginary part in two columns.
Eigen::MatrixXcd unpacked(const Eigen::MatrixXd& packed, const Eigen::VectorXd& imaginary);

}  // namespace daedal::analysis
