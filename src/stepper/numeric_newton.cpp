#include "numeric_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

/// Square root of the rounding unit: differences lose half of the digits.
constexpr double relative_increment = 1.5e-8;
constexpr double singular = 1e300;
constexpr double largest_condition =
    1e12;  // beyond, differences give no information on the last direction

}  // namespace

NumericNewton::NumericNewton(std::shared_ptr<const StepProgram> program,
                             const StepperOptions& options)
    : program_(std::move(program)),
      kind_(options.jacobian),
      renew_(options.renew),
      n_(program_->residual.size()),
      lu_(n_),
      inverse_(n_ * n_),
      f_(n_),
      moved_(n_),
      g_(n_),
      last_g_(n_),
      s_(n_),
      h_dg_(n_),
      s_h_(n_) {
  compile::Layout layout;
  for (std::uint32_t p = 0; p < program_->point_size(); ++p) layout.add({p, 0});
  std::vector<expr::Term> terms;
  for (const expr::Expr e : program_->residual)
    terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
  kernel_ = compile::compile(expr::Function{static_cast<std::uint32_t>(terms.size()),
                                            {expr::identity_family(program_->graph, terms)}},
                             layout, options.compile);
  work_ = kernel_->workspace();
  const std::vector<double> anywhere(program_->point_size());
  kernel_->prepare(anywhere.data(), work_);
  const std::size_t tops = program_->tops.size();
  for (std::size_t k = 0; k < n_; ++k) {
    row_scale_.push_back(program_->row_scale[k % tops]);
    unit_.push_back(program_->unit[k % tops]);
    increment_.push_back(relative_increment / program_->weight[k % tops]);
  }
}

void NumericNewton::begin_step(bool anew) noexcept {
  have_last_ = false;
  if (anew || ++served_ > renew_) have_inverse_ = false;
}

/// The inverse of the matrix of forward differences at the point, where the equations have the values f_.
bool NumericNewton::differences(double* point) noexcept {
  double* const z = point + program_->first_top();
  for (std::size_t k = 0; k < n_; ++k) {
    const double before = z[k];
    z[k] = before + increment_[k];
    const double increment = z[k] - before;
    kernel_->evaluate(point, moved_.data(), work_);
    z[k] = before;
    double* const column = lu_.data() + k * n_;
    for (std::size_t i = 0; i < n_; ++i)
      column[i] = row_scale_[i] * (moved_[i] - f_[i]) / increment * unit_[k];
  }
  const double size = norm(lu_.data());
  if (!lu_.factor()) return false;
  std::fill(inverse_.begin(), inverse_.end(), 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    inverse_[k * n_ + k] = 1;
    lu_.solve(inverse_.data() + k * n_);
  }
  served_ = 0;
  return size * norm(inverse_.data()) < largest_condition;
}

/// Largest sum of a column's absolute values.
double NumericNewton::norm(const double* matrix) const noexcept {
  double largest = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += std::abs(matrix[k * n_ + i]);
    largest = std::max(largest, sum);
  }
  return largest;
}

void NumericNewton::update(const double* g) noexcept {
  std::fill(h_dg_.begin(), h_dg_.end(), 0.0);
  double denominator = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    const double* const column = inverse_.data() + k * n_;
    const double dg = g[k] - last_g_[k];
    double dot = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      h_dg_[i] += column[i] * dg;
      dot += s_[i] * column[i];
    }
    s_h_[k] = dot;
    denominator += dot * dg;
  }
  double length = 0;
  for (const double s : s_) length += s * s;
  if (!(std::abs(denominator) > std::numeric_limits<double>::epsilon() * length)) return;
  for (std::size_t k = 0; k < n_; ++k) {
    const double factor = s_h_[k] / denominator;
    for (std::size_t i = 0; i < n_; ++i) inverse_[k * n_ + i] += (s_[i] - h_dg_[i]) * factor;
  }
}

void NumericNewton::evaluate(double* point, double* rows) noexcept {
  kernel_->evaluate(point, f_.data(), work_);
  for (std::size_t i = 0; i < n_; ++i) g_[i] = row_scale_[i] * f_[i];
  if (kind_ == JacobianKind::difference || !have_inverse_)
    have_inverse_ = differences(point);
  else if (have_last_)
    update(g_.data());
  std::fill(s_.begin(), s_.end(), 0.0);
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t i = 0; i < n_; ++i) s_[i] -= inverse_[k * n_ + i] * g_[k];
  for (std::size_t i = 0; i < n_; ++i) rows[i] = unit_[i] * s_[i];
  std::copy(f_.begin(), f_.end(), rows + n_);
  rows[2 * n_] = have_inverse_ ? 1 : singular;
  rows[2 * n_ + 1] = 0;
  std::swap(g_, last_g_);
  have_last_ = true;
}

}  // namespace daedal::solve
