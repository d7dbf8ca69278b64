// See taylor.hpp.

#include "daedal/integrate/taylor.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/expr/elementary.hpp"
#include "step_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedal::solve {

namespace {

/// A sum of two doubles that do not overlap.
struct Pair {
  double high = 0, low = 0;
};
Pair exact_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
Pair exact_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}
Pair sum(Pair a, Pair b) {
  const Pair high = exact_sum(a.high, b.high);
  return exact_sum(high.high, high.low + (a.low + b.low));
}
Pair product(Pair a, double b) {
  const Pair high = exact_product(a.high, b);
  return exact_sum(high.high, high.low + a.low * b);
}

/// A projection, or the difference between the tops of the series and those of the equations, beyond this many accepted
/// local errors shows that the series did not describe the motion: the step is repeated with a shorter one.
constexpr double tolerated = 100;

/// Of the largest velocity or acceleration: rounding leaves that much of others where masses differ by many decades and the
/// equations are badly conditioned. A disagreement of more is never taken for rounding.
constexpr double conditioned_rounding = 1e-9;

/// Where functions may be flat to rounding and bend later, the series is compared with the equations at so many points within
/// a step: friction tanh(v/1e-3) has reversed twice within a step over a whole period of an oscillation.
constexpr int looks = 8;

/// Of the size of derivatives that the projection recomputes: the series only has to give a guess.
constexpr double leads = 1e-2;

/// Of each state, which derivative of its unknown it is: a state and its derivative are neighbours in `next`.
std::vector<std::uint32_t> depths(std::span<const std::uint32_t> next) {
  std::vector<std::uint32_t> depth(next.size(), 0);
  std::vector<bool> lowest(next.size(), true);
  for (const std::uint32_t n : next)
    if (n < next.size()) lowest[n] = false;
  for (std::uint32_t i = 0; i < next.size(); ++i)
    for (std::uint32_t s = i, d = 0; lowest[i] && s < next.size(); s = next[s]) depth[s] = d++;
  return depth;
}

}  // namespace

int taylor_order(double tolerance) {
  // The work of a series grows between p and p^2, and p = -ln(tolerance) and half of it are best for the two
  // [JorbaZou2005]. Convolutions over eight coefficients at a time leave it close to p: on eight mechanisms of models/
  // times fall up to about 0.9 times -ln(tolerance) and change little from there to -ln(tolerance); beyond was not tried.
  const double order = std::ceil(-0.95 * std::log(tolerance));
  return static_cast<int>(std::clamp(order, 8.0, 40.0));
}

Taylor::Taylor(System& system, const TaylorOptions& options)
    : system_(system),
      options_(options),
      order_(options.order > 0 ? options.order : taylor_order(options.tolerance)),
      n_(system.states()),
      width_(system.states() + system.tops()),
      nominal_(n_, 1.0),
      within_(width_),
      rates_(n_),
      looks_within_(system.has_flat_functions()) {
  for (std::vector<double>* v :
       {&y_, &low_, &y_new_, &low_new_, &before_projection_, &largest_, &weight_})
    v->resize(n_);
  for (std::vector<double>* v : {&z_, &z_new_, &predicted_, &z_within_}) v->resize(width_ - n_);
  for (std::vector<double>* v : {&series_, &next_series_, &previous_series_})
    v->resize((static_cast<std::size_t>(order_) + 1) * width_);
  std::copy(system.nominal().begin(), system.nominal().end(), nominal_.begin());
  derived_.assign(n_, 0);
  std::copy(system.derived().begin(), system.derived().end(), derived_.begin());
  depth_ = depths(system.next());
}

StepOutcome Taylor::start(double t, const double* s, const double* z, double end) {
  std::copy_n(s, n_, y_.data());
  std::fill(low_.begin(), low_.end(), 0.0);
  std::copy_n(z, z_.size(), z_.data());
  rounding_ = 0;
  t_ = t_old_ = t;
  t_low_ = t_old_low_ = 0;
  direction_ = end < t ? -1 : 1;
  ++statistics_.evaluations;
  const Failure failure = system_.expand(t_, y_.data(), z_.data(), order_, series_.data());
  previous_series_ = series_;
  if (failure == Failure::none) h_ = proposed_step();
  return {failure == Failure::none, describe(failure), failure, h_};
}

