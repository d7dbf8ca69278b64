#include "symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace daedal {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> found(m);
  return {found.eigenvalues(), found.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace daedal
