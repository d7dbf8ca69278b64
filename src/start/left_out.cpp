// See left_out.hpp.

#include "daedal/start/left_out.hpp"

#include "daedal/system/compressed_columns.hpp"
#include "daedal/system/point.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve {

namespace {

/// Of a violation, in units of the unknowns' scale: far above rounding, far below what a modeller would call closed.
constexpr double accepted = 1e-8;
/// First order C c_r, and space for the second.
constexpr double share_of_solved = 10;

}  // namespace

LeftOutConstraints::LeftOutConstraints(const formulate::Problem& problem, const double* point,
                                       const compile::Options& options)
    : problem_(problem),
      reactions_(problem.dae->left_out.reactions.values, problem.layout, point, options),
      residuals_(problem.dae->left_out.residual, problem.layout, point, options),
      values_(problem.dae->left_out.reactions.column.size()),
      residual_(problem.dae->left_out.constraints.size()) {
  const std::vector<std::uint32_t>& out = problem.dae->left_out.constraints;
  const std::vector<model::Relation>& constraints = problem.dae->model->constraints;
  order_ = derive::constraints_in(*problem.dae);
  order_.insert(order_.end(), out.begin(), out.end());
  for (const std::uint32_t i : order_)
    multiplier_.push_back(problem.layout.find({constraints[i].multiplier, 0}));
  build_matrix();
}

/// Rows of G in order_ without the columns of driven coordinates, on which no reaction acts; the pattern of the matrix.
void LeftOutConstraints::build_matrix() {
  const expr::SparseFunction& g = problem_.dae->left_out.reactions;
  rows_ = {static_cast<std::uint32_t>(order_.size()), g.columns, {0}, {}, {}};
  for (const std::uint32_t i : order_) {
    for (std::uint32_t k = g.row_start[i]; k < g.row_start[i + 1]; ++k) {
      if (problem_.dae->mechanics.driven[g.column[k]]) continue;
      entry_.push_back(k);
      rows_.column.push_back(g.column[k]);
    }
    rows_.row_start.push_back(static_cast<std::uint32_t>(rows_.column.size()));
  }
  rows_.values.resize(rows_.column.size());
  length_.resize(rows_.rows);

  CompressedColumns pattern;
  for (std::uint32_t c = 0; c < rows_.columns; ++c) pattern.add(c, c);
  const auto for_each_kept = [&](const auto& use) {
    for (std::uint32_t r = 0; r < kept(); ++r)
      for (std::uint32_t k = rows_.row_start[r]; k < rows_.row_start[r + 1]; ++k)
        use(rows_.columns + r, rows_.column[k]);
  };
  for_each_kept([&](std::uint32_t row, std::uint32_t column) {
    pattern.add(row, column);
    pattern.add(column, row);
  });
  pattern.finish();
  for (std::uint32_t c = 0; c < rows_.columns; ++c) diagonal_target_.push_back(pattern.index(c, c));
  for_each_kept([&](std::uint32_t row, std::uint32_t column) {
    target_.push_back(pattern.index(row, column));
    transposed_target_.push_back(pattern.index(column, row));
  });
  matrix_values_.resize(pattern.entries());
  solution_.resize(rows_.columns + kept());
  matrix_.emplace(pattern.pattern(rows_.columns + kept()));
  combination_.resize(left_out(), kept());
  square_.resize(left_out(), left_out());
  factors_.compute(Eigen::MatrixXd::Identity(left_out(), left_out()));  // space for later ones
  solved_.resize(kept());
  others_.resize(left_out());
}

void LeftOutConstraints::select_rows(const double* point) {
  reactions_(point, values_.data());
  const std::vector<expr::SymbolId>& coordinates = problem_.dae->mechanics.coordinates;
  for (std::size_t k = 0; k < entry_.size(); ++k)
    rows_.values[k] =
        values_[entry_[k]] * problem_.dae->model->symbols[coordinates[rows_.column[k]]].nominal;
  for (std::uint32_t r = 0; r < rows_.rows; ++r) {
    double length = 0;
    for (std::uint32_t k = rows_.row_start[r]; k < rows_.row_start[r + 1]; ++k)
      length = std::hypot(length, rows_.values[k]);
    length_[r] = length > 0 ? length : 1;
  }
}

bool LeftOutConstraints::factor() {
  for (const std::uint32_t target : diagonal_target_) matrix_values_[target] = 1;
  for (std::uint32_t r = 0; r < kept(); ++r)
    for (std::uint32_t k = rows_.row_start[r]; k < rows_.row_start[r + 1]; ++k)
      matrix_values_[target_[k]] = matrix_values_[transposed_target_[k]] =
          rows_.values[k] / length_[r];
  return matrix_->factor(matrix_values_.data());
}

/// One row of C.
void LeftOutConstraints::combine(std::uint32_t row) {
  const std::uint32_t r = kept() + row;
  std::fill(solution_.begin(), solution_.end(), 0.0);
  for (std::uint32_t k = rows_.row_start[r]; k < rows_.row_start[r + 1]; ++k)
    solution_[rows_.column[k]] = rows_.values[k];
  matrix_->solve(solution_.data());
  for (std::uint32_t i = 0; i < kept(); ++i)
    combination_(row, i) = solution_[rows_.columns + i] / length_[i];
}

bool LeftOutConstraints::look_at(const double* point) {
  residuals_(point, residual_.data());
  select_rows(point);
  if (!factor()) return false;
  for (std::uint32_t row = 0; row < left_out(); ++row) combine(row);
  if (!combination_.allFinite()) return false;
  square_.setIdentity();
  square_.noalias() += combination_ * combination_.transpose();
  factors_.compute(square_);
  return true;
}

void LeftOutConstraints::share(double* point) {
  for (std::uint32_t i = 0; i < kept(); ++i) solved_[i] = point[multiplier_[i]];
  others_.noalias() = combination_ * solved_;
  factors_.solveInPlace(others_);
  solved_.noalias() -= combination_.transpose() * others_;
  for (std::uint32_t i = 0; i < kept(); ++i) point[multiplier_[i]] = solved_[i];
  for (std::uint32_t i = 0; i < left_out(); ++i) point[multiplier_[kept() + i]] = others_[i];
}

std::optional<LeftOutConstraints::Violation> LeftOutConstraints::violation(
    double largest_of_solved) const {
  for (std::uint32_t i = 0; i < left_out(); ++i) {
    const double bound = accepted * length_[kept() + i] +
                         share_of_solved * combination_.row(i).lpNorm<1>() * largest_of_solved;
    if (!(std::abs(residual_[i]) <= bound)) return Violation{order_[kept() + i], residual_[i]};
  }
  return std::nullopt;
}

RankReport LeftOutConstraints::rank(double tolerance) const {
  return rank_of_rows(rows_, tolerance);
}

}  // namespace daedal::solve
