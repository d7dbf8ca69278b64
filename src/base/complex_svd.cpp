#include "svd.hpp"

#include <Eigen/SVD>

namespace daedal {

Eigen::VectorXd singular_values_of(const Eigen::MatrixXcd& m) {
  return Eigen::JacobiSVD<Eigen::MatrixXcd>(m).singularValues();
}

}  // namespace daedal
