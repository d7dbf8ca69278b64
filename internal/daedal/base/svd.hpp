// Singular values by Jacobi's method, which keeps small ones to their own digits.
//
// Compiled once, here: Eigen's templates take ten seconds of every source that uses them.
#pragma once

#include <Eigen/Core>

namespace daedal {

/// m = u diag(values) v^T with square u and v, values descending.
struct Svd {
  Eigen::VectorXd values;
  Eigen::MatrixXd u, v;
};
Svd svd(const Eigen::MatrixXd& m);
Eigen::VectorXd singular_values_of(const Eigen::MatrixXd& m);
Eigen::VectorXd singular_values_of(const Eigen::MatrixXcd& m);

}  // namespace daedal
