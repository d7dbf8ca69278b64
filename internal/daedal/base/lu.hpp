// Gaussian elimination of dense square matrices with row pivoting.
//
// Columns are updated whole, each entry by one product and one difference at a time: the same bits in registers of any width.
// (Eigen without its packets would be as exact, but three times slower at some hundred unknowns.)
#pragma once

#include <Eigen/LU>

#include <vector>

namespace daedal {

/// P m = L U.
class Lu {
 public:
  explicit Lu(const Eigen::MatrixXd& m);

  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& b) const;
  Eigen::MatrixXd inverse() const;

  Eigen::VectorXd pivots() const { return factors_.diagonal(); }
  int sign_of_permutation() const;
  double determinant() const;
  double reciprocal_condition() const;  // an estimate; the pivots must not be 0

 private:
  void solve_in_place(double* x) const;

  Eigen::MatrixXd factors_;              // U, and below the diagonal L without its ones
  std::vector<Eigen::Index> exchanged_;  // with row k
  double norm_ = 0;                      // of m, largest sum of a column
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
