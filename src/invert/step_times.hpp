// Times of many steps, summed up.
#pragma once

#include "daedal/invert/classical.hpp"

#include <algorithm>
#include <vector>

namespace daedal::invert {

/// Sorts what it is given.
inline StepTimes step_times(std::vector<double>& seconds) {
  StepTimes times;
  times.steps = seconds.size();
  if (seconds.empty()) return times;
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    return seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
  };
  times.median = at(0.5);
  times.most = at(0.999);
  times.worst = seconds.back();
  return times;
}

}  // namespace daedal::invert
