// See explicit_runge_kutta.hpp. Step control follows DOP853 [HairerNorsettWanner1993, II.4, II.10].

#include "explicit_runge_kutta.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/expr/elementary.hpp"
#include "first_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double caution = 0.9, least_growth = 1.0 / 3, most_growth = 6;

}  // namespace

ExplicitRungeKutta::ExplicitRungeKutta(System& system, Tableau tableau,
                                       const ExplicitControl& control)
    : system_(system),
      tableau_(std::move(tableau)),
      control_(control),
      n_(system.states()),
      end_(tableau_.stages.size()),
      estimate_needs_end_(tableau_.estimate_needs_end()),
      k_(end_ + 1 + tableau_.dense_stages.size(), std::vector<double>(n_)),
      dense_(3 + tableau_.dense.size(), std::vector<double>(n_)),
      tops_(system.tops()),
      atol_(n_, control.tolerance) {
  const std::span<const double> nominal = system.nominal();
  for (std::size_t i = 0; i < nominal.size(); ++i) atol_[i] *= nominal[i];
  for (std::vector<double>* v : {&y_old_, &y_, &y_new_, &y_next_, &scratch_}) v->resize(n_);
}

Failure ExplicitRungeKutta::evaluate(double t, const double* s, double* slope) {
  ++statistics_.evaluations;
  return system_.derivative(t, s, tops_.data(), slope);
}

StepOutcome ExplicitRungeKutta::start(double t, const double* s, const double* z, double end) {
  std::copy_n(s, n_, y_.data());
  y_old_ = y_;
  std::copy_n(z, tops_.size(), tops_.data());
  t_ = t_old_ = t;
  step_taken_ = 0;
  h_ = control_.step;
  Failure failure = evaluate(t, y_.data(), k(end_));
  if (failure == Failure::none && !all_finite({k(end_), n_})) failure = Failure::not_finite;
  if (failure == Failure::none && h_ == 0)
    h_ = first_step(
        {n_, tableau_.order, y_.data(), k(end_), atol_.data(), control_.tolerance, t_, end - t_,
         y_new_.data(), k(1)},
        [&](double h, const double* at, double* slope) { return evaluate(t_ + h, at, slope); });
  return {failure == Failure::none, describe(failure), failure, h_};
}

/// sum = h sum_j w_j k_j.
void ExplicitRungeKutta::combine(const Weights& weights, double h, double* sum) const {
  std::fill_n(sum, n_, 0.0);
  for (const Weight& w : weights) {
    const double factor = h * w.value;
    const double* const slope = k_[static_cast<std::size_t>(w.stage)].data();
    for (std::size_t i = 0; i < n_; ++i) sum[i] += factor * slope[i];
  }
}

Failure ExplicitRungeKutta::evaluate_stage(const Stage& stage, std::size_t slot, double h) {
  combine(stage.a, h, scratch_.data());
  for (std::size_t i = 0; i < n_; ++i) scratch_[i] += y_[i];
  return evaluate(t_ + stage.c * h, scratch_.data(), k(slot));
}

/// Stages of a step of length h from (t_, y_), the first of which is known; leaves its end in y_new_.
Failure ExplicitRungeKutta::try_stages(double h) {
  for (std::size_t i = 1; i < end_; ++i)
    if (const Failure failure = evaluate_stage(tableau_.stages[i], i, h); failure != Failure::none)
      return failure;
  combine(tableau_.b, h, y_new_.data());
  for (std::size_t i = 0; i < n_; ++i) y_new_[i] += y_[i];
  return estimate_needs_end_ ? evaluate(t_ + h, y_new_.data(), k(end_)) : Failure::none;
}

/// Root mean square of the estimated error over its tolerance: 1 is accepted. Of two estimates e and e_low the result is
/// |e|^2 / sqrt(|e|^2 + |e_low|^2/100), which is of the order of the step. NaN when something is not finite.
double ExplicitRungeKutta::error_norm(double h) {
  const auto sum_of_squares = [&](const Weights& weights) {
    combine(weights, h, scratch_.data());
    system_.show_error(scratch_.data());
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double size = std::max(std::abs(y_[i]), std::abs(y_new_[i]));
      const double ratio = scratch_[i] / (atol_[i] + control_.tolerance * size);
      sum += ratio * ratio;
    }
    return sum;
  };
  const double fine = sum_of_squares(tableau_.error);
  if (tableau_.error_low.empty() || fine == 0)
    return n_ == 0 ? 0 : std::sqrt(fine / static_cast<double>(n_));
  const double coarse = sum_of_squares(tableau_.error_low);
  return fine / std::sqrt((fine + 0.01 * coarse) * static_cast<double>(n_));
}

double ExplicitRungeKutta::growth(double error) const {
  return caution * expr::elementary::pow(std::max(error, 1e-10), -1.0 / tableau_.order);
}

