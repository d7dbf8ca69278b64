#include "daedal/model/signal_file.hpp"

#include "daedal/model/natural_spline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace daedal::model {

namespace {

constexpr std::uintmax_t max_bytes = 64u << 20;  // as for model files

/// The separator of a line: a semicolon where there is one outside quotes.
char separator_of(std::string_view line) {
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ';' && !quoted) return ';';
  }
  return ',';
}

/// The cells of a line: blanks around them are dropped, quotes protect separators.
std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      cells.emplace_back();
    } else if (quoted || (c != ' ' && c != '\t')) {
      cells.back() += c;
    }
  }
  return cells;
}

/// "F[kN]" in two: the name and its unit; the bracket of phi[1] is none.
std::pair<std::string, std::optional<Unit>> name_and_unit(const std::string& cell) {
  const std::size_t open = cell.rfind('[');
  if (open == std::string::npos || open == 0 || !cell.ends_with(']')) return {cell, std::nullopt};
  const std::string text = cell.substr(open + 1, cell.size() - open - 2);
  if (text.find_first_not_of("0123456789,") == std::string::npos) return {cell, std::nullopt};
  std::optional<Unit> unit = parse_unit(text);
  return {unit ? cell.substr(0, open) : cell, unit};
}

std::optional<double> finite_number(const std::string& cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

SignalFile::SignalFile(std::string path, Place place)
    : path_(std::move(path)), place_(std::move(place)) {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) fail("cannot be read");
  if (!std::filesystem::is_regular_file(path_, error)) fail("is not a regular file");
  if (std::filesystem::file_size(path_, error) > max_bytes) fail("is larger than 64 MiB");
  std::ifstream stream(path_, std::ios::binary);
  if (!stream) fail("cannot be read");
  std::stringstream content;
  content << stream.rdbuf();
  const SourceFile text(path_, content.str());
  for (std::uint32_t number = 1; number <= text.line_count(); ++number)
    if (const std::string_view line = text.line(number); !line.empty() && line[0] != '#')
      read_line(line, static_cast<int>(number));
  check();
}

void SignalFile::fail(const std::string& message, std::string help) const {
  fault(place_, fmt::format("the signal file '{}' {}", path_, message), std::move(help));
}

std::optional<double> SignalFile::number_in(std::string cell) const {
  if (separator_ == ';')
    if (const std::size_t comma = cell.find(','); comma != cell.npos) cell[comma] = '.';
  return finite_number(cell);
}

void SignalFile::read_line(std::string_view line, int number) {
  if (data_.empty()) separator_ = separator_of(line);
  const std::vector<std::string> cells = split(line, separator_);
  if (data_.empty()) {  // the first line
    if (cells.size() < 2)
      fail("needs at least two columns", "commas or semicolons are between them, not blanks");
    data_.resize(cells.size() - 1);
    units_.resize(cells.size());
    if (!number_in(cells[0])) return read_header(cells);
    for (std::size_t i = 1; i < cells.size(); ++i)
      names_.push_back(fmt::format("column {}", i + 1));
  }
  if (cells.size() != data_.size() + 1) {
    fail(fmt::format("has {} cells in line {} and {} in its first", cells.size(), number,
                     data_.size() + 1));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::optional<double> value = number_in(cells[i]);
    if (!value)
      fail(fmt::format("has no finite number in line {}: '{}'", number, cells[i]),
           "a line of names, then lines of numbers, commas between them: the time comes first");
    (i == 0 ? over_ : data_[i - 1]).push_back(units_[i] ? units_[i]->to_si(*value) : *value);
  }
}

void SignalFile::read_header(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto [name, unit] = name_and_unit(cells[i]);
    units_[i] = std::move(unit);
    if (i > 0) names_.push_back(std::move(name));
  }
  if (units_[0] && name_and_unit(cells[0]).first == "t" && units_[0]->dimension != dimensions::time)
    fail(fmt::format("has a time in '{}'", cells[0]), "times are in s, or in a unit such as [ms]");
}

void SignalFile::check() const {
  if (over_.size() < 2) fail("needs at least two rows of numbers");
  const auto back =
      std::adjacent_find(over_.begin(), over_.end(), [](double a, double b) { return !(a < b); });
  if (back != over_.end())
    fail(fmt::format("must increase in its first column, but has {} after {}", back[1], back[0]));
}

bool SignalFile::has(const std::string& column) const {
  return std::find(names_.begin(), names_.end(), column) != names_.end();
}

std::size_t SignalFile::find(const std::string& column) const {
  if (!has(column))
    fail(fmt::format("has no column '{}', but {}", column, fmt::join(names_, ", ")));
  if (std::count(names_.begin(), names_.end(), column) > 1)
    fail(fmt::format("has {} columns '{}'", std::count(names_.begin(), names_.end(), column),
                     column),
         "which one is meant? rename the others");
  return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), column) - names_.begin());
}

expr::Expr SignalFile::spline(expr::Graph& graph, std::size_t column, expr::Expr x,
                              int smoothness) const {
  const std::size_t needed = natural_spline_rows(smoothness);
  if (over_.size() < needed) {
    fail(fmt::format("has {} rows, and a spline of smoothness {} needs {}", over_.size(),
                     smoothness, needed));
  }
  if (graph.spline_count() == 0xffff) fail("is one spline too many: a model holds 65535");
  return graph.spline(graph.add_spline(natural_spline(over_, data_[column], smoothness)), x);
}

}  // namespace daedal::model
