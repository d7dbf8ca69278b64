// See radau5.hpp. Constants and strategy (starting values, stopping rule, error estimate,
// predictive control, reuse of Jacobian and factorisation) are those of RADAU5 [HairerWanner1996,
// IV.8].

#include "radau5.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/expr/elementary.hpp"
#include "first_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double sqrt6 = 2.4494897427831780982;
constexpr double c1 = (4 - sqrt6) / 10, c2 = (4 + sqrt6) / 10;
constexpr double c1m1 = c1 - 1, c2m1 = c2 - 1, c1mc2 = c1 - c2;

// eigenvalues of A^-1
constexpr double gamma_real = 3.6378342527444957322;
constexpr double alpha = 2.6810828736277521339, beta = 3.0504301992474105694;

constexpr double t_matrix[3][3] = {
    {9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0}};
constexpr double t_inverse[3][3] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
// embedded method of order 3 for the error estimate
constexpr double e1 = -(13 + 7 * sqrt6) / 3, e2 = (-13 + 7 * sqrt6) / 3, e3 = -1.0 / 3;

constexpr double safety = 0.9;
constexpr double largest_shrink = 5, largest_growth = 8;  // h_new in [h/5, 8 h]
constexpr double fast_contraction = 1e-3;  // Newton this fast: the Jacobian is still good
/// In the next step, where Newton has failed before. Its first iterations contract less than the mean of all.
constexpr double wished_contraction = 0.03;
constexpr double algebraic_slack =
    10;  // Newton's tolerance for algebraic tops over that for states
constexpr double clearly_smaller = 0.2;  // a defect, against another one
constexpr double keep_from = 1.0,
                 keep_to = 1.2;  // a step that would change less keeps its factorisation

double root4(double x) { return std::sqrt(std::sqrt(x)); }
double power(double x, double y) { return expr::elementary::pow(x, y); }

}  // namespace

Radau5::Radau5(System& system, const Radau5Options& options)
    : system_(system),
      options_(options),
      n_(system.states()),
      m_(system.tops()),
      chains_(system),
      algebraic_scale_(chains_),
      algebraic_weight_(chains_.algebraic.size()),
      excess_power_(chains_.most_missing + 1),
      real_(chains_, system.state_pattern(), system.top_pattern()),
      complex_(chains_, system.state_pattern(), system.top_pattern()),
      y_(n_ + m_),
      y_next_(n_ + m_),
      f_(n_),
      f_next_(n_),
      atol_(n_),
      weight_(n_),
      jacobians_(system.state_pattern().entries() + system.top_pattern().entries()),
      error_(n_ + m_),
      shown_error_(n_),
      trial_(n_ + m_),
      slope_(n_),
      hermite_(n_) {
  // The estimate is of order 3, the result of order 5: a local error of tolerance^(2/3) in the
  // former is about tolerance in the latter [RADAU5, "transform tolerances"]. In index 3 velocities are of order 3 themselves,
  // and their errors count times h: the tolerance is a tenth of that of the estimate there, and falls more slowly where
  // rounding, divided by h, is near.
  constexpr double near_rounding = 1e-10;
  const double tolerance = options.tolerance;
  const double index3 = 0.1 * (tolerance >= near_rounding
                                   ? tolerance
                                   : near_rounding * power(tolerance / near_rounding, 1.0 / 3));
  rtol_ = 0.1 * (chains_.most_missing < 2 ? power(tolerance, 2.0 / 3) : index3);
  newton_tolerance_ = std::max(10 * std::numeric_limits<double>::epsilon() / rtol_,
                               std::min(0.03, std::sqrt(rtol_)));
  const std::span<const double> nominal = system.nominal();
  for (std::size_t i = 0; i < n_; ++i) atol_[i] = rtol_ * (nominal.empty() ? 1.0 : nominal[i]);
  for (Stages* stages : {&z_, &w_, &stage_f_, &poly_})
    for (std::vector<double>& stage : *stages) stage.assign(n_ + m_, 0.0);
}

