#include "eigen_peer.hpp"

#include <Eigen/Dense>

namespace daedal::bench {

void eigen_newton_direction(const double* jacobian, const double* residual, double* dx) {
  using Matrix = Eigen::Matrix<double, 7, 7, Eigen::RowMajor>;
  using Vector = Eigen::Matrix<double, 7, 1>;
  const Eigen::PartialPivLU<Matrix> lu{Eigen::Map<const Matrix>(jacobian)};
  Eigen::Map<Vector>(dx).noalias() = -lu.solve(Eigen::Map<const Vector>(residual));
}

}  // namespace daedal::bench
