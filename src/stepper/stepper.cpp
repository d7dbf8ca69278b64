// See daedal/stepper/stepper.hpp.
#include "daedal/stepper/stepper.hpp"

#include "daedal/stepper/signal_transition.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/stepper/step_watch.hpp"
#include "numeric_newton.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace daedal::solve {

namespace {

constexpr std::size_t most_combined = 6;   // steps in a formula: bdf of order 6
constexpr std::size_t most_rescued = 100;  // unknowns of a dense matrix that fits a sample time
constexpr double growth_limit = 1e5;       // of frozen pivots, as for compile::LinearSolver
/// Corrections this small that shrink no more are rounding errors.
constexpr double rounding = 1e-6;
/// The error after a correction by an inexact matrix is a fraction of it, not its square.
constexpr double inexact_share = 1e-3;

/// For the few steps that need it: nothing more to compile.
StepperOptions by_differences(StepperOptions options) {
  options.jacobian = JacobianKind::difference;
  options.compile.backend = compile::Backend::tape;
  return options;
}

}  // namespace

std::string_view describe(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "converged";
    case StepStatus::not_converged:
      return "Newton's method did not converge";
    case StepStatus::pivots_lost:
      return "the matrix of the step is singular, or far from that of the start";
    case StepStatus::not_finite:
      return "the equations have no finite values";
    case StepStatus::branch_changed:
      return "the solution found lies on another branch";
    case StepStatus::transition:
      return "in transition to signals that jumped";
    case StepStatus::jump:
      return "highest derivatives or inputs jumped";
    case StepStatus::singular_passed:
      return "a singular pose was passed";
    case StepStatus::limited:
      return "an input was clipped to its limits";
  }
  return {};
}

