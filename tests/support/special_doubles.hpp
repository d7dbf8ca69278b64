// Arguments at which elementary functions are special: zeros, infinities, no number, subnormal numbers.
#pragma once

#include <initializer_list>
#include <limits>
#include <vector>

namespace daedal::test {

/// Those of every function, then `own`.
inline std::vector<double> special_doubles(std::initializer_list<double> own) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> all{0.0,  -0.0, 1,      -1,      0.5,    -0.5,   inf,
                          -inf, nan,  5e-324, -5e-324, 1e-310, -2e-308};
  all.insert(all.end(), own);
  return all;
}

}  // namespace daedal::test