/// The error of state i that is measured as 1.
double Taylor::weight(double y, std::size_t i) const {
  return options_.tolerance * (std::abs(y) + nominal_[i]);
}

/// weight_: what an error of each state is measured by. Of high derivatives that are derived, some vanish where the others are huge:
/// they are measured by the largest derivative of their order.
void Taylor::measure() {
  std::fill(largest_.begin(), largest_.end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i)
    largest_[depth_[i]] = std::max(largest_[depth_[i]], std::abs(y_[i]));
  for (std::size_t i = 0; i < n_; ++i)
    weight_[i] = derived_[i] ? leads * (largest_[depth_[i]] + nominal_[i]) : weight(y_[i], i);
}

/// The length at which the last two terms of series_ are as large as the tolerance.
double Taylor::proposed_step() {
  double h = options_.step > 0 ? options_.step : std::numeric_limits<double>::infinity();
  measure();
  for (const int n : {order_ - 1, order_}) {
    double size = 0;
    for (std::size_t i = 0; i < n_; ++i)
      size = std::max(size, std::abs(coefficient(n)[i]) / weight_[i]);
    if (size > 0) h = std::min(h, expr::elementary::pow(size, -1.0 / n));
  }
  return h;
}

/// The series at h into y_new_ + low_new_ and predicted_: from degree 2 on in double, the rest without rounding.
void Taylor::sum_series(double h) {
  double* const tail = y_new_.data();
  double* const tops = predicted_.data();
  std::copy_n(coefficient(order_), n_, tail);
  std::copy_n(coefficient(order_) + n_, predicted_.size(), tops);
  for (int n = order_ - 1; n >= 0; --n) {
    const double* const a = coefficient(n);
    if (n >= 2)
      for (std::size_t i = 0; i < n_; ++i) tail[i] = tail[i] * h + a[i];
    for (std::size_t j = 0; j < predicted_.size(); ++j) tops[j] = tops[j] * h + a[n_ + j];
  }
  const std::span<const std::uint32_t> next = system_.next();
  for (std::size_t i = 0; i < n_; ++i) {
    const Pair rate{coefficient(1)[i], next[i] < n_ ? low_[next[i]] : 0.0};
    const Pair slope = sum(rate, exact_product(tail[i], h));
    const Pair end = sum({y_[i], low_[i]}, product(slope, h));
    y_new_[i] = end.high;
    low_new_[i] = end.low;
  }
}

/// The size of entry i of the series at h, where large terms may cancel.
double Taylor::size(std::size_t i, double h) const {
  double sum = 0;
  for (int n = order_; n >= 0; --n) sum = sum * h + std::abs(coefficient(n)[i]);
  return sum;
}

/// How far the end of the step, as projected, and the tops there are from the series.
Taylor::Disagreement Taylor::disagreement(double h) const {
  Disagreement worst;
  const std::span<const std::uint32_t> next = system_.next();
  double acceleration = 0;
  for (std::size_t i = 0; i < n_; ++i)
    if (next[i] >= n_) acceleration = std::max(acceleration, std::abs(z_new_[next[i] - n_]));
  const auto count = [&](double error, double allowed, double summed, double largest) {
    if (error <= allowed || error <= 1e-13 * summed) return;
    const double scale = std::max(summed, largest);
    worst.largest = std::max(worst.largest, error / scale);
    worst.may_be_rounding &= error <= conditioned_rounding * scale;  // not when it is no number
  };
  for (std::size_t i = 0; i < n_; ++i) {
    if (derived_[i]) continue;
    const double allowed = tolerated * weight(y_new_[i], i);
    count(std::abs(y_new_[i] - before_projection_[i]), allowed, size(i, h),
          largest_[depth_[i]] + nominal_[i]);
    // A top belongs to the state it is a derivative of; an error of that state's last terms appears in it differentiated.
    if (next[i] < n_) continue;
    const std::size_t j = next[i] - n_;
    count(std::abs(predicted_[j] - z_new_[j]), allowed * order_ / h, 10 * size(n_ + j, h),
          acceleration);
  }
  return worst;
}

/// What the series leaves out falls by 2^order when the step is halved. What does not even fall by half is rounding, and no
/// shorter step will do better; nor do the steps that follow need to find that out again.
bool Taylor::agrees(double h) {
  const Disagreement now = disagreement(h);
  if (now.may_be_rounding && now.largest > disagreement_ / 2) rounding_ = now.largest;
  disagreement_ = now.largest;
  return now.may_be_rounding && now.largest <= 4 * rounding_;
}

