#include "daedal/base/apart.hpp"
#include "daedal/base/svd.hpp"

#include <Eigen/SVD>

namespace daedal {

Eigen::VectorXd singular_values_of(const Eigen::MatrixXcd& m) {
  return apart(m.rows(), [m]() -> Eigen::VectorXd {
    return Eigen::JacobiSVD<Eigen::MatrixXcd>(m).singularValues();
  });
}

}  // namespace daedal
