// Dormand-Prince 5(4), see rk45.hpp. Step control, first step, stiffness test and dense output
// follow DOPRI5 [HairerNorsettWanner1993, II.4, II.6, IV.2].

#include "rk45.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/expr/elementary.hpp"
#include "first_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double c2 = 1.0 / 5, c3 = 3.0 / 10, c4 = 4.0 / 5, c5 = 8.0 / 9;
constexpr double a21 = 1.0 / 5;
constexpr double a31 = 3.0 / 40, a32 = 9.0 / 40;
constexpr double a41 = 44.0 / 45, a42 = -56.0 / 15, a43 = 32.0 / 9;
constexpr double a51 = 19372.0 / 6561, a52 = -25360.0 / 2187, a53 = 64448.0 / 6561,
                 a54 = -212.0 / 729;
constexpr double a61 = 9017.0 / 3168, a62 = -355.0 / 33, a63 = 46732.0 / 5247, a64 = 49.0 / 176,
                 a65 = -5103.0 / 18656;
constexpr double b1 = 35.0 / 384, b3 = 500.0 / 1113, b4 = 125.0 / 192, b5 = -2187.0 / 6784,
                 b6 = 11.0 / 84;
// b - b_embedded
constexpr double e1 = 71.0 / 57600, e3 = -71.0 / 16695, e4 = 71.0 / 1920, e5 = -17253.0 / 339200,
                 e6 = 22.0 / 525, e7 = -1.0 / 40;
// continuous extension
constexpr double d1 = -12715105075.0 / 11282082432.0, d3 = 87487479700.0 / 32700410799.0,
                 d4 = -10690763975.0 / 1880347072.0, d5 = 701980252875.0 / 199316789632.0,
                 d6 = -1453857185.0 / 822651844.0, d7 = 69997945.0 / 29380423.0;

// PI controller: h_new = h * safety * error^-(1/5 - 3/4 beta) * previous_error^beta, never beyond
// these factors
constexpr double safety = 0.9, beta = 0.04, smallest_factor = 0.2, largest_factor = 10;

constexpr double log_least_previous =
    -9.210340371976182736;  // log 1e-4: a tiny error must not hold the next step back

double log_of(double error) { return expr::elementary::log(std::max(error, 1e-10)); }

struct Term {
  double factor;
  const double* values;
  double operator[](std::size_t i) const { return factor * values[i]; }
};

/// out = y + h (terms), in one pass.
template <class... Terms>
inline void advance(std::size_t n, double* out, const double* y, double h, Terms... terms) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) out[i] = y[i] + h * (terms[i] + ...);
}

}  // namespace

Rk45::Rk45(System& system, const Rk45Options& options)
    : system_(system),
      options_(options),
      n_(system.states()),
      tops_(system.tops()),
      atol_(n_, options.tolerance) {
  const std::span<const double> nominal = system.nominal();
  for (std::size_t i = 0; i < nominal.size(); ++i) atol_[i] *= nominal[i];
  const std::size_t stride = (n_ + 7) / 8 * 8;  // whole cache lines
  memory_.assign(13 * stride, 0.0);
  double* next = memory_.data();
  const auto take = [&] { return std::exchange(next, next + stride); };
  for (double** array : {&y_old_, &y_, &y_new_, &y_next_, &scratch_, &k_next_}) *array = take();
  for (double*& k : k_) k = take();
}

Failure Rk45::evaluate(double t, const double* s, double* k) {
  ++statistics_.evaluations;
  return system_.derivative(t, s, tops_.data(), k);
}

StepOutcome Rk45::start(double t, const double* s, const double* z, double end) {
  std::copy_n(s, n_, y_);
  std::copy_n(s, n_, y_old_);
  std::copy_n(z, tops_.size(), tops_.data());
  t_ = t_old_ = t;
  step_taken_ = 0;
  log_previous_error_ = log_least_previous;
  stiff_hits_ = nonstiff_hits_ = 0;
  h_ = options_.step;
  Failure failure = evaluate(t, y_, k_next_);
  if (failure == Failure::none && !all_finite({k_next_, n_})) failure = Failure::not_finite;
  if (failure == Failure::none && h_ == 0)
    h_ = first_step(
        {n_, 5, y_, k_next_, atol_.data(), options_.tolerance, t_, end - t_, y_new_, k_[1]},
        [&](double h, const double* at, double* slope) { return evaluate(t_ + h, at, slope); });
  return {failure == Failure::none, describe(failure), failure, h_};
}

