#include "daedal/base/svd.hpp"

#include "daedal/base/apart.hpp"

#include <Eigen/SVD>

namespace daedal {

Svd svd(const Eigen::MatrixXd& m) {
  return apart(m.rows(), [m] {
    const Eigen::JacobiSVD<Eigen::MatrixXd> found(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
    return Svd{found.singularValues(), found.matrixU(), found.matrixV()};
  });
}

Eigen::VectorXd singular_values_of(const Eigen::MatrixXd& m) {
  return apart(m.rows(), [m]() -> Eigen::VectorXd {
    return Eigen::JacobiSVD<Eigen::MatrixXd>(m).singularValues();
  });
}

}  // namespace daedal
