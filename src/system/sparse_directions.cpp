// See sparse_directions.hpp.

#include "sparse_directions.hpp"

#include "daedal/system/householder.hpp"
#include "daedal/system/no_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedal::solve {

namespace {

/// Of the smallest pivot of the matrix with its directions over the largest: the square of 1e-7.
constexpr double least_pivot_ratio = 1e-14;
/// Exchanges of coordinates that gain less than this are none: so there is an end to them.
constexpr double least_gain = 1.001;

CompressedColumns tangent_pattern(const formulate::Level& level) {
  const expr::SparseFunction& g = level.jacobian;
  const auto n = static_cast<std::uint32_t>(level.unknowns.size());
  CompressedColumns pattern;
  for (std::uint32_t k = 0; k < n; ++k) pattern.add(k, k);
  for (std::uint32_t i = 0; i < g.rows; ++i)
    for (std::uint32_t e = g.row_start[i]; e < g.row_start[i + 1]; ++e) {
      pattern.add(n + i, g.column[e]);
      pattern.add(g.column[e], n + i);
    }
  pattern.finish();
  return pattern;
}

double length(const double* x, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += x[k] * x[k];
  return std::sqrt(sum);
}

/// The generator splitmix64, made a number in (-1, 1): the same in every run.
double next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return static_cast<double>(static_cast<std::int64_t>(z)) * 0x1p-63;
}

}  // namespace

// ---- [1 G_0^T; G 0]

TangentMatrix::TangentMatrix(const formulate::Level& level)
    : jacobian_(level.jacobian),
      n_(level.unknowns.size()),
      m_(level.rows()),
      pattern_(tangent_pattern(level)),
      klu_(pattern_.pattern(static_cast<std::uint32_t>(n_ + m_))),
      values_(pattern_.entries()),
      directions_(level.jacobian.column.size()),
      row_scale_(m_, 1.0),
      rest_(n_ + m_) {
  for (std::uint32_t k = 0; k < n_; ++k) values_[pattern_.index(k, k)] = 1;
  const auto first_row = static_cast<std::uint32_t>(n_);
  for (std::uint32_t i = 0; i < jacobian_.rows; ++i)
    for (std::uint32_t e = jacobian_.row_start[i]; e < jacobian_.row_start[i + 1]; ++e) {
      place_.push_back(pattern_.index(first_row + i, jacobian_.column[e]));
      transposed_place_.push_back(pattern_.index(jacobian_.column[e], first_row + i));
    }
}

void TangentMatrix::set_directions(const double* entries) {
  for (std::uint32_t i = 0; i < jacobian_.rows; ++i) {
    const std::uint32_t begin = jacobian_.row_start[i], end = jacobian_.row_start[i + 1];
    const double size = length(entries + begin, end - begin);
    row_scale_[i] = size > 0 ? 1 / size : 1;
    for (std::uint32_t e = begin; e < end; ++e) {
      directions_[e] = entries[e];
      values_[transposed_place_[e]] = row_scale_[i] * entries[e];
    }
  }
  with_directions_ = false;
}

bool TangentMatrix::factor(const double* entries) {
  with_directions_ = false;
  for (std::uint32_t i = 0; i < jacobian_.rows; ++i)
    for (std::uint32_t e = jacobian_.row_start[i]; e < jacobian_.row_start[i + 1]; ++e)
      values_[place_[e]] = row_scale_[i] * entries[e];
  return klu_.factor(values_.data());
}

bool TangentMatrix::factor_directions() {
  if (with_directions_) return true;
  with_directions_ = factor(directions_.data()) && klu_.pivot_ratio() > least_pivot_ratio;
  return with_directions_;
}

/// Pivots that were good where the mechanism stood before let rounding grow where it stands now, without being small
/// themselves: the solution is refined once.
void TangentMatrix::solve(double* x) {
  std::copy_n(x, n_ + m_, rest_.data());
  klu_.solve(x);
  for (std::size_t k = 0; k < n_; ++k) rest_[k] -= x[k];
  for (std::uint32_t i = 0; i < jacobian_.rows; ++i)
    for (std::uint32_t e = jacobian_.row_start[i]; e < jacobian_.row_start[i + 1]; ++e) {
      const std::uint32_t k = jacobian_.column[e];
      rest_[k] -= values_[transposed_place_[e]] * x[n_ + i];
      rest_[n_ + i] -= values_[place_[e]] * x[k];
    }
  klu_.solve(rest_.data());
  for (std::size_t k = 0; k < n_ + m_; ++k) x[k] += rest_[k];
}