void Radau5::set_weights() {
  for (std::size_t i = 0; i < n_; ++i) weight_[i] = 1 / (atol_[i] + rtol_ * std::abs(y_[i]));
  algebraic_scale_.update(y_.data() + n_);
  for (std::size_t k = 0; k < algebraic_weight_.size(); ++k)
    algebraic_weight_[k] = 1 / (algebraic_slack * rtol_ * algebraic_scale_.of(k));
}

/// Errors of velocities (index 3) and of multipliers (index 2 and 3) count times powers of h: they do no harm to the
/// positions, and step control would stall on them [HairerWanner1996, VII.8].
void Radau5::scale_weights(double h) {
  set_weights();
  if (chains_.most_missing == 0) return;
  excess_power_[0] = 1;
  for (std::size_t k = 1; k < excess_power_.size(); ++k)
    excess_power_[k] = excess_power_[k - 1] * h;
  for (std::size_t i = 0; i < n_; ++i)
    weight_[i] *= excess_power_[chains_.excess(chains_.depth[i])];
  for (double& weight : algebraic_weight_) weight *= excess_power_[chains_.excess(0)];
}

/// (next(s, z), r(t, s, z)).
void Radau5::function(double t, const double* y, double* f) {
  ++statistics_.evaluations;
  for (std::size_t i = 0; i < n_; ++i) f[i] = y[chains_.next[i]];
  system_.residual(t, y, y + n_, f + n_);
}

StepOutcome Radau5::start(double t, const double* s, const double* z, double end) {
  std::copy_n(s, n_, y_.data());
  std::copy_n(z, m_, y_.data() + n_);
  t_ = t_old_ = t;
  step_taken_ = 0;
  factored_h_ = nothing_factored;
  first_ = renew_jacobian_ = true;
  contraction_ = 1;
  contraction_h_ = 0;
  accepted_h_ = 0;
  failed_h_ = newton_power_ = 0;
  ++statistics_.evaluations;
  Failure failure = system_.derivative(t, y_.data(), y_.data() + n_, f_.data());
  if (failure == Failure::none && !all_finite(f_)) failure = Failure::not_finite;
  if (failure != Failure::none) return {false, describe(failure), failure, 0};
  algebraic_scale_.restart();
  set_weights();
  hermite_.restart(t, y_.data(), f_.data());
  hermite_is_good_ = false;
  initial_step(end);
  return {};
}

void Radau5::initial_step(double end) {
  h_ = options_.step;
  if (h_ > 0) return;
  const double size = weighted_norm(n_, y_.data(), y_.data(), atol_.data(), rtol_);
  const double slope = weighted_norm(n_, f_.data(), y_.data(), atol_.data(), rtol_);
  // a slope beyond the range of numbers would ask for a step of 0, which is none
  h_ = std::max(std::min(trial_step(t_, size, slope), 1e-2 * (end - t_)), smallest_step(t_));
}

/// In the middle of the step, as far as the last one foresees it: where stiff directions turn with the motion, the Jacobian is
/// then off by half a step's turn at most, not by a whole one. At the start of the step where there is nothing to foresee it by,
/// and where the equations have no value in what is foreseen.
void Radau5::evaluate_jacobian(double h) {
  const auto is_number = [](double value) { return std::isfinite(value); };
  if (!first_) {
    for (std::size_t k = 0; k < n_ + m_; ++k) trial_[k] = collocation(t_ + h / 2, k);
    system_.jacobians(t_ + h / 2, trial_.data(), trial_.data() + n_, jacobians_.data());
    if (std::all_of(jacobians_.begin(), jacobians_.end(), is_number)) return;
  }
  system_.jacobians(t_, y_.data(), y_.data() + n_, jacobians_.data());
}

/// Jacobian and factorisations for a step of length h, as far as they are not there yet.
bool Radau5::prepare_matrices(double h) {
  if (renew_jacobian_) {
    evaluate_jacobian(h);
    ++statistics_.jacobians;
    jacobian_current_ = true;
    renew_jacobian_ = false;
    factored_h_ = nothing_factored;
  }
  if (factored_h_ == h) return true;
  factored_h_ = h;
  ++statistics_.factorisations;
  return real_.factor(h / gamma_real, jacobians_.data()) &&
         complex_.factor(base::Complex(h) / base::Complex(alpha, beta), jacobians_.data());
}

