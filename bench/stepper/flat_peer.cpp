// The crane's inputs at one time by the flat formula, written by hand, desired motion included: w = z x''/(g - z''),
// x_T = x + w, L^2 = z^2 + w^2, u = q' + tau q''. Prints the median time of an evaluation at 1000 times.
#include "bench/support/timing.hpp"

#include <cmath>

namespace {

constexpr double g = 9.81, tau_T = 0.03, tau_L = 0.02, tf = 10;

struct Inputs {
  double trolley, winch;
};

Inputs flat(double t) {
  const double x = t / tf, r = 1 - x, p = x * r, y = 1 - 2 * x;
  const double p2 = p * p;
  const double s0 = x * x * x * x * x * (1 + r * (5 + r * (15 + r * (35 + r * 70))));
  const double s1 = 630 * p2 * p2 / tf, s2 = 2520 * p2 * p * y / (tf * tf);
  const double s3 = 2520 * p2 * (3 * y * y - 2 * p) / (tf * tf * tf);
  const double s4 = 2520 * p * y * (6 * y * y - 18 * p) / (tf * tf * tf * tf);
  const double z = 4 + 3 * s0, z1 = 3 * s1, z2 = 3 * s2, z3 = 3 * s3, z4 = 3 * s4;
  const double a = -4 * s2, a1 = -4 * s3, a2 = -4 * s4;
  const double d = 1 / (g - z2);
  const double w = z * a * d;
  const double w1 = (z1 * a + z * a1 + w * z3) * d;
  const double w2 = (z2 * a + 2 * z1 * a1 + z * a2 + 2 * w1 * z3 + w * z4) * d;
  const double length = std::sqrt(z * z + w * w), over = 1 / length;
  const double l1 = (z * z1 + w * w1) * over;
  const double l2 = (z1 * z1 + z * z2 + w1 * w1 + w * w2 - l1 * l1) * over;
  return {-4 * s1 + w1 + tau_T * (a + w2), l1 + tau_L * l2};
}

}  // namespace

int main() {
  constexpr int times = 1000;
  double sum = 0;
  const double seconds = bench::median_seconds([&] {
    for (int n = 0; n < times; ++n) {
      const Inputs u = flat(tf * (n + 0.5) / times);
      sum += u.trolley + u.winch;
    }
  });
  bench::print_json({{"seconds", seconds / times}, {"u", flat(tf / 2).trolley}, {"sum", sum}});
  return 0;
}
