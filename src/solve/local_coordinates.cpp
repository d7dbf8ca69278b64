// See local_coordinates.hpp.

#include "local_coordinates.hpp"

#include "no_row.hpp"
#include "point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rank_tolerance = 1e-10;  // of the constraints against each other
/// Coordinates are chosen anew when another choice is so much better conditioned. A switch costs nothing, but errors grow
/// like powers of the inverse: waiting for 0.1 costs rk4 three digits on the pendulum.
constexpr double worn = 0.5;

[[noreturn]] void refuse(const formulate::Problem& problem, const std::string& message) {
  throw ModelError({Severity::error,
                    problem.dae->model->place,
                    fmt::format("the formulation {} needs {}",
                                formulate::name(problem.formulation.kind), message),
                    {},
                    "take the formulation projection"});
}

bool contains_unknowns(const formulate::Problem& problem, const formulate::Level& level) {
  const auto occurrences = expr::occurrences(level.jacobian.values);
  return std::any_of(occurrences.begin(), occurrences.end(), [&](const expr::Occurrence& o) {
    return std::find(level.unknowns.begin(), level.unknowns.end(), problem.layout.find(o.leaf)) !=
           level.unknowns.end();
  });
}

}  // namespace

// ---- one level

LocalCoordinates::Directions::Directions(const formulate::Problem& problem,
                                         const formulate::Level& l, std::span<const double> sample,
                                         const compile::Options& options)
    : level(l),
      m(l.rows()),
      n(l.unknowns.size()),
      residual(l.residual, problem.layout, sample.data(), options),
      jacobian(l.jacobian.values, problem.layout, sample.data(), options),
      linear(!contains_unknowns(problem, l)),
      g(m, n),
      dependent(n, m),
      free(n, n - m),
      free_columns(n - m),
      entries(l.jacobian.column.size()),
      rows(m),
      reduced(m),
      by_coordinates(m, n),
      by_rows(n, m),
      of_dependent(m, m) {
  for (const std::uint32_t position : l.unknowns) nominal.push_back(nominal_at(problem, position));
}

void LocalCoordinates::Directions::evaluate(const double* point) {
  jacobian(point, entries.data());
  for (std::uint32_t i = 0; i < level.jacobian.rows; ++i)
    for (std::uint32_t e = level.jacobian.row_start[i]; e < level.jacobian.row_start[i + 1]; ++e)
      g(i, level.jacobian.column[e]) = entries[e];
  // G has few entries in a row: the product costs little beside its factorisation.
  double* const gd = reduced.data();
  for (std::size_t j = 0; j < m; ++j) {
    const double* const direction = dependent.column(j);
    for (std::uint32_t i = 0; i < level.jacobian.rows; ++i) {
      double sum = 0;
      for (std::uint32_t e = level.jacobian.row_start[i]; e < level.jacobian.row_start[i + 1]; ++e)
        sum += entries[e] * direction[level.jacobian.column[e]];
      gd[j * m + i] = sum;
    }
  }
  regular = reduced.factor();
}

Failure LocalCoordinates::Directions::settle(double* point) {
  constexpr int most_iterations = 20;
  constexpr double curvature = 10;  // assumed bound of |G'| |x| / |G|
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    evaluate(point);
    if (!regular) return Failure::singular_matrix;
    residual(point, rows.data());
    reduced.solve(rows.data());
    double correction = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double change = 0;
      for (std::size_t j = 0; j < m; ++j) change += dependent(k, j) * rows[j];
      double& x = point[level.unknowns[k]];
      x -= change;
      const double part = std::abs(change) / std::max(std::abs(x), nominal[k]);
      if (!(part <= correction)) correction = part;  // keeps NaN
    }
    if (!std::isfinite(correction)) return Failure::cannot_project;
    const double next = linear ? 0 : curvature * correction * correction;
    if (next <= epsilon) return Failure::none;
    if (correction > 0.1 * previous && correction < 1e-10) return Failure::none;  // rounding
    previous = correction;
  }
  return Failure::cannot_project;
}

