// A table of numbers with named columns: what a simulation hands out and a CSV file holds.
#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace daedal {

struct Column {
  std::string name;  // "t", "phi[2]", "phi[2]'"
  std::string unit;  // "" when not told
};

/// Rows are appended whole and stored one after another (row-major), without gaps.
class Table {
 public:
  Table() = default;
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t width() const { return columns_.size(); }
  std::size_t rows() const { return columns_.empty() ? 0 : data_.size() / columns_.size(); }
  std::span<const double> row(std::size_t r) const { return {data_.data() + r * width(), width()}; }
  double at(std::size_t r, std::size_t c) const {
    assert(r < rows() && c < width());
    return data_[r * width() + c];
  }
  std::span<const double> data() const { return data_; }

  /// Position of the column called `name`.
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (columns_[c].name == name) return c;
    return std::nullopt;
  }
  /// The values of one column, from first row to last.
  std::vector<double> column(std::size_t c) const {
    std::vector<double> values(rows());
    for (std::size_t r = 0; r < values.size(); ++r) values[r] = at(r, c);
    return values;
  }

  void reserve(std::size_t row_count) { data_.reserve(row_count * width()); }
  /// Appends a row of zeros and returns it for filling; no allocation within what was reserved.
  std::span<double> append() {
    data_.resize(data_.size() + width());
    return {data_.data() + data_.size() - width(), width()};
  }

 private:
  std::vector<Column> columns_;
  std::vector<double> data_;
};

}  // namespace daedal
