#include "daedal/study/analyse.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <optional>

namespace daedal {
inline namespace task {

namespace {

/// "1:5" or "1:5:20"; a count that is not written stays as it is. False for anything else.
bool read_span(const std::string& text, double& first, double& last, int& count) {
  char rest = 0;
  const int read = std::sscanf(text.c_str(), "%lf:%lf:%d%c", &first, &last, &count, &rest);
  const bool complete = (read == 2 && text.find(':') == text.rfind(':')) || read == 3;
  return complete && std::isfinite(first) && std::isfinite(last);
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "0.1", "pi/4"; nothing for what is no finite number. Throws ModelError for what is no formula.
std::optional<double> number_in(const std::string& text, const std::string& option) {
  if (text.empty()) return std::nullopt;
  const model::Option formula = model::parse_option(text, option);
  if (formula.numbers.size() != 1 || !std::isfinite(formula.numbers[0])) return std::nullopt;
  return formula.numbers[0];
}

}  // namespace

std::vector<double> Range::values() const {
  std::vector<double> result;
  for (int k = 0; k < count; ++k)
    result.push_back(k + 1 == count ? last : first + (last - first) * k / (count - 1));
  return result;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      items.emplace_back();
    else
      items.back().push_back(c);
  }
  return items;
}

std::vector<Range> read_ranges(const std::string& option, const std::string& text, int count) {
  std::vector<Range> ranges;
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    const std::string numbers = equals == std::string::npos ? "" : item.substr(equals + 1);
    Range range{"", 0, 0, count};
    if (equals == 0 || !read_span(numbers, range.first, range.last, range.count) ||
        range.first == range.last || range.count < 2 || range.count > 1'000'000)
      fault({}, fmt::format("{} {}: '{}' is not a range", option, text, item),
            "write NAME=FIRST:LAST or NAME=FIRST:LAST:COUNT, as in k=1:5:20");
    range.name = item.substr(0, equals);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

Range read_range(const std::string& option, const std::string& text, int count) {
  std::vector<Range> ranges = read_ranges(option, text, count);
  if (ranges.size() != 1)
    fault({}, fmt::format("{} {}: one parameter is followed at a time", option, text));
  return std::move(ranges[0]);
}

Range read_change(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  Range change;
  char rest = 0;
  if (equals == std::string::npos ||
      std::sscanf(text.c_str() + equals + 1, "%lf:%lf%c", &change.first, &change.last, &rest) !=
          2 ||
      !std::isfinite(change.first) || !std::isfinite(change.last) || change.first == change.last)
    fault({}, fmt::format("{} {}: not a range of a parameter", option, text),
          "write NAME=FROM:TO, as in s4=0.1:0.3; several separated by commas move together");
  change.name = text.substr(0, equals);
  return change;
}

Grid read_frequencies(const std::string& option, const std::string& text) {
  Grid grid{0, 0, 200};
  if (!read_span(text, grid.first, grid.last, grid.count) || !(grid.first > 0) ||
      !(grid.last > grid.first) || grid.count < 2 || grid.count > 1'000'000)
    fault({}, fmt::format("{} {}: not a range of frequencies", option, text),
          "write FIRST:LAST or FIRST:LAST:COUNT in rad/s, 0 < FIRST < LAST, as in 0.1:100:200");
  return grid;
}

Grid read_times(const std::string& option, const std::string& text) {
  Grid grid{0, 0, 11};
  if (!read_span(text, grid.first, grid.last, grid.count) || !(grid.first >= 0) ||
      !(grid.last > grid.first) || grid.count < 2 || grid.count > 100'000)
    fault({}, fmt::format("{} {}: not a range of times", option, text),
          "write FIRST:LAST or FIRST:LAST:COUNT in s, 0 <= FIRST < LAST, as in 0:10:11");
  return grid;
}

std::vector<NamedNumber> read_values(const std::string& option,
                                     const std::vector<std::string>& items) {
  std::vector<NamedNumber> result;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    const std::string name = trimmed(item.substr(0, equals));
    const std::string text = equals == std::string::npos ? "" : trimmed(item.substr(equals + 1));
    const std::optional<double> value = number_in(text, option);
    if (name.empty() || !value)
      fault({}, fmt::format("{}: '{}' is not of the form NAME=VALUE", option, item),
            "as in theta1=0.1 or theta1=pi/4, or theta1'=2 for a velocity");
    result.push_back({name, *value});
  }
  return result;
}

}  // namespace task
}  // namespace daedal