Stepper::Stepper(std::shared_ptr<const StepProgram> program, const StepperOptions& options,
                 double t)
    : program_(std::move(program)),
      options_(options),
      stages_(program_->stages()),
      n_(static_cast<std::uint32_t>(program_->states.size())),
      m_(static_cast<std::uint32_t>(program_->tops.size())),
      first_known_(program_->first_known()),
      first_top_(program_->first_top()),
      point_(program_->point_size()) {
  if (options.iterations < 1 || options.iterations > 100 ||
      !(options.tolerance >= 1e-15 && options.tolerance <= 1e-2) || options.renew < 1 ||
      !(options.residual_tolerance >= 0) || options.transition < 0 || options.transition > 10'000)
    throw std::invalid_argument(
        "stepper: iterations in [1, 100], tolerance in [1e-15, 1e-2], renew from 1, "
        "residual_tolerance from 0, transition in [0, 10000]");
  if (program_->formula.past.size() > most_combined)
    throw std::invalid_argument("stepper: a formula of more than 6 steps");
  if (options.jacobian == JacobianKind::broyden)
    options_.tolerance = std::max(1e-15, inexact_share * options.tolerance);
  remembered_.resize(std::size_t{program_->past} * (n_ + m_));
  for (std::size_t k = 0; k < 2 * past(); ++k)
    past_.push_back(remembered_.data() + (k % past()) * (n_ + m_));
  for (std::uint32_t i = 0; i < n_; ++i)
    if (program_->next[i] < n_) chained_.push_back({i, program_->next[i]});
  stage_tops_.resize(std::size_t{stages_} * m_);
  prepare_watch();

  std::vector<expr::Term> terms;
  compile::Layout layout;
  for (std::uint32_t p = 0; p < program_->point_size(); ++p) layout.add({p, 0});
  const auto add = [&](expr::Expr e) {
    terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
  };
  for (const expr::Expr e : program_->correction) add(e);
  for (const expr::Expr e : program_->residual) add(e);
  add(program_->monitor);
  add(program_->determinant);
  kernel_ = compile::compile(expr::Function{static_cast<std::uint32_t>(terms.size()),
                                            {expr::identity_family(program_->graph, terms)}},
                             layout, options.compile);
  work_ = kernel_->workspace();
  kernel_->prepare(point_.data(), work_);
  rows_.resize(terms.size());
  if (options.jacobian != JacobianKind::exact)
    numeric_ = std::make_unique<NumericNewton>(program_, options);
  else if (options.rescue && !options.linear && program_->residual.size() <= most_rescued)
    rescue_ = std::make_unique<NumericNewton>(program_, by_differences(options));
  start(t, program_->start_states, program_->start_tops);
  side_ = 1;
}

void Stepper::prepare_watch() {
  calm_ = program_->differentiated ? calm_distance : far_distance;
  lowest_.assign(m_, n_);
  for (std::uint32_t i = 0; i < n_; ++i)
    if (program_->states[i].order == 0) lowest_[program_->top_of[i]] = i;
  size_.resize(m_);
  jump_floor_ = jump_floors(*program_);
  predicted_.resize(m_);
  if (program_->differentiated && options_.transition > 0)
    transition_ = std::make_unique<SignalTransition>(*program_, options_.transition);
  for (const InputLimit& limit : options_.limits) {
    if (!(limit.lowest <= limit.highest) || !(limit.rate >= 0))
      throw std::invalid_argument("stepper: limits of an input exclude each other");
    input_at_.push_back(find(limit.input));
  }
  inputs_.resize(input_at_.size());
}

Stepper::~Stepper() = default;
Stepper::Stepper(Stepper&&) noexcept = default;

std::size_t Stepper::past() const { return program_->past; }
std::span<const expr::Leaf> Stepper::signals() const { return program_->signals; }
std::span<const double> Stepper::nodes() const { return program_->formula.nodes; }

void Stepper::start(double t, std::span<const double> states,
                    std::span<const double> tops) noexcept {
  time_ = begin_ = t;
  taken_ = 0;
  has_stages_ = false;
  side_ = 0;
  std::fill(size_.begin(), size_.end(), 0.0);
  if (transition_) transition_->reset();
  if (numeric_) numeric_->begin_step(true);
  for (std::size_t k = 0; k < past(); ++k) {
    const double back = -static_cast<double>(k) * program_->step;
    std::copy(tops.begin(), tops.end(), past_[newest_ + k] + n_);
    for (std::uint32_t i = 0; i < n_; ++i) {
      double value = states[i], factor = 1;
      std::uint32_t at = program_->next[i];
      for (int order = 1;; ++order) {
        factor *= back / order;
        value += factor * (at < n_ ? states[at] : tops[at - n_]);
        if (at >= n_) break;
        at = program_->next[at];
      }
      past_[newest_ + k][i] = value;
    }
  }
  for (std::size_t k = 0; k < inputs_.size(); ++k) inputs_[k] = value(input_at_[k]);
}

void Stepper::set_past(std::size_t k, std::span<const double> states,
                       std::span<const double> tops) noexcept {
  std::copy(states.begin(), states.end(), past_[newest_ + k]);
  std::copy(tops.begin(), tops.end(), past_[newest_ + k] + n_);
}

namespace {

/// out_i = sum_k weight_k past_k[first + i], k < Count: steps of a few numbers, where loops inside of loops cost more than their
/// sums do.
template <std::size_t Count>
void combine(const double* weight, const double* const* past, std::size_t first, std::size_t n,
             double* out) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    double sum = weight[0] * past[0][first + i];
    for (std::size_t k = 1; k < Count; ++k) sum += weight[k] * past[k][first + i];
    out[i] = sum;
  }
}

void combine(std::span<const double> weight, const double* const* past, std::size_t first,
             std::size_t n, double* out) {
  switch (weight.size()) {
    case 1:
      return combine<1>(weight.data(), past, first, n, out);
    case 2:
      return combine<2>(weight.data(), past, first, n, out);
    case 3:
      return combine<3>(weight.data(), past, first, n, out);
    case 4:
      return combine<4>(weight.data(), past, first, n, out);
    case 5:
      return combine<5>(weight.data(), past, first, n, out);
    default:
      return combine<most_combined>(weight.data(), past, first, n, out);
  }
}

}  // namespace

/// The known parts of the states, each after its derivative: known_i = sum_p past_p x_(n-p) + h sum_j a_ij known'_j.
void Stepper::find_known() noexcept {
  const double* const a = program_->a.data();
  double* const known = point_.data() + first_known_;
  combine(program_->formula.past, past_.data() + newest_, 0, n_, known);
  if (stages_ == 1) {
    for (const auto& [state, derivative] : chained_) known[state] += a[0] * known[derivative];
    return;
  }
  for (std::uint32_t stage = 1; stage < stages_; ++stage)
    std::copy_n(known, n_, known + stage * n_);
  for (const auto& [state, derivative] : chained_)
    for (std::uint32_t stage = 0; stage < stages_; ++stage)
      for (std::uint32_t j = 0; j < stages_; ++j)
        known[stage * n_ + state] += a[stage * stages_ + j] * known[j * n_ + derivative];
}

