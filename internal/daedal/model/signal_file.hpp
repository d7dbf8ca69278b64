// Signals from CSV files.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/model/fault.hpp"
#include "daedal/units/dimension.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

/// A table whose first column increases and whose others are functions of it. The first line may
/// name the columns, with units: numbers under "F [kN]" are converted to SI. Empty lines and lines that start with # are skipped. Commas part the cells, or
/// semicolons where the first line has any: then numbers may have a decimal comma. Lines end with LF, CR or both.
class SignalFile {
 public:
  /// Reads the file; errors are reported as a fault at `place`.
  SignalFile(std::string path, Place place);

  std::size_t rows() const { return over_.size(); }
  /// How many there are besides the first.
  std::size_t columns() const { return names_.size(); }
  bool has(const std::string& column) const;
  std::size_t find(const std::string& column) const;  // or a fault that names the columns
  /// What stands beside its name in the first line.
  const std::optional<Unit>& unit(std::size_t column) const { return units_[column + 1]; }
  /// Column number `column` as a spline of x.
  expr::Expr spline(expr::Graph& graph, std::size_t column, expr::Expr x, int smoothness) const;

 private:
  void read_line(std::string_view line, int number);
  void read_header(const std::vector<std::string>& cells);
  std::optional<double> number_in(std::string cell) const;
  void check() const;
  [[noreturn]] void fail(const std::string& message, std::string help = {}) const;

  std::string path_;
  Place place_;
  char separator_ = ',';
  std::vector<std::string> names_;          // of the columns after the first
  std::vector<std::optional<Unit>> units_;  // of all
  std::vector<double> over_;                // the first column
  std::vector<std::vector<double>> data_;   // the others
};

}  // namespace daedal::model
