// Eigenvalues of symmetric matrices, compiled once.
#pragma once

#include <Eigen/Core>

namespace daedal {

/// m = vectors diag(values) vectors^T, values ascending; only the lower triangle of m is read.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& m);
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m);

}  // namespace daedal
