// See rattle.hpp.

#include "rattle.hpp"

#include "step_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace daedal::solve {

namespace {

/// Changes this small that shrink no more are rounding errors.
constexpr double rounding_change = 1e4 * std::numeric_limits<double>::epsilon();

Canonical& canonical_of(System& system) {
  if (Canonical* const canonical = system.canonical()) return *canonical;
  throw std::invalid_argument("rattle integrates mechanisms alone");
}

}  // namespace

Rattle::Rattle(System& system, const RattleOptions& options)
    : PointSteps(system),
      system_(system),
      canonical_(canonical_of(system)),
      options_(options),
      nominal_(system.states(), 1.0),
      first_(system.states()),
      rates_(system.states()),
      new_rates_(system.states()),
      tops_(system.tops()) {
  std::copy(system.nominal().begin(), system.nominal().end(), nominal_.begin());
  for (std::vector<double>* v :
       {&momenta_, &half_momenta_, &trial_momenta_, &right_side_, &forces_, &change_})
    v->resize(system.tops());
  const std::span<const std::uint32_t> next = system.next();
  const std::uint32_t n = system.states();
  std::vector<bool> moves(n, false), accelerates(system.tops(), false);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (next[i] >= n) continue;
    axes_.push_back({i, next[i], next[next[i]] - n});
    moves[i] = moves[next[i]] = accelerates[axes_.back().acceleration] = true;
  }
  for (std::uint32_t i = 0; i < n; ++i)
    if (!moves[i]) {
      quadratures_.push_back(i);
      accelerates[next[i] - n] = true;
    }
  for (std::uint32_t j = 0; j < system.tops(); ++j)
    if (!accelerates[j]) multipliers_.push_back(j);
}

StepOutcome Rattle::start(double t, const double* s, const double* z, double) {
  begin_at(t, s, z);
  ++statistics_.evaluations;
  Failure failure = system_.derivative(t, s, now_.z.data(), rates_.data());
  if (failure == Failure::none && !all_finite(rates_)) failure = Failure::not_finite;
  if (failure == Failure::none && !canonical_.factor(t, s)) failure = Failure::singular_matrix;
  ++statistics_.factorisations;
  canonical_.momenta(t, s, momenta_.data());
  old_ = now_;
  return {failure == Failure::none, describe(failure), failure, options_.step};
}

double Rattle::relative(const double* change) const {
  double largest = 0;
  for (const Axis& axis : axes_) {
    const double part = std::abs(change[axis.acceleration]) /
                        (std::abs(made_.s[axis.velocity]) + nominal_[axis.velocity]);
    if (!(part <= largest)) largest = part;  // keeps NaN
  }
  return largest;
}

/// Whether velocities that change by change_ move the positions by rounding alone: divided by a short step, the rounding of
/// position constraints is a notable velocity.
bool Rattle::moves_nothing(double h) const {
  return std::all_of(axes_.begin(), axes_.end(), [&](const Axis& axis) {
    return h * std::abs(change_[axis.acceleration]) <=
           rounding_change * (std::abs(made_.s[axis.position]) + nominal_[axis.position]);
  });
}

/// Whether Newton's method has come to its end: the next change would be, or this one is, rounding.
bool Rattle::converged(double change, int iteration, double h) {
  const double contraction = iteration == 0 ? 1 : change / last_change_;
  last_change_ = change;
  if (change == 0 || contraction * change <= std::numeric_limits<double>::epsilon() / 4)
    return true;
  return iteration > 0 && contraction > 0.5 && (change < rounding_change || moves_nothing(h));
}

/// v_1 (in first_), v_2 and q_new (in made_), lambda (in made_.z), p_half.
Failure Rattle::find_positions(double h) {
  const double half = h / 2;
  first_ = made_.s = now_.s;
  made_.z = now_.z;
  for (int iteration = 0; iteration < options_.newton_iterations; ++iteration) {
    ++statistics_.newton_iterations;
    ++statistics_.evaluations;
    canonical_.momenta(now_.t, first_.data(), half_momenta_.data());
    canonical_.forces(now_.t, first_.data(), made_.z.data(), forces_.data());
    double change = 0;
    if (!canonical_.constant_masses()) {
      canonical_.momenta(made_.t, made_.s.data(), trial_momenta_.data());
      for (std::size_t i = 0; i < trial_momenta_.size(); ++i)
        trial_momenta_[i] = half_momenta_[i] - trial_momenta_[i];
      if (!canonical_.solve_masses(made_.t, made_.s.data(), trial_momenta_.data(), change_.data()))
        return Failure::singular_matrix;
      change = relative(change_.data());
      for (const Axis& axis : axes_) made_.s[axis.velocity] += change_[axis.acceleration];
    }
    for (const Axis& axis : axes_)
      made_.s[axis.position] =
          now_.s[axis.position] + half * (first_[axis.velocity] + made_.s[axis.velocity]);
    for (std::size_t i = 0; i < right_side_.size(); ++i)
      right_side_[i] = momenta_[i] - half_momenta_[i] + half * forces_[i];
    canonical_.positions(made_.t, made_.s.data(), right_side_.data());
    for (std::size_t i = 0; i < right_side_.size(); ++i)
      if (canonical_.constrained()[i]) right_side_[i] /= -h;
    canonical_.solve(right_side_.data(), change_.data());
    change = std::max(change, relative(change_.data()));
    if (!std::isfinite(change)) return Failure::newton_diverged;
    for (const Axis& axis : axes_) {
      first_[axis.velocity] += change_[axis.acceleration];
      made_.s[axis.velocity] += change_[axis.acceleration];
      made_.s[axis.position] += h * change_[axis.acceleration];
    }
    for (const std::uint32_t j : multipliers_) made_.z[j] += change_[j] / half;
    if (!converged(change, iteration, h)) continue;
    canonical_.momenta(made_.t, made_.s.data(), half_momenta_.data());
    return Failure::none;
  }
  return Failure::newton_diverged;
}