/// Tops continued from the last steps, or from the stages of the last one.
void Stepper::predict(double* z) const noexcept {
  if (options_.linear) return repeat(z);
  if (stages_ == 1) return combine(program_->predictor, past_.data() + newest_, n_, m_, z);
  if (!has_stages_) return repeat(z);
  const std::size_t nodes = program_->predicted_from();
  std::fill_n(z, std::size_t{stages_} * m_, 0.0);
  for (std::uint32_t stage = 0; stage < stages_; ++stage)
    for (std::size_t k = 0; k < nodes; ++k)
      for (std::uint32_t j = 0; j < m_; ++j)
        z[stage * m_ + j] += program_->predictor[stage * nodes + k] * stage_tops_[k * m_ + j];
}

void Stepper::repeat(double* z) const noexcept {
  for (std::uint32_t stage = 0; stage < stages_; ++stage)
    std::copy_n(past_[newest_] + n_, m_, z + stage * m_);
}

/// What the tops at the end of the step are compared with. Those of stages on the way have a lower order, and what is continued
/// from them says little.
void Stepper::foresee() noexcept {
  if (stages_ == 1)
    predict(predicted_.data());
  else
    std::copy_n(past_[newest_] + n_, m_, predicted_.data());
}

/// Tops with which positions stay where they are: after a jump these are nearer than what is extrapolated, and on the branch.
void Stepper::hold() noexcept {
  double* const z = point_.data() + first_top_;
  repeat(z);
  if (stages_ > 1) return;
  const double* const known = point_.data() + first_known_;
  for (std::uint32_t j = 0; j < m_; ++j)
    if (const std::uint32_t i = lowest_[j]; i < n_)
      z[j] = (past_[newest_][i] - known[i]) / program_->top_weight[i];
}

/// NaN when one of them is.
double Stepper::largest_residual(bool scaled) const noexcept {
  const double* const f = rows_.data() + std::size_t{stages_} * m_;
  double largest = 0, sum = 0;
  for (std::uint32_t k = 0; k < stages_ * m_; ++k) {
    largest = std::max(largest, std::abs(f[k]) * (scaled ? program_->row_scale[k % m_] : 1));
    sum += f[k];
  }
  return largest + 0 * sum;
}

/// Which equation is the largest.
void Stepper::tell_equation(StepReport& report) const noexcept {
  const std::uint32_t unknowns = stages_ * m_;
  const double* const f = rows_.data() + unknowns;
  for (std::uint32_t k = 0; k < unknowns; ++k)
    if (std::abs(f[k]) == report.residual) report.equation = k % m_;
}

StepReport Stepper::iterate(NumericNewton* numeric, double tolerance) noexcept {
  double* const z = point_.data() + first_top_;
  double* const rows = rows_.data();
  const std::uint32_t unknowns = stages_ * m_;
  const double *const change = rows, *const f = rows + unknowns;
  const double* const weight = program_->weight.data();
  const double &monitor = rows[2 * unknowns], residual_tolerance = options_.residual_tolerance;
  const bool linear = options_.linear;
  const int most = linear ? 1 : options_.iterations;
  StepStatus status = StepStatus::not_converged;
  int iterations = 0;
  double correction = 0, residual = 0, sum = 0, distance = 0;
  while (iterations < most) {
    if (numeric != nullptr)
      numeric->evaluate(point_.data(), rows);
    else
      kernel_->evaluate(point_.data(), rows, work_);
    if (residual_tolerance > 0 && largest_residual(true) < residual_tolerance) {
      status = StepStatus::ok;
      residual = largest_residual(false);
      break;
    }
    ++iterations;
    const double previous = correction;
    correction = residual = sum = 0;
    for (std::uint32_t stage = 0, k = 0; stage < stages_; ++stage)
      for (std::uint32_t j = 0; j < m_; ++j, ++k) {
        z[k] += change[k];
        correction = std::max(correction, std::abs(change[k]) * weight[j]);
        residual = std::max(residual, std::abs(f[k]));
        sum += z[k] + 0 * f[k];  // keeps NaN, which a maximum may lose
      }
    distance = std::max(distance, correction);
    if (!(monitor < growth_limit * growth_limit)) {  // NaN included
      status = std::isfinite(monitor) ? StepStatus::pivots_lost : StepStatus::not_finite;
      break;
    }
    const bool stalled = iterations > 2 && correction > 0.5 * previous && correction < rounding;
    const bool small = residual_tolerance == 0 && correction <= tolerance;
    if (small || stalled || linear) {
      status = StepStatus::ok;
      break;
    }
  }
  if (status != StepStatus::pivots_lost && !std::isfinite(sum)) status = StepStatus::not_finite;
  StepReport report{status, iterations, correction, residual, 0, distance};
  if (!report.ok()) tell_equation(report);
  return report;
}

