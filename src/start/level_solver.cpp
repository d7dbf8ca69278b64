// See level_solver.hpp.

#include "level_solver.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/system/compressed_columns.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/no_row.hpp"
#include "daedal/system/noise.hpp"
#include "daedal/system/point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double regularisation = 1e-11;
constexpr double share_of_others = 1e-4;  // weight of what need not be spared
constexpr double machine_epsilon = std::numeric_limits<double>::epsilon();

/// Length of v.
double length_of(const std::vector<double>& v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

}  // namespace

LevelSolver::LevelSolver(const formulate::Problem& problem, const formulate::Level& level,
                         const std::vector<bool>& fixed, const std::vector<double>& guess,
                         std::shared_ptr<EquationJet> jet)
    : problem_(problem),
      level_(level),
      guess_(guess),
      number_(level.unknowns.size(), no_row),
      row_length_(level.rows(), 1.0),
      scan_(problem, guess.data(), tape_only()),
      residual_(problem, level, guess.data(), tape_only(), std::move(jet)),
      jacobian_(level.jacobian.values, problem.layout, guess.data(), tape_only()),
      metric_(level.metric.values, problem.layout, guess.data(), tape_only()),
      f_(level.rows()),
      jacobian_values_(level.jacobian.column.size()),
      metric_values_(level.metric.column.size()) {
  for (std::uint32_t c = 0; c < level.unknowns.size(); ++c) {
    const std::uint32_t position = level.unknowns[c];
    if (fixed[position] || (!level.movable.empty() && !level.movable[c])) continue;
    number_[c] = free();
    columns_.push_back(c);
    scale_.push_back(std::max(std::abs(guess[position]), nominal_at(problem, position)));
  }
  solution_.resize(free() + rows());
  row_size_.assign(rows(), 1.0);
  column_size_.assign(free(), 1.0);
  place_entries();
  build_pattern();
}

/// Rows and columns of f's entries in the matrix; `no_row` where one of them may not move.
std::vector<LevelSolver::Place> LevelSolver::places_of(
    const expr::SparseFunction& f, const std::vector<std::uint32_t>& row_number,
    const std::vector<std::uint32_t>& column_number) {
  std::vector<Place> places;
  for (std::uint32_t r = 0; r < f.rows; ++r)
    for (std::uint32_t k = f.row_start[r]; k < f.row_start[r + 1]; ++k) {
      const Place place{row_number[r], column_number[f.column[k]]};
      const bool used = place.row != no_row && place.column != no_row;
      places.push_back(used ? place : Place{no_row, no_row});
    }
  return places;
}

/// Positions are measured in their own scale; the mass metric is for velocities and above.
void LevelSolver::place_entries() {
  std::vector<std::uint32_t> constraint_rows(rows()), velocities = number_;
  for (std::uint32_t r = 0; r < rows(); ++r) constraint_rows[r] = free() + r;
  for (std::uint32_t c = 0; c < velocities.size(); ++c)
    if (problem_.layout.leaf(level_.unknowns[c]).order == 0) velocities[c] = no_row;
  jacobian_place_ = places_of(level_.jacobian, constraint_rows, number_);
  metric_place_ = places_of(level_.metric, velocities, velocities);
  diagonal_.assign(free(), 1.0);              // of ((x - x0)/scale)^2
  for (std::uint32_t i = 0; i < free(); ++i)  // what is lifted follows
    if (problem_.is_lifted(level_.unknowns[columns_[i]])) diagonal_[i] = 0;
  for (const Place& place : metric_place_)
    if (place.row != no_row) diagonal_[place.row] = 0;
}

/// The pattern of the matrix, and where in it each entry of W, J and J^T is added.
void LevelSolver::build_pattern() {
  CompressedColumns pattern;
  for (const Place& p : metric_place_)
    if (p.row != no_row) pattern.add(p.row, p.column);
  for (const Place& p : jacobian_place_)
    if (p.row != no_row) {
      pattern.add(p.row, p.column);
      pattern.add(p.column, p.row);
    }
  for (std::uint32_t i = 0; i < free() + rows(); ++i) pattern.add(i, i);
  pattern.finish();

  const auto target = [&](std::uint32_t row, std::uint32_t column) {
    return row == no_row ? no_row : pattern.index(row, column);
  };
  for (const Place& p : metric_place_) metric_target_.push_back(target(p.row, p.column));
  for (const Place& p : jacobian_place_) {
    jacobian_target_.push_back(target(p.row, p.column));
    transposed_target_.push_back(target(p.column, p.row));
  }
  for (std::uint32_t i = 0; i < free() + rows(); ++i) diagonal_target_.push_back(target(i, i));
  matrix_values_.resize(pattern.entries());
  matrix_.emplace(pattern.pattern(free() + rows()));
}