/// v_new and mu, with the matrix at q_new, which serves the next step too.
Failure Rattle::find_velocities(double h) {
  const double half = h / 2;
  ++statistics_.factorisations;
  if (!canonical_.factor(made_.t, made_.s.data())) return Failure::singular_matrix;
  first_ = made_.s;  // with v_2, at which the forces are taken
  for (int iteration = 0; iteration < options_.newton_iterations; ++iteration) {
    ++statistics_.newton_iterations;
    ++statistics_.evaluations;
    canonical_.momenta(made_.t, made_.s.data(), trial_momenta_.data());
    canonical_.forces(made_.t, first_.data(), made_.z.data(), forces_.data());
    for (std::size_t i = 0; i < right_side_.size(); ++i)
      right_side_[i] = half_momenta_[i] - trial_momenta_[i] + half * forces_[i];
    canonical_.velocities(made_.t, made_.s.data(), right_side_.data());
    for (std::size_t i = 0; i < right_side_.size(); ++i)
      if (canonical_.constrained()[i]) right_side_[i] = -right_side_[i];
    canonical_.solve(right_side_.data(), change_.data());
    const double change = relative(change_.data());
    if (!std::isfinite(change)) return Failure::newton_diverged;
    for (const Axis& axis : axes_) made_.s[axis.velocity] += change_[axis.acceleration];
    for (const std::uint32_t j : multipliers_) made_.z[j] += change_[j] / half;
    if (!converged(change, iteration, h)) continue;
    canonical_.momenta(made_.t, made_.s.data(), momenta_.data());
    return Failure::none;
  }
  return Failure::newton_diverged;
}

/// By the trapezoidal rule.
void Rattle::add_quadratures(double h, const double* rates) {
  for (const std::uint32_t i : quadratures_)
    made_.s[i] = now_.s[i] + h / 2 * (rates_[i] + rates[i]);
}

StepOutcome Rattle::step(double limit) {
  if (statistics_.accepted >= options_.max_steps)
    return {false, reason_max_steps, Failure::none, steps_.length()};
  if (!steps_.lead_to(limit) || steps_.done()) steps_.begin(now_.t, limit, options_.step);
  const double h = steps_.length();
  made_.t = steps_.next();
  Failure failure = find_positions(h);
  if (failure == Failure::none) failure = find_velocities(h);
  if (failure == Failure::none && !quadratures_.empty()) {
    tops_ = made_.z;
    ++statistics_.evaluations;
    failure = system_.derivative(made_.t, made_.s.data(), tops_.data(), new_rates_.data());
    add_quadratures(h, new_rates_.data());
    for (const std::uint32_t i : quadratures_)
      made_.z[system_.next()[i] - made_.s.size()] = new_rates_[i];
    std::swap(rates_, new_rates_);
  }
  if (failure != Failure::none) return {false, describe(failure), failure, h};
  for (const Axis& axis : axes_)  // the mean acceleration of the step
    made_.z[axis.acceleration] = (made_.s[axis.velocity] - now_.s[axis.velocity]) / h;
  std::swap(old_, now_);
  std::swap(now_, made_);
  record_step(statistics_, h, false);
  return {true, {}, Failure::none, h};
}

/// Multipliers between those of both ends; accelerations are those of the cubic.
void Rattle::interpolate_tops(double t, double* z) const {
  std::copy(now_.z.begin(), now_.z.end(), z);
  if (t == now_.t || now_.t == old_.t) return;
  const double h = now_.t - old_.t, x = (t - old_.t) / h, x1 = 1 - x;
  for (std::size_t j = 0; j < now_.z.size(); ++j) z[j] = x1 * old_.z[j] + x * now_.z[j];
  for (const Axis& axis : axes_) {
    const double mean = (now_.s[axis.position] - old_.s[axis.position]) / h;
    const double bend = old_.s[axis.velocity] - mean, twist = mean - now_.s[axis.velocity];
    z[axis.acceleration] = ((6 * x - 4) * bend + (2 - 6 * x) * twist) / h;
  }
}

/// Positions by the cubic through both ends of the step and their velocities, velocities by its derivative.
void Rattle::interpolate(double t, double* s) const {
  if (t == now_.t || now_.t == old_.t) {
    std::copy(now_.s.begin(), now_.s.end(), s);
    return;
  }
  const double h = now_.t - old_.t, x = (t - old_.t) / h, x1 = 1 - x;
  for (std::size_t i = 0; i < now_.s.size(); ++i) s[i] = x1 * old_.s[i] + x * now_.s[i];
  for (const Axis& axis : axes_) {
    const double mean = (now_.s[axis.position] - old_.s[axis.position]) / h;
    const double bend = old_.s[axis.velocity] - mean, twist = mean - now_.s[axis.velocity];
    s[axis.position] += h * x * x1 * (x1 * bend + x * twist);
    s[axis.velocity] = mean + x1 * (1 - 3 * x) * bend + x * (2 - 3 * x) * twist;
  }
}

}  // namespace daedal::solve
