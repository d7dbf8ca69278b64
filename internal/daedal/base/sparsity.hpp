// Patterns of sparse matrices.
#pragma once

#include <cstddef>
#include <vector>

namespace daedal::base {

/// The entries of row i (or column i: the pattern does not distinguish) are at index[start[i]] .. index[start[i + 1] - 1].
struct Sparsity {
  std::vector<int> start, index;
  friend bool operator==(const Sparsity&, const Sparsity&) = default;
};

/// The transpose of a square pattern, the entries of each row in order.
inline Sparsity transposed(const Sparsity& pattern) {
  const std::size_t size = pattern.start.size() - 1;
  Sparsity result{std::vector<int>(size + 1, 0), std::vector<int>(pattern.index.size())};
  for (const int j : pattern.index) ++result.start[static_cast<std::size_t>(j) + 1];
  for (std::size_t i = 0; i < size; ++i) result.start[i + 1] += result.start[i];
  std::vector<int> next(result.start.begin(), result.start.end() - 1);
  for (std::size_t i = 0; i < size; ++i)
    for (int k = pattern.start[i]; k < pattern.start[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(pattern.index[static_cast<std::size_t>(k)]);
      result.index[static_cast<std::size_t>(next[j]++)] = static_cast<int>(i);
    }
  return result;
}

/// Whether a square matrix has an entry at (j, i) wherever it has one at (i, j). Block-triangular form then finds nothing but
/// unconnected parts, and looking for it can take longer than the whole factorisation: maximum transversals of equations of
/// motion with many constraints are found by long detours.
inline bool is_structurally_symmetric(const Sparsity& pattern) {
  const Sparsity other = transposed(pattern);
  return other == transposed(other);
}

}  // namespace daedal::base