void Radau5::transform(const Stages& from, const double (&matrix)[3][3], Stages& to) const {
  for (int i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < n_ + m_; ++k)
      to[i][k] = matrix[i][0] * from[0][k] + matrix[i][1] * from[1][k] + matrix[i][2] * from[2][k];
}

/// Starting values for Newton: the last step's collocation polynomial, continued.
void Radau5::predict_stages(double h) {
  if (first_) {
    for (Stages* stages : {&z_, &w_})
      for (std::vector<double>& stage : *stages) std::fill(stage.begin(), stage.end(), 0.0);
    return;
  }
  const double ratio = h / step_taken_;
  const double at[3] = {c1 * ratio, c2 * ratio, ratio};
  for (int i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < n_ + m_; ++k)
      z_[i][k] =
          at[i] * (poly_[0][k] + (at[i] - c2m1) * (poly_[1][k] + (at[i] - c1m1) * poly_[2][k]));
  transform(z_, t_inverse, w_);
}

/// Function values at the three stages, transformed (into z_, whose values are recovered from w_
/// afterwards).
void Radau5::evaluate_stages(double h) {
  const double c[3] = {c1, c2, 1};
  for (int i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < n_ + m_; ++k) trial_[k] = y_[k] + z_[i][k];
    function(t_ + c[i] * h, trial_.data(), stage_f_[i].data());
  }
  transform(stage_f_, t_inverse, z_);
}

/// One simplified Newton correction of w_ (and z_); its size in the weighted norm.
double Radau5::correct_stages(double h) {
  const double lambda_re = alpha / h, lambda_im = beta / h;
  std::vector<double>&real = z_[0], &re = z_[1], &im = z_[2];
  for (std::size_t k = 0; k < n_; ++k) {
    real[k] -= gamma_real / h * w_[0][k];
    re[k] -= lambda_re * w_[1][k] - lambda_im * w_[2][k];
    im[k] -= lambda_re * w_[2][k] + lambda_im * w_[1][k];
  }
  for (std::vector<double>* const stage : {&real, &re, &im})
    for (std::size_t k = n_; k < n_ + m_; ++k) (*stage)[k] = -(*stage)[k];
  real_.solve(real.data(), real.data() + n_);
  const base::ComplexPointer both{re.data(), im.data()};
  complex_.solve(both, both + n_);

  double sum = 0;
  const auto add = [&](double weight, std::size_t k) {
    sum += weight * weight * (real[k] * real[k] + (re[k] * re[k] + im[k] * im[k]));
  };
  for (std::size_t k = 0; k < n_; ++k) add(weight_[k], k);
  for (std::size_t k = 0; k < algebraic_weight_.size(); ++k)
    add(algebraic_weight_[k], n_ + chains_.algebraic[k]);
  for (int i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < n_ + m_; ++k) w_[i][k] += z_[i][k];
  transform(w_, t_matrix, z_);
  return sum == 0 ? 0 : std::sqrt(sum / static_cast<double>(3 * (n_ + algebraic_weight_.size())));
}

