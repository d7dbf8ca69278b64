// The order of convergence that a method shows: the slope of log(error) over log(step), fitted by
// least squares.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace daedal::support {

struct ObservedOrder {
  double slope = 0;
  std::vector<double> steps, errors;
};

/// Errors at `count` steps, each half of the one before. The caller picks a range between the first
/// wiggles and rounding.
inline ObservedOrder observed_order(double largest_step, int count,
                                    const std::function<double(double)>& error_of_step) {
  assert(count >= 2);
  ObservedOrder observed;
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (int i = 0; i < count; ++i) {
    const double step = std::ldexp(largest_step, -i);
    const double error = error_of_step(step);
    observed.steps.push_back(step);
    observed.errors.push_back(error);
    const double x = std::log(step), y = std::log(error);
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  observed.slope = (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
  return observed;
}

}  // namespace daedal::support
