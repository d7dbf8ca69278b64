// A table of numbers with named columns: the result of a simulation and the contents of a CSV file.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace daedal {

/// What a column of a trajectory holds.
enum class ColumnKind : std::uint8_t {
  other,  // no quantity of a model
  time,
  coordinate,
  variable,
  velocity,  // of a coordinate
  rate,      // of a variable
  force,     // of a constraint or a drive
  tension,   // of a length whose constraint is written with squares
  input,
  output,
  momentum,
  estimate,    // of a state, by an observer
  deviation,   // standard deviation of an estimate
  innovation,  // of an observer
};

struct Column {
  std::string name;  // "t", "phi[2]", "phi[2]'", "rod.force", "rod.tension"
  std::string unit;  // "" when unknown
  ColumnKind kind = ColumnKind::other;
  /// The quantity: "phi[2]" of "phi[2]'", the multiplier "rod" of "rod.force", of an estimate the state; "" where there is none.
  std::string symbol = {};
  int order = 0;  // of the derivative of the symbol
  /// The values are minus those of the symbol: a reaction is minus the multiplier.
  bool opposite = false;
  std::string controller = {};  // whose output or estimate it is; "" of the mechanism

  /// From a value of the symbol to one of the column and back. Without -0.
  double turned(double value) const { return opposite ? 0 - value : value; }
  bool is_position() const {
    return kind == ColumnKind::coordinate || kind == ColumnKind::variable;
  }
  bool is_velocity() const { return kind == ColumnKind::velocity || kind == ColumnKind::rate; }
  /// An observer's idea of a quantity, not the quantity.
  bool is_of_observer() const {
    return kind == ColumnKind::estimate || kind == ColumnKind::deviation ||
           kind == ColumnKind::innovation;
  }
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
  /// Position of the column that holds a derivative of a quantity, as it is or with the opposite sign.
  std::optional<std::size_t> find(std::string_view symbol, int order) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (const Column& column = columns_[c];
          column.order == order && column.symbol == symbol && !column.is_of_observer())
        return c;
    return std::nullopt;
  }
  /// The values of one column, from first row to last.
  std::vector<double> column(std::size_t c) const {
    std::vector<double> values(rows());
    for (std::size_t r = 0; r < values.size(); ++r) values[r] = at(r, c);
    return values;
  }

  /// The same by name; empty when there is none.
  std::vector<double> column(std::string_view name) const {
    const auto c = find(name);
    return c ? column(*c) : std::vector<double>();
  }

  void reserve(std::size_t row_count) { data_.reserve(row_count * width()); }
  /// Appends a row of zeros and returns it for filling; no allocation within the reserved size.
  std::span<double> append() {
    data_.resize(data_.size() + width());
    return {data_.data() + data_.size() - width(), width()};
  }

 private:
  std::vector<Column> columns_;
  std::vector<double> data_;
};

}  // namespace daedal
