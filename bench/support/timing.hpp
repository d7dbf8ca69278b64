// Timing for benchmark programs: the median of many runs, and one line of JSON for bench/compare.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Median wall time of `work()` in seconds: at least `least_runs` runs and `least_seconds` in all, after one warm-up.
template <class Work>
double median_seconds(Work&& work, int least_runs = 5, double least_seconds = 0.2) {
  using clock = std::chrono::steady_clock;
  work();
  std::vector<double> runs;
  double total = 0;
  while (static_cast<int>(runs.size()) < least_runs || total < least_seconds) {
    const auto begin = clock::now();
    work();
    runs.push_back(std::chrono::duration<double>(clock::now() - begin).count());
    total += runs.back();
  }
  std::nth_element(runs.begin(), runs.begin() + static_cast<long>(runs.size() / 2), runs.end());
  return runs[runs.size() / 2];
}

/// {"seconds": 1e-3, "th1": 0.8}: numbers by name.
inline void print_json(const std::vector<std::pair<std::string, double>>& numbers) {
  const char* separator = "{";
  for (const auto& [name, value] : numbers) {
    std::printf("%s\"%s\": %.17g", separator, name.c_str(), value);
    separator = ", ";
  }
  std::puts("}");
}

}  // namespace bench
