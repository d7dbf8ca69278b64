#include "daedal/boundary/pose.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::boundary {

namespace {}  // namespace

Pose::Pose(SecondOrderForm& form)
    : form_(form),
      assembly_(form),
      block_(1, assembly_.coupling()),
      values_(form.values()),
      delta_(form.unknowns()),
      core_(form.core_unknowns().size()),
      still_(form.unknowns()),
      w_(form.signals()) {}

/// Of an equation, linearised, after the changes made so far.
double Pose::residual(std::uint32_t equation) const {
  const solve::SparsePattern& pattern = form_.pattern(0);
  double r = values_[equation];
  for (std::uint32_t e = pattern.row_start[equation]; e < pattern.row_start[equation + 1]; ++e)
    r += values_[form_.unknowns() + e] * delta_[pattern.column[e]];
  return r;
}

bool Pose::solve_pair(const SecondOrderForm::Pair& pair) {
  const solve::SparsePattern& pattern = form_.pattern(0);
  double slope = 0;
  for (std::uint32_t e = pattern.row_start[pair.equation]; e < pattern.row_start[pair.equation + 1];
       ++e)
    if (pattern.column[e] == pair.unknown) slope = values_[form_.unknowns() + e];
  delta_[pair.unknown] = -residual(pair.equation) / slope;
  return std::isfinite(delta_[pair.unknown]);
}

bool Pose::move(double* y) {
  change_ = 0;
  for (std::uint32_t j = 0; j < delta_.size(); ++j) {
    if (!std::isfinite(delta_[j])) return false;  // and y stays
    if (form_.order(j) > 0) change_ = std::max(change_, std::abs(delta_[j]) / form_.nominal(j));
  }
  for (std::size_t j = 0; j < delta_.size(); ++j) y[j] += delta_[j];
  return true;
}

bool Pose::step(const double* w, double* y, const double* rates, const double* accelerations) {
  const double* const at[] = {y, rates, accelerations};
  form_.linearise(w, at, values_.data());
  std::fill(delta_.begin(), delta_.end(), 0.0);
  for (const SecondOrderForm::Pair& pair : form_.fixed())
    if (!solve_pair(pair)) return false;
  for (std::size_t k = 0; k < core_.size(); ++k) core_[k] = -residual(form_.core_equations()[k]);
  assembly_.fill(values_.data(), 0, block_, 0);
  if (!block_.eliminate(0)) return false;
  block_.solve(core_.data());
  for (std::size_t k = 0; k < core_.size(); ++k) delta_[form_.core_unknowns()[k]] = core_[k];
  for (const SecondOrderForm::Pair& pair : form_.followers())
    if (!solve_pair(pair)) return false;
  return move(y);
}

bool Pose::follow(const double* w, double* y, const double* rates, const double* accelerations) {
  const double* const at[] = {y, rates, accelerations};
  form_.linearise(w, at, values_.data());
  std::fill(delta_.begin(), delta_.end(), 0.0);
  for (const SecondOrderForm::Pair& pair : form_.followers())
    if (!solve_pair(pair)) return false;
  return move(y);
}

bool Pose::rest(const double* w, double* y, int iterations, double enough) {
  for (std::uint32_t i = 0; i < form_.signals(); ++i) w_[i] = form_.is_rate(i) ? 0 : w[i];
  for (int k = 0; k < iterations; ++k) {
    if (!step(w_.data(), y, still_.data(), still_.data())) return false;
    if (change_ <= enough) break;
  }
  return true;
}

}  // namespace daedal::boundary
