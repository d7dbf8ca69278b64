#include "qr.hpp"

namespace daedal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Qr::Qr(const MatrixXd& m) : qr_(m) {}

MatrixXd Qr::q() const { return qr_.householderQ(); }
MatrixXd Qr::q(Index columns) const {
  return qr_.householderQ() * MatrixXd::Identity(qr_.rows(), columns);
}
MatrixXd Qr::r() const { return qr_.matrixQR().topRows(qr_.cols()).triangularView<Eigen::Upper>(); }

int Qr::sign_of_q() const {  // each reflection changes it
  return (qr_.hCoeffs().array() != 0).count() % 2 == 0 ? 1 : -1;
}

void Qr::multiply_by_q_transposed(Eigen::Ref<MatrixXd> m) const {
  m.applyOnTheLeft(qr_.householderQ().adjoint());
}
void Qr::multiply_into_q(Eigen::Ref<MatrixXd> m) const { m.applyOnTheRight(qr_.householderQ()); }

VectorXd Qr::least_squares(const VectorXd& b) const { return qr_.solve(b); }

PivotedQr::PivotedQr(const MatrixXd& m) : qr_(m) {}
PivotedQr::PivotedQr(const MatrixXd& m, double threshold) : qr_(m) { qr_.setThreshold(threshold); }

Index PivotedQr::rank() const { return qr_.rank(); }
MatrixXd PivotedQr::q() const { return qr_.householderQ(); }

MatrixXd null_space_of(const MatrixXd& m, double threshold) {
  if (m.size() == 0) return MatrixXd::Identity(m.cols(), m.cols());
  const PivotedQr qr(m.transpose(), threshold);
  return qr.q().rightCols(m.cols() - qr.rank());
}

LeastNorm::LeastNorm(const MatrixXd& m) : factors_(m) {}
LeastNorm::LeastNorm(const MatrixXd& m, double threshold) {
  factors_.setThreshold(threshold);
  factors_.compute(m);
}

Index LeastNorm::rank() const { return factors_.rank(); }
MatrixXd LeastNorm::solve(const MatrixXd& b) const { return factors_.solve(b); }
VectorXd LeastNorm::solve(const VectorXd& b) const { return factors_.solve(b); }

MatrixXd pseudo_inverse(const MatrixXd& m) {
  return m.completeOrthogonalDecomposition().pseudoInverse();
}

}  // namespace daedal
