// The order of convergence that a method shows: the slope of log(error) over log(step), fitted by
// least squares.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace daedal::support {

struct ObservedOrder {
  double slope = 0;
  std::vector<double> steps, errors;
};

/// How far a fitted slope may lie from the order: the next term of the error bends the line at long steps, rounding at short
/// ones. A method of another order is off by 1.
inline constexpr double slope_margin = 0.25;

inline ObservedOrder fitted_order(std::vector<double> steps, std::vector<double> errors) {
  assert(steps.size() >= 2 && steps.size() == errors.size());
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const auto count = static_cast<double>(steps.size());
  const double slope = (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
  return {slope, std::move(steps), std::move(errors)};
}

/// Errors at `count` steps, each half of the one before. The caller picks a range between the first
/// wiggles and rounding.
inline ObservedOrder observed_order(double largest_step, int count,
                                    const std::function<double(double)>& error_of_step) {
  std::vector<double> steps, errors;
  for (int i = 0; i < count; ++i) {
    steps.push_back(std::ldexp(largest_step, -i));
    errors.push_back(error_of_step(steps.back()));
  }
  return fitted_order(std::move(steps), std::move(errors));
}

}  // namespace daedal::support