/// G D e_d = -G e_f.
void LocalCoordinates::Directions::show_error(double* error) {
  std::fill(rows.begin(), rows.end(), 0.0);
  for (const std::size_t k : free_columns)
    for (std::size_t i = 0; i < m; ++i) rows[i] -= g(i, k) * error[level.unknowns[k] - 1];
  reduced.solve(rows.data());
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < m; ++j)
      if (dependent(k, j) != 0) error[level.unknowns[k] - 1] = rows[j];
}

/// The coordinates along which the constraints are best conditioned follow, the others are free.
bool LocalCoordinates::Directions::along_coordinates() {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < m; ++i) by_coordinates.at(i, j) = g(i, j) * nominal[j];
  by_coordinates.factor();
  if (!by_coordinates.full_rank(rank_tolerance)) return false;
  std::fill(dependent.values.begin(), dependent.values.end(), 0.0);
  std::fill(free.values.begin(), free.values.end(), 0.0);
  for (std::size_t k = 0; k < m; ++k) dependent(by_coordinates.pivot(k), k) = 1;
  for (std::size_t k = m; k < n; ++k) free_columns[k - m] = by_coordinates.pivot(k);
  std::sort(free_columns.begin(), free_columns.end());
  for (std::size_t k = 0; k < free_columns.size(); ++k) free(free_columns[k], k) = 1;
  return true;
}

/// The rows of G, orthonormal, and what is orthogonal to them.
bool LocalCoordinates::Directions::along_tangent() {
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = 0; i < n; ++i) by_rows.at(i, j) = g(j, i);
  by_rows.factor();
  if (!by_rows.full_rank(rank_tolerance)) return false;
  for (std::size_t k = 0; k < n; ++k) {
    double* const column = k < m ? dependent.column(k) : free.column(k - m);
    std::fill_n(column, n, 0.0);
    column[k] = 1;
    by_rows.apply(column);
  }
  return true;
}

/// Of the present choice of coordinates, over that of the best one: how near the constraints come to each other.
double LocalCoordinates::Directions::weakest_pivot() {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < m; ++i) by_coordinates.at(i, j) = g(i, j) * nominal[j];
  by_coordinates.factor();
  std::size_t column = 0, next_free = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (next_free < free_columns.size() && free_columns[next_free] == j) {
      ++next_free;
      continue;
    }
    for (std::size_t i = 0; i < m; ++i) of_dependent.at(i, column) = g(i, j) * nominal[j];
    ++column;
  }
  of_dependent.factor();
  return std::abs(of_dependent.diagonal(m - 1) / by_coordinates.diagonal(m - 1));
}

// ---- the mechanism

LocalCoordinates::LocalCoordinates(const formulate::Problem& problem,
                                   std::span<const double> sample, const compile::Options& options)
    : problem_(problem),
      by_coordinates_(problem.formulation.kind == formulate::Kind::minimal),
      matrix_values_(problem.top_matrix.values, problem.layout, sample.data(), options),
      right_side_values_(problem.right_hand_side, problem.layout, sample.data(), options),
      entries_(problem.top_matrix.column.size()),
      right_side_(problem.tops),
      matrix_(problem.tops, problem.tops) {
  for (const formulate::Level& level : problem.levels) {
    if (level.level < -2)
      refuse(problem, "accelerations as the highest derivatives of constrained coordinates");
    (level.level == -2 ? positions_ : velocities_).emplace(problem, level, sample, options);
  }
  find_rows_and_columns();
  if (choose(sample.data()) != Failure::none)
    refuse(problem, "constraints that are independent of each other at the start");
  refuse_other_reactions(sample.data());
}

