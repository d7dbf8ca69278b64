#include "lu.hpp"

namespace daedal {

Lu::Lu(const Eigen::MatrixXd& m) : lu_(m) {}

Eigen::MatrixXd Lu::solve(const Eigen::MatrixXd& b) const { return lu_.solve(b); }
Eigen::VectorXd Lu::solve(const Eigen::VectorXd& b) const { return lu_.solve(b); }
Eigen::VectorXd Lu::solve_transposed(const Eigen::VectorXd& b) const {
  return lu_.transpose().solve(b);
}
Eigen::MatrixXd Lu::inverse() const { return lu_.inverse(); }

int Lu::sign_of_permutation() const { return lu_.permutationP().determinant() < 0 ? -1 : 1; }
double Lu::determinant() const { return lu_.determinant(); }
double Lu::reciprocal_condition() const { return lu_.rcond(); }

ComplexLu::ComplexLu(const Eigen::MatrixXcd& m) : lu_(m) {}

Eigen::MatrixXcd ComplexLu::solve(const Eigen::MatrixXcd& b) const { return lu_.solve(b); }
Eigen::VectorXcd ComplexLu::solve(const Eigen::VectorXcd& b) const { return lu_.solve(b); }
Eigen::VectorXcd ComplexLu::solve_adjoint(const Eigen::VectorXcd& b) const {
  return lu_.adjoint().solve(b);
}

}  // namespace daedal
