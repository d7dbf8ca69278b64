// See reduced_newton.hpp.

#include "reduced_newton.hpp"

#include "daedal/system/compressed_columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedal::solve {

Chains::Chains(const System& system)
    : states(system.states()),
      tops(system.tops()),
      next(system.next().begin(), system.next().end()),
      top(states),
      depth(states),
      order(states),
      missing(system.missing().begin(), system.missing().end()) {
  missing.resize(tops, 0);
  for (const std::uint32_t m : missing) most_missing = std::max(most_missing, m);
  for (std::uint32_t i = 0; i < states; ++i) {
    std::uint32_t at = i;
    while (at < states) {
      at = next[at];
      ++depth[i];
    }
    top[i] = at - states;
    deepest = std::max(deepest, depth[i]);
  }
  std::vector<bool> integrated(tops, false);
  for (const std::uint32_t t : top) integrated[t] = true;
  for (std::uint32_t t = 0; t < tops; ++t)
    if (!integrated[t]) algebraic.push_back(t);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return depth[a] < depth[b]; });
}

template <class Scalar>
ReducedNewton<Scalar>::ReducedNewton(const Chains& chains, const SparsePattern& state_pattern,
                                     const SparsePattern& top_pattern)
    : chains_(chains),
      state_pattern_(state_pattern),
      hidden_(top_pattern.rows - chains.tops),
      wide_(hidden_ > 0 ? top_pattern.rows : 0),
      weights_(chains.deepest + 1),
      shifted_(chains.states),
      factors_((chains.most_missing + 1) * (chains.deepest + 1)) {
  struct Entry {
    std::uint32_t row = 0, column = 0;
  };
  std::vector<Entry> entries;
  const auto collect = [&](const SparsePattern& pattern, bool of_states) {
    for (std::uint32_t r = 0; r < pattern.rows; ++r)
      for (std::uint32_t k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k) {
        const std::uint32_t column = pattern.column[k];
        entries.push_back({r, of_states ? chains.top[column] : column});
        const std::uint32_t missing = r < chains.tops ? chains.missing[r] : 0;
        entry_factor_.push_back(missing * (chains.deepest + 1) +
                                (of_states ? chains.depth[column] : 0));
      }
  };
  collect(state_pattern, true);
  collect(top_pattern, false);

  const std::uint32_t n = top_pattern.rows;
  if (n <= dense_limit) {
    for (const Entry& e : entries) target_.push_back(e.column * n + e.row);
    dense_ = base::DenseLu<Scalar>(n);
    return;
  }
  CompressedColumns pattern;
  for (const Entry& e : entries) pattern.add(e.row, e.column);
  pattern.finish();
  for (const Entry& e : entries) target_.push_back(pattern.index(e.row, e.column));
  sparse_values_ = base::Planar<Scalar>(pattern.entries());
  sparse_.emplace(pattern.pattern(n));
}

template <class Scalar>
void ReducedNewton<Scalar>::assemble(Pointer values, std::size_t count) const {
  for (std::size_t k = 0; k < count; ++k) values[k] = Scalar{};
  for (std::size_t k = 0; k < target_.size(); ++k)
    values[target_[k]] += factors_[entry_factor_[k]] * jacobians_[k];
}

template <class Scalar>
bool ReducedNewton<Scalar>::factor(Scalar c, const double* jacobians) {
  c_ = c;
  weights_[0] = 1;
  for (std::size_t k = 1; k < weights_.size(); ++k) weights_[k] = weights_[k - 1] * c;
  return factor(weights_, jacobians);
}

template <class Scalar>
bool ReducedNewton<Scalar>::factor(std::span<const Scalar> weights, const double* jacobians) {
  jacobians_ = jacobians;
  std::size_t at = 0;
  for (std::uint32_t m = 0; m <= chains_.most_missing; ++m)
    for (std::uint32_t d = 0; d <= chains_.deepest; ++d) factors_[at++] = weights[d] / weights[m];
  if (sparse_) {
    assemble(sparse_values_.data(), sparse_values_.size());
    return sparse_->factor(sparse_values_.data());
  }
  assemble(dense_.data(), dense_.entries());
  return dense_.factor();
}

template <class Scalar>
void ReducedNewton<Scalar>::solve_matrix(Pointer x) {
  if (sparse_)
    sparse_->solve(x);
  else
    dense_.solve(x);
}

template <class Scalar>
void ReducedNewton<Scalar>::solve_tops(Pointer q) {
  const std::uint32_t n = chains_.tops;
  if (chains_.most_missing > 0)
    for (std::uint32_t r = 0; r < n; ++r)
      q[r] *= factors_[chains_.missing[r] * (chains_.deepest + 1)];
  if (hidden_ == 0) return solve_matrix(q);
  for (std::uint32_t r = 0; r < n; ++r) wide_.data()[r] = q[r];
  solve_matrix(wide_.data());
  for (std::uint32_t r = 0; r < n; ++r) q[r] = wide_.data()[r];
  for (std::uint32_t r = n; r < n + hidden_; ++r) wide_.data()[r] = Scalar{};
}

template <class Scalar>
void ReducedNewton<Scalar>::solve(Scalar c, Pointer p, Pointer q) {
  const std::uint32_t n = chains_.states;
  for (const std::uint32_t i : chains_.order) {
    const std::uint32_t next = chains_.next[i];
    const Scalar inner = next < n ? Scalar(shifted_[next]) : Scalar{};
    shifted_[i] = c * (Scalar(p[i]) + inner);
  }
  for (std::uint32_t r = 0; r < state_pattern_.rows; ++r) {
    const Pointer row = r < chains_.tops ? q : wide_.data();
    for (std::uint32_t k = state_pattern_.row_start[r]; k < state_pattern_.row_start[r + 1]; ++k)
      row[r] -= jacobians_[k] * Scalar(shifted_[state_pattern_.column[k]]);
  }
  solve_tops(q);
  for (const std::uint32_t i : chains_.order) {
    const std::uint32_t next = chains_.next[i];
    const Scalar inner = next < n ? p[next] : q[next - n];
    p[i] = c * (Scalar(p[i]) + inner);
  }
}

template class ReducedNewton<double>;
template class ReducedNewton<base::Complex>;

}  // namespace daedal::solve