/// All stages of a step of length h from (t_, y_); leaves its end in y_new_.
Failure Rk45::stages(double h) {
  const auto& k = k_;
  Failure failure = Failure::none;
  const auto stage = [&](double c, const double* s, int i) {
    failure = evaluate(t_ + c * h, s, k[i]);
    return failure == Failure::none;
  };
  advance(n_, scratch_, y_, h, Term{a21, k[0]});
  if (!stage(c2, scratch_, 1)) return failure;
  advance(n_, scratch_, y_, h, Term{a31, k[0]}, Term{a32, k[1]});
  if (!stage(c3, scratch_, 2)) return failure;
  advance(n_, scratch_, y_, h, Term{a41, k[0]}, Term{a42, k[1]}, Term{a43, k[2]});
  if (!stage(c4, scratch_, 3)) return failure;
  advance(n_, scratch_, y_, h, Term{a51, k[0]}, Term{a52, k[1]}, Term{a53, k[2]}, Term{a54, k[3]});
  if (!stage(c5, scratch_, 4)) return failure;
  advance(n_, scratch_, y_, h, Term{a61, k[0]}, Term{a62, k[1]}, Term{a63, k[2]}, Term{a64, k[3]},
          Term{a65, k[4]});
  if (!stage(1, scratch_, 5)) return failure;
  advance(n_, y_new_, y_, h, Term{b1, k[0]}, Term{b3, k[2]}, Term{b4, k[3]}, Term{b5, k[4]},
          Term{b6, k[5]});
  stage(1, y_new_, 6);
  return failure;
}

/// Root mean square of the estimated error over its tolerance: 1 is accepted. NaN when something is
/// not finite.
double Rk45::error_norm(double h) const {
  const auto& k = k_;
  double *const error = scratch_, *const squares = scratch_;
#pragma GCC ivdep
  for (std::size_t i = 0; i < n_; ++i)
    error[i] = h * (e1 * k[0][i] + e3 * k[2][i] + e4 * k[3][i] + e5 * k[4][i] + e6 * k[5][i] +
                    e7 * k[6][i]);
  system_.show_error(error);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n_; ++i) {
    const double before = std::abs(y_[i]), after = std::abs(y_new_[i]);
    const double ratio =
        error[i] / (atol_[i] + options_.tolerance * (before < after ? after : before));
    squares[i] = ratio * ratio;
  }
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) sum += squares[i];
  return n_ == 0 ? 0 : std::sqrt(sum / static_cast<double>(n_));
}

/// Factor for the step after one with this error: PI control.
double Rk45::growth(double log_error) const {
  return safety *
         expr::elementary::exp((0.75 * beta - 0.2) * log_error + beta * log_previous_error_);
}

StepOutcome Rk45::step(double limit) {
  std::swap(k_[0], k_next_);
  Failure cause = Failure::none;
  for (bool rejected = false;; rejected = true) {
    if (statistics_.accepted >= options_.max_steps)
      return {false, reason_max_steps, Failure::none, h_};
    const StepLength length = fit_step(t_, h_, limit, options_.step, options_.adaptive);
    const double t_new = length.last ? limit : t_ + length.h;
    if (too_short(length.h, t_) && !length.last) return {false, reason_underflow, cause, length.h};

    cause = stages(length.h);
    const double error = cause == Failure::none ? error_norm(length.h) : 0;
    if (!std::isfinite(error)) cause = Failure::not_finite;
    const bool accurate = error < 1 || !options_.adaptive;
    if (cause == Failure::none && accurate) cause = finish(t_new);
    if (cause == Failure::none && accurate) {
      accept(length, t_new, error, rejected);
      return {true, {}, Failure::none, length.h};
    }

    if (!options_.adaptive) return {false, describe(cause), cause, length.h};
    ++statistics_.rejected;
    stop_point();
    const double least = step_taken_ == 0 ? least_factor_of_first_step : smallest_factor;
    const double factor =
        cause == Failure::none ? std::max(least, growth(log_of(error))) : smallest_factor;
    h_ = length.h * std::min(factor, safety);
    if (too_short(h_, t_)) return {false, reason_underflow, cause, length.h};
  }
}

