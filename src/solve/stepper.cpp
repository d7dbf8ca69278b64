// See daedal/solve/stepper.hpp.
#include "daedal/solve/stepper.hpp"

#include "numeric_newton.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace daedal::solve {

namespace {

constexpr std::size_t most_rescued = 100;  // unknowns of a dense matrix that fits a sample time
constexpr double growth_limit = 1e5;       // of frozen pivots, as for compile::LinearSolver
/// Corrections this small that shrink no more are rounding errors.
constexpr double rounding = 1e-6;
/// The error behind a correction by an inexact matrix is a fraction of it, not its square.
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
      !(options.residual_tolerance >= 0))
    throw std::invalid_argument(
        "stepper: iterations in [1, 100], tolerance in [1e-15, 1e-2], renew from 1, "
        "residual_tolerance from 0");
  if (options.jacobian == JacobianKind::broyden)
    options_.tolerance = std::max(1e-15, inexact_share * options.tolerance);
  past_.resize(std::size_t{program_->past} * (n_ + m_));
  for (std::size_t k = 0; k < program_->past; ++k) {
    states_.push_back(past_.data() + k * (n_ + m_));
    tops_.push_back(states_.back() + n_);
  }
  stage_tops_.resize(std::size_t{stages_} * m_);

  std::vector<expr::Term> terms;
  compile::Layout layout;
  for (std::uint32_t p = 0; p < program_->point_size(); ++p) layout.add({p, 0});
  const auto add = [&](expr::Expr e) {
    terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
  };
  for (const expr::Expr e : program_->correction) add(e);
  for (const expr::Expr e : program_->residual) add(e);
  add(program_->monitor);
  kernel_ = compile::compile(expr::Function{static_cast<std::uint32_t>(terms.size()),
                                            {expr::identity_family(program_->graph, terms)}},
                             layout, options.compile);
  work_ = kernel_->workspace();
  kernel_->prepare(point_.data(), work_);
  rows_.resize(terms.size());
  if (options.jacobian != JacobianKind::exact)
    numeric_ = std::make_unique<NumericNewton>(program_, options);
  else if (!options.linear && program_->residual.size() <= most_rescued)
    rescue_ = std::make_unique<NumericNewton>(program_, by_differences(options));
  start(t, program_->start_states, program_->start_tops);
}

Stepper::~Stepper() = default;
Stepper::Stepper(Stepper&&) noexcept = default;

void Stepper::start(double t, std::span<const double> states,
                    std::span<const double> tops) noexcept {
  time_ = begin_ = t;
  taken_ = 0;
  has_stages_ = false;
  if (numeric_) numeric_->begin_step(true);
  for (std::size_t k = 0; k < states_.size(); ++k) {
    const double back = -static_cast<double>(k) * program_->step;
    std::copy(tops.begin(), tops.end(), tops_[k]);
    for (std::uint32_t i = 0; i < n_; ++i) {
      double value = states[i], factor = 1;
      std::uint32_t at = program_->next[i];
      for (int order = 1;; ++order) {
        factor *= back / order;
        value += factor * (at < n_ ? states[at] : tops[at - n_]);
        if (at >= n_) break;
        at = program_->next[at];
      }
      states_[k][i] = value;
    }
  }
}

void Stepper::set_past(std::size_t k, std::span<const double> states,
                       std::span<const double> tops) noexcept {
  std::copy(states.begin(), states.end(), states_[k]);
  std::copy(tops.begin(), tops.end(), tops_[k]);
}

namespace {

/// sum_k weight_k past_k[i]: steps of a few numbers, where a sum in a register is faster than vectors are.
double combined(const double* weight, const std::vector<double*>& past, std::size_t nodes,
                std::size_t i) {
  double sum = weight[0] * past[0][i];
  for (std::size_t k = 1; k < nodes; ++k) sum += weight[k] * past[k][i];
  return sum;
}

void bring_last_to_front(std::vector<double*>& past) {
  double* const last = past.back();
  for (std::size_t k = past.size() - 1; k > 0; --k) past[k] = past[k - 1];
  past.front() = last;
}

}  // namespace

/// The known parts of the states, each after its derivative: known_i = sum_p past_p x_(n-p) + h sum_j a_ij known'_j.
void Stepper::find_known() noexcept {
  const std::vector<double>& past = program_->formula.past;
  const double* const a = program_->a.data();
  double* const known = point_.data() + first_known_;
  for (std::uint32_t i = 0; i < n_; ++i) known[i] = combined(past.data(), states_, past.size(), i);
  for (std::uint32_t stage = 1; stage < stages_; ++stage)
    std::copy_n(known, n_, known + stage * n_);
  for (std::uint32_t i = 0; i < n_; ++i) {
    const std::uint32_t next = program_->next[i];
    if (next >= n_) continue;
    for (std::uint32_t stage = 0; stage < stages_; ++stage)
      for (std::uint32_t j = 0; j < stages_; ++j)
        known[stage * n_ + i] += a[stage * stages_ + j] * known[j * n_ + next];
  }
}

/// Tops continued from the last steps, or from the stages of the last one.
void Stepper::predict() noexcept {
  if (stages_ > 1 && !has_stages_) return repeat();
  const std::size_t nodes = program_->predicted_from();
  for (std::uint32_t stage = 0; stage < stages_; ++stage) {
    double* const z = point_.data() + first_top_ + stage * m_;
    const double* const weight = program_->predictor.data() + stage * nodes;
    if (stages_ == 1) {
      for (std::uint32_t j = 0; j < m_; ++j) z[j] = combined(weight, tops_, nodes, j);
      continue;
    }
    std::fill_n(z, m_, 0.0);
    for (std::size_t k = 0; k < nodes; ++k)
      for (std::uint32_t j = 0; j < m_; ++j) z[j] += weight[k] * stage_tops_[k * m_ + j];
  }
}