/// Near its prediction and on the branch.
bool Stepper::calm(const StepReport& report) const noexcept {
  return rows_[std::size_t{2} * stages_ * m_ + 1] * side_ > 0 && report.distance <= calm_;
}

/// A further check of a step that converged.
[[gnu::cold]] void Stepper::judge(StepReport& report) noexcept {
  excess_ = 0;
  if (calm(report)) return;
  foresee();
  const double* const z = point_.data() + first_top_ + (stages_ - 1) * m_;
  for (std::uint32_t j = 0; j < m_; ++j) {
    const double beyond = std::abs(z[j] - predicted_[j]);
    const bool position = lowest_[j] < n_;
    if (position) excess_ = std::max(excess_, beyond * program_->weight[j] / far_distance);
    if (program_->differentiated && (position || taken_ > 0))  // forces of the start may be guesses
      excess_ = std::max(excess_, beyond / std::max(jump_growth * size_[j], jump_floor_[j]));
  }
  if (transition_ && transition_->active()) excess_ /= transition_allowance;
  if (rows_[std::size_t{2} * stages_ * m_ + 1] * side_ < 0)
    report.status = excess_ > 1 ? StepStatus::branch_changed : StepStatus::singular_passed;
  else if (excess_ > 1)
    report.status = StepStatus::jump;
}

/// Newton's method from the prediction.
StepReport Stepper::iterate_from_prediction() noexcept {
  find_known();
  predict(point_.data() + first_top_);
  if (numeric_) numeric_->begin_step(false);
  return iterate(numeric_.get(), options_.tolerance);
}

/// What becomes of it: a closer look, and other ways to the solution.
[[gnu::cold]] StepReport Stepper::persist(StepReport report) noexcept {
  if (report.ok()) judge(report);
  const auto again = [&](NumericNewton* numeric, double tolerance) {
    const StepReport before = report;
    if (numeric != nullptr) numeric->begin_step(true);
    report = iterate(numeric, tolerance);
    if (report.ok()) judge(report);
    report.iterations += before.iterations;
    if (!report.made() && before.status == StepStatus::branch_changed)
      report.status = before.status;
  };
  if (!report.made() && !options_.linear) {  // a wrong guess may be why
    hold();
    again(numeric_.get(), options_.tolerance);
  }
  if (report.status == StepStatus::pivots_lost && rescue_) {
    predict(point_.data() + first_top_);
    again(rescue_.get(), inexact_share * inexact_share * options_.tolerance);  // to rounding
  }
  return report;
}

/// The end of the step becomes the newest of the past.
void Stepper::accept(const StepReport& report) noexcept {
  const double* const known = point_.data() + first_known_ + (stages_ - 1) * n_;
  const double* const z = point_.data() + first_top_;
  newest_ = newest_ == 0 ? past() - 1 : newest_ - 1;  // written over: the oldest
  double* const s = past_[newest_];
  const double* const top_weight = program_->top_weight.data();
  const std::uint32_t* const top_of = program_->top_of.data();
  if (stages_ == 1)
    for (std::uint32_t i = 0; i < n_; ++i) s[i] = known[i] + top_weight[i] * z[top_of[i]];
  else
    for (std::uint32_t i = 0; i < n_; ++i) {
      s[i] = known[i];
      for (std::uint32_t j = 0; j < stages_; ++j)
        s[i] += top_weight[i * stages_ + j] * z[j * m_ + top_of[i]];
    }
  const double* const last = z + (stages_ - 1) * m_;
  for (std::uint32_t j = 0; j < m_; ++j) s[n_ + j] = last[j];
  if (stages_ > 1) {
    std::copy_n(z, stages_ * m_, stage_tops_.data());
    has_stages_ = true;
  }
  if (const double determinant = rows_[std::size_t{2} * stages_ * m_ + 1];
      side_ == 0 || report.status == StepStatus::singular_passed)
    side_ = determinant > 0 ? 1 : determinant < 0 ? -1 : 0;
  if (program_->differentiated && report.ok() && !(transition_ && transition_->active()))
    for (std::uint32_t j = 0; j < m_; ++j)
      size_[j] = std::max(std::abs(last[j]), size_memory * size_[j]);
  time_ = begin_ + static_cast<double>(++taken_) * program_->step;
}

