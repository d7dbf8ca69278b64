// See reduced_equations.hpp.

#include "reduced_equations.hpp"

#include "daedal/system/no_row.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve {

ReducedEquations::ReducedEquations(const formulate::Problem& problem, DenseDirections& velocities,
                                   std::vector<std::uint32_t> accelerations,
                                   std::vector<std::uint32_t> motion_row,
                                   std::span<const double> sample, const compile::Options& options)
    : problem_(problem),
      velocities_(velocities),
      accelerations_(std::move(accelerations)),
      motion_row_(std::move(motion_row)),
      matrix_values_(problem.top_matrix.values, problem.layout, sample.data(), options),
      right_side_values_(problem.right_hand_side, problem.layout, sample.data(), options),
      entries_(problem.top_matrix.column.size()),
      right_side_(problem.tops),
      matrix_(problem.tops, problem.tops),
      mass_times_null_(velocities.unknowns(), velocities.free()),
      reduced_mass_(velocities.free()) {
  std::vector<bool> accelerates(problem.tops, false), constrains(problem.tops, false);
  for (const std::uint32_t top : accelerations_) accelerates[top] = true;
  for (const std::uint32_t i : velocities.level().equation) constrains[i] = true;
  for (std::uint32_t j = 0; j < problem.tops; ++j) {
    if (!accelerates[j]) others_.push_back(j);
    if (!constrains[j]) other_rows_.push_back(j);
  }
  const std::size_t n = velocities.unknowns();
  reactions_ = Householder(other_rows_.size(), others_.size());
  constraint_rows_.resize(n - velocities.free());
  particular_.resize(n);
  acceleration_.resize(n);
  reduced_.resize(velocities.free());
  balance_.resize(std::max<std::size_t>(problem.tops, n));
  other_values_.resize(others_.size());
}

Failure ReducedEquations::solve(const double* point, double* tops) {
  const std::size_t n = velocities_.unknowns(), f = velocities_.free();
  matrix_values_(point, entries_.data());
  right_side_values_(point, right_side_.data());
  const expr::SparseFunction& sparse = problem_.top_matrix;
  for (std::uint32_t r = 0; r < sparse.rows; ++r)
    for (std::uint32_t e = sparse.row_start[r]; e < sparse.row_start[r + 1]; ++e)
      matrix_(r, sparse.column[e]) = entries_[e];

  for (std::size_t i = 0; i < constraint_rows_.size(); ++i)
    constraint_rows_[i] = right_side_[velocities_.level().equation[i]];
  velocities_.along_dependent(constraint_rows_.data(), particular_.data());
  const DenseMatrix& null_space = velocities_.null_space();
  const auto mass = [&](std::size_t i, std::size_t k) {
    return motion_row_[i] == no_row ? 0 : matrix_(motion_row_[i], accelerations_[k]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    balance_[i] = motion_row_[i] == no_row ? 0 : right_side_[motion_row_[i]];
    for (std::size_t k = 0; k < n; ++k) balance_[i] -= mass(i, k) * particular_[k];
    for (std::size_t c = 0; c < f; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += mass(i, k) * null_space(k, c);
      mass_times_null_(i, c) = sum;
    }
  }
  double* const reduced_mass = reduced_mass_.data();
  for (std::size_t c = 0; c < f; ++c) {
    reduced_[c] = 0;
    for (std::size_t i = 0; i < n; ++i) reduced_[c] += null_space(i, c) * balance_[i];
    for (std::size_t d = 0; d < f; ++d) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += null_space(i, c) * mass_times_null_(i, d);
      reduced_mass[d * f + c] = sum;
    }
  }
  if (f > 0 && !reduced_mass_.factor()) return Failure::singular_matrix;
  if (f > 0) reduced_mass_.solve(reduced_.data());
  for (std::size_t k = 0; k < n; ++k) {
    acceleration_[k] = particular_[k];
    for (std::size_t c = 0; c < f; ++c) acceleration_[k] += null_space(k, c) * reduced_[c];
    tops[accelerations_[k]] = acceleration_[k];
  }
  // What is left of the equations is the reactions' (and of whatever else is no acceleration).
  for (std::size_t r = 0; r < other_rows_.size(); ++r) {
    balance_[r] = right_side_[other_rows_[r]];
    for (std::size_t k = 0; k < n; ++k)
      balance_[r] -= matrix_(other_rows_[r], accelerations_[k]) * acceleration_[k];
    for (std::size_t c = 0; c < others_.size(); ++c)
      reactions_.at(r, c) = matrix_(other_rows_[r], others_[c]);
  }
  reactions_.factor();
  if (!reactions_.full_rank(0)) return Failure::singular_matrix;
  reactions_.solve(balance_.data(), other_values_.data());
  for (std::size_t c = 0; c < others_.size(); ++c) tops[others_[c]] = other_values_[c];
  const bool finite =
      std::all_of(tops, tops + problem_.tops, [](double x) { return std::isfinite(x); });
  return finite ? Failure::none : Failure::not_finite;
}

}  // namespace daedal::solve
