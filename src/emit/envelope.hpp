// Long curves shortened without hiding their extremes.
#pragma once

#include "daedal/base/table.hpp"

#include <cstddef>
#include <vector>

namespace daedal::emit {

/// The first row, the last row, and of every bucket of rows in between two points: the smallest and the largest value of the
/// curve there, in the order in which they occur. Their times are those of the first and last row of the bucket, so that
/// all curves share them; a value is displaced by less than a bucket, which is less than a pixel when there are as many
/// buckets as pixels. Tables of at most `most` rows are kept as they are.
class Envelope {
 public:
  Envelope(std::size_t rows, std::size_t most);

  std::size_t size() const { return times_.size(); }
  /// The rows whose times the points have.
  const std::vector<std::size_t>& rows() const { return times_; }
  bool shortens() const { return bucket_ > 1; }
  std::vector<double> of(const Table& table, std::size_t column) const;

 private:
  std::size_t bucket_ = 1;  // rows
  std::vector<std::size_t> times_;
};

}  // namespace daedal::emit
