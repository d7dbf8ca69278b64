#include "receding_plan.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/boundary/rest_zeros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::inversion {

void refuse_horizon(std::string message, std::string help) {
  throw ModelError({Severity::error, {}, std::move(message), {}, std::move(help)});
}

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double v) { return std::isfinite(v); });
}

boundary::Rest RecedingHorizon::Plan::begin_at_rest(boundary::ReducedSystem& system,
                                                    const RestStart& start) {
  if (const std::vector<Diagnostic> faults = check(options_); !faults.empty())
    throw ModelError(faults);
  std::vector<double> w(system.signals());
  time_ = start.time;
  start.desired(time_, w.data());
  boundary::Rest rest = boundary::rest_at(system, w.data(), start.states, start.tops);
  if (!rest.found)
    refuse_horizon(
        fmt::format("no state of rest at t = {:.6g} s, where the receding horizon begins", time_),
        "let the desired motion rest there");
  const boundary::RestZeros zeros = boundary::zeros_at_rest(system, w.data(), rest);
  growth_ = zeros.slowest_growth();
  decay_ = zeros.slowest_decay();
  modes_ = zeros.counts();
  if (growth_ == 0)
    refuse_horizon("nothing grows in the internal dynamics: no preview is needed",
                   "a method with fixed step inverts the model: `method = radau5` `step = 0.001`");
  states_ = good_states_ = rest.states;
  tops_ = good_tops_ = rest.tops;
  for (const TopLimit& limit : options_.limits)
    inputs_.push_back(std::min(std::max(tops_.at(limit.top), limit.lowest), limit.highest));
  return rest;
}

RecedingReport RecedingHorizon::Plan::update(const boundary::Desired& desired, bool changed) {
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
    const boundary::Correction correction = correct(renew);
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
  if (report.step <= options_.reliable_below) {
    if (side() * side_ < 0) {
      keep_the_last();
      return stopped(RecedingStatus::branch_changed);
    }
    side_ = side();
    if (limit_inputs()) report.status = RecedingStatus::limited;
    return report;
  }
  keep_the_last();
  return stopped(RecedingStatus::large_step);
}

/// Within the range, then as near to that as the rate allows. Returns whether one was cut.
bool RecedingHorizon::Plan::limit_inputs() {
  bool cut = false;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const TopLimit& limit = options_.limits[k];
    const double asked = tops_[limit.top], change = limit.rate * options_.period;
    const double allowed = std::min(std::max(asked, limit.lowest), limit.highest);
    inputs_[k] = std::min(std::max(allowed, inputs_[k] - change), inputs_[k] + change);
    cut = cut || inputs_[k] != asked;
  }
  return cut;
}

/// Corrections of the plan as far as they reach back to the inputs of now.
double RecedingHorizon::Plan::step_felt_now() const {
  double largest = 0;
  for (std::size_t k = 0; k < intervals_; ++k)
    largest =
        std::max(largest, std::exp(-growth_ * step_ * static_cast<double>(k)) * correction_at(k));
  return largest;
}

}  // namespace daedal::inversion
