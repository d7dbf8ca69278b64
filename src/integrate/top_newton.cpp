// See top_newton.hpp.

#include "top_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

constexpr std::size_t most_updates = 40;  // of Broyden's, then the matrix is renewed
constexpr double slow_contraction = 0.3;  // the next step gets a new matrix
constexpr int most_rounds = 200;          // of multipliers that are moved, in one step

/// Corrections this small that shrink no more are rounding errors.
constexpr double rounding_correction = 1e4 * std::numeric_limits<double>::epsilon();
/// With a matrix of their own, corrections up to this one: stiff springs in the place of constraints round off more.
constexpr double largest_rounding = 1e-8;

void take_larger(double& largest, double value) {
  if (!(std::abs(value) <= largest)) largest = std::abs(value);  // keeps NaN
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

TopNewton::TopNewton(System& system, const NewtonOptions& options)
    : system_(system),
      options_(options),
      chains_(system),
      algebraic_scale_(chains_),
      matrix_(chains_, system.state_pattern(), system.top_pattern()),
      jacobians_(system.state_pattern().entries() + system.top_pattern().entries()),
      nominal_(system.states(), 1.0),
      guess_(system.tops()),
      correction_(system.tops()),
      factored_weights_(chains_.deepest + 1) {
  std::copy(system.nominal().begin(), system.nominal().end(), nominal_.begin());
  if (options.jacobian == JacobianKind::difference) differences_.emplace(system);
  if (options.jacobian != JacobianKind::broyden) return;
  const std::vector<double> zero(system.tops());
  updates_.assign(most_updates, {zero, zero});
  last_correction_ = zero;
}

void TopNewton::restart() {
  age_ = 0;
  rounding_ = rounding_correction;
  algebraic_scale_.restart();
}

void TopNewton::set_states(const Step& step, const double* z, double* s) const {
  for (std::uint32_t i = 0; i < chains_.states; ++i)
    s[i] = step.known[i] + step.weights[chains_.depth[i]] * z[chains_.top[i]];
}

bool TopNewton::renew(const Step& step, const double* s, const double* z,
                      StepStatistics& statistics) {
  if (differences_)
    statistics.evaluations += differences_->evaluate(step.t, s, z, jacobians_.data());
  else
    system_.jacobians(step.t, s, z, jacobians_.data());
  ++statistics.jacobians;
  ++statistics.factorisations;
  std::copy(step.weights.begin(), step.weights.end(), factored_weights_.begin());
  updates_used_ = 0;
  age_ = 1;
  return matrix_.factor(step.weights, jacobians_.data());
}

/// correction_ = -E^-1 r(t, s, z).
void TopNewton::correct(const Step& step, const double* s, const double* z,
                        StepStatistics& statistics) {
  ++statistics.evaluations;
  ++statistics.newton_iterations;
  system_.residual(step.t, s, z, correction_.data());
  for (double& row : correction_) row = -row;
  matrix_.solve_tops(correction_.data());
  for (std::size_t k = 0; k < updates_used_; ++k) {
    const double along = dot(updates_[k].v, correction_);
    for (std::size_t i = 0; i < correction_.size(); ++i) correction_[i] += along * updates_[k].u[i];
  }
}

/// The largest change of a state or algebraic top over its size, times the power of the step by which its errors do less
/// harm.
double TopNewton::size_of_correction(const Step& step, const double* s) const {
  double largest = size_in_states(step, s);
  for (std::size_t k = 0; k < chains_.algebraic.size(); ++k)
    take_larger(largest, step.weights[chains_.excess(0)] * correction_[chains_.algebraic[k]] /
                             algebraic_scale_.of(k));
  return largest;
}

double TopNewton::size_in_states(const Step& step, const double* s) const {
  double largest = 0;
  for (std::uint32_t i = 0; i < chains_.states; ++i) {
    const std::uint32_t depth = chains_.depth[i];
    take_larger(largest, step.weights[depth] * step.weights[chains_.excess(depth)] *
                             correction_[chains_.top[i]] / (std::abs(s[i]) + nominal_[i]));
  }
  return largest;
}

/// A step d = last_correction_ changed r by y, and H = E^-1 should have given H y = d. It gives p = d - c, c = -H r_new
/// being correction_; the update (d - p) d^T H / (d . p) has u = c / (d . p), v = d.
void TopNewton::learn_from_correction() {
  const double along = dot(last_correction_, last_correction_) - dot(last_correction_, correction_);
  if (updates_used_ == updates_.size() || along == 0) return;
  Update& update = updates_[updates_used_++];
  for (std::size_t i = 0; i < correction_.size(); ++i) update.u[i] = correction_[i] / along;
  update.v = last_correction_;
  // the correction at hand, with the new matrix
  const double factor = 1 + dot(last_correction_, correction_) / along;
  for (double& c : correction_) c *= factor;
}

bool TopNewton::iterate(const Step& step, Renewal renewal, double* s, double* z,
                        StepStatistics& statistics) {
  set_states(step, z, s);
  if (renewal == Renewal::first && !renew(step, s, z, statistics)) return false;
  const double rounding = renewal == Renewal::none ? rounding_correction : rounding_;
  double previous = 0;
  for (int iteration = 1; iteration <= options_.newton_iterations; ++iteration) {
    if (renewal == Renewal::always && !renew(step, s, z, statistics)) return false;
    correct(step, s, z, statistics);
    const bool learns = !updates_.empty() && iteration > 1 && renewal != Renewal::always;
    if (learns) learn_from_correction();
    const double size = size_of_correction(step, s);
    if (!std::isfinite(size)) return false;
    if (!updates_.empty()) last_correction_ = correction_;
    for (std::uint32_t j = 0; j < chains_.tops; ++j) z[j] += correction_[j];
    set_states(step, z, s);

    const double contraction = iteration == 1 ? 1 : size / previous;
    if (iteration > 1 && contraction > slow_contraction && size > rounding) age_ = options_.renew;
    if (contraction >= 1 && iteration > 1) {
      if (size <= rounding) return true;
      // the steps that follow need a new matrix at most once to find that out again
      if (renewal != Renewal::always || size > largest_rounding) return false;
      rounding_ = std::max(rounding_, 4 * size);
      return true;
    }
    const double remaining = contraction < 1 ? size * contraction / (1 - contraction) : size;
    if (remaining <= options_.newton_tolerance) return true;
    previous = size;
  }
  return false;
}

/// Moves the multipliers of an augmented Lagrangian until the constraints hold; each round contracts their violation by
/// about 1 + weights[2] stiffness G M^-1 G^T.
Failure TopNewton::settle(const Step& step, double* s, double* z, StepStatistics& statistics) {
  for (int round = 0; system_.hold_multipliers(z); ++round) {
    if (round == most_rounds) return Failure::multipliers_move;
    if (!iterate(step, Renewal::none, s, z, statistics)) return Failure::newton_diverged;
  }
  return Failure::none;
}

Failure TopNewton::solve(const Step& step, double* s, double* z, StepStatistics& statistics) {
  const bool fits = age_ > 0 && age_ < options_.renew && updates_used_ + 4 < most_updates &&
                    std::equal(step.weights.begin(), step.weights.end(), factored_weights_.begin());
  std::copy_n(z, chains_.tops, guess_.data());
  Failure failure = Failure::none;
  for (const Renewal renewal : {Renewal::none, Renewal::first, Renewal::always}) {
    if (renewal == Renewal::none && !fits) continue;
    failure = iterate(step, renewal, s, z, statistics) ? settle(step, s, z, statistics)
                                                       : Failure::newton_diverged;
    if (failure == Failure::none) {
      ++age_;
      algebraic_scale_.update(z);
      return failure;
    }
    std::copy_n(guess_.data(), chains_.tops, z);
  }
  age_ = 0;
  return failure;
}

Failure TopNewton::solve_once(const Step& step, double* s, double* z, StepStatistics& statistics) {
  set_states(step, z, s);
  if (!renew(step, s, z, statistics)) return Failure::newton_diverged;
  correct(step, s, z, statistics);
  const double size = size_in_states(step, s);  // forces of stiff springs may begin at 0
  for (std::uint32_t j = 0; j < chains_.tops; ++j) z[j] += correction_[j];
  set_states(step, z, s);
  algebraic_scale_.update(z);
  // a state corrected by more than its size: a linear equation describes nothing
  return size < 1 ? Failure::none : Failure::newton_diverged;
}

}  // namespace daedal::solve
