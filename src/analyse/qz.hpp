// The generalised eigenvalue problem A x = s E x with regular E, by LAPACK's QZ.
#pragma once

#include <Eigen/Core>

#include <complex>
#include <vector>

namespace daedal::analyse {

struct GeneralisedEigenvalues {
  bool converged = true;
  std::vector<std::complex<double>> values;
  Eigen::MatrixXcd left, right;  // columns: y^H A = s y^H E, A x = s E x
};

GeneralisedEigenvalues qz(const Eigen::MatrixXd& e, const Eigen::MatrixXd& a);

}  // namespace daedal::analyse
