// Lists on the command line: "k=1:5:20,d=0:2" and "theta1=0.1,s'=2".
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace daedal::cli {

struct Range {
  std::string name;
  double first = 0, last = 0;
  int count = 0;
  std::vector<double> values() const;  // evenly, both ends included
};
/// Throws ModelError that says how `option` is written. Every count is >= 2.
std::vector<Range> read_ranges(const std::string& option, const std::string& text,
                               int default_count);

/// name=value pairs.
std::vector<std::pair<std::string, double>> read_values(const std::string& option,
                                                        const std::vector<std::string>& items);

/// Cut at commas outside brackets.
std::vector<std::string> split_list(const std::string& text);

}  // namespace daedal::cli
