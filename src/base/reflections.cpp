#include "daedal/base/reflections.hpp"

#include "daedal/base/lanes.hpp"

#include <cmath>
#include <limits>

namespace daedal {

using Eigen::Index;

namespace {

/// to[i] += factor * from[i]
void add_multiple(double factor, const double* from, Index n, double* to) {
#pragma GCC ivdep
  for (Index i = 0; i < n; ++i) to[i] += factor * from[i];
}

}  // namespace

double inner_product(const double* a, const double* b, Index n) {
  constexpr Index many = 8;
  using Sums = Lanes<many>;
  Sums sums;
  Index i = 0;
  for (; i + many <= n; i += many)
    for (std::size_t r = 0; r < Sums::registers; ++r)
      sums.part[r] += Sums::load(a + i, r) * Sums::load(b + i, r);
  double partial[many];
  sums.store(partial);
  for (; i < n; ++i) partial[i % many] += a[i] * b[i];
  return ((partial[0] + partial[4]) + (partial[1] + partial[5])) +
         ((partial[2] + partial[6]) + (partial[3] + partial[7]));
}

Reflection reflection_of(double* x, Index n) {
  const double tail = n > 1 ? inner_product(x + 1, x + 1, n - 1) : 0;
  if (tail <= std::numeric_limits<double>::min()) {
    for (Index i = 1; i < n; ++i) x[i] = 0;
    return {0, x[0]};
  }
  const double first = x[0], length = std::sqrt(first * first + tail);
  const double beta = first >= 0 ? -length : length;
  for (Index i = 1; i < n; ++i) x[i] /= first - beta;
  return {(beta - first) / beta, beta};
}

void reflect_rows(const double* v, double tau, Eigen::Ref<Eigen::MatrixXd> m) {
  if (tau == 0) return;
  const Index n = m.rows() - 1;
  for (Index j = 0; j < m.cols(); ++j) {
    double* const column = m.col(j).data();
    const double along = tau * (column[0] + inner_product(v, column + 1, n));
    column[0] -= along;
    add_multiple(-along, v, n, column + 1);
  }
}

void reflect_columns(const double* v, double tau, Eigen::Ref<Eigen::MatrixXd> m) {
  if (tau == 0) return;
  const Index n = m.cols() - 1;
  Eigen::VectorXd along = m.col(0);
  for (Index j = 0; j < n; ++j) add_multiple(v[j], m.col(j + 1).data(), m.rows(), along.data());
  along *= tau;
  m.col(0) -= along;
  for (Index j = 0; j < n; ++j) add_multiple(-v[j], along.data(), m.rows(), m.col(j + 1).data());
}

}  // namespace daedal
