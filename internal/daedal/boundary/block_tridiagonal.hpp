// Linear systems that couple neighbours,
//
//     L_i x_(i-1) + D_i x_i + U_i x_(i+1) = b_i,     i = 0 .. m-1,     x_(-1) = x_m = 0,
//
// L_i and U_i with few entries of a common pattern, by block elimination: E_i = D_i - L_i W_(i-1), W_i = E_i^-1 U_i. Pivots
// are sought within blocks only. That is stable where as many modes decay as grow, and these are what the scheme must have
// for conditions in equal number at both ends [AscherMattheijRussell1995, section 7.4].
#pragma once

#include "daedal/system/system.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace daedal::boundary {

class BlockTridiagonal {
 public:
  /// `pattern`, n x n, of the L_i and U_i. Nothing allocates after the constructor.
  BlockTridiagonal(std::size_t blocks, solve::SparsePattern pattern);

  std::size_t blocks() const { return blocks_; }
  std::size_t size() const { return n_; }
  std::size_t stride() const { return stride_; }
  /// D_i by rows of `stride` entries, filled (the n entries of a row) before eliminate(i).
  double* diagonal(std::size_t i) { return rows_.data() + i * n_ * 2 * stride_; }
  /// Between rows of D_i.
  std::size_t row() const { return 2 * stride_; }
  /// Entries of L_i and U_i in the order of the pattern.
  double* lower(std::size_t i) { return lower_.data() + i * pattern_.entries(); }
  double* upper(std::size_t i) { return upper_.data() + i * pattern_.entries(); }

  /// Blocks in ascending order. False when a pivot is zero or not finite.
  bool eliminate(std::size_t i);
  /// b becomes x, block after block of n entries.
  void solve(double* b) const;

  /// W_i, row r; the last block has none.
  const double* step(std::size_t i, std::size_t r) const {
    return rows_.data() + (i * n_ + r) * 2 * stride_ + stride_;
  }

 private:
  void solve_block(std::size_t i, double* b) const;

  std::size_t blocks_, n_, stride_;
  solve::SparsePattern pattern_;
  std::vector<double> rows_;  // [E_i | W_i], E_i factored
  std::vector<double> lower_, upper_;
  std::vector<std::uint32_t> exchange_;
  std::vector<double> columns_;  // of a panel
};

}  // namespace daedal::boundary
