// Gaussian elimination of dense square matrices of Eigen, with row pivoting (dense_lu.hpp).
#pragma once

#include "daedal/base/dense_lu.hpp"

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

  Eigen::VectorXd pivots() const;
  int sign_of_permutation() const;
  double determinant() const;
  double reciprocal_condition() const;  // an estimate; the pivots must not be 0

 private:
  Eigen::Index size() const { return static_cast<Eigen::Index>(lu_.size()); }

  base::DenseLu<double, base::Pivots::divide> lu_;
  double norm_ = 0;  // of m, largest sum of a column
};

/// a x = b, with x in the place of b: rows, then columns of a divided by their largest entries, so that units cancel. False where
/// a is singular to rounding or not finite. Exported C code makes the same operations (emit/c_matrices.cpp).
bool solve_scaled(Eigen::MatrixXd& a, Eigen::VectorXd& b);

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
