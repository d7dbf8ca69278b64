// The pattern of a sparse matrix in compressed columns, collected entry by entry.
#pragma once

#include "daedal/base/sparsity.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace daedal::solve {

class CompressedColumns {
 public:
  /// Adds an entry; entries may come in any order and more than once.
  void add(std::uint32_t row, std::uint32_t column) { entries_.emplace_back(column, row); }

  /// Sorts what was added; to be called once, before what follows.
  void finish() {
    std::sort(entries_.begin(), entries_.end());
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  }

  std::size_t entries() const { return entries_.size(); }
  /// Position of the value of an entry; the entry must have been added.
  std::uint32_t index(std::uint32_t row, std::uint32_t column) const {
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), std::pair(column, row));
    return static_cast<std::uint32_t>(found - entries_.begin());
  }

  base::Sparsity pattern(std::uint32_t columns) const {
    base::Sparsity result{std::vector<int>(columns + 1, 0), {}};
    for (const auto& [column, row] : entries_) {
      ++result.start[column + 1];
      result.index.push_back(static_cast<int>(row));
    }
    std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
    return result;
  }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries_;  // (column, row)
};

}  // namespace daedal::solve