void LocalCoordinates::find_rows_and_columns() {
  const derive::Dae& dae = *problem_.dae;
  if (!problem_.linear)
    refuse(problem_, "equations that are linear in the accelerations and multipliers");
  const std::vector<std::uint32_t>& unknowns = velocities_->level.unknowns;
  std::vector<bool> accelerates(problem_.tops, false), constrains(problem_.tops, false);
  for (const std::uint32_t position : unknowns) {
    const std::uint32_t top = problem_.next[position - 1] - problem_.top_position(0);
    const expr::SymbolId symbol = problem_.layout.leaf(position).symbol;
    if (dae.model->symbols[symbol].kind != model::SymbolKind::coordinate)
      refuse(problem_,
             fmt::format("a mechanism: '{}' is no coordinate", dae.model->symbols[symbol].name));
    accelerations_.push_back(top);
    accelerates[top] = true;
    // coordinates are the first unknowns, their equations of motion the first rows
    motion_row_.push_back(dae.equations[top].kind == derive::EquationKind::motion ? top : no_row);
  }
  for (const std::uint32_t i : velocities_->level.equation) constrains[i] = true;
  for (std::uint32_t j = 0; j < problem_.tops; ++j) {
    if (!accelerates[j]) others_.push_back(j);
    if (!constrains[j]) other_rows_.push_back(j);
  }
  const std::size_t n = velocities_->n, f = n - velocities_->m;
  null_space_ = Matrix(n, f);
  mass_times_null_ = Matrix(n, f);
  reduced_mass_ = DenseLu<double>(f);
  reactions_ = Householder(other_rows_.size(), others_.size());
  particular_.resize(n);
  acceleration_.resize(n);
  reduced_.resize(std::max(f, velocities_->m));
  balance_.resize(std::max(problem_.tops, static_cast<std::uint32_t>(n)));
  other_values_.resize(others_.size());
}

Failure LocalCoordinates::choose(const double* point) {
  const bool within_last_step = point[0] <= chosen_at_ && point[0] >= chosen_before_;
  if (chosen_ && within_last_step) return Failure::none;  // a row
  for (std::optional<Directions>* directions : {&positions_, &velocities_})
    if (*directions && !choose(**directions, point)) return Failure::singular_matrix;
  chosen_ = true;
  chosen_before_ = std::min(chosen_at_, point[0]);
  chosen_at_ = point[0];
  return Failure::none;
}

bool LocalCoordinates::choose(Directions& directions, const double* point) {
  const bool first = !chosen_;
  directions.evaluate(point);
  if (!by_coordinates_) {
    if (!directions.along_tangent()) return false;
  } else if (first || directions.weakest_pivot() < worn) {
    const std::vector<std::size_t> before = directions.free_columns;
    if (!directions.along_coordinates()) return false;
    const bool reported = &directions == (positions_ ? &*positions_ : &*velocities_);
    if (reported && (first || before != directions.free_columns)) {
      Switch& made = switches_.emplace_back();
      made.t = point[0];
      for (const std::size_t c : before)
        if (!first) made.from.push_back(directions.level.unknowns[c]);
      for (const std::size_t c : directions.free_columns)
        made.to.push_back(directions.level.unknowns[c]);
    }
  } else {
    return true;
  }
  directions.evaluate(point);
  return directions.regular;
}

Failure LocalCoordinates::settle(double* point) {
  for (std::optional<Directions>* directions : {&positions_, &velocities_})
    if (*directions)
      if (const Failure failure = (*directions)->settle(point); failure != Failure::none)
        return failure;
  return Failure::none;
}

void LocalCoordinates::show_error(double* error) {
  for (std::optional<Directions>* directions : {&positions_, &velocities_})
    if (*directions && by_coordinates_) (*directions)->show_error(error);
}

/// N = I - D (G D)^-1 G I.
void LocalCoordinates::make_null_space() {
  Directions& v = *velocities_;
  for (std::size_t k = 0; k < null_space_.columns; ++k) {
    for (std::size_t i = 0; i < v.m; ++i) {
      reduced_[i] = 0;
      for (std::size_t j = 0; j < v.n; ++j) reduced_[i] += v.g(i, j) * v.free(j, k);
    }
    v.reduced.solve(reduced_.data());
    for (std::size_t j = 0; j < v.n; ++j) {
      null_space_(j, k) = v.free(j, k);
      for (std::size_t i = 0; i < v.m; ++i) null_space_(j, k) -= v.dependent(j, i) * reduced_[i];
    }
  }
}