void TangentMatrix::project(double* w) {
  std::fill_n(w + n_, m_, 0.0);
  solve(w);
}

// ---- a basis of the tangent

/// Removes the components along earlier columns from column j, twice, and gives it the length 1. False when little but
/// rounding would be left of it.
bool TangentBasis::make_orthonormal(std::size_t j) {
  constexpr double least_rest = 1e-3;
  double* const own = columns_.data() + j * n_;
  const double before = length(own, n_);
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < j; ++i) {
      const double* const other = column(i);
      double along = 0;
      for (std::size_t k = 0; k < n_; ++k) along += other[k] * own[k];
      for (std::size_t k = 0; k < n_; ++k) own[k] -= along * other[k];
    }
  const double rest = length(own, n_);
  if (!(rest > least_rest * before)) return false;
  for (std::size_t k = 0; k < n_; ++k) own[k] /= rest;
  return true;
}

/// Twice: the second time removes what rounding has left of the rows of G_0.
void TangentBasis::renew(TangentMatrix& matrix) {
  constexpr int most_attempts = 20;
  for (std::size_t j = 0; j < free_; ++j) {
    double* const own = columns_.data() + j * n_;
    bool found = false;
    for (int attempt = started_ ? 0 : 1; attempt < most_attempts && !found; ++attempt) {
      if (attempt > 0)
        for (std::size_t k = 0; k < n_; ++k) own[k] = next_random(random_);
      for (int round = 0; round < 2; ++round) {
        std::copy_n(own, n_, projected_.data());
        matrix.project(projected_.data());
        std::copy_n(projected_.data(), n_, own);
      }
      found = make_orthonormal(j);
    }
  }
  started_ = true;
}

// ---- both kinds

Failure SparseDirections::settle(double* point) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr double keeps_matrix = 1e-3;
  double previous = std::numeric_limits<double>::infinity();
  double way = 0;  // moved since the matrix was new
  bool keep = false;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (!keep) {
      jacobian_(point, entries_.data());
      if (!factor()) return Failure::singular_matrix;
      way = 0;
    }
    residual_(point, rows_.data());
    solve();
    double correction = 0;
    for (std::size_t k = 0; k < n_; ++k) {
      double& x = point[level_.unknowns[k]];
      x -= correction_[k];
      const double part = std::abs(correction_[k]) / std::max(std::abs(x), nominal_[k]);
      if (!(part <= correction)) correction = part;  // keeps NaN
    }
    if (!std::isfinite(correction)) return Failure::cannot_project;
    way += correction;
    const double next = linear_ ? 0 : curvature * way * correction;
    if (next <= epsilon) return Failure::none;
    const bool stalled = correction > 0.1 * previous;
    if (stalled && correction < 1e-10) return Failure::none;  // rounding
    keep = !stalled && correction < keeps_matrix;
    previous = correction;
  }
  return Failure::cannot_project;
}

// ---- along the tangent

SparseTangent::SparseTangent(const formulate::Problem& problem, const formulate::Level& level,
                             std::span<const double> sample, const compile::Options& options)
    : SparseDirections(problem, level, sample, options),
      matrix_(level),
      basis_(n_, n_ - m_, n_ + m_),
      vector_(n_ + m_) {}

bool SparseTangent::choose(const double* point) {
  jacobian_(point, entries_.data());
  matrix_.set_directions(entries_.data());
  basis_is_new_ = false;
  return matrix_.factor_directions();
}

void SparseTangent::solve() {
  std::fill_n(vector_.begin(), n_, 0.0);
  for (std::size_t i = 0; i < m_; ++i) vector_[n_ + i] = matrix_.row_scale(i) * rows_[i];
  matrix_.solve(vector_.data());
  std::copy_n(vector_.begin(), n_, correction_.begin());
}

