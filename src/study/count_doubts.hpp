// Numbers of poles and zeros that rounding decides, over parameters: in words, for programs and on the page.
#pragma once

#include "daedal/analyse/count_doubt.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/json.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

CountInDoubt plain(const analysis::CountDoubt& doubt);
std::vector<CountInDoubt> plain(const std::vector<analysis::CountDoubt>& doubts);

nlohmann::ordered_json to_json(const CountInDoubt& doubt);
nlohmann::ordered_json to_json(const std::vector<CountInDoubt>& doubts);

/// What marks a row.
inline constexpr const char* in_doubt = "in doubt";

/// Counts the points in doubt and keeps what the first one says.
class DoubtfulPoints {
 public:
  /// `where`: "alpha = 1e-07".
  void add(const std::string& where, const std::vector<CountInDoubt>& doubts);
  /// A warning, and a tone that is not good. Nothing where there are none.
  void warn(Answer& answer, std::size_t points) const;

 private:
  std::size_t count_ = 0;
  std::string first_;
  std::vector<std::string> texts_;
};

}  // namespace task
}  // namespace daedal
