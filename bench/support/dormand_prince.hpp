// Dormand-Prince 5(4) with PI step control for a fixed number of states, everything known to the compiler: what a careful
// engineer writes for one mechanism [HairerNorsettWanner1993, II.4].
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace bench {

struct RungeKuttaCount {
  long evaluations = 0, accepted = 0, rejected = 0;
};

/// Integrates y from 0 to `end`. `project(y)` is called after each accepted step when `projecting`.
template <std::size_t n, class Derivative, class Project>
RungeKuttaCount dormand_prince(std::array<double, n>& y, double end, double tolerance,
                               bool projecting, Derivative&& derivative, Project&& project) {
  RungeKuttaCount count;
  std::array<double, n> k1, k2, k3, k4, k5, k6, k7, stage, next;
  const auto evaluate = [&](const std::array<double, n>& s, std::array<double, n>& k) {
    ++count.evaluations;
    derivative(s.data(), k.data());
  };
  evaluate(y, k1);
  double t = 0, h = 1e-4, previous_error = 1e-4;
  while (t < end) {
    h = std::min(h, end - t);
    for (std::size_t i = 0; i < n; ++i) stage[i] = y[i] + h * (1. / 5 * k1[i]);
    evaluate(stage, k2);
    for (std::size_t i = 0; i < n; ++i) stage[i] = y[i] + h * (3. / 40 * k1[i] + 9. / 40 * k2[i]);
    evaluate(stage, k3);
    for (std::size_t i = 0; i < n; ++i)
      stage[i] = y[i] + h * (44. / 45 * k1[i] - 56. / 15 * k2[i] + 32. / 9 * k3[i]);
    evaluate(stage, k4);
    for (std::size_t i = 0; i < n; ++i)
      stage[i] = y[i] + h * (19372. / 6561 * k1[i] - 25360. / 2187 * k2[i] + 64448. / 6561 * k3[i] -
                             212. / 729 * k4[i]);
    evaluate(stage, k5);
    for (std::size_t i = 0; i < n; ++i)
      stage[i] = y[i] + h * (9017. / 3168 * k1[i] - 355. / 33 * k2[i] + 46732. / 5247 * k3[i] +
                             49. / 176 * k4[i] - 5103. / 18656 * k5[i]);
    evaluate(stage, k6);
    for (std::size_t i = 0; i < n; ++i)
      next[i] = y[i] + h * (35. / 384 * k1[i] + 500. / 1113 * k3[i] + 125. / 192 * k4[i] -
                            2187. / 6784 * k5[i] + 11. / 84 * k6[i]);
    evaluate(next, k7);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double error = h * (71. / 57600 * k1[i] - 71. / 16695 * k3[i] + 71. / 1920 * k4[i] -
                                17253. / 339200 * k5[i] + 22. / 525 * k6[i] - 1. / 40 * k7[i]);
      const double ratio = error / (tolerance * (1 + std::max(std::abs(y[i]), std::abs(next[i]))));
      sum += ratio * ratio;
    }
    const double error = std::max(std::sqrt(sum / static_cast<double>(n)), 1e-10);
    const double factor = 0.9 * std::pow(error, -0.17) * std::pow(previous_error, 0.04);
    if (error >= 1) {
      ++count.rejected;
      h *= std::clamp(factor, 0.2, 0.9);
      continue;
    }
    ++count.accepted;
    t += h;
    y = next;
    if (projecting) project(y.data());
    std::swap(k1, k7);
    h *= std::clamp(factor, 0.2, 10.);
    previous_error = std::max(error, 1e-4);
  }
  return count;
}

}  // namespace bench
