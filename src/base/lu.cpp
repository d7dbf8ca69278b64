#include "daedal/base/lu.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Index columns_between_stops = 32;

/// to[i] -= factor * from[i]: one rounding for the product and one for the difference, whatever the width of a register.
void subtract_column(double factor, const double* from, Index first, Index last, double* to) {
  if (factor == 0) return;
#pragma GCC ivdep
  for (Index i = first; i < last; ++i) to[i] -= factor * from[i];
}

double product_of(const double* a, const double* b, Index first, Index last) {
  double sum = 0;
  for (Index i = first; i < last; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Lu::Lu(const MatrixXd& m)
    : factors_(m),
      exchanged_(static_cast<std::size_t>(m.rows())),
      norm_(m.size() == 0 ? 0 : m.cwiseAbs().colwise().sum().maxCoeff()) {
  const Index n = factors_.rows();
  for (Index k = 0; k < n; ++k) {
    if (k % columns_between_stops == columns_between_stops - 1) stop_point();
    double* const pivot_column = factors_.col(k).data();
    Index best = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(pivot_column[i]) > std::abs(pivot_column[best])) best = i;
    exchanged_[static_cast<std::size_t>(k)] = best;
    if (best != k)
      for (Index j = 0; j < n; ++j) std::swap(factors_(k, j), factors_(best, j));
    if (pivot_column[k] == 0) continue;
    for (Index i = k + 1; i < n; ++i) pivot_column[i] /= pivot_column[k];
    for (Index j = k + 1; j < n; ++j)
      subtract_column(factors_(k, j), pivot_column, k + 1, n, factors_.col(j).data());
  }
}

void Lu::solve_in_place(double* x) const {
  const Index n = factors_.rows();
  for (Index k = 0; k < n; ++k) std::swap(x[k], x[exchanged_[static_cast<std::size_t>(k)]]);
  for (Index k = 0; k < n; ++k) subtract_column(x[k], factors_.col(k).data(), k + 1, n, x);
  for (Index k = n; k-- > 0;) {
    x[k] /= factors_(k, k);
    subtract_column(x[k], factors_.col(k).data(), 0, k, x);
  }
}

MatrixXd Lu::solve(const MatrixXd& b) const {
  MatrixXd x = b;
  for (Index j = 0; j < x.cols(); ++j) {
    if (j % columns_between_stops == columns_between_stops - 1) stop_point();
    solve_in_place(x.col(j).data());
  }
  return x;
}
VectorXd Lu::solve(const VectorXd& b) const {
  VectorXd x = b;
  solve_in_place(x.data());
  return x;
}

/// U^T y = b, L^T P x = y.
VectorXd Lu::solve_transposed(const VectorXd& b) const {
  const Index n = factors_.rows();
  VectorXd x = b;
  for (Index k = 0; k < n; ++k)
    x[k] = (x[k] - product_of(factors_.col(k).data(), x.data(), 0, k)) / factors_(k, k);
  for (Index k = n; k-- > 0;) x[k] -= product_of(factors_.col(k).data(), x.data(), k + 1, n);
  for (Index k = n; k-- > 0;) std::swap(x[k], x[exchanged_[static_cast<std::size_t>(k)]]);
  return x;
}

MatrixXd Lu::inverse() const {
  return solve(MatrixXd(MatrixXd::Identity(factors_.rows(), factors_.rows())));
}

int Lu::sign_of_permutation() const {
  int sign = 1;
  for (std::size_t k = 0; k < exchanged_.size(); ++k)
    if (exchanged_[k] != static_cast<Index>(k)) sign = -sign;
  return sign;
}

double Lu::determinant() const { return sign_of_permutation() * pivots().prod(); }

/// Hager's estimate of the 1-norm of the inverse, with Higham's second look along a vector of alternating signs [Higham2002,
/// algorithm 15.1]: a lower bound that is rarely off by more than a factor of three.
double Lu::reciprocal_condition() const {
  const Index n = factors_.rows();
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

}  // namespace daedal
