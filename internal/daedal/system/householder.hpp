// QR factorisation A P = Q R of small dense matrices by Householder reflections with column pivoting [GolubVanLoan1996,
// 5.4.1], in place and without allocation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace daedal::solve {

class Householder {
 public:
  explicit Householder(std::size_t rows = 0, std::size_t columns = 0)
      : rows_(rows),
        columns_(columns),
        a_(rows * columns),
        scale_(std::min(rows, columns)),
        diagonal_(std::min(rows, columns)),
        pivot_(columns) {}

  /// The matrix, to be filled before factoring.
  double& at(std::size_t i, std::size_t j) { return a_[j * rows_ + i]; }
  std::size_t steps() const { return scale_.size(); }

  void factor() {
    std::iota(pivot_.begin(), pivot_.end(), std::size_t{0});
    for (std::size_t k = 0; k < steps(); ++k) {
      exchange(k, longest_column(k));
      reflect_below(k);
    }
  }

  /// The column of A that came to place k.
  std::size_t pivot(std::size_t k) const { return pivot_[k]; }
  /// R(k, k); falling in size.
  double diagonal(std::size_t k) const { return diagonal_[k]; }
  bool full_rank(double tolerance) const {
    return diagonal_.empty() ||
           std::abs(diagonal_.back()) > tolerance * std::abs(diagonal_.front());
  }

  /// x <- Q x, x <- Q^T x.
  void apply(double* x) const {
    for (std::size_t k = steps(); k-- > 0;) reflect(k, x);
  }
  void apply_transposed(double* x) const {
    for (std::size_t k = 0; k < steps(); ++k) reflect(k, x);
  }

  /// The least-squares solution of A y = x, for at least as many rows as columns; x is overwritten.
  void solve(double* x, double* y) const {
    apply_transposed(x);
    for (std::size_t k = columns_; k-- > 0;) {
      for (std::size_t j = k + 1; j < columns_; ++j) x[k] -= a_[j * rows_ + k] * x[j];
      x[k] /= diagonal_[k];
    }
    for (std::size_t k = 0; k < columns_; ++k) y[pivot_[k]] = x[k];
  }

 private:
  double length(std::size_t k, std::size_t j) const {
    double sum = 0;
    for (std::size_t i = k; i < rows_; ++i) sum += a_[j * rows_ + i] * a_[j * rows_ + i];
    return std::sqrt(sum);
  }
  std::size_t longest_column(std::size_t k) const {
    std::size_t best = k;
    double longest = length(k, k);
    for (std::size_t j = k + 1; j < columns_; ++j)
      if (const double l = length(k, j); l > longest) longest = l, best = j;
    return best;
  }
  void exchange(std::size_t k, std::size_t j) {
    if (j == k) return;
    std::swap(pivot_[k], pivot_[j]);
    std::swap_ranges(&a_[k * rows_], &a_[k * rows_] + rows_, &a_[j * rows_]);
  }

  /// The reflection I - s u u^T that takes column k to the k-th axis; u stays in the column.
  void reflect_below(std::size_t k) {
    double* const column = &a_[k * rows_];
    const double size = length(k, k);
    diagonal_[k] = column[k] > 0 ? -size : size;
    column[k] -= diagonal_[k];
    const double u = length(k, k);
    scale_[k] = u > 0 ? 2 / (u * u) : 0;
    for (std::size_t j = k + 1; j < columns_; ++j) reflect(k, &a_[j * rows_]);
  }
  void reflect(std::size_t k, double* x) const {
    const double* const u = &a_[k * rows_];
    double along = 0;
    for (std::size_t i = k; i < rows_; ++i) along += u[i] * x[i];
    for (std::size_t i = k; i < rows_; ++i) x[i] -= scale_[k] * along * u[i];
  }

  std::size_t rows_, columns_;
  std::vector<double> a_;  // by columns: R above the diagonal, u from it on
  std::vector<double> scale_, diagonal_;
  std::vector<std::size_t> pivot_;
};

}  // namespace daedal::solve
