#include "svd.hpp"

#include <Eigen/SVD>

namespace daedal {

Svd svd(const Eigen::MatrixXd& m) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> found(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return {found.singularValues(), found.matrixU(), found.matrixV()};
}

Eigen::VectorXd singular_values_of(const Eigen::MatrixXd& m) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(m).singularValues();
}

}  // namespace daedal
