// Timing for benchmark programs: the median of many runs, and one line of JSON for bench/compare.
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Time this thread has had on a processor: what else runs on the machine interrupts runs of a few milliseconds, and would
/// double the time of the longer side of a comparison only.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Median time of `work()`, on this thread alone, in seconds: at least `least_runs` runs and `least_seconds` in all, after one warm-up.
template <class Work>
double median_seconds(Work&& work, int least_runs = 5, double least_seconds = 0.2) {
  work();
  std::vector<double> runs;
  double total = 0;
  while (static_cast<int>(runs.size()) < least_runs || total < least_seconds) {
    const double begin = thread_seconds();
    work();
    runs.push_back(thread_seconds() - begin);
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