const std::vector<double>& LevelSolver::residual(const std::vector<double>& point) {
  residual_(point.data(), f_.data());
  return f_;
}

double LevelSolver::violation(const std::vector<double>& point) {
  residual(point);
  double sum = 0;
  for (std::uint32_t r = 0; r < rows(); ++r) {
    const double distance = f_[r] / (row_length_[r] * row_size_[r]);
    sum += distance * distance;
  }
  return std::sqrt(sum);
}

/// J in scaled columns, and the lengths of its rows.
void LevelSolver::evaluate_jacobian(const std::vector<double>& point) {
  jacobian_(point.data(), jacobian_values_.data());
  std::fill(row_length_.begin(), row_length_.end(), 0.0);
  for (std::size_t k = 0; k < jacobian_values_.size(); ++k) {
    const Place place = jacobian_place_[k];
    if (place.row == no_row) continue;
    jacobian_values_[k] *= scale_[place.column];
    row_length_[place.row - free()] += jacobian_values_[k] * jacobian_values_[k];
  }
  for (double& length : row_length_) length = length > 0 ? std::sqrt(length) : 1.0;
}

/// The mass metric in scaled columns, made of size 1: only its direction matters.
void LevelSolver::evaluate_metric(const std::vector<double>& point) {
  metric_(point.data(), metric_values_.data());
  metric_size_ = 0;
  for (std::size_t k = 0; k < metric_values_.size(); ++k) {
    const Place place = metric_place_[k];
    if (place.row == no_row) continue;
    metric_values_[k] *= scale_[place.row] * scale_[place.column];
    metric_size_ = std::max(metric_size_, std::abs(metric_values_[k]));
  }
  if (metric_size_ == 0) metric_size_ = 1;
  for (double& value : metric_values_) value /= metric_size_;
}

/// Of the entry of W at (i, j) in the way back to the guess.
double LevelSolver::share(std::uint32_t i, std::uint32_t j) const {
  if (spared_.empty()) return 1;
  if (spared_[i] != spared_[j]) return 0;
  return spared_[i] ? 1 : share_of_others;
}

void LevelSolver::spare(const std::vector<bool>& marked) {
  spared_.assign(free(), false);
  for (std::uint32_t i = 0; i < free(); ++i) spared_[i] = marked[level_.unknowns[columns_[i]]];
}

/// Sparing: for the way along the level. The way onto it moves all alike: what costs nothing would go too far.
void LevelSolver::assemble(bool sparing) {
  std::fill(matrix_values_.begin(), matrix_values_.end(), 0.0);
  const auto add = [&](std::uint32_t target, double value) {
    if (target != no_row) matrix_values_[target] += value;
  };
  const auto weight = [&](std::uint32_t i, std::uint32_t j) { return sparing ? share(i, j) : 1.0; };
  for (std::size_t k = 0; k < metric_values_.size(); ++k)
    if (const Place place = metric_place_[k]; place.row != no_row)
      add(metric_target_[k], weight(place.row, place.column) * metric_values_[k]);
  for (std::size_t k = 0; k < jacobian_values_.size(); ++k) {
    if (jacobian_place_[k].row == no_row) continue;
    const double value = jacobian_values_[k] / row_length_[jacobian_place_[k].row - free()];
    add(jacobian_target_[k], value);
    add(transposed_target_[k], value);
  }
  for (std::uint32_t i = 0; i < free(); ++i) add(diagonal_target_[i], weight(i, i) * diagonal_[i]);
  for (std::uint32_t i = 0; i < level_.constraints(); ++i)  // definitions never depend on others
    add(diagonal_target_[free() + i], -regularisation);
}

