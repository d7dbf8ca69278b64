// Interpolation between values at equal distances.
#pragma once

#include <cstddef>

namespace daedal::boundary {

/// Lagrange's polynomial of node p among the nodes 0 .. points - 1, at `at`.
inline double lagrange_share(std::size_t points, std::size_t p, double at) {
  double share = 1;
  for (std::size_t q = 0; q < points; ++q)
    if (q != p)
      share *= (at - static_cast<double>(q)) / (static_cast<double>(p) - static_cast<double>(q));
  return share;
}

}  // namespace daedal::boundary
