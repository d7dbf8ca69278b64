// Lists and counts for messages and reports.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace daedal::structure {

/// "'a', 'b' and 3 more"
template <class Items, class Name>
std::string quoted_list(const Items& items, Name name) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(items.size(), shown); ++k)
    text += fmt::format("{}'{}'", k == 0 ? "" : ", ", name(items[k]));
  if (items.size() > shown) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

/// "2 unknowns"
inline std::string counted(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// "", " differentiated once", " differentiated twice", " differentiated 3 times"
inline std::string differentiated(int times) {
  if (times == 0) return {};
  if (times == 1) return " differentiated once";
  if (times == 2) return " differentiated twice";
  return fmt::format(" differentiated {} times", times);
}

}  // namespace daedal::structure