/// Iterates until the expected remaining error is below the tolerance; gives up as soon as the
/// observed contraction shows that this would take too many iterations. Fixed steps cannot be
/// shortened instead and get more patience. The contraction of earlier steps lets a first iteration count, unless they were
/// much shorter: it grows with h, and what is left of constraints would not show in the estimated error.
Radau5::Newton Radau5::solve_stages(double h) {
  contraction_ = options_.adaptive && h < 2 * contraction_h_
                     ? power(std::max(contraction_, std::numeric_limits<double>::epsilon()), 0.8)
                     : 1;
  theta_ = fast_contraction;
  const int most =
      options_.adaptive ? options_.newton_iterations : std::max(options_.newton_iterations, 40);
  // what shrinks no more is rounding, and does no harm where it is this much smaller than the error that is accepted
  const double harmless = std::max(1000 * std::numeric_limits<double>::epsilon() / rtol_, 1e-3);
  double previous = 0, previous_ratio = 0;
  for (iterations_ = 1; iterations_ <= most; ++iterations_) {
    ++statistics_.newton_iterations;
    evaluate_stages(h);
    const double correction = correct_stages(h);
    if (!std::isfinite(correction)) return Newton::diverged;
    if (iterations_ > 1) {
      const double ratio = correction / previous;
      theta_ = iterations_ == 2 ? ratio : std::sqrt(ratio * previous_ratio);
      previous_ratio = ratio;
      if (theta_ >= 0.99) return correction <= harmless ? Newton::converged : Newton::diverged;
      contraction_ = theta_ / (1 - theta_);
      contraction_h_ = h;
      const int left = most - iterations_;
      const double expected = contraction_ * correction * power(theta_, left) / newton_tolerance_;
      if (expected >= 1) {
        if (contraction_ * correction <= harmless) return Newton::converged;
        slow_factor_ = 0.8 * power(std::clamp(expected, 1e-4, 20.0), -1.0 / (4 + left));
        return Newton::slow;
      }
    }
    if (contraction_ * correction <= newton_tolerance_) return Newton::converged;
    previous = std::max(correction, std::numeric_limits<double>::epsilon());
  }
  slow_factor_ = 0.5;
  return Newton::slow;
}

/// error_ = ((gamma/h) M - J)^-1 (f + (e1 Z1 + e2 Z2 + e3 Z3)/h), and its norm.
double Radau5::solve_error(const double* f, double h) {
  for (std::size_t k = 0; k < n_; ++k)
    error_[k] = f[k] + (e1 * z_[0][k] + e2 * z_[1][k] + e3 * z_[2][k]) / h;
  real_.solve(error_.data(), error_.data() + n_);
  std::copy_n(error_.data(), n_, shown_error_.data());
  system_.show_error(shown_error_.data());
  return std::max(1e-10, state_norm(shown_error_.data()));
}

double Radau5::state_norm(const double* s) const {
  double sum = 0;
  for (std::size_t k = 0; k < n_; ++k) sum += s[k] * s[k] * weight_[k] * weight_[k];
  return n_ == 0 ? 0 : std::sqrt(sum / static_cast<double>(n_));
}

/// A large estimate in a first step or after a rejection is filtered once more: it is too
/// pessimistic for stiff parts.
double Radau5::estimate_error(double h, bool doubtful) {
  std::fill(error_.begin() + n_, error_.end(), 0.0);
  double error = solve_error(f_.data(), h);
  if (error < 1 || !doubtful) return error;
  for (std::size_t k = 0; k < n_ + m_; ++k) trial_[k] = y_[k] + error_[k];
  function(t_, trial_.data(), stage_f_[0].data());
  for (std::size_t k = n_; k < n_ + m_; ++k) error_[k] = -stage_f_[0][k];
  error = solve_error(stage_f_[0].data(), h);
  return error;
}

/// Shortens the step after a failed attempt; renews a Jacobian that is old, or was made in the middle of the longer step.
StepOutcome Radau5::retry(double h, double factor, Failure cause) {
  ++statistics_.rejected;
  stop_point();
  h_ = h * factor;
  renew_jacobian_ = !jacobian_current_ || !first_;
  factored_h_ = nothing_factored;
  if (too_short(h_, t_)) return {false, reason_underflow, cause, h};
  return {true, {}, cause, h};
}

StepOutcome Radau5::step(double limit) {
  for (bool rejected = false;; rejected = true) {
    if (statistics_.accepted >= options_.max_steps)
      return {false, reason_max_steps, Failure::none, h_};
    const StepLength length = fit_step(t_, h_, limit, options_.step, options_.adaptive);
    const double h = length.h;
    Failure cause = Failure::none;
    double factor = 0.5;
    if (chains_.most_missing > 0) scale_weights(h);
    if (!prepare_matrices(h)) {
      cause = Failure::singular_matrix;
    } else {
      predict_stages(h);
      const Newton newton = solve_stages(h);
      if (newton != Newton::converged) cause = Failure::newton_diverged;
      if (newton == Newton::slow) factor = slow_factor_;
      if (newton != Newton::converged && jacobian_current_ && iterations_ > 1) {
        failed_h_ = h;
        failed_theta_ = theta_;
      }
    }
    if (cause == Failure::none) {
      const double t_new = length.last ? limit : t_ + h;
      const double error = estimate_error(h, first_ || rejected);
      const bool accurate = error < 1 || !options_.adaptive;
      if (!std::isfinite(error))
        cause = Failure::not_finite;
      else if (accurate)
        cause = finish(t_new);
      if (cause == Failure::none && accurate) {
        accept(length, t_new, error, rejected);
        return {true, {}, Failure::none, h};
      }
      if (cause == Failure::none) {
        propose(h, error, true);
        factor = first_ ? 0.1 : h_ / h;
      }
    }
    if (!options_.adaptive) {
      if (jacobian_current_) return {false, describe(cause), cause, h};
      factor = 1;  // once more with a new Jacobian
    }
    const StepOutcome outcome = retry(h, factor, cause);
    if (!outcome.ok) return outcome;
  }
}