const double* SparseTangent::free_basis() {
  if (!basis_is_new_ && matrix_.factor_directions()) {
    basis_.renew(matrix_);
    basis_is_new_ = true;
  }
  return basis_.column(0);
}

double SparseTangent::work(const double* force) {
  matrix_.factor_directions();
  std::copy_n(force, n_, vector_.begin());
  for (int round = 0; round < 2; ++round) matrix_.project(vector_.data());
  double size = 0, along = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    size = std::max(size, std::abs(force[k]));
    along = std::max(along, std::abs(vector_[k]));
  }
  return size > 0 ? along / size : 0;
}

// ---- along coordinates

SparseCoordinates::SparseCoordinates(const formulate::Problem& problem,
                                     const formulate::Level& level, std::span<const double> sample,
                                     const compile::Options& options)
    : SparseDirections(problem, level, sample, options),
      dependence_(m_ * (n_ - m_)),
      basis_(n_ * (n_ - m_)) {}

bool SparseCoordinates::choose(const double* point) {
  jacobian_(point, entries_.data());
  if (!klu_ || !evaluate_dependence()) return choose_anew();
  return largest_dependence() <= 1 / worn || choose_better();
}

/// By the rows of a basis of the free directions, in nominal values.
bool SparseCoordinates::choose_anew() {
  TangentMatrix matrix(level_);
  TangentBasis basis(n_, free(), n_ + m_);
  std::vector<double> scaled = entries_;
  for (std::size_t e = 0; e < scaled.size(); ++e) scaled[e] *= nominal_[level_.jacobian.column[e]];
  matrix.set_directions(scaled.data());
  if (!matrix.factor_directions()) return false;
  basis.renew(matrix);
  Householder rows(free(), n_);
  for (std::size_t j = 0; j < free(); ++j)
    for (std::size_t k = 0; k < n_; ++k) rows.at(j, k) = basis.column(j)[k];
  rows.factor();
  free_columns_.resize(free());
  for (std::size_t j = 0; j < free(); ++j) free_columns_[j] = rows.pivot(j);
  take_free_columns();
  return evaluate_dependence() && choose_better();
}

/// Exchanges coordinates as long as that enlarges det G_d.
bool SparseCoordinates::choose_better() {
  if (largest_dependence() <= least_gain) return true;
  do exchange(largest_ % m_, largest_ / m_);
  while (largest_dependence() > least_gain);
  take_free_columns();
  return evaluate_dependence();
}

/// Its place is then in largest_.
double SparseCoordinates::largest_dependence() {
  double largest = 0;
  for (std::size_t k = 0; k < dependence_.size(); ++k)
    if (std::abs(dependence_[k]) > largest) largest = std::abs(dependence_[largest_ = k]);
  return largest;
}

/// x_d = -T x_f, solved for the free coordinate j.
void SparseCoordinates::exchange(std::size_t i, std::size_t j) {
  std::swap(dependent_columns_[i], free_columns_[j]);
  double* const own = dependence_.data() + j * m_;
  const double pivot = own[i];
  for (std::size_t c = 0; c < free(); ++c) {
    if (c == j) continue;
    double* const column = dependence_.data() + c * m_;
    column[i] /= pivot;
    for (std::size_t r = 0; r < m_; ++r)
      if (r != i) column[r] -= own[r] * column[i];
  }
  for (std::size_t r = 0; r < m_; ++r) own[r] = r == i ? 1 / pivot : -own[r] / pivot;
}