StepOutcome ExplicitRungeKutta::step(double limit) {
  std::swap(k_.front(), k_[end_]);
  Failure cause = Failure::none;
  for (bool rejected = false;; rejected = true) {
    if (statistics_.accepted >= control_.max_steps)
      return {false, reason_max_steps, Failure::none, h_};
    const StepLength length = fit_step(t_, h_, limit, control_.step, control_.adaptive);
    const double t_new = length.last ? limit : t_ + length.h;
    if (too_short(length.h, t_) && !length.last) return {false, reason_underflow, cause, length.h};

    cause = try_stages(length.h);
    const double error = cause == Failure::none && control_.adaptive ? error_norm(length.h) : 0;
    if (!std::isfinite(error)) cause = Failure::not_finite;
    const bool accurate = error < 1;
    if (cause == Failure::none && accurate) cause = finish(t_new, length.h);
    if (cause == Failure::none && accurate) {
      accept(length, t_new, error, rejected);
      return {true, {}, Failure::none, length.h};
    }

    if (!control_.adaptive) return {false, describe(cause), cause, length.h};
    ++statistics_.rejected;
    stop_point();
    const double least = step_taken_ == 0 ? least_factor_of_first_step : least_growth;
    const double factor = cause == Failure::none ? std::max(least, growth(error)) : least_growth;
    h_ = length.h * std::min(factor, caution);
    if (too_short(h_, t_)) return {false, reason_underflow, cause, length.h};
  }
}

/// The end of the step, projected if the system requires it, into y_next_, its derivative into k_s, and what dense output
/// needs.
Failure ExplicitRungeKutta::finish(double t_new, double h) {
  y_next_ = y_new_;
  bool slope_is_late = !estimate_needs_end_;
  if (system_.projects()) {
    ++statistics_.projections;
    const Failure failure = system_.project(t_new, y_next_.data());
    if (failure != Failure::none) return failure;
    for (std::size_t i = 0; i < n_; ++i) scratch_[i] = y_next_[i] - y_new_[i];
    slope_is_late |= weighted_norm(n_, scratch_.data(), y_next_.data(), atol_.data(),
                                   control_.tolerance) > notable_move;
  }
  if (slope_is_late)
    if (const Failure failure = evaluate(t_new, y_next_.data(), k(end_)); failure != Failure::none)
      return failure;
  for (std::size_t i = 0; i < n_; ++i)
    if (!std::isfinite(y_next_[i])) return Failure::not_finite;
  for (std::size_t i = 0; i < tableau_.dense_stages.size(); ++i)
    if (const Failure failure = evaluate_stage(tableau_.dense_stages[i], end_ + 1 + i, h);
        failure != Failure::none)
      return failure;
  return Failure::none;
}

/// Moves to the end of the step and proposes the length of the next one.
void ExplicitRungeKutta::accept(StepLength length, double t_new, double error,
                                bool after_rejection) {
  const double h = length.h;
  std::swap(y_old_, y_);
  std::swap(y_, y_next_);
  t_old_ = std::exchange(t_, t_new);
  step_taken_ = h;
  prepare_dense_output(h);
  record_step(statistics_, h, length.last);
  if (!control_.adaptive) return;
  const double proposed =
      h * std::clamp(growth(error), least_growth, after_rejection ? 1.0 : most_growth);
  h_ = length.last ? std::max(h_, proposed)
                   : proposed;  // a step cut by `limit` must not forget the length reached
}

/// y_old + x (d_0 + (1-x) (d_1 + x (d_2 + (1-x) (d_3 + ...)))): the first three terms are the cubic through both ends.
void ExplicitRungeKutta::prepare_dense_output(double h) {
  const double *first = k(0), *last = k(end_);
  for (std::size_t i = 0; i < n_; ++i) {
    const double rise = y_[i] - y_old_[i];
    dense_[0][i] = rise;
    dense_[1][i] = h * first[i] - rise;
    dense_[2][i] = 2 * rise - h * (first[i] + last[i]);
  }
  for (std::size_t r = 0; r < tableau_.dense.size(); ++r)
    combine(tableau_.dense[r], h, dense_[3 + r].data());
}

void ExplicitRungeKutta::interpolate(double t, double* s) const {
  if (step_taken_ == 0 || t >= t_) {
    std::copy_n(y_.data(), n_, s);
    return;
  }
  const double x = (t - t_old_) / step_taken_;
  std::fill_n(s, n_, 0.0);
  for (std::size_t r = dense_.size(); r-- > 0;) {
    const double factor = r % 2 == 0 ? x : 1 - x;
    for (std::size_t i = 0; i < n_; ++i) s[i] = factor * (s[i] + dense_[r][i]);
  }
  for (std::size_t i = 0; i < n_; ++i) s[i] += y_old_[i];
}

}  // namespace daedal::solve
