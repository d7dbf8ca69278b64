// LU factorisation of dense matrices, real or complex, with partial pivoting, in place and without allocation.
//
// General libraries block and pack, which for 20 unknowns costs more than the arithmetic. Here columns are updated whole, each
// entry by one product and one difference at a time, and zero multipliers are skipped: the same bits in registers of any width,
// and the matrices of mechanisms are mostly zeros. (Eigen without its packets would be as exact, but three times slower at some
// hundred unknowns.)
#pragma once

#include "daedal/base/planar.hpp"
#include "daedal/base/progress.hpp"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace daedal::base {

/// How columns are divided by their pivot. One rounding or two: the last bits differ, and with them those of results.
enum class Pivots { divide, multiply_by_inverse };

/// Scalar: double or Complex.
template <class Scalar, Pivots way = Pivots::multiply_by_inverse>
class DenseLu {
 public:
  using Pointer = typename Planar<Scalar>::Pointer;
  using ConstPointer = typename Planar<Scalar>::ConstPointer;

  explicit DenseLu(std::size_t n = 0) : n_(n), lu_(n * n), row_(n), inverse_pivot_(n) {}

  /// The matrix, by columns; fill it, then factor.
  Pointer data() { return lu_.data(); }
  std::size_t entries() const { return lu_.size(); }
  std::size_t size() const { return n_; }

  /// False when a pivot is zero or not finite. A column without a pivot is left as it is.
  bool factor() {
    using std::swap;
    bool regular = true;
    for (std::size_t k = 0; k < n_; ++k) {
      if (n_ >= worth_a_look) stop_point();
      const Pointer pivot_column = column(k);
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n_; ++i)
        if (size_of(pivot_column[i]) > size_of(pivot_column[best])) best = i;
      row_[k] = best;
      if (best != k)
        for (std::size_t j = 0; j < n_; ++j) swap(column(j)[k], column(j)[best]);
      const double pivot = size_of(pivot_column[k]);
      regular = regular && pivot > 0 && std::isfinite(pivot);
      inverse_pivot_[k] = Scalar(1) / pivot_column[k];
      if (pivot == 0) continue;
      for (std::size_t i = k + 1; i < n_; ++i) divide_by_pivot(pivot_column[i], k);
      for (std::size_t j = k + 1; j < n_; ++j)
        subtract_multiple(column(j)[k], pivot_column, k + 1, n_, column(j));
    }
    return regular;
  }

  /// The diagonal of U, and the row that was exchanged with row k.
  Scalar pivot(std::size_t k) const { return column(k)[k]; }
  std::size_t exchanged(std::size_t k) const { return row_[k]; }

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
      divide_by_pivot(x[k], k);
      subtract_multiple(x[k], column(k), 0, k, x);
    }
  }

  /// x <- A^-T x:  U^T y = x, L^T P x = y.
  void solve_transposed(Pointer x) const {
    using std::swap;
    for (std::size_t k = 0; k < n_; ++k) {
      x[k] -= product_of(column(k), x, 0, k);
      divide_by_pivot(x[k], k);
    }
    for (std::size_t k = n_; k-- > 0;) x[k] -= product_of(column(k), x, k + 1, n_);
    for (std::size_t k = n_; k-- > 0;) swap(x[k], x[row_[k]]);
  }

 private:
  static constexpr std::size_t worth_a_look = 64;  // rows from which on nobody notices a stop point

  Pointer column(std::size_t j) { return lu_.data() + j * n_; }
  ConstPointer column(std::size_t j) const { return lu_.data() + j * n_; }

  template <class Value>
  void divide_by_pivot(Value&& value, std::size_t k) const {
    if constexpr (way == Pivots::divide)
      value /= pivot(k);
    else
      value *= inverse_pivot_[k];
  }
  static Scalar product_of(ConstPointer a, ConstPointer b, std::size_t first, std::size_t last) {
    Scalar sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += a[i] * b[i];
    return sum;
  }

  std::size_t n_;
  Planar<Scalar> lu_;
  std::vector<std::size_t> row_;  // exchanged with row k
  std::vector<Scalar> inverse_pivot_;
};

}  // namespace daedal::base