/// A step that failed with the given signals: a transition to them is tried.
[[gnu::cold]] StepReport Stepper::redirect(const StepReport& first,
                                           std::span<const double> signals) noexcept {
  double sum = 0;
  for (const double w : signals) sum += w;
  if (!transition_->ready() || !std::isfinite(sum)) return first;
  const double excess = excess_, allowance = transition_->active() ? 1 : transition_allowance;
  if (first.made())
    transition_->begin(signals.data());
  else
    transition_->begin_slower(signals.data());
  follow(signals);
  StepReport report = persist(iterate_from_prediction());
  report.iterations += first.iterations;
  if (report.made() && (!first.made() || allowance * excess_ < worthwhile * excess)) return report;
  transition_->revert();  // it is the past that jumps, or nothing helps
  if (!first.made()) return first;
  const int before = report.iterations;
  follow(signals);
  report = persist(iterate_from_prediction());
  report.iterations += before;
  return report;
}

void Stepper::follow(std::span<const double> signals) noexcept {
  double* const followed = point_.data() + stages_;
  if (transition_ && transition_->active())
    transition_->lead(signals.data(), followed);
  else
    std::copy(signals.begin(), signals.end(), followed);
}

StepReport Stepper::step(std::span<const double> signals) noexcept {
  for (std::uint32_t stage = 0; stage < stages_; ++stage)
    point_[stage] = time_ + program_->formula.nodes[stage] * program_->step;
  if (transition_ && transition_->active() && transition_->jumps_again(signals.data()))
    transition_->begin(signals.data());
  if (transition_ && transition_->active()) [[unlikely]]
    follow(signals);
  else
    std::copy(signals.begin(), signals.end(), point_.data() + stages_);
  find_known();
  predict(point_.data() + first_top_);
  if (numeric_) numeric_->begin_step(false);
  StepReport report = iterate(numeric_.get(), options_.tolerance);
  if (!report.ok() || !calm(report)) [[unlikely]] {
    report = persist(report);
    if (transition_ && !report.ok() && report.status != StepStatus::singular_passed)
      report = redirect(report, signals);
    if (!report.made()) return report;
  }
  accept(report);
  if (transition_ && transition_->remember(report.ok(), signals.data(), point_.data() + stages_) &&
      report.ok())
    report.status = StepStatus::transition;
  if (!inputs_.empty() && report.status != StepStatus::jump) hand_out(report);
  return report;
}

/// Within the range, then as near to that as the rate allows.
void Stepper::hand_out(StepReport& report) noexcept {
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const InputLimit& limit = options_.limits[k];
    const double asked = value(input_at_[k]), change = limit.rate * program_->step;
    const double allowed = std::min(std::max(asked, limit.lowest), limit.highest);
    inputs_[k] = std::min(std::max(allowed, inputs_[k] - change), inputs_[k] + change);
    if (inputs_[k] != asked) report.status = StepStatus::limited;
  }
}

std::size_t Stepper::find(expr::Leaf leaf) const {
  const auto& states = program_->states;
  if (const auto it = std::find(states.begin(), states.end(), leaf); it != states.end())
    return static_cast<std::size_t>(it - states.begin());
  const auto& tops = program_->tops;
  if (const auto it = std::find(tops.begin(), tops.end(), leaf); it != tops.end())
    return states.size() + static_cast<std::size_t>(it - tops.begin());
  throw std::invalid_argument("stepper: this quantity is no unknown of the step");
}

Stepper make_stepper(const formulate::Problem& problem, const ConsistentPoint& start,
                     const Method& method, const StepperOptions& options) {
  auto program = std::make_shared<const StepProgram>(make_step_program(
      *problem.dae, step_formula(method), step_length(method), point_of(problem, start)));
  return Stepper(std::move(program), options, start.t);
}

}  // namespace daedal::solve
