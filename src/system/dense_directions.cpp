// See dense_directions.hpp.

#include "dense_directions.hpp"

#include "daedal/system/point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

bool contains_unknowns(const formulate::Problem& problem, const formulate::Level& level) {
  const auto occurrences = expr::occurrences(level.jacobian.values);
  return std::any_of(occurrences.begin(), occurrences.end(), [&](const expr::Occurrence& o) {
    return std::find(level.unknowns.begin(), level.unknowns.end(), problem.layout.find(o.leaf)) !=
           level.unknowns.end();
  });
}

}  // namespace

Directions::Directions(const formulate::Problem& problem, const formulate::Level& level,
                       std::span<const double> sample, const compile::Options& options)
    : level_(level),
      m_(level.rows()),
      n_(level.unknowns.size()),
      residual_(level.residual, problem.layout, sample.data(), options),
      jacobian_(level.jacobian.values, problem.layout, sample.data(), options),
      linear_(!contains_unknowns(problem, level)),
      entries_(level.jacobian.column.size()),
      rows_(m_) {
  for (const std::uint32_t position : level.unknowns)
    nominal_.push_back(nominal_at(problem, position));
}

DenseDirections::DenseDirections(const formulate::Problem& problem, const formulate::Level& level,
                                 std::span<const double> sample, const compile::Options& options,
                                 bool by_coordinates)
    : Directions(problem, level, sample, options),
      by_coordinates_(by_coordinates),
      g_(m_, n_),
      dependent_(n_, m_),
      free_(n_, n_ - m_),
      null_space_(n_, n_ - m_),
      reduced_(m_),
      columns_(m_, n_),
      by_rows_(n_, m_),
      of_dependent_(m_, m_) {}

void DenseDirections::evaluate(const double* point) {
  jacobian_(point, entries_.data());
  const expr::SparseFunction& jacobian = level_.jacobian;
  for (std::uint32_t i = 0; i < jacobian.rows; ++i)
    for (std::uint32_t e = jacobian.row_start[i]; e < jacobian.row_start[i + 1]; ++e)
      g_(i, jacobian.column[e]) = entries_[e];
  // G has few entries in a row: the product costs little beside its factorisation.
  double* const gd = reduced_.data();
  for (std::size_t j = 0; j < m_; ++j) {
    const double* const direction = dependent_.column(j);
    for (std::uint32_t i = 0; i < jacobian.rows; ++i) {
      double sum = 0;
      for (std::uint32_t e = jacobian.row_start[i]; e < jacobian.row_start[i + 1]; ++e)
        sum += entries_[e] * direction[jacobian.column[e]];
      gd[j * m_ + i] = sum;
    }
  }
  regular_ = reduced_.factor();
}

Failure DenseDirections::settle(double* point) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    evaluate(point);
    if (!regular_) return Failure::singular_matrix;
    residual_(point, rows_.data());
    reduced_.solve(rows_.data());
    double correction = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      double change = 0;
      for (std::size_t j = 0; j < m_; ++j) change += dependent_(k, j) * rows_[j];
      double& x = point[level_.unknowns[k]];
      x -= change;
      const double part = std::abs(change) / std::max(std::abs(x), nominal_[k]);
      if (!(part <= correction)) correction = part;  // keeps NaN
    }
    if (!std::isfinite(correction)) return Failure::cannot_project;
    const double next = linear_ ? 0 : curvature * correction * correction;
    if (next <= epsilon) return Failure::none;
    if (correction > 0.1 * previous && correction < 1e-10) return Failure::none;  // rounding
    previous = correction;
  }
  return Failure::cannot_project;
}

/// G D e_d = -G e_f. (Tangents are orthonormal: nothing grows.)
void DenseDirections::show_error(double* error) {
  if (!by_coordinates_) return;
  std::fill(rows_.begin(), rows_.end(), 0.0);
  for (const std::size_t k : free_columns_)
    for (std::size_t i = 0; i < m_; ++i) rows_[i] -= g_(i, k) * error[level_.unknowns[k] - 1];
  reduced_.solve(rows_.data());
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t j = 0; j < m_; ++j)
      if (dependent_(k, j) != 0) error[level_.unknowns[k] - 1] = rows_[j];
}

bool DenseDirections::choose(const double* point) {
  const bool first = !chosen_;
  evaluate(point);
  if (!by_coordinates_) {
    if (!along_tangent()) return false;
  } else if (first || weakest_pivot() < worn || largest_dependence() > steep) {
    if (!along_coordinates()) return false;
  } else {
    return true;
  }
  chosen_ = true;
  evaluate(point);
  return regular_;
}

