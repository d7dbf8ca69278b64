#include "daedal/boundary/weighted_residual.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::boundary {

namespace {

constexpr double difference = 1e-5;  // the third root of rounding, relative

}  // namespace

WeightedResidual::WeightedResidual(ReducedSystem& system)
    : system_(system),
      w_(system.signals()),
      x_(system.states() + system.tops()),
      values_(system.tops() + system.state_pattern().entries() + system.top_pattern().entries()),
      scratch_(values_.size()) {
  const auto unknowns = static_cast<Eigen::Index>(x_.size());
  for (Eigen::MatrixXd* j : {&jacobian_, &ahead_, &behind_}) j->setZero(system.tops(), unknowns);
  hessian_.setZero(unknowns, unknowns);
}

void WeightedResidual::at(const double* w, const double* s, const double* z) {
  std::copy_n(w, w_.size(), w_.begin());
  std::copy_n(s, system_.states(), x_.begin());
  std::copy_n(z, system_.tops(), x_.begin() + system_.states());
  linearise(x_.data(), jacobian_);
  std::copy(scratch_.begin(), scratch_.end(), values_.begin());
}

const Eigen::MatrixXd& WeightedResidual::linearise(const double* x, Eigen::MatrixXd& jacobian) {
  const std::uint32_t n = system_.states(), nz = system_.tops();
  system_.linearise(w_.data(), x, x + n, scratch_.data());
  const double* value = scratch_.data() + nz;
  const auto put = [&](const solve::SparsePattern& pattern, std::uint32_t first) {
    for (std::uint32_t i = 0; i < nz; ++i)
      for (std::uint32_t e = pattern.row_start[i]; e < pattern.row_start[i + 1]; ++e)
        jacobian(i, first + pattern.column[e]) = *value++;
  };
  put(system_.state_pattern(), 0);
  put(system_.top_pattern(), n);
  return jacobian;
}

const Eigen::MatrixXd& WeightedResidual::hessian(const double* y) {
  const Eigen::Map<const Eigen::VectorXd> weights(y, system_.tops());
  for (std::size_t j = 0; j < x_.size(); ++j) {
    const double here = x_[j], h = difference * std::max(1.0, std::abs(here));
    x_[j] = here + h;
    linearise(x_.data(), ahead_);
    x_[j] = here - h;
    linearise(x_.data(), behind_);
    x_[j] = here;
    hessian_.col(static_cast<Eigen::Index>(j)) = (ahead_ - behind_).transpose() * weights / (2 * h);
  }
  hessian_ = 0.5 * (hessian_ + hessian_.transpose()).eval();
  return hessian_;
}

}  // namespace daedal::boundary