/// solution_ = the smallest step (in W) that solves the linearised constraints; false when there is
/// none to be had.
bool LevelSolver::normal_step(const std::vector<double>& point) {
  evaluate_jacobian(point);
  evaluate_metric(point);
  assemble(false);
  if (!matrix_->factor(matrix_values_.data())) return false;
  residual(point);
  std::fill(solution_.begin(), solution_.end(), 0.0);
  for (std::uint32_t r = 0; r < rows(); ++r) solution_[free() + r] = -f_[r] / row_length_[r];
  matrix_->solve(solution_.data());
  return std::all_of(solution_.begin(), solution_.end(), [](double v) { return std::isfinite(v); });
}

/// (x - x0) in scaled columns.
std::vector<double> LevelSolver::offset(const std::vector<double>& point) const {
  std::vector<double> v(free());
  for (std::uint32_t i = 0; i < free(); ++i) {
    const std::uint32_t position = level_.unknowns[columns_[i]];
    v[i] = (point[position] - guess_[position]) / scale_[i];
  }
  return v;
}

double LevelSolver::weighted_product(const std::vector<double>& a,
                                     const std::vector<double>& b) const {
  double sum = 0;
  for (std::uint32_t i = 0; i < free(); ++i) sum += share(i, i) * diagonal_[i] * a[i] * b[i];
  for (std::size_t k = 0; k < metric_values_.size(); ++k)
    if (const Place place = metric_place_[k]; place.row != no_row)
      sum += share(place.row, place.column) * metric_values_[k] * a[place.row] * b[place.column];
  return sum;
}

/// solution_ = the way back to the guess, as far as it leads along the level. Uses the Jacobian of
/// the last normal step.
bool LevelSolver::tangential_step(const std::vector<double>& point) {
  if (!spared_.empty()) {
    assemble(true);
    if (!matrix_->factor(matrix_values_.data())) return false;
  }
  const std::vector<double> v = offset(point);
  std::fill(solution_.begin(), solution_.end(), 0.0);
  for (std::uint32_t i = 0; i < free(); ++i) solution_[i] = -share(i, i) * diagonal_[i] * v[i];
  for (std::size_t k = 0; k < metric_values_.size(); ++k)
    if (const Place place = metric_place_[k]; place.row != no_row)
      solution_[place.row] -= share(place.row, place.column) * metric_values_[k] * v[place.column];
  matrix_->solve(solution_.data());
  return true;
}

/// Along solution_; what is lifted follows by its definitions, not by their tangents.
void LevelSolver::move(std::vector<double>& point, double fraction) {
  for (std::uint32_t i = 0; i < free(); ++i)
    point[level_.unknowns[columns_[i]]] += fraction * scale_[i] * solution_[i];
  scan_(point.data());
}

/// row_size_ and column_size_: the tenth derivative of a motion of size 1 may be of size 1e6, and rounding is measured
/// there, not at 1. A row is as large as its largest unknown in its own scale, a column as its largest row, at least 1.
void LevelSolver::measure(const std::vector<double>& point) {
  std::fill(row_size_.begin(), row_size_.end(), 1.0);
  std::fill(column_size_.begin(), column_size_.end(), 1.0);
  for (const Place& place : jacobian_place_) {
    if (place.row == no_row) continue;
    const double value = point[level_.unknowns[columns_[place.column]]] / scale_[place.column];
    double& size = row_size_[place.row - free()];
    size = std::max(size, std::abs(value));
  }
  for (const Place& place : jacobian_place_)
    if (place.row != no_row)
      column_size_[place.column] =
          std::max(column_size_[place.column], row_size_[place.row - free()]);
}

bool LevelSolver::restore(std::vector<double>& point) {
  constexpr int most_iterations = 60;
  constexpr double shortest = 1.0 / 4096;
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    stop_point();
    if (!normal_step(point)) return false;
    measure(point);
    double step = 0;
    for (std::uint32_t i = 0; i < free(); ++i)
      step = std::max(step, std::abs(solution_[i]) / column_size_[i]);
    const double before = violation(point);
    const bool at_rounding = step <= 4 * machine_epsilon || before <= machine_epsilon;
    const bool stalled_at_rounding = step < 1e-10 && step > 0.2 * previous;
    if (at_rounding || stalled_at_rounding) {
      if (before > 1e-8)
        return false;  // a step of nearly zero length cannot remove this: nothing may move it
      move(point, 1);
      return true;
    }
    previous = step;
    const std::vector<double> start = point;
    double fraction = 1, after = 0;
    for (;; fraction /= 2) {
      point = start;
      move(point, fraction);
      after = violation(point);
      // close to rounding a residual need not fall any more
      if (after <= (1 - fraction / 4) * before || (after < 1e-12 && step < 1e-6)) break;
      if (fraction < shortest) return false;
    }
  }
  return false;
}