/// Reactions along G do no work in motions that the constraints allow; others (friction that depends on reactions) do.
/// Those of released constraints are 0.
void LocalCoordinates::refuse_other_reactions(const double* point) {
  matrix_values_(point, entries_.data());
  const expr::SparseFunction& f = problem_.top_matrix;
  for (std::uint32_t r = 0; r < f.rows; ++r)
    for (std::uint32_t e = f.row_start[r]; e < f.row_start[r + 1]; ++e)
      matrix_(r, f.column[e]) = entries_[e];
  make_null_space();
  const derive::Dae& dae = *problem_.dae;
  const auto released = [&](std::uint32_t top) {
    const expr::SymbolId symbol = problem_.layout.leaf(problem_.top_position(top)).symbol;
    return std::any_of(dae.released.begin(), dae.released.end(), [&](std::size_t constraint) {
      return dae.model->constraints[constraint].multiplier == symbol;
    });
  };
  for (const std::uint32_t j : others_)
    for (std::size_t k = 0; k < null_space_.columns && !released(j); ++k) {
      // Motions of bodies that direction k does not move are rounding: the largest of all is the measure.
      double work = 0, motion = 0, reaction = 0;
      for (std::size_t i = 0; i < null_space_.rows; ++i) {
        if (motion_row_[i] == no_row) continue;
        work += null_space_(i, k) * matrix_(motion_row_[i], j);
        motion = std::max(motion, std::abs(null_space_(i, k)));
        reaction = std::max(reaction, std::abs(matrix_(motion_row_[i], j)));
      }
      if (std::abs(work) > 1e-9 * motion * reaction)
        refuse(problem_, fmt::format("reactions that do no work: {} does",
                                     name_at(problem_, problem_.top_position(j))));
    }
}

Failure LocalCoordinates::solve_tops(const double* point, double* tops) {
  Directions& v = *velocities_;
  const std::size_t n = v.n, f = null_space_.columns;
  matrix_values_(point, entries_.data());
  right_side_values_(point, right_side_.data());
  const expr::SparseFunction& sparse = problem_.top_matrix;
  for (std::uint32_t r = 0; r < sparse.rows; ++r)
    for (std::uint32_t e = sparse.row_start[r]; e < sparse.row_start[r + 1]; ++e)
      matrix_(r, sparse.column[e]) = entries_[e];

  for (std::size_t i = 0; i < v.m; ++i) reduced_[i] = right_side_[v.level.equation[i]];
  v.reduced.solve(reduced_.data());
  for (std::size_t k = 0; k < n; ++k) {
    particular_[k] = 0;
    for (std::size_t i = 0; i < v.m; ++i) particular_[k] += v.dependent(k, i) * reduced_[i];
  }
  make_null_space();
  const auto mass = [&](std::size_t i, std::size_t k) {
    return motion_row_[i] == no_row ? 0 : matrix_(motion_row_[i], accelerations_[k]);
  };
  for (std::size_t i = 0; i < n; ++i) {
    balance_[i] = motion_row_[i] == no_row ? 0 : right_side_[motion_row_[i]];
    for (std::size_t k = 0; k < n; ++k) balance_[i] -= mass(i, k) * particular_[k];
    for (std::size_t c = 0; c < f; ++c) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += mass(i, k) * null_space_(k, c);
      mass_times_null_(i, c) = sum;
    }
  }
  double* const reduced_mass = reduced_mass_.data();
  for (std::size_t c = 0; c < f; ++c) {
    reduced_[c] = 0;
    for (std::size_t i = 0; i < n; ++i) reduced_[c] += null_space_(i, c) * balance_[i];
    for (std::size_t d = 0; d < f; ++d) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += null_space_(i, c) * mass_times_null_(i, d);
      reduced_mass[d * f + c] = sum;
    }
  }
  if (f > 0 && !reduced_mass_.factor()) return Failure::singular_matrix;
  if (f > 0) reduced_mass_.solve(reduced_.data());
  for (std::size_t k = 0; k < n; ++k) {
    acceleration_[k] = particular_[k];
    for (std::size_t c = 0; c < f; ++c) acceleration_[k] += null_space_(k, c) * reduced_[c];
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
