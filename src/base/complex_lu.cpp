#include "daedal/base/apart.hpp"
#include "daedal/base/lu.hpp"

namespace daedal {

ComplexLu::ComplexLu(const Eigen::MatrixXcd& m)
    : lu_(apart(m.rows(), [m] { return Eigen::PartialPivLU<Eigen::MatrixXcd>(m); })) {}

Eigen::MatrixXcd ComplexLu::solve(const Eigen::MatrixXcd& b) const { return lu_.solve(b); }
Eigen::VectorXcd ComplexLu::solve(const Eigen::VectorXcd& b) const { return lu_.solve(b); }
Eigen::VectorXcd ComplexLu::solve_adjoint(const Eigen::VectorXcd& b) const {
  return lu_.adjoint().solve(b);
}

}  // namespace daedal
