// The system of the zeros' race: the same numbers on both sides, from a generator that both can write down.
#pragma once

#include <Eigen/Core>

namespace bench {

/// x <- 16807 x mod (2^31 - 1) [ParkMiller1988], entries in (-1, 1), column by column: A, then B, C; D = 0.
struct ZerosSystem {
  Eigen::MatrixXd a, b, c, d;
  explicit ZerosSystem(int states, int channels = 3)
      : a(states, states), b(states, channels), c(channels, states), d(channels, channels) {
    long long x = 1;
    for (Eigen::MatrixXd* m : {&a, &b, &c})
      for (double& entry : m->reshaped()) {
        x = 16807 * x % 2147483647;
        entry = 2 * static_cast<double>(x) / 2147483647.0 - 1;
      }
    d.setZero();
  }
};

}  // namespace bench
