// See src/emit/envelope.hpp.
#include "envelope.hpp"

#include <algorithm>

namespace daedal::emit {

Envelope::Envelope(std::size_t rows, std::size_t most) {
  most = std::max<std::size_t>(most, 4);
  if (rows <= most) {
    for (std::size_t r = 0; r < rows; ++r) times_.push_back(r);
    return;
  }
  const std::size_t inner = rows - 2, buckets = (most - 2) / 2;
  bucket_ = (inner + buckets - 1) / buckets;
  times_.push_back(0);
  for (std::size_t first = 1; first <= inner; first += bucket_) {
    times_.push_back(first);
    times_.push_back(std::min(first + bucket_ - 1, inner));
  }
  times_.push_back(rows - 1);
}

std::vector<double> Envelope::of(const Table& table, std::size_t column) const {
  std::vector<double> values(times_.size());
  if (!shortens()) {
    for (std::size_t k = 0; k < times_.size(); ++k) values[k] = table.at(times_[k], column);
    return values;
  }
  values.front() = table.at(times_.front(), column);
  values.back() = table.at(times_.back(), column);
  for (std::size_t k = 1; k + 1 < times_.size(); k += 2) {
    std::size_t low = times_[k], high = times_[k];
    for (std::size_t r = times_[k]; r <= times_[k + 1]; ++r) {
      const double value = table.at(r, column);  // NaN is neither: it shows only where all are
      if (value < table.at(low, column) || table.at(low, column) != table.at(low, column)) low = r;
      if (value > table.at(high, column) || table.at(high, column) != table.at(high, column))
        high = r;
    }
    values[k] = table.at(std::min(low, high), column);
    values[k + 1] = table.at(std::max(low, high), column);
  }
  return values;
}

}  // namespace daedal::emit
