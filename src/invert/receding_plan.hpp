// What a receding horizon plans with: collocation (receding_horizon.cpp) or central differences (difference_plan.cpp).
#pragma once

#include "daedal/invert/receding_horizon.hpp"

#include <span>
#include <string>
#include <vector>

namespace daedal::invert {

class RecedingHorizon::Plan {
 public:
  virtual ~Plan() = default;
  virtual RecedingReport update(const Desired& desired, bool changed) = 0;
  virtual void advance(const Desired& desired) = 0;
  virtual void seed(std::span<const double> states) = 0;
  virtual bool renew_conditions(const Desired& desired) = 0;
  double preview() const { return static_cast<double>(intervals_) * step_; }

  double time_ = 0, growth_ = 0, step_ = 0;
  std::size_t intervals_ = 1;
  Dichotomy modes_;
  std::vector<double> states_, tops_;  // handed out
};

std::unique_ptr<RecedingHorizon::Plan> difference_plan(InverseSystem& system, double start,
                                                       const Desired& desired,
                                                       const std::vector<double>& states,
                                                       const std::vector<double>& tops,
                                                       const RecedingHorizonOptions& options,
                                                       const compile::Options& compile);

/// Preview and step by default, in time constants of the slowest growing mode.
inline constexpr double preview_time_constants = 10, step_time_constants = 0.65;
/// [s]: an interval in which rates are told apart from the circle, and the slowest that are [1/s].
inline constexpr double probing_interval = 1e-3, slowest_probed = 1e-2;

[[noreturn]] void refuse_horizon(std::string message, std::string help);
bool all_finite(const double* values, std::size_t count);

}  // namespace daedal::invert
