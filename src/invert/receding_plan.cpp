#include "receding_plan.hpp"

#include "daedal/base/diagnostic.hpp"
#include "rest_zeros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::invert {

void refuse_horizon(std::string message, std::string help) {
  throw ModelError({Severity::error, {}, std::move(message), {}, std::move(help)});
}

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double v) { return std::isfinite(v); });
}

Rest RecedingHorizon::Plan::begin_at_rest(ReducedSystem& system, const RestStart& start) {
  if (const std::vector<Diagnostic> faults = check(options_); !faults.empty())
    throw ModelError(faults);
  std::vector<double> w(system.signals());
  time_ = start.time;
  start.desired(time_, w.data());
  Rest rest = rest_at(system, w.data(), start.states, start.tops);
  if (!rest.found)
    refuse_horizon(
        fmt::format("no state of rest at t = {:.6g} s, where the receding horizon begins", time_),
        "let the desired motion stand still there");
  const RestZeros zeros = zeros_at_rest(system, w.data(), rest);
  growth_ = zeros.slowest_growth();
  decay_ = zeros.slowest_decay();
  modes_ = zeros.counts();
  if (growth_ == 0)
    refuse_horizon(
        "nothing grows in the internal dynamics: no preview is needed",
        "a method with fixed step inverts the model: daedal invert --method radau5 --step ...");
  states_ = good_states_ = rest.states;
  tops_ = good_tops_ = rest.tops;
  return rest;
}

RecedingReport RecedingHorizon::Plan::update(const Desired& desired, bool changed) {
  RecedingReport report;
  report.truncation = std::exp(-growth_ * preview());
  const auto stopped = [&](RecedingStatus status) {
    report.status = status;
    return report;
  };
  if (!prepare(desired, changed)) return stopped(RecedingStatus::not_finite);
  changed = changed || seeded_;
  const int last = steps(changed);
  for (int k = 1; k <= last; ++k) {
    if (!aim(desired)) return stopped(RecedingStatus::not_finite);
    const bool renew = may_renew(k - 1, last) && (changed || must_factor_ || age_ >= step_);
    const Correction correction = correct(renew);
    ++report.iterations;
    if (!correction.ok) {
      must_factor_ = true;
      return stopped(RecedingStatus::singular);
    }
    report.factored = report.factored || renew;
    if (renew) age_ = 0;
    report.step = step_felt_now();
    report.gap = correction.gap;
    must_factor_ = !(report.step <= options_.renew_above);
  }
  std::copy(states_.begin(), states_.end(), good_states_.begin());
  std::copy(tops_.begin(), tops_.end(), good_tops_.begin());
  const auto keep_the_last = [&] {
    std::copy(good_states_.begin(), good_states_.end(), states_.begin());
    std::copy(good_tops_.begin(), good_tops_.end(), tops_.begin());
  };
  if (!hand_out(desired)) {
    must_factor_ = true;
    keep_the_last();
    return stopped(RecedingStatus::not_finite);
  }
  seeded_ = false;
  if (report.step <= options_.reliable_below) return report;
  keep_the_last();
  return stopped(RecedingStatus::large_step);
}

/// Corrections of the plan as far as they reach back to the inputs of now.
double RecedingHorizon::Plan::step_felt_now() const {
  double largest = 0;
  for (std::size_t k = 0; k < intervals_; ++k)
    largest =
        std::max(largest, std::exp(-growth_ * step_ * static_cast<double>(k)) * correction_at(k));
  return largest;
}

}  // namespace daedal::invert
