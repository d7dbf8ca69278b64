// Gaussian elimination on matrices stored by rows, in place, with partial pivoting: the first `columns` columns of a matrix
// that may have more rows (some stay over) and more columns (right-hand sides, or unknowns that come later).
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

namespace daedal::boundary {

/// to[j] -= factor * from[j], first <= j < last.
inline void subtract_row(double factor, const double* from, std::size_t first, std::size_t last,
                         double* to) {
#pragma GCC ivdep
  for (std::size_t j = first; j < last; ++j) to[j] -= factor * from[j];
}

/// Multipliers take the places of what they eliminate; exchange[k] is the row exchanged with row k. False when a pivot is
/// zero or not finite.
inline bool eliminate_rows(double* a, std::size_t rows, std::size_t columns, std::size_t width,
                           std::size_t* exchange) {
  for (std::size_t k = 0; k < columns; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < rows; ++i)
      if (std::abs(a[i * width + k]) > std::abs(a[best * width + k])) best = i;
    exchange[k] = best;
    double* const pivot_row = a + k * width;
    if (best != k)
      for (std::size_t j = 0; j < width; ++j) std::swap(pivot_row[j], a[best * width + j]);
    const double pivot = pivot_row[k];
    if (!(std::abs(pivot) > 0) || !std::isfinite(pivot)) return false;
    const double inverse = 1 / pivot;
    for (std::size_t i = k + 1; i < rows; ++i) {
      double* const row = a + i * width;
      if (row[k] == 0) continue;
      row[k] *= inverse;
      subtract_row(row[k], pivot_row, k + 1, width, row);
    }
  }
  return true;
}

/// The same row operations on one right-hand side.
inline void reduce_right_hand_side(const double* a, std::size_t rows, std::size_t columns,
                                   std::size_t width, const std::size_t* exchange, double* y) {
  // rows were exchanged whole, multipliers included: all exchanges come first
  for (std::size_t k = 0; k < columns; ++k) std::swap(y[k], y[exchange[k]]);
  for (std::size_t i = 1; i < rows; ++i) {
    const double* const row = a + i * width;
    double sum = y[i];
    for (std::size_t j = 0; j < (i < columns ? i : columns); ++j) sum -= row[j] * y[j];
    y[i] = sum;
  }
}

/// x from the upper triangle and a reduced right-hand side.
inline void substitute_back(const double* a, std::size_t columns, std::size_t width,
                            const double* y, double* x) {
  for (std::size_t i = columns; i-- > 0;) {
    const double* const row = a + i * width;
    double sum = y[i];
    for (std::size_t j = i + 1; j < columns; ++j) sum -= row[j] * x[j];
    x[i] = sum / row[i];
  }
}

}  // namespace daedal::boundary
