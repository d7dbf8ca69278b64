// See generalized_alpha.hpp.

#include "generalized_alpha.hpp"

#include "step_size.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve {

GeneralizedAlpha::GeneralizedAlpha(System& system, const GeneralizedAlphaOptions& options)
    : PointSteps(system),
      system_(system),
      options_(options),
      alpha_m_((2 * options.spectral_radius - 1) / (options.spectral_radius + 1)),
      alpha_f_(options.spectral_radius / (options.spectral_radius + 1)),
      beta_(0.25 * (1 + alpha_f_ - alpha_m_) * (1 + alpha_f_ - alpha_m_)),
      gamma_(0.5 + alpha_f_ - alpha_m_),
      newton_(system, options.newton),
      known_part_(system.states()),
      weights_(newton_.weights()),
      rates_(system.states()) {
  for (AlphaPoint* point : {&old_, &now_, &made_}) point->algorithmic.resize(system.tops());
}

StepOutcome GeneralizedAlpha::start(double t, const double* s, const double* z, double) {
  begin_at(t, s, z);
  newton_.restart();
  ++statistics_.evaluations;
  Failure failure = system_.derivative(t, s, now_.z.data(), rates_.data());
  if (failure == Failure::none && !all_finite(rates_)) failure = Failure::not_finite;
  now_.algorithmic = now_.z;
  old_ = now_;
  return {failure == Failure::none, describe(failure), failure, options_.step};
}

/// w is the acceleration at t + (alpha_m - alpha_f) h, before t, up to O(h^2): only with such a start are the multipliers of
/// order 2 from the first step on. What lies before t may be another motion (a break point): mirrored from after it.
Failure GeneralizedAlpha::start_algorithmic(double h) {
  const double ahead = (alpha_f_ - alpha_m_) * h;
  for (std::uint32_t i = 0; i < now_.s.size(); ++i) {
    const std::uint32_t next = newton_.chains().next[i];
    const double bend = next < now_.s.size() ? slope(now_, next) : 0;
    made_.s[i] = now_.s[i] + ahead * (slope(now_, i) + 0.5 * ahead * bend);
  }
  made_.z = now_.z;
  ++statistics_.evaluations;
  const Failure failure =
      system_.derivative(now_.t + ahead, made_.s.data(), made_.z.data(), rates_.data());
  for (std::size_t j = 0; j < now_.z.size(); ++j) now_.algorithmic[j] = 2 * now_.z[j] - made_.z[j];
  return failure;
}

double GeneralizedAlpha::slope(const AlphaPoint& at, std::uint32_t i) const {
  const std::uint32_t next = newton_.chains().next[i];
  return next < at.s.size() ? at.s[next] : at.z[next - at.s.size()];
}

/// The states at the end of the step, but for their share of the new accelerations; and weights_, that share.
void GeneralizedAlpha::set_known_part(double h) {
  const Chains& chains = newton_.chains();
  const double share = (1 - alpha_f_) / (1 - alpha_m_);
  const double of_rate[] = {1, h * gamma_ * share, h * h * beta_ * share};
  std::copy_n(of_rate, weights_.size(), weights_.data());
  for (std::uint32_t i = 0; i < known_part_.size(); ++i) {
    const std::uint32_t top = chains.top[i];
    const double w = now_.algorithmic[top];
    const double w_new = (alpha_f_ * now_.z[top] - alpha_m_ * w) / (1 - alpha_m_);
    known_part_[i] =
        now_.s[i] + (chains.depth[i] == 1
                         ? h * ((1 - gamma_) * w + gamma_ * w_new)
                         : h * slope(now_, i) + h * h * ((0.5 - beta_) * w + beta_ * w_new));
  }
}

StepOutcome GeneralizedAlpha::step(double limit) {
  if (statistics_.accepted >= options_.max_steps)
    return {false, reason_max_steps, Failure::none, steps_.length()};
  const auto fail = [&](Failure cause) {
    return StepOutcome{false, describe(cause), cause, steps_.length()};
  };
  if (!steps_.lead_to(limit) || steps_.done()) {
    steps_.begin(now_.t, limit, options_.step);
    if (const Failure failure = start_algorithmic(steps_.length()); failure != Failure::none)
      return fail(failure);
  }
  set_known_part(steps_.length());
  made_.t = steps_.next();
  made_.z = now_.z;
  if (const Failure failure = newton_.solve({made_.t, known_part_.data(), weights_}, made_.s.data(),
                                            made_.z.data(), statistics_);
      failure != Failure::none)
    return fail(failure);
  for (std::size_t j = 0; j < made_.z.size(); ++j)
    made_.algorithmic[j] =
        ((1 - alpha_f_) * made_.z[j] + alpha_f_ * now_.z[j] - alpha_m_ * now_.algorithmic[j]) /
        (1 - alpha_m_);
  if (system_.projects()) {
    ++statistics_.projections;
    if (const Failure failure = system_.project(made_.t, made_.s.data()); failure != Failure::none)
      return fail(failure);
  }
  std::swap(old_, now_);
  std::swap(now_, made_);
  record_step(statistics_, steps_.length(), false);
  return {true, {}, Failure::none, steps_.length()};
}

/// The cubic through both ends of the step and their slopes.
void GeneralizedAlpha::interpolate(double t, double* s) const {
  const double h = now_.t - old_.t;
  const double x = h > 0 ? (t - old_.t) / h : 1, x1 = 1 - x;
  for (std::uint32_t i = 0; i < now_.s.size(); ++i) {
    const double rise = now_.s[i] - old_.s[i];
    const double bend = h * slope(old_, i) - rise, twist = rise - h * slope(now_, i);
    s[i] = t == now_.t ? now_.s[i] : old_.s[i] + x * (rise + x1 * (x1 * bend + x * twist));
  }
}

void GeneralizedAlpha::interpolate_tops(double t, double* z) const {
  const double h = now_.t - old_.t;
  const double x = h > 0 && t != now_.t ? (t - old_.t) / h : 1;
  for (std::size_t j = 0; j < now_.z.size(); ++j) z[j] = (1 - x) * old_.z[j] + x * now_.z[j];
}

}  // namespace daedal::solve