/// h_ for the next step: the standard controller and Gustafsson's predictive one, whichever is more
/// careful.
void Radau5::propose(double h, double error, bool after_rejection) {
  const int most = options_.newton_iterations;
  const double careful = std::min(safety, safety * (1 + 2 * most) / (iterations_ + 2 * most));
  double quotient = std::clamp(root4(error) / careful, 1 / largest_growth, largest_shrink);
  if (!after_rejection && accepted_h_ > 0) {
    const double predicted = accepted_h_ / h * root4(error * error / accepted_error_) / safety;
    quotient = std::max(quotient, std::clamp(predicted, 1 / largest_growth, largest_shrink));
  }
  h_ = h / quotient;
}

/// Newton's contraction theta grows with h: where stiff directions turn with the motion, as those of springs between bodies on a
/// shaft do, with a high power of it. The error knows nothing of that and would propose steps that fail, one for every step
/// that is taken. Once a step has failed, this and the next one determine the power, and steps are no longer than the
/// contraction allows [GustafssonSoderlind1997].
void Radau5::heed_contraction(double h) {
  using expr::elementary::log;
  if (iterations_ < 2 || !(theta_ > 0)) return;
  if (failed_h_ > h && failed_theta_ > theta_)
    newton_power_ = std::clamp(log(failed_theta_ / theta_) / log(failed_h_ / h), 1.0, 8.0);
  failed_h_ = 0;
  if (theta_ <= fast_contraction) newton_power_ = 0;  // what made it slow is over
  if (newton_power_ > 0)
    h_ = std::min(h_, h * std::max(0.8, power(wished_contraction / theta_, 1 / newton_power_)));
}

/// The end of the step, projected if the system requires it, into y_next_ and its derivative into
/// f_next_.
Failure Radau5::finish(double t_new) {
  for (std::size_t k = 0; k < n_ + m_; ++k) y_next_[k] = y_[k] + z_[2][k];
  // The slope of the collocation polynomial: f(t, s) would amplify the errors of stiff components.
  for (std::size_t k = 0; k < n_; ++k) slope_[k] = y_next_[chains_.next[k]];
  if (system_.projects()) {
    ++statistics_.projections;
    const Failure failure = system_.project(t_new, y_next_.data());
    if (failure != Failure::none) return failure;
  }
  if (chains_.most_missing > 0) {  // the tops are those of the last stage
    f_next_ = slope_;
    return consistent_slopes(t_new);
  }
  ++statistics_.evaluations;
  return system_.derivative(t_new, y_next_.data(), y_next_.data() + n_, f_next_.data());
}

/// In index 2 and 3 the tops of a stage have the order of multipliers, which rows between steps would inherit. Those that
/// belong to the states have the order of these.
Failure Radau5::consistent_slopes(double t_new) {
  ++statistics_.evaluations;
  std::copy_n(y_next_.data() + n_, m_, trial_.data());
  return system_.derivative(t_new, y_next_.data(), trial_.data(), slope_.data());
}

