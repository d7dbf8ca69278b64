#include "daedal/base/symmetric_eigen.hpp"

#include "daedal/base/apart.hpp"

#include <Eigen/Eigenvalues>

namespace daedal {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& m) {
  return apart(m.rows(), [m] {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(m);
    return SymmetricEigen{found.eigenvalues(), found.eigenvectors()};
  });
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m) {
  return apart(m.rows(), [m]() -> Eigen::VectorXd {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m, Eigen::EigenvaluesOnly).eigenvalues();
  });
}

}  // namespace daedal
