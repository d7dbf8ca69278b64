// Singular values and vectors.
#pragma once

#include <Eigen/Core>

namespace daedal::analysis {

/// Of a square matrix.
struct SingularValues {
  Eigen::VectorXd values;  // descending
  Eigen::MatrixXd v;
};
/// Jacobi's method for small matrices, LAPACK's QR iteration (dgesvd) beyond, which takes a tenth of the time at 200. Not by
/// divide and conquer: Eigen's returned wrong singular values for the delta robot with its arms at 17.1 degrees.
SingularValues singular_values(const Eigen::MatrixXd& m);

/// m = u diag(values) v^H with square u and v, values descending; by LAPACK (zgesvd).
struct ComplexSvd {
  Eigen::VectorXd values;
  Eigen::MatrixXcd u, v;
};
ComplexSvd complex_svd(Eigen::MatrixXcd m);

}  // namespace daedal::analysis
