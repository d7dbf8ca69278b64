// The torque that turns the last of n equal disks by 2 pi in 6 s: the disks have no internal dynamics.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cmath>
#include <numbers>

namespace daedal::test {

/// u = k sum_j binom(N+j-1, 2j-1) (I/k)^j z^(2j)
inline double exact_torque(int n, int smoothness, double t) {
  double u = 0, binomial = n, ratio = 1;
  for (int j = 1; j <= n; ++j) {
    ratio *= 0.12 / 2;
    u += 2 * binomial * ratio * 2 * std::numbers::pi *
         expr::rest_to_rest_value(t / 6, smoothness, 2 * j) / std::pow(6, 2 * j);
    binomial = binomial * (n + j) * (n - j) / (2.0 * j * (2 * j + 1));
  }
  return u;
}

}  // namespace daedal::test
