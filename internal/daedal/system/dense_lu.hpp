// LU factorisation of small dense matrices, real or complex, with partial pivoting, in place and
// without allocation.
//
// General libraries block and pack, which for 20 unknowns costs more than the arithmetic. Here
// columns are updated whole and zero multipliers are skipped: the matrices of mechanisms are mostly
// zeros.
#pragma once

#include "daedal/system/planar.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace daedal::solve {

/// Scalar: double or Complex.
template <class Scalar>
class DenseLu {
 public:
  using Pointer = typename Planar<Scalar>::Pointer;
  using ConstPointer = typename Planar<Scalar>::ConstPointer;

  explicit DenseLu(std::size_t n = 0) : n_(n), lu_(n * n), row_(n), inverse_pivot_(n) {}

  /// The matrix, by columns; fill it, then factor.
  Pointer data() { return lu_.data(); }
  std::size_t entries() const { return lu_.size(); }

  /// False when a pivot is zero or not finite.
  bool factor() {
    using std::swap;
    for (std::size_t k = 0; k < n_; ++k) {
      const Pointer pivot_column = column(k);
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (size_of(pivot_column[i]) > size_of(pivot_column[best])) best = i;
      row_[k] = best;
      if (best != k)
        for (std::size_t j = 0; j < n_; ++j) swap(column(j)[k], column(j)[best]);
      const double pivot = size_of(pivot_column[k]);
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      inverse_pivot_[k] = Scalar(1) / pivot_column[k];
      for (std::size_t i = k + 1; i < n_; ++i) pivot_column[i] *= inverse_pivot_[k];
      for (std::size_t j = k + 1; j < n_; ++j)
        subtract_multiple(column(j)[k], pivot_column, k + 1, n_, column(j));
    }
    return true;
  }

  /// Sign of det A.
  int orientation() const {
    int sign = 1;
    for (std::size_t k = 0; k < n_; ++k)
      if ((inverse_pivot_[k] < 0) != (row_[k] != k)) sign = -sign;
    return sign;
  }

  /// log |det A|
  double log_volume() const {
    double sum = 0;
    for (const Scalar& inverse : inverse_pivot_) sum -= std::log(size_of(inverse));
    return sum;
  }

  /// x <- A^-1 x.
  void solve(Pointer x) const {
    using std::swap;
    for (std::size_t k = 0; k < n_; ++k) swap(x[k], x[row_[k]]);
    for (std::size_t k = 0; k < n_; ++k) subtract_multiple(x[k], column(k), k + 1, n_, x);
    for (std::size_t k = n_; k-- > 0;) {
      x[k] *= inverse_pivot_[k];
      subtract_multiple(x[k], column(k), 0, k, x);
    }
  }

 private:
  Pointer column(std::size_t j) { return lu_.data() + j * n_; }
  ConstPointer column(std::size_t j) const { return lu_.data() + j * n_; }

  std::size_t n_;
  Planar<Scalar> lu_;
  std::vector<std::size_t> row_;  // exchanged with row k
  std::vector<Scalar> inverse_pivot_;
};

}  // namespace daedal::solve