/// Moves to the end of the step, keeps its polynomial, and proposes the length of the next one.
void Radau5::accept(StepLength length, double t_new, double error, bool after_rejection) {
  const double h = length.h, wished = h_;
  for (std::size_t k = 0; k < n_ + m_; ++k) {
    const double slope = (z_[0][k] - z_[1][k]) / c1mc2;
    const double moved = k < n_ ? y_next_[k] - (y_[k] + z_[2][k])
                                : 0;  // by the projection; the start stays in place
    poly_[0][k] = (z_[1][k] - z_[2][k]) / c2m1;
    poly_[1][k] = (slope - poly_[0][k]) / c1m1;
    poly_[2][k] = poly_[1][k] - (slope - z_[0][k] / c1) / c2;
    poly_[0][k] += moved;
  }
  first_ = false;
  std::swap(y_, y_next_);
  std::swap(f_, f_next_);
  t_old_ = std::exchange(t_, t_new);
  step_taken_ = h;
  record_step(statistics_, h, length.last);
  scale_weights(h);
  choose_dense_output(error);

  jacobian_current_ = false;
  renew_jacobian_ = theta_ > fast_contraction;
  if (!options_.adaptive) return;
  propose(h, error, false);
  if (after_rejection) h_ = std::min(h_, h);
  heed_contraction(h);
  accepted_h_ = h;
  accepted_error_ = std::max(1e-2, error);
  if (length.last)
    h_ = std::max(h_, wished);  // a step cut by `limit` must not forget the length reached
  else if (!renew_jacobian_ && h_ >= keep_from * h && h_ <= keep_to * h)
    h_ = h;
}

double Radau5::collocation(double t, std::size_t k) const {
  const double x = step_taken_ == 0 ? 0 : (t - t_) / step_taken_;
  return y_[k] + x * (poly_[0][k] + (x - c2m1) * (poly_[1][k] + (x - c1m1) * poly_[2][k]));
}

double Radau5::collocation_slope(double t, std::size_t k) const {
  const double x = (t - t_) / step_taken_;
  const double inner = poly_[1][k] + (x - c1m1) * poly_[2][k];
  return (poly_[0][k] + (x - c2m1) * inner + x * (inner + (x - c2m1) * poly_[2][k])) / step_taken_;
}

/// The collocation polynomial serves the stiffest problems but is only of order 3, far below the
/// steps. Where Hermite's polynomial through the last two steps agrees with it within the error of
/// that order (accepted, or estimated when steps are fixed), Hermite's is taken, of order 5. In index 2 and 3 the estimate
/// does not see the directions that constraints forbid, in which collocation may be much farther off: where they disagree,
/// the one that satisfies the equations better is taken.
void Radau5::choose_dense_output(double error) {
  hermite_.push(t_, y_.data(), slope_.data());
  hermite_is_good_ = hermite_.complete();
  if (!hermite_is_good_) return;
  const double middle = 0.5 * (t_old_ + t_);
  for (std::size_t k = 0; k < n_; ++k)
    trial_[k] = hermite_.value(middle, k) - collocation(middle, k);
  hermite_is_good_ =
      state_norm(trial_.data()) <= std::max(1.0, error) ||
      (chains_.most_missing > 0 && defect(middle, true) < clearly_smaller * defect(middle, false));
}

/// |p' - f(t, p)| of Hermite's polynomial p, or of collocation's.
double Radau5::defect(double t, bool of_hermite) {
  for (std::size_t k = 0; k < n_; ++k)
    trial_[k] = of_hermite ? hermite_.value(t, k) : collocation(t, k);
  std::copy_n(y_.data() + n_, m_, trial_.data() + n_);
  double* const rate = stage_f_[0].data();
  ++statistics_.evaluations;
  if (system_.derivative(t, trial_.data(), trial_.data() + n_, rate) != Failure::none)
    return std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n_; ++k)
    rate[k] -= of_hermite ? hermite_.slope(t, k) : collocation_slope(t, k);
  return state_norm(rate);
}

void Radau5::interpolate(double t, double* s) const {
  for (std::size_t k = 0; k < n_; ++k)
    s[k] = hermite_is_good_ ? hermite_.value(t, k) : collocation(t, k);
}

void Radau5::interpolate_tops(double t, double* z) const {
  for (std::size_t k = 0; k < m_; ++k) z[k] = collocation(t, n_ + k);
}

}  // namespace daedal::solve
