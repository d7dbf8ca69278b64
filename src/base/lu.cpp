#include "daedal/base/lu.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>

namespace daedal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Lu::Lu(const MatrixXd& m)
    : lu_(static_cast<std::size_t>(m.rows())),
      norm_(m.size() == 0 ? 0 : m.cwiseAbs().colwise().sum().maxCoeff()) {
  std::copy_n(m.data(), m.size(), lu_.data());
  lu_.factor();
}

MatrixXd Lu::solve(const MatrixXd& b) const {
  MatrixXd x = b;
  for (Index j = 0; j < x.cols(); ++j) {
    stop_point();
    lu_.solve(x.col(j).data());
  }
  return x;
}
VectorXd Lu::solve(const VectorXd& b) const {
  VectorXd x = b;
  lu_.solve(x.data());
  return x;
}
VectorXd Lu::solve_transposed(const VectorXd& b) const {
  VectorXd x = b;
  lu_.solve_transposed(x.data());
  return x;
}

MatrixXd Lu::inverse() const { return solve(MatrixXd(MatrixXd::Identity(size(), size()))); }

VectorXd Lu::pivots() const {
  return VectorXd::NullaryExpr(size(),
                               [&](Index k) { return lu_.pivot(static_cast<std::size_t>(k)); });
}

int Lu::sign_of_permutation() const {
  int sign = 1;
  for (std::size_t k = 0; k < lu_.size(); ++k)
    if (lu_.exchanged(k) != k) sign = -sign;
  return sign;
}

double Lu::determinant() const { return sign_of_permutation() * pivots().prod(); }

/// Hager's estimate of the 1-norm of the inverse, with Higham's second look along a vector of alternating signs [Higham2002,
/// algorithm 15.1]: a lower bound that is rarely off by more than a factor of three.
double Lu::reciprocal_condition() const {
  const Index n = size();
  if (n == 0) return 1;
  VectorXd x = VectorXd::Constant(n, 1.0 / static_cast<double>(n));
  double inverse_norm = 0;
  Index last = -1;
  for (int k = 0; k < 5; ++k) {
    const VectorXd y = solve(x);
    const double size = y.cwiseAbs().sum();
    if (!(size > inverse_norm)) break;
    inverse_norm = size;
    const VectorXd signs = y.unaryExpr([](double v) { return v < 0 ? -1.0 : 1.0; });
    Index largest = 0;
    solve_transposed(signs).cwiseAbs().maxCoeff(&largest);
    if (largest == last) break;
    last = largest;
    x = VectorXd::Unit(n, largest);
  }
  for (Index i = 0; i < n; ++i)
    x[i] = (i % 2 == 0 ? 1 : -1) *
           (1 + static_cast<double>(i) / static_cast<double>(std::max<Index>(n - 1, 1)));
  inverse_norm =
      std::max(inverse_norm, 2 * solve(x).cwiseAbs().sum() / (3 * static_cast<double>(n)));
  return 1 / (norm_ * inverse_norm);
}

bool solve_scaled(MatrixXd& a, VectorXd& b) {
  constexpr double singular = 1e-14;  // smallest pivot over the largest one
  const Index n = a.rows();
  if (!a.allFinite() || !b.allFinite()) return false;
  VectorXd scale = VectorXd::Ones(n);
  for (Index i = 0; i < n; ++i) {
    double largest = 0;
    for (Index j = 0; j < n; ++j) largest = std::max(largest, std::abs(a(i, j)));
    if (largest == 0) return false;
    for (Index j = 0; j < n; ++j) a(i, j) /= largest;
    b[i] /= largest;
  }
  for (Index j = 0; j < n; ++j) {
    double largest = 0;
    for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(a(i, j)));
    if (largest == 0) return false;
    for (Index i = 0; i < n; ++i) a(i, j) /= largest;
    scale[j] = largest;
  }
  const Lu lu(a);
  const VectorXd pivots = lu.pivots();
  double least = HUGE_VAL, most = 0;
  for (Index k = 0; k < n; ++k) {
    least = std::min(least, std::abs(pivots[k]));
    most = std::max(most, std::abs(pivots[k]));
  }
  if (!(least > singular * most)) return false;
  b = lu.solve(b);
  for (Index j = 0; j < n; ++j) b[j] /= scale[j];
  return true;
}

}  // namespace daedal
