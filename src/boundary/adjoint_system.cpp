#include "daedal/boundary/adjoint_system.hpp"

#include "daedal/base/qr.hpp"

#include <Eigen/Dense>

#include <algorithm>

namespace daedal::boundary {

namespace {

/// Every entry; the few that are 0 for good are left out by those who factor.
solve::SparsePattern full_pattern(std::uint32_t rows, std::uint32_t columns) {
  solve::SparsePattern pattern{rows, columns, {0}, {}};
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) pattern.column.push_back(j);
    pattern.row_start.push_back(static_cast<std::uint32_t>(pattern.column.size()));
  }
  return pattern;
}

double* copy_by_rows(const Eigen::MatrixXd& from, double* to) {
  for (Eigen::Index i = 0; i < from.rows(); ++i)
    for (Eigen::Index j = 0; j < from.cols(); ++j) *to++ = from(i, j);
  return to;
}

}  // namespace

AdjointSystem::AdjointSystem(ReducedSystem& system, const RestPath& path)
    : system_(system),
      path_(path),
      n_(system.states()),
      nz_(system.tops()),
      equations_(system),
      nominal_(system.nominal().begin(), system.nominal().end()),
      rest_(n_),
      level_(std::size_t{system.levels()} * n_),
      state_pattern_(full_pattern(tops(), states())),
      top_pattern_(full_pattern(tops(), tops())) {
  for (const std::uint32_t next : system.next()) next_.push_back(next < n_ ? next : n_ + next);
  for (std::uint32_t a = 0; a < n_; ++a) next_.push_back(2 * n_ + nz_ + a);
  nominal_.resize(states(), 1.0);
}

void AdjointSystem::conditions(const double* w, const double* s, const double* z, double* r) {
  const double *const l = s + n_, *const rate = z + nz_;
  const Eigen::Map<const Eigen::VectorXd> m(z + nz_ + n_, nz_);
  equations_.at(w, s, z);
  path_.at(w[0], rest_.data());
  std::copy_n(equations_.residual(), nz_, r);
  Eigen::Map<Eigen::VectorXd> gradient(r + nz_, n_ + nz_);  // dH/d(s, z)
  gradient = equations_.jacobian().transpose() * m;
  for (std::uint32_t a = 0; a < n_; ++a) {
    gradient[system_.next()[a]] += l[a];
    gradient[a] += 2 * (s[a] - rest_[a]) / (nominal_[a] * nominal_[a]) + rate[a];
  }
}

void AdjointSystem::residual(const double* w, const double* s, const double* z, double* r) {
  conditions(w, s, z, r);
}

void AdjointSystem::linearise(const double* w, const double* s, const double* z, double* values) {
  conditions(w, s, z, values);
  const Eigen::MatrixXd& jacobian = equations_.jacobian();
  const Eigen::MatrixXd& hessian = equations_.hessian(z + nz_ + n_);
  by_states_.setZero(tops(), states());
  by_tops_.setZero(tops(), tops());
  by_states_.topLeftCorner(nz_, n_) = jacobian.leftCols(n_);
  by_tops_.topLeftCorner(nz_, nz_) = jacobian.rightCols(nz_);
  by_states_.bottomLeftCorner(n_ + nz_, n_) = hessian.leftCols(n_);
  by_tops_.bottomLeftCorner(n_ + nz_, nz_) = hessian.rightCols(nz_);
  by_tops_.bottomRightCorner(n_ + nz_, nz_) = jacobian.transpose();
  for (std::uint32_t a = 0; a < n_; ++a) {
    by_states_(nz_ + system_.next()[a], n_ + a) += 1;
    by_states_(nz_ + a, a) += 2 / (nominal_[a] * nominal_[a]);
    by_tops_(nz_ + a, nz_ + a) += 1;
  }
  copy_by_rows(by_tops_, copy_by_rows(by_states_, values + tops()));
}

void AdjointSystem::level(const double* w, const double* s, double* c, double* jacobian) {
  system_.level(w, s, c, level_.data());
  std::fill_n(jacobian, std::size_t{levels()} * states(), 0.0);
  for (std::size_t i = 0; i < levels(); ++i)
    std::copy_n(level_.data() + i * n_, n_, jacobian + i * states());
}

SimpsonEnds AdjointSystem::ends(const double* w, const Rest& left) {
  Eigen::MatrixXd free =
      Eigen::MatrixXd::Identity(n_, n_);  // columns: directions that levels allow
  if (levels() > 0) {
    std::vector<double> c(levels()), by_rows(level_.size());
    system_.level(w, left.states.data(), c.data(), by_rows.data());
    const Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> g(
        by_rows.data(), levels(), n_);
    const Eigen::MatrixXd q = Qr(g.transpose()).q();
    free = q.rightCols(n_ - levels());
  }
  SimpsonEnds ends;
  ends.left.setZero(free.cols(), states());
  ends.left.rightCols(n_) = free.transpose();
  ends.right.setZero(n_, states());
  ends.right.rightCols(n_).setIdentity();
  ends.left_target.assign(states(), 0.0);
  ends.right_target.assign(states(), 0.0);
  return ends;
}

}  // namespace daedal::boundary