bool LevelSolver::approach(std::vector<double>& point) {
  constexpr int most_iterations = 300;
  constexpr double settled = 1e-11;  // of the scaled way that is left
  double length = 1;                 // of the tangential step, by Barzilai and Borwein
  std::vector<double> last_offset, last_way;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    stop_point();
    if (!normal_step(point) || !tangential_step(point)) return false;
    const std::vector<double> way(solution_.begin(), solution_.begin() + free()),
        here = offset(point);
    if (length_of(way) <= settled * std::max(1.0, length_of(here))) return true;
    if (iteration > 0) {
      std::vector<double> moved(free()), turned(free());
      for (std::uint32_t i = 0; i < free(); ++i) {
        moved[i] = here[i] - last_offset[i];
        turned[i] = last_way[i] - way[i];
      }
      const double curvature = weighted_product(moved, turned);
      length =
          curvature > 0 ? std::clamp(weighted_product(moved, moved) / curvature, 1e-3, 1e3) : 1.0;
    }
    const double distance = weighted_product(here, here), descent = weighted_product(way, way);
    const std::vector<double> start = point, step = solution_;
    bool closer = false;
    for (int halvings = 0; halvings < 20 && !closer; ++halvings, length /= 4) {
      point = start;
      solution_ = step;
      move(point, length);
      if (!restore(point)) continue;
      const std::vector<double> there = offset(point);
      closer = weighted_product(there, there) <= distance - 1e-4 * length * descent ||
               length * length_of(way) < 1e-9;
    }
    if (!closer) {
      point = start;
      return length_of(way) <= 1e-7;
    }
    last_offset = here;
    last_way = way;
  }
  return false;
}

bool LevelSolver::holds(const std::vector<double>& point) {
  constexpr double rounding = 1e-13;  // of rows relative to what is in them
  evaluate_jacobian(point);
  measure(point);
  return violation(point) <= rounding;
}

// There W (x - x0) + J^T mu = 0: a row with a share in the pull of mu on a column holds it. What is lifted hands the pull
// on: after a definition any constraint may follow.
std::vector<std::vector<std::uint32_t>> LevelSolver::hindrances(const std::vector<double>& point) {
  constexpr double least_share = 1e-6;
  std::vector<std::vector<std::uint32_t>> rows_of(level_.unknowns.size());
  if (!normal_step(point) || !tangential_step(point)) return rows_of;
  std::vector<double> pull(jacobian_values_.size(), 0.0), largest(free(), 0.0);
  for (std::size_t k = 0; k < pull.size(); ++k) {
    const Place place = jacobian_place_[k];
    if (place.row == no_row) continue;
    pull[k] =
        std::abs(jacobian_values_[k] / row_length_[place.row - free()] * solution_[place.row]);
    largest[place.column] = std::max(largest[place.column], pull[k]);
  }
  for (std::size_t k = 0; k < pull.size(); ++k) {
    const Place place = jacobian_place_[k];
    if (place.row == no_row || !(pull[k] > least_share * largest[place.column])) continue;
    std::vector<std::uint32_t>& rows = rows_of[columns_[place.column]];
    if (place.row - free() < level_.constraints()) {
      rows.push_back(place.row - free());
    } else {
      for (std::uint32_t r = 0; r < level_.constraints(); ++r)
        if (solution_[free() + r] != 0) rows.push_back(r);
    }
  }
  for (std::vector<std::uint32_t>& rows : rows_of) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  }
  return rows_of;
}

void LevelSolver::perturb(std::vector<double>& point, double size, std::uint64_t k) {
  for (std::uint32_t i = 0; i < free(); ++i) {
    const std::uint32_t position = level_.unknowns[columns_[i]];
    point[position] = guess_[position] + size * scale_[i] * noise(1000003 * k + i);
  }
  scan_(point.data());
}

}  // namespace daedal::solve
