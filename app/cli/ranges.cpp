#include "ranges.hpp"

#include "request.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace daedal::cli {

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
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      items.emplace_back();
    else
      items.back().push_back(c);
  }
  return items;
}

std::vector<Range> read_ranges(const std::string& option, const std::string& text,
                               int default_count) {
  std::vector<Range> ranges;
  for (const std::string& item : split_list(text)) {
    const std::size_t equals = item.find('=');
    Range range;
    range.count = default_count;
    char rest = 0;
    const std::string numbers = equals == std::string::npos ? "" : item.substr(equals + 1);
    const int read = std::sscanf(numbers.c_str(), "%lf:%lf:%d%c", &range.first, &range.last,
                                 &range.count, &rest);
    const bool complete = (read == 2 && numbers.find(':') == numbers.rfind(':')) || read == 3;
    if (equals == 0 || !complete || !std::isfinite(range.first) || !std::isfinite(range.last) ||
        range.first == range.last || range.count < 2 || range.count > 1'000'000)
      fault({}, fmt::format("{} {}: '{}' is not a range", option, text, item),
            "write NAME=FIRST:LAST or NAME=FIRST:LAST:COUNT, as in k=1:5:20");
    range.name = item.substr(0, equals);
    ranges.push_back(std::move(range));
  }
  return ranges;
}

std::vector<std::pair<std::string, double>> read_values(const std::string& option,
                                                        const std::vector<std::string>& items) {
  std::vector<std::pair<std::string, double>> result;
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    char* end = nullptr;
    const std::string number = equals == std::string::npos ? "" : item.substr(equals + 1);
    const double value = std::strtod(number.c_str(), &end);
    if (equals == 0 || number.empty() || *end != '\0' || !std::isfinite(value))
      fault({}, fmt::format("{}: '{}' is not of the form NAME=VALUE", option, item),
            "as in theta1=0.1, or theta1'=2 for a velocity");
    result.emplace_back(item.substr(0, equals), value);
  }
  return result;
}

}  // namespace daedal::cli
