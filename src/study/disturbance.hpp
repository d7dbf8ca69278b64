// States moved away from rest, or from the start.
#pragma once

#include "daedal/study/analyse.hpp"

#include <map>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// The last value of each name.
inline std::map<std::string, double> by_name(const std::vector<NamedNumber>& numbers) {
  std::map<std::string, double> result;
  for (const NamedNumber& one : numbers) result[one.name] = one.value;
  return result;
}

}  // namespace task
}  // namespace daedal
