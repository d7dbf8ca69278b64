// Lyapunov's equation and its function V(z) = z^T P z, which decreases along every motion of z' = F z.
#pragma once

#include <Eigen/Core>

namespace daedal::analysis {

/// X of F X + X F^T + Q = 0, by the Schur form of F [BartelsStewart1972]; X is symmetric for symmetric Q.
/// std::invalid_argument when two eigenvalues of F add up to zero within rounding: then there is none, or many.
Eigen::MatrixXd lyapunov(const Eigen::MatrixXd& f, const Eigen::MatrixXd& q);

/// P of F^T P + P F + Q = 0: V' = -z^T Q z. Positive definite for a stable F and a positive definite Q, and only then.
struct QuadraticFunction {
  Eigen::MatrixXd p;
  double smallest = 0, largest = 0;  // eigenvalues of P
  bool positive() const { return smallest > 0; }
};
QuadraticFunction quadratic_lyapunov_function(const Eigen::MatrixXd& f, const Eigen::MatrixXd& q);

}  // namespace daedal::analysis
