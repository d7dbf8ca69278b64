#include "daedal/boundary/collocation.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/boundary/row_elimination.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace daedal::boundary {

namespace {

constexpr double closed = 1e-9;  // of 1: what an undamped oscillation near its resonance must leave

}  // namespace

int depth_of(const ReducedSystem& system) {
  int deepest = 0;
  for (std::uint32_t i = 0; i < system.states(); ++i) {
    int depth = 1;
    for (std::uint32_t j = system.next()[i]; j < system.states(); j = system.next()[j]) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

Collocation::Collocation(ReducedSystem& system, const CollocationFormula& formula,
                         std::size_t intervals, std::size_t left)
    : system_(system),
      formula_(formula),
      intervals_(intervals),
      n_(system.states()),
      nz_(system.tops()),
      m_(formula.stages() * system.tops()),
      top_of_(n_),
      depth_(n_, 1),
      times_(intervals + 1),
      states_((intervals + 1) * n_),
      tops_(intervals * m_),
      signals_(intervals * formula.stages() * system.signals()),
      left_signals_(system.signals()),
      left_rows_(left * n_),
      left_target_(n_),
      right_rows_((n_ - left - system.levels()) * n_),
      right_target_(n_),
      local_(intervals * m_ * (m_ + n_)),
      exchange_(intervals * m_),
      local_residual_(intervals * m_),
      values_(nz_ + system.state_pattern().entries() + system.top_pattern().entries()),
      stage_(n_),
      level_(system.levels() * (1 + n_)),
      size_(n_),
      right_hand_side_((intervals + 1) * n_),
      change_((intervals + 1) * n_),
      mesh_system_(n_, left + system.levels(), intervals) {
  for (std::size_t i = 0; i < n_; ++i) {
    std::uint32_t j = system.next()[i];
    for (; j < n_; j = system.next()[j]) ++depth_[i];
    top_of_[i] = j - static_cast<std::uint32_t>(n_);
  }
}

void Collocation::sample(const Desired& desired) {
  desired(times_[0], left_signals_.data());
  for (std::size_t k = 0; k < intervals_; ++k)
    for (std::size_t i = 0; i < formula_.stages(); ++i)
      desired(times_[k] + formula_.node(i) * interval(k), signals(k, i));
}

/// State a after a time, were its top zero: the Taylor polynomial of its chain.
double Collocation::without_tops(const double* from, std::size_t a, double time) const {
  double value = 0, power = 1;
  auto b = static_cast<std::uint32_t>(a);
  for (int l = 0; l < depth_[a]; ++l) {
    value += power * from[b];
    power *= time / (l + 1);
    b = system_.next()[b];
  }
  return value;
}

/// h to the number of integrals between state a and its top.
double Collocation::to_depth(double h, std::size_t a) const {
  double power = h;
  for (int l = 1; l < depth_[a]; ++l) power *= h;
  return power;
}

void Collocation::stage_state(std::size_t k, std::size_t i, double* s) const {
  const std::size_t stages = formula_.stages();
  const double h = interval(k), ch = (i < stages ? formula_.node(i) : 1.0) * h;
  const double* const from = state(k);
  const double* const z = tops(k);
  for (std::size_t a = 0; a < n_; ++a) {
    double sum = 0;
    for (std::size_t j = 0; j < stages; ++j)
      sum += formula_.weight(depth_[a], i, j) * z[j * nz_ + top_of_[a]];
    s[a] = without_tops(from, a, ch) + to_depth(h, a) * sum;
  }
}

void Collocation::advance(std::size_t k, double* end) const {
  stage_state(k, formula_.stages(), end);
}

void Collocation::interpolate(std::size_t k, double c, double* s) const {
  // a quadrature exact for the polynomial of the tops on [0, c]: its own nodes, scaled
  const std::size_t stages = formula_.stages();
  const double h = interval(k) * c;
  const double* const from = state(k);
  const double* const z = tops(k);
  for (std::size_t a = 0; a < n_; ++a) {
    double sum = 0;
    for (std::size_t i = 0; i < stages; ++i) {
      double top = 0;
      for (std::size_t j = 0; j < stages; ++j)
        top += formula_.lagrange(j, c * formula_.node(i)) * z[j * nz_ + top_of_[a]];
      sum += formula_.weight(depth_[a], stages, i) * top;
    }
    s[a] = without_tops(from, a, h) + to_depth(h, a) * sum;
  }
}

/// [K | K_0] and R of interval k.
void Collocation::evaluate(std::size_t k) {
  const std::size_t stages = formula_.stages(), width = m_ + n_;
  const solve::SparsePattern &by_states = system_.state_pattern(), &by_tops = system_.top_pattern();
  const double h = interval(k);
  double* const matrix = factors(k);
  std::fill_n(matrix, m_ * width, 0.0);
  for (std::size_t i = 0; i < stages; ++i) {
    stage_state(k, i, stage_.data());
    system_.linearise(signals(k, i), stage_.data(), tops(k) + i * nz_, values_.data());
    std::copy_n(values_.data(), nz_, local_residual_.data() + k * m_ + i * nz_);
    const double* entry = values_.data() + nz_;
    const double ch = formula_.node(i) * h;
    for (std::size_t row = 0; row < nz_; ++row) {
      double* const to = matrix + (i * nz_ + row) * width;
      for (std::uint32_t e = by_states.row_start[row]; e < by_states.row_start[row + 1]; ++e) {
        const std::uint32_t a = by_states.column[e];
        double power = *entry, scale = *entry;
        std::uint32_t b = a;
        for (int l = 0; l < depth_[a]; ++l) {
          to[m_ + b] += power;
          power *= ch / (l + 1);
          scale *= h;
          b = system_.next()[b];
        }
        for (std::size_t j = 0; j < stages; ++j)
          to[j * nz_ + top_of_[a]] += scale * formula_.weight(depth_[a], i, j);
        ++entry;
      }
    }
    for (std::size_t row = 0; row < nz_; ++row) {
      double* const to = matrix + (i * nz_ + row) * width + i * nz_;
      for (std::uint32_t e = by_tops.row_start[row]; e < by_tops.row_start[row + 1]; ++e)
        to[by_tops.column[e]] += *entry++;
    }
  }
}

/// R alone.
void Collocation::residual(std::size_t k) {
  for (std::size_t i = 0; i < formula_.stages(); ++i) {
    stage_state(k, i, stage_.data());
    system_.residual(signals(k, i), stage_.data(), tops(k) + i * nz_,
                     local_residual_.data() + k * m_ + i * nz_);
  }
}

/// R becomes K^-1 R.
void Collocation::solve_local(std::size_t k) {
  double* const r = local_residual_.data() + k * m_;
  reduce_right_hand_side(factors(k), m_, m_, m_ + n_, exchange_.data() + k * m_, r);
  substitute_back(factors(k), m_, m_ + n_, r, r);
}

bool Collocation::linearise(std::size_t k) {
  evaluate(k);
  const std::size_t width = m_ + n_;
  double* const a = factors(k);
  if (!eliminate_rows(a, m_, m_, width, exchange_.data() + k * m_)) return false;
  for (std::size_t i = m_; i-- > 0;) {  // K^-1 K_0, row by row from the last
    double* const row = a + i * width;
    for (std::size_t j = i + 1; j < m_; ++j)
      if (row[j] != 0) subtract_row(row[j], a + j * width, m_, width, row);
    const double inverse = 1 / row[i];
    for (std::size_t j = m_; j < width; ++j) row[j] *= inverse;
  }
  solve_local(k);
  return true;
}

double Collocation::settle(std::size_t k) {
  if (!linearise(k)) return std::nan("");
  double largest = 0, size = 1;
  for (std::size_t i = 0; i < m_; ++i) {
    const double change = local_residual_[k * m_ + i];
    tops(k)[i] -= change;
    largest = std::max(largest, std::abs(change));
    size = std::max(size, std::abs(tops(k)[i]));
  }
  return largest / size;
}

/// Row a of T_k.
void Collocation::transition_row(std::size_t k, std::size_t a, double* row) const {
  const std::size_t stages = formula_.stages(), width = m_ + n_;
  const double h = interval(k);
  std::fill_n(row, n_, 0.0);
  double power = 1, scale = 1;
  std::uint32_t b = static_cast<std::uint32_t>(a);
  for (int l = 0; l < depth_[a]; ++l) {
    row[b] += power;
    power *= h / (l + 1);
    scale *= h;
    b = system_.next()[b];
  }
  for (std::size_t j = 0; j < stages; ++j)
    subtract_row(scale * formula_.weight(depth_[a], stages, j),
                 factors(k) + (j * nz_ + top_of_[a]) * width + m_, 0, n_, row);
}

/// Row a of [W | P].
void Collocation::end_row(std::size_t k, std::size_t a, double* row) const {
  const std::size_t stages = formula_.stages();
  const double h = interval(k);
  std::fill_n(row, m_ + n_, 0.0);
  double power = 1, scale = 1;
  auto b = static_cast<std::uint32_t>(a);
  for (int l = 0; l < depth_[a]; ++l) {
    row[m_ + b] = power;
    power *= h / (l + 1);
    scale *= h;
    b = system_.next()[b];
  }
  for (std::size_t j = 0; j < stages; ++j)
    row[j * nz_ + top_of_[a]] = scale * formula_.weight(depth_[a], stages, j);
}

void Collocation::interval_equations(std::size_t k, double* rows) {
  evaluate(k);
  std::copy_n(factors(k), m_ * (m_ + n_), rows);
  for (std::size_t a = 0; a < n_; ++a) end_row(k, a, rows + (m_ + a) * (m_ + n_));
}

void Collocation::measure() {
  for (std::size_t a = 0; a < n_; ++a) size_[a] = small * system_.nominal()[a];
  for (std::size_t node = 0; node <= intervals_; ++node)
    for (std::size_t a = 0; a < n_; ++a) size_[a] = std::max(size_[a], std::abs(state(node)[a]));
}

/// Right-hand sides of the mesh system from the gaps and the conditions at the ends.
Correction Collocation::conditions() {
  Correction correction;
  measure();
  const std::size_t stages = formula_.stages(), levels = system_.levels();
  const std::size_t left = left_rows_.size() / n_, right = right_rows_.size() / n_;
  double* to = right_hand_side_.data();
  system_.level(left_signals_.data(), state(0), level_.data(), level_.data() + levels);
  for (std::size_t i = 0; i < levels; ++i) *to++ = -level_[i];
  const double* const from = periodic ? state(intervals_) : left_target_.data();
  for (std::size_t i = 0; i < left; ++i) {
    double value = 0;
    for (std::size_t a = 0; a < n_; ++a) value += left_rows_[i * n_ + a] * (from[a] - state(0)[a]);
    *to++ = value;
  }
  for (std::size_t k = 0; k < intervals_; ++k) {
    advance(k, stage_.data());
    const double h = interval(k);
    for (std::size_t a = 0; a < n_; ++a) {
      const double gap = stage_[a] - state(k + 1)[a];
      correction.gap = std::max(correction.gap, std::abs(gap) / size_[a]);
      double scale = h, sum = 0;
      for (int l = 1; l < depth_[a]; ++l) scale *= h;
      for (std::size_t j = 0; j < stages; ++j)
        sum +=
            formula_.weight(depth_[a], stages, j) * local_residual_[k * m_ + j * nz_ + top_of_[a]];
      *to++ = gap - scale * sum;
    }
  }
  const double* const goal = periodic ? state(0) : right_target_.data();
  for (std::size_t i = 0; i < right; ++i) {
    double value = 0;
    for (std::size_t a = 0; a < n_; ++a)
      value += right_rows_[i * n_ + a] * (goal[a] - state(intervals_)[a]);
    *to++ = value;
  }
  return correction;
}

/// L of the last node, then R of the first.
void Collocation::ends_of(const double* states, double* values) const {
  const auto apply = [&](const std::vector<double>& rows, const double* s) {
    for (std::size_t i = 0; i < rows.size() / n_; ++i, ++values) {
      *values = 0;
      for (std::size_t a = 0; a < n_; ++a) *values += rows[i * n_ + a] * s[a];
    }
  };
  apply(left_rows_, states + intervals_ * n_);
  apply(right_rows_, states);
}

/// False where the circle cannot be closed: an oscillation that neither grows nor decays turns a whole number of times.
bool Collocation::close_circle() {
  const std::size_t left = left_rows_.size() / n_, right = right_rows_.size() / n_;
  const auto size = static_cast<Eigen::Index>(left + right);
  Eigen::MatrixXd circle = Eigen::MatrixXd::Identity(size, size);
  Eigen::VectorXd ends(size);
  for (std::size_t j = 0; j < left + right; ++j) {
    std::fill(right_hand_side_.begin(), right_hand_side_.end(), 0.0);
    right_hand_side_[j < left ? system_.levels() + j
                              : right_hand_side_.size() - right + (j - left)] = 1;
    mesh_system_.solve(right_hand_side_.data(), change_.data());
    ends_of(change_.data(), ends.data());
    circle.col(static_cast<Eigen::Index>(j)) -= ends;
  }
  circle_ = std::make_unique<Lu>(circle);
  return circle.allFinite() && circle_->pivots().cwiseAbs().minCoeff() > closed;
}

/// The mesh system with the current right-hand sides; for periodic motions, with the conditions that couple the ends.
void Collocation::solve_nodes(double* states) {
  mesh_system_.solve(right_hand_side_.data(), states);
  if (!periodic) return;
  const std::size_t left = left_rows_.size() / n_, right = right_rows_.size() / n_;
  Eigen::VectorXd ends(static_cast<Eigen::Index>(left + right));
  ends_of(states, ends.data());
  const Eigen::VectorXd asked = circle_->solve(ends);
  for (std::size_t j = 0; j < left; ++j)
    right_hand_side_[system_.levels() + j] += asked[static_cast<Eigen::Index>(j)];
  for (std::size_t j = 0; j < right; ++j)
    right_hand_side_[right_hand_side_.size() - right + j] +=
        asked[static_cast<Eigen::Index>(left + j)];
  mesh_system_.solve(right_hand_side_.data(), states);
}

Correction Collocation::solve_and_move() {
  Correction correction = conditions();
  solve_nodes(change_.data());
  const std::size_t width = m_ + n_;
  for (std::size_t node = 0; node <= intervals_; ++node)
    for (std::size_t a = 0; a < n_; ++a) {
      const double step = std::abs(change_[node * n_ + a]) / size_[a];
      if (step <= correction.step) continue;
      if (!std::isfinite(step)) {
        correction.ok = false;
        correction.interval = std::min(node, intervals_ - 1);
        return correction;
      }
      correction.step = step;
      correction.largest_state = a;
      correction.largest_node = node;
    }
  for (std::size_t k = 0; k < intervals_; ++k) {
    const double* const change = change_.data() + k * n_;
    const double* row = factors(k) + m_;
    for (std::size_t i = 0; i < m_; ++i, row += width) {
      double sum = local_residual_[k * m_ + i];
      for (std::size_t a = 0; a < n_; ++a) sum += row[a] * change[a];
      tops(k)[i] -= sum;
    }
  }
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i] += change_[i];
  return correction;
}

double Collocation::correction_at(std::size_t node) const {
  double largest = 0;
  for (std::size_t a = 0; a < n_; ++a)
    largest = std::max(largest, std::abs(change_[node * n_ + a]) / size_[a]);
  return largest;
}

Correction Collocation::newton() {
  Correction failed;
  failed.ok = false;
  for (std::size_t k = 0; k < intervals_; ++k) {
    stop_point();
    failed.interval = k;
    if (!linearise(k)) return failed;
    for (std::size_t a = 0; a < n_; ++a) transition_row(k, a, mesh_system_.transition_row(k, a));
  }
  const std::size_t levels = system_.levels(), left = left_rows_.size() / n_;
  system_.level(left_signals_.data(), state(0), level_.data(), level_.data() + levels);
  for (std::size_t i = 0; i < levels; ++i)
    std::copy_n(level_.data() + levels + i * n_, n_, mesh_system_.left_row(i));
  for (std::size_t i = 0; i < left; ++i)
    std::copy_n(left_rows_.data() + i * n_, n_, mesh_system_.left_row(levels + i));
  for (std::size_t i = 0; i < right_rows_.size() / n_; ++i)
    std::copy_n(right_rows_.data() + i * n_, n_, mesh_system_.right_row(i));
  if (!mesh_system_.factor() || (periodic && !close_circle())) return failed;
  return solve_and_move();
}

Correction Collocation::chord() {
  for (std::size_t k = 0; k < intervals_; ++k) {
    residual(k);
    solve_local(k);
  }
  return solve_and_move();
}

void Collocation::propagate(const double* gaps, double* states) {
  std::fill(right_hand_side_.begin(), right_hand_side_.end(), 0.0);
  std::copy_n(gaps, intervals_ * n_, right_hand_side_.data() + mesh_system_.left());
  solve_nodes(states);
}

}  // namespace daedal::boundary