/// The end of the step, projected if the system requires it, into y_next_ and its derivative into
/// k_next_.
Failure Rk45::finish(double t_new) {
  std::copy_n(y_new_, n_, y_next_);
  if (system_.projects()) {
    ++statistics_.projections;
    const Failure failure = system_.project(t_new, y_next_);
    if (failure != Failure::none) return failure;
    if (moved_notably()) return evaluate(t_new, y_next_, k_next_);
  }
  std::copy_n(k_[6], n_, k_next_);
  return Failure::none;
}

/// Whether the projection from y_new_ to y_next_ moved the states by a notable part of the accepted error. Mostly none of
/// them moves that far, which is seen without a division.
bool Rk45::moved_notably() {
  int far = 0;
#pragma GCC ivdep
  for (std::size_t i = 0; i < n_; ++i) {
    const double allowed = atol_[i] + options_.tolerance * std::abs(y_next_[i]);
    scratch_[i] = y_next_[i] - y_new_[i];
    far |= !(std::abs(scratch_[i]) <= notable_move * allowed);
  }
  return far != 0 &&
         weighted_norm(n_, scratch_, y_next_, atol_.data(), options_.tolerance) > notable_move;
}

/// Moves to the end of the step and proposes the length of the next one.
void Rk45::accept(StepLength length, double t_new, double error, bool after_rejection) {
  const double h = length.h;
  if (statistics_.accepted % 1000 == 0 || stiff_hits_ > 0) look_for_stiffness(h);
  std::swap(y_old_, y_);
  std::swap(y_, y_next_);
  t_old_ = std::exchange(t_, t_new);
  step_taken_ = h;
  record_step(statistics_, h, length.last);
  if (!options_.adaptive) return;
  const double log_error = log_of(error);
  const double proposed =
      h * std::clamp(growth(log_error), smallest_factor, after_rejection ? 1.0 : largest_factor);
  h_ = length.last ? std::max(h_, proposed)
                   : proposed;  // a step cut by `limit` must not forget the length reached
  log_previous_error_ = std::max(log_error, log_least_previous);
}

/// h |lambda| from the last two stages, both at t + h; beyond 3.25 the method is at its stability
/// boundary [HairerWanner1996, IV.2]. Fifteen hits in a row without six misses count.
void Rk45::look_for_stiffness(double h) {
  const auto& k = k_;
  advance(n_, scratch_, y_, h, Term{a61, k[0]}, Term{a62, k[1]}, Term{a63, k[2]}, Term{a64, k[3]},
          Term{a65, k[4]});
  double numerator = 0, denominator = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double dk = k[6][i] - k[5][i], dy = y_new_[i] - scratch_[i];
    numerator += dk * dk;
    denominator += dy * dy;
  }
  if (denominator > 0 && h * h * numerator > 3.25 * 3.25 * denominator) {
    nonstiff_hits_ = 0;
    if (++stiff_hits_ == 15) stiff_ = true;
  } else if (++nonstiff_hits_ == 6) {
    stiff_hits_ = nonstiff_hits_ = 0;
  }
}

/// The continuous extension through both ends of the step (the projected end: the motion stays
/// continuous).
void Rk45::interpolate(double t, double* s) const {
  const double h = step_taken_;
  if (h == 0 || t >= t_) {
    std::copy_n(y_, n_, s);
    return;
  }
  const auto& k = k_;
  const double x = (t - t_old_) / h, x1 = 1 - x;
  for (std::size_t i = 0; i < n_; ++i) {
    const double rise = y_[i] - y_old_[i];
    const double bend = h * k[0][i] - rise;
    const double twist = rise - h * k[6][i] - bend;
    const double quartic = h * (d1 * k[0][i] + d3 * k[2][i] + d4 * k[3][i] + d5 * k[4][i] +
                                d6 * k[5][i] + d7 * k[6][i]);
    s[i] = y_old_[i] + x * (rise + x1 * (bend + x * (twist + x1 * quartic)));
  }
}

}  // namespace daedal::solve