/// Whether the tops of the series are those of the equations within the step, too.
bool Taylor::agrees_within(double h) {
  const std::span<const std::uint32_t> next = system_.next();
  for (int look = 1; look <= looks; ++look) {
    const double part = h * look / (looks + 1);
    std::copy_n(coefficient(order_), width_, within_.data());
    for (int n = order_ - 1; n >= 0; --n)
      for (std::size_t i = 0; i < width_; ++i) within_[i] = within_[i] * part + coefficient(n)[i];
    double* const tops = within_.data() + n_;
    std::copy_n(tops, z_new_.size(), z_within_.data());
    ++statistics_.evaluations;
    if (system_.derivative(t_ + part, within_.data(), z_within_.data(), rates_.data()) !=
        Failure::none)
      return false;
    double acceleration = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (next[i] >= n_) acceleration = std::max(acceleration, std::abs(rates_[i]));
    for (std::size_t i = 0; i < n_; ++i) {
      if (derived_[i] || next[i] < n_) continue;
      const double allowed = tolerated * weight(within_[i], i) * order_ / std::abs(h);
      const double summed = size(next[i], std::abs(h));
      const double error = std::abs(tops[next[i] - n_] - rates_[i]);
      if (!(error <= std::max(allowed, conditioned_rounding * std::max(summed, acceleration))))
        return false;
    }
  }
  return true;
}

/// The end of the step, projected and expanded.
Failure Taylor::try_step(double t_new, double h) {
  sum_series(h);
  std::copy_n(y_new_.data(), n_, before_projection_.data());
  if (system_.projects()) {
    ++statistics_.projections;
    const Failure failure = system_.project(t_new, y_new_.data(), low_new_.data());
    if (failure != Failure::none) return failure;
  }
  z_new_ = predicted_;
  ++statistics_.evaluations;
  const Failure failure =
      system_.expand(t_new, y_new_.data(), z_new_.data(), order_, next_series_.data());
  if (failure != Failure::none) return failure;
  const bool agree = agrees(std::abs(h)) && (!looks_within_ || agrees_within(h));
  return agree ? Failure::none : Failure::inaccurate;
}

StepOutcome Taylor::step(double limit) {
  Failure cause = Failure::none;
  disagreement_ = std::numeric_limits<double>::infinity();
  for (;;) {
    if (statistics_.accepted >= options_.max_steps)
      return {false, reason_max_steps, Failure::none, h_};
    const double remaining = std::abs((limit - t_) - t_low_);
    const bool last = remaining <= 1.01 * h_;
    const double length = last ? remaining : h_;
    if (too_short(length, t_) && !last) return {false, reason_underflow, cause, length};
    const double h = direction_ * length;
    const Pair end = last ? Pair{limit, 0} : sum({t_, t_low_}, {h, 0});

    cause = try_step(end.high, h);
    if (cause == Failure::none) {
      accept(end.high, end.low, length, last);
      return {true, {}, Failure::none, length};
    }
    ++statistics_.rejected;
    stop_point();
    h_ = length / 2;
    if (too_short(h_, t_)) return {false, reason_underflow, cause, length};
  }
}

void Taylor::accept(double t_new, double t_new_low, double length, bool cut) {
  std::swap(previous_series_, series_);
  std::swap(series_, next_series_);
  std::swap(y_, y_new_);
  std::swap(low_, low_new_);
  std::swap(z_, z_new_);
  t_old_ = std::exchange(t_, t_new);
  t_old_low_ = std::exchange(t_low_, t_new_low);
  record_step(statistics_, length, cut);
  h_ = proposed_step();
}

void Taylor::interpolate(double t, double* s) const {
  if (t == t_) {
    std::copy_n(y_.data(), n_, s);
    return;
  }
  const double h = (t - t_old_) - t_old_low_;
  const auto row = [&](int n) {
    return previous_series_.data() + static_cast<std::size_t>(n) * width_;
  };
  std::copy_n(row(order_), n_, s);
  for (int n = order_ - 1; n >= 0; --n)
    for (std::size_t i = 0; i < n_; ++i) s[i] = s[i] * h + row(n)[i];
}

}  // namespace daedal::solve
