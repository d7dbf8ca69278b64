#include "daedal/boundary/almost_block_diagonal.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/boundary/row_elimination.hpp"

#include <algorithm>

namespace daedal::boundary {

AlmostBlockDiagonal::AlmostBlockDiagonal(std::size_t n, std::size_t left, std::size_t intervals)
    : n_(n),
      left_(left),
      intervals_(intervals),
      left_rows_(left * n),
      right_rows_((n - left) * n),
      blocks_(intervals * (left + n) * 2 * n),
      last_(n * n),
      exchange_((intervals + 1) * n),
      reduced_(intervals * (left + n) + n) {}

bool AlmostBlockDiagonal::factor() {
  const std::size_t n = n_, width = 2 * n;
  const double* carried = left_rows_.data();
  std::size_t stride = n;
  for (std::size_t k = 0; k < intervals_; ++k) {
    stop_point();
    double* const a = block(k);
    for (std::size_t i = 0; i < left_; ++i) {
      std::copy_n(carried + i * stride, n, a + i * width);
      std::fill_n(a + i * width + n, n, 0.0);
    }
    for (std::size_t i = 0; i < n; ++i) {
      std::fill_n(a + (left_ + i) * width + n, n, 0.0);
      a[(left_ + i) * width + n + i] = -1;
    }
    if (!eliminate_rows(a, left_ + n, n, width, exchange_.data() + k * n)) return false;
    carried = a + n * width + n;  // the last rows, in terms of the next node
    stride = width;
  }
  for (std::size_t i = 0; i < left_; ++i)
    std::copy_n(carried + i * stride, n, last_.data() + i * n);
  std::copy(right_rows_.begin(), right_rows_.end(),
            last_.begin() + static_cast<std::ptrdiff_t>(left_ * n));
  return eliminate_rows(last_.data(), n, n, n, exchange_.data() + intervals_ * n);
}

void AlmostBlockDiagonal::solve(const double* right_hand_side, double* x) {
  const std::size_t n = n_, width = 2 * n, rows = left_ + n;
  const double* given = right_hand_side + left_;
  double* y = reduced_.data();
  std::copy_n(right_hand_side, left_, y);
  for (std::size_t k = 0; k < intervals_; ++k) {
    for (std::size_t i = 0; i < n; ++i) y[left_ + i] = -given[i];  // T x_k - x_(k+1) = -g_k
    reduce_right_hand_side(block(k), rows, n, width, exchange_.data() + k * n, y);
    std::copy_n(y + n, left_, y + rows);  // carried into the next interval
    y += rows;
    given += n;
  }
  std::copy_n(given, n - left_, y + left_);
  reduce_right_hand_side(last_.data(), n, n, n, exchange_.data() + intervals_ * n, y);
  double* node = x + intervals_ * n;
  substitute_back(last_.data(), n, n, y, node);
  for (std::size_t k = intervals_; k-- > 0;) {
    y -= rows;
    const double* const a = block(k);
    const double* const next = node;
    node -= n;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = y[i];
      for (std::size_t j = 0; j < n; ++j) sum -= a[i * width + n + j] * next[j];
      y[i] = sum;
    }
    substitute_back(a, n, width, y, node);
  }
}

}  // namespace daedal::boundary
