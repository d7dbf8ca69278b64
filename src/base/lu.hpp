// Gaussian elimination of dense square matrices with row pivoting.
//
// Compiled once, here: Eigen's templates take four seconds of every source that uses them.
#pragma once

#include <Eigen/LU>

namespace daedal {

/// P m = L U.
class Lu {
 public:
  explicit Lu(const Eigen::MatrixXd& m);

  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd inverse() const;

  Eigen::VectorXd pivots() const { return lu_.matrixLU().diagonal(); }
  int sign_of_permutation() const;
  double determinant() const;
  double reciprocal_condition() const;  // an estimate; the pivots must not be 0

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

class ComplexLu {
 public:
  explicit ComplexLu(const Eigen::MatrixXcd& m);

  Eigen::MatrixXcd solve(const Eigen::MatrixXcd& b) const;
  Eigen::VectorXcd solve(const Eigen::VectorXcd& b) const;
  Eigen::VectorXcd solve_adjoint(const Eigen::VectorXcd& b) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXcd> lu_;
};

}  // namespace daedal