void Stepper::repeat() noexcept {
  for (std::uint32_t stage = 0; stage < stages_; ++stage)
    std::copy_n(tops_[0], m_, point_.data() + first_top_ + stage * m_);
}

double Stepper::largest_scaled_residual() const noexcept {
  const double* const f = rows_.data() + std::size_t{stages_} * m_;
  double largest = 0;
  for (std::uint32_t k = 0; k < stages_ * m_; ++k)
    largest = std::max(largest, std::abs(f[k]) * program_->row_scale[k % m_]);
  return largest;
}

/// The largest equation; which one is looked for only where somebody will read it.
void Stepper::tell_residual(StepReport& report) const noexcept {
  const std::uint32_t unknowns = stages_ * m_;
  const double* const f = rows_.data() + unknowns;
  double largest = 0;
  for (std::uint32_t k = 0; k < unknowns; ++k) largest = std::max(largest, std::abs(f[k]));
  report.residual = largest;
  if (report.ok()) return;
  for (std::uint32_t k = 0; k < unknowns; ++k)
    if (std::abs(f[k]) == largest) report.equation = k % m_;
}

StepReport Stepper::iterate(NumericNewton* numeric, double tolerance) noexcept {
  StepReport report{StepStatus::not_converged};
  double* const z = point_.data() + first_top_;
  const std::uint32_t unknowns = stages_ * m_;
  const double* const weight = program_->weight.data();
  const int most = options_.linear ? 1 : options_.iterations;
  double previous = 0;
  while (report.iterations < most) {
    if (numeric != nullptr)
      numeric->evaluate(point_.data(), rows_.data());
    else
      kernel_->evaluate(point_.data(), rows_.data(), work_);
    if (options_.residual_tolerance > 0 &&
        largest_scaled_residual() < options_.residual_tolerance) {
      report.status = StepStatus::ok;
      break;
    }
    ++report.iterations;
    double correction = 0;
    const double* const change = rows_.data();
    for (std::uint32_t stage = 0, k = 0; stage < stages_; ++stage)
      for (std::uint32_t j = 0; j < m_; ++j, ++k) {
        z[k] += change[k];
        correction = std::max(correction, std::abs(change[k]) * weight[j]);
      }
    report.correction = correction;
    const double monitor = rows_[2 * unknowns];
    if (!(monitor < growth_limit * growth_limit)) {  // NaN included
      report.status = std::isfinite(monitor) ? StepStatus::pivots_lost : StepStatus::not_finite;
      tell_residual(report);
      return report;
    }
    const bool stalled =
        report.iterations > 2 && correction > 0.5 * previous && correction < rounding;
    const bool small = options_.residual_tolerance == 0 && correction <= tolerance;
    if (small || stalled || options_.linear) {
      report.status = StepStatus::ok;
      break;
    }
    previous = correction;
  }
  double sum = 0;  // keeps NaN, which a maximum may lose
  for (std::uint32_t k = 0; k < unknowns; ++k) sum += z[k] + 0 * rows_[unknowns + k];
  if (!std::isfinite(sum)) report.status = StepStatus::not_finite;
  tell_residual(report);
  return report;
}

/// The end of the step becomes the newest of the past.
void Stepper::accept() noexcept {
  const double* const known = point_.data() + first_known_ + (stages_ - 1) * n_;
  const double* const z = point_.data() + first_top_;
  bring_last_to_front(states_);
  bring_last_to_front(tops_);
  double* const s = states_.front();
  for (std::uint32_t i = 0; i < n_; ++i) {
    const std::uint32_t top = program_->top_of[i];
    double value = known[i];
    for (std::uint32_t j = 0; j < stages_; ++j)
      value += program_->top_weight[i * stages_ + j] * z[j * m_ + top];
    s[i] = value;
  }
  std::copy_n(z + (stages_ - 1) * m_, m_, tops_.front());
  if (stages_ > 1) {
    std::copy_n(z, stages_ * m_, stage_tops_.data());
    has_stages_ = true;
  }
  time_ = begin_ + static_cast<double>(++taken_) * program_->step;
}

StepReport Stepper::step(std::span<const double> signals) noexcept {
  for (std::uint32_t stage = 0; stage < stages_; ++stage)
    point_[stage] = time_ + program_->formula.nodes[stage] * program_->step;
  std::copy(signals.begin(), signals.end(), point_.data() + stages_);
  find_known();
  if (options_.linear)
    repeat();
  else
    predict();
  if (numeric_) numeric_->begin_step(false);
  StepReport report = iterate(numeric_.get(), options_.tolerance);
  const auto again = [&](NumericNewton* numeric, double tolerance) {
    const int before = report.iterations;
    if (numeric != nullptr) numeric->begin_step(true);
    report = iterate(numeric, tolerance);
    report.iterations += before;
  };
  if (!report.ok() && !options_.linear) {  // a wrong guess may be why
    repeat();
    again(numeric_.get(), options_.tolerance);
  }
  if (report.status == StepStatus::pivots_lost && rescue_) {
    predict();
    again(rescue_.get(), inexact_share * inexact_share * options_.tolerance);  // to rounding
  }
  if (report.ok()) accept();
  return report;
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

}  // namespace daedal::solve
