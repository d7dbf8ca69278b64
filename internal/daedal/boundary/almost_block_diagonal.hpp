// Linear two-point boundary value problems on a mesh,
//
//     B_0 x_0 = b_0,    x_(k+1) = T_k x_k + g_k,    B_1 x_N = b_1,
//
// by elimination from left to right with row pivoting [DeBoorWeiss1980]: the rows of B_0 travel along, so that in every
// interval the pivots are chosen among what the left end knows (the decaying modes) and what the interval says (the growing
// ones). No product of the T_k is formed, and none of them overflows.
#pragma once

#include <cstddef>
#include <vector>

namespace daedal::boundary {

class AlmostBlockDiagonal {
 public:
  /// n unknowns in each of `intervals` + 1 nodes, `left` <= n rows in B_0, n - left rows in B_1.
  AlmostBlockDiagonal(std::size_t n, std::size_t left, std::size_t intervals);

  std::size_t left() const { return left_; }
  std::size_t intervals() const { return intervals_; }

  double* left_row(std::size_t i) { return left_rows_.data() + i * n_; }
  double* right_row(std::size_t i) { return right_rows_.data() + i * n_; }
  /// Row i of T_k; refilled before every factorisation.
  double* transition_row(std::size_t k, std::size_t i) { return block(k) + (left_ + i) * 2 * n_; }

  /// False when a pivot is zero or not finite.
  bool factor();
  /// With the last factors: b_0 | g_0 | g_1 | ... | b_1 becomes x_0 | x_1 | ... | x_N.
  void solve(const double* right_hand_side, double* x);

 private:
  double* block(std::size_t k) { return blocks_.data() + k * (left_ + n_) * 2 * n_; }

  std::size_t n_, left_, intervals_;
  std::vector<double> left_rows_, right_rows_;
  std::vector<double> blocks_;  // (left + n) x 2n by rows: [carried 0; T -1], then its factors
  std::vector<double> last_;    // n x n
  std::vector<std::size_t> exchange_;  // of the rows, by interval and column, then of `last_`
  std::vector<double> reduced_;        // right-hand sides, by interval
};

}  // namespace daedal::boundary