/// The coordinates along which the constraints are best conditioned follow, the others are free.
bool DenseDirections::along_coordinates() {
  for (std::size_t j = 0; j < n_; ++j)
    for (std::size_t i = 0; i < m_; ++i) columns_.at(i, j) = g_(i, j) * nominal_[j];
  columns_.factor();
  if (!columns_.full_rank(rank_tolerance)) return false;
  std::fill(dependent_.values.begin(), dependent_.values.end(), 0.0);
  std::fill(free_.values.begin(), free_.values.end(), 0.0);
  free_columns_.resize(n_ - m_);
  for (std::size_t k = 0; k < m_; ++k) dependent_(columns_.pivot(k), k) = 1;
  for (std::size_t k = m_; k < n_; ++k) free_columns_[k - m_] = columns_.pivot(k);
  std::sort(free_columns_.begin(), free_columns_.end());
  for (std::size_t k = 0; k < free_columns_.size(); ++k) free_(free_columns_[k], k) = 1;
  return true;
}

/// The rows of G, orthonormal, and what is orthogonal to them.
bool DenseDirections::along_tangent() {
  for (std::size_t j = 0; j < m_; ++j)
    for (std::size_t i = 0; i < n_; ++i) by_rows_.at(i, j) = g_(j, i);
  by_rows_.factor();
  if (!by_rows_.full_rank(rank_tolerance)) return false;
  for (std::size_t k = 0; k < n_; ++k) {
    double* const column = k < m_ ? dependent_.column(k) : free_.column(k - m_);
    std::fill_n(column, n_, 0.0);
    column[k] = 1;
    by_rows_.apply(column);
  }
  return true;
}

/// Of the present choice of coordinates, over that of the best one: how near the constraints come to each other.
double DenseDirections::weakest_pivot() {
  for (std::size_t j = 0; j < n_; ++j)
    for (std::size_t i = 0; i < m_; ++i) columns_.at(i, j) = g_(i, j) * nominal_[j];
  columns_.factor();
  std::size_t column = 0, next_free = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    if (next_free < free_columns_.size() && free_columns_[next_free] == j) {
      ++next_free;
      continue;
    }
    for (std::size_t i = 0; i < m_; ++i) of_dependent_.at(i, column) = g_(i, j) * nominal_[j];
    ++column;
  }
  of_dependent_.factor();
  return std::abs(of_dependent_.diagonal(m_ - 1) / columns_.diagonal(m_ - 1));
}

/// Of dependent coordinates on free ones, in nominal values. Where constraints come near each other, as at a singular pose, the
/// weakest pivot is that of any choice and says nothing of the free ones.
double DenseDirections::largest_dependence() {
  const DenseMatrix& directions = null_space();
  double largest = 0;
  for (std::size_t k = 0; k < free_columns_.size(); ++k)
    for (std::size_t j = 0; j < n_; ++j)
      largest =
          std::max(largest, std::abs(directions(j, k)) * nominal_[free_columns_[k]] / nominal_[j]);
  return largest;
}

void DenseDirections::along_dependent(double* f, double* x) const {
  reduced_.solve(f);
  for (std::size_t k = 0; k < n_; ++k) {
    x[k] = 0;
    for (std::size_t i = 0; i < m_; ++i) x[k] += dependent_(k, i) * f[i];
  }
}

const DenseMatrix& DenseDirections::null_space() {
  for (std::size_t k = 0; k < null_space_.columns; ++k) {
    for (std::size_t i = 0; i < m_; ++i) {
      rows_[i] = 0;
      for (std::size_t j = 0; j < n_; ++j) rows_[i] += g_(i, j) * free_(j, k);
    }
    reduced_.solve(rows_.data());
    for (std::size_t j = 0; j < n_; ++j) {
      null_space_(j, k) = free_(j, k);
      for (std::size_t i = 0; i < m_; ++i) null_space_(j, k) -= dependent_(j, i) * rows_[i];
    }
  }
  return null_space_;
}

/// Motions of bodies that a direction does not move are rounding: the largest of all is the measure.
double DenseDirections::work(const double* force) {
  const DenseMatrix& directions = null_space();
  double largest = 0;
  for (std::size_t k = 0; k < directions.columns; ++k) {
    double sum = 0, motion = 0, size = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      sum += directions(i, k) * force[i];
      motion = std::max(motion, std::abs(directions(i, k)));
      size = std::max(size, std::abs(force[i]));
    }
    if (sum != 0) largest = std::max(largest, std::abs(sum) / (motion * size));
  }
  return largest;
}

}  // namespace daedal::solve