/// The pattern of G_d.
void SparseCoordinates::take_free_columns() {
  std::sort(free_columns_.begin(), free_columns_.end());
  std::vector<std::uint32_t> column_of(n_, no_row);
  dependent_columns_.clear();
  for (std::size_t k = 0; k < n_; ++k)
    if (!std::binary_search(free_columns_.begin(), free_columns_.end(), k)) {
      column_of[k] = static_cast<std::uint32_t>(dependent_columns_.size());
      dependent_columns_.push_back(k);
    }
  const expr::SparseFunction& g = level_.jacobian;
  CompressedColumns pattern;
  for (std::uint32_t i = 0; i < g.rows; ++i)
    for (std::uint32_t e = g.row_start[i]; e < g.row_start[i + 1]; ++e)
      if (column_of[g.column[e]] != no_row) pattern.add(i, column_of[g.column[e]]);
  pattern.finish();
  place_.assign(g.column.size(), no_row);
  for (std::uint32_t i = 0; i < g.rows; ++i)
    for (std::uint32_t e = g.row_start[i]; e < g.row_start[i + 1]; ++e)
      if (column_of[g.column[e]] != no_row) place_[e] = pattern.index(i, column_of[g.column[e]]);
  values_.assign(pattern.entries(), 0.0);
  klu_.emplace(pattern.pattern(static_cast<std::uint32_t>(m_)));
}

bool SparseCoordinates::factor() {
  for (std::size_t e = 0; e < entries_.size(); ++e)
    if (place_[e] != no_row) values_[place_[e]] = entries_[e] * nominal_[level_.jacobian.column[e]];
  return klu_->factor(values_.data());
}

/// T. False where constraints depend on each other along the dependent coordinates.
bool SparseCoordinates::evaluate_dependence() {
  if (!factor() || klu_->pivot_ratio() <= rank_tolerance) return false;
  const expr::SparseFunction& g = level_.jacobian;
  std::fill(dependence_.begin(), dependence_.end(), 0.0);
  for (std::uint32_t i = 0; i < g.rows; ++i)
    for (std::uint32_t e = g.row_start[i]; e < g.row_start[i + 1]; ++e) {
      if (place_[e] != no_row) continue;
      const auto found = std::lower_bound(free_columns_.begin(), free_columns_.end(), g.column[e]);
      const auto j = static_cast<std::size_t>(found - free_columns_.begin());
      dependence_[j * m_ + i] = entries_[e] * nominal_[g.column[e]];
    }
  for (std::size_t j = 0; j < free(); ++j) klu_->solve(dependence_.data() + j * m_);
  return true;
}

void SparseCoordinates::solve() {
  klu_->solve(rows_.data());
  for (const std::size_t k : free_columns_) correction_[k] = 0;
  for (std::size_t i = 0; i < m_; ++i)
    correction_[dependent_columns_[i]] = nominal_[dependent_columns_[i]] * rows_[i];
}

/// G_d e_d = -G_f e_f, with the factors of the last evaluation.
void SparseCoordinates::show_error(double* error) {
  const expr::SparseFunction& g = level_.jacobian;
  std::fill(rows_.begin(), rows_.end(), 0.0);
  for (std::uint32_t i = 0; i < g.rows; ++i)
    for (std::uint32_t e = g.row_start[i]; e < g.row_start[i + 1]; ++e)
      if (place_[e] == no_row) rows_[i] -= entries_[e] * error[level_.unknowns[g.column[e]] - 1];
  solve();
  for (const std::size_t k : dependent_columns_) error[level_.unknowns[k] - 1] = correction_[k];
}

const double* SparseCoordinates::free_basis() {
  basis_.assign(n_ * free(), 0.0);
  for (std::size_t j = 0; j < free(); ++j) basis_[j * n_ + free_columns_[j]] = 1;
  return basis_.data();
}

/// Along the columns of [1; -T].
double SparseCoordinates::work(const double* force) {
  double largest = 0, size = 0;
  for (std::size_t k = 0; k < n_; ++k) size = std::max(size, std::abs(force[k]));
  for (std::size_t j = 0; j < free(); ++j) {
    const double* const dependence = dependence_.data() + j * m_;
    double motion = nominal_[free_columns_[j]], sum = motion * force[free_columns_[j]];
    for (std::size_t i = 0; i < m_; ++i) {
      const double part = dependence[i] * nominal_[dependent_columns_[i]];
      sum -= part * force[dependent_columns_[i]];
      motion = std::max(motion, std::abs(part));
    }
    if (sum != 0) largest = std::max(largest, std::abs(sum) / (motion * size));
  }
  return largest;
}

}  // namespace daedal::solve
