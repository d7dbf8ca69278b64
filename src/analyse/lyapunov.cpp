#include "daedal/analyse/lyapunov.hpp"

#include <Eigen/Eigenvalues>

#include <limits>
#include <stdexcept>

namespace daedal::analyse {

using Eigen::Index;

Eigen::MatrixXd lyapunov(const Eigen::MatrixXd& f, const Eigen::MatrixXd& q) {
  const Index n = f.rows();
  if (n == 0) return {};
  // F = U T U^*:  T Y + Y T^* = -U^* Q U, column by column from the last one
  const Eigen::ComplexSchur<Eigen::MatrixXd> schur(f);
  const Eigen::MatrixXcd& u = schur.matrixU();
  const Eigen::MatrixXcd& t = schur.matrixT();
  const Eigen::MatrixXcd right = -(u.adjoint() * q * u);
  const double noise = 10 * std::numeric_limits<double>::epsilon() * t.norm();
  Eigen::MatrixXcd y(n, n);
  for (Index j = n; j-- > 0;) {
    Eigen::MatrixXcd shifted = t;
    shifted.diagonal().array() += std::conj(t(j, j));
    if (shifted.diagonal().cwiseAbs().minCoeff() <= noise)
      throw std::invalid_argument("lyapunov: two eigenvalues add up to zero");
    const Eigen::VectorXcd b =
        right.col(j) - y.rightCols(n - 1 - j) * t.row(j).tail(n - 1 - j).adjoint();
    y.col(j) = shifted.triangularView<Eigen::Upper>().solve(b);
  }
  return (u * y * u.adjoint()).real();
}

QuadraticFunction quadratic_lyapunov_function(const Eigen::MatrixXd& f, const Eigen::MatrixXd& q) {
  QuadraticFunction v;
  const Eigen::MatrixXd p = lyapunov(f.transpose(), q);
  v.p = 0.5 * (p + p.transpose());
  if (v.p.size() == 0) return v;
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(v.p, Eigen::EigenvaluesOnly).eigenvalues();
  v.smallest = values.minCoeff();
  v.largest = values.maxCoeff();
  return v;
}

}  // namespace daedal::analyse
