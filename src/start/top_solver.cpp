// See top_solver.hpp.

#include "top_solver.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/system/compressed_columns.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/klu.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace daedal::solve {

namespace {

constexpr double singular_ratio =
    1e-16;  // of the pivots: below it the matrix is singular to rounding

/// d residual / d tops in compressed columns, solved by KLU.
class TopMatrix {
 public:
  explicit TopMatrix(const expr::SparseFunction& f)
      : by_row_(f.column.size()), by_column_(f.column.size()) {
    CompressedColumns pattern;
    const auto for_each_entry = [&](const auto& use) {
      for (std::uint32_t r = 0; r < f.rows; ++r)
        for (std::uint32_t k = f.row_start[r]; k < f.row_start[r + 1]; ++k) use(r, f.column[k]);
    };
    for_each_entry([&](std::uint32_t row, std::uint32_t column) { pattern.add(row, column); });
    pattern.finish();
    for_each_entry([&](std::uint32_t row, std::uint32_t column) {
      place_.push_back(pattern.index(row, column));
    });
    lu_.emplace(pattern.pattern(f.columns));
  }

  double* values() { return by_row_.data(); }

  bool solve(std::vector<double>& x) {
    for (std::size_t k = 0; k < by_row_.size(); ++k) by_column_[place_[k]] = by_row_[k];
    if (!lu_->factor(by_column_.data()) || lu_->pivot_ratio() < singular_ratio) return false;
    lu_->solve(x.data());
    return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
  }

 private:
  std::vector<double> by_row_, by_column_;
  std::vector<std::uint32_t> place_;  // of each entry of by_row_ in by_column_
  std::optional<Klu<double>> lu_;
};

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return std::sqrt(sum);
}

double largest(const double* v, std::size_t n) {
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) size = std::max(size, std::abs(v[i]));
  return size;
}

}  // namespace

TopsOutcome solve_tops(const formulate::Problem& problem, std::vector<double>& point,
                       EquationJet* jet) {
  constexpr double shortest = 1e-6;
  const std::size_t n = problem.tops, first = 1 + problem.states;
  const compile::Options tape{compile::Backend::tape};
  TopsOutcome outcome{TopsStatus::solved, std::vector<double>(n)};
  if (n == 0) return outcome;
  std::optional<Evaluation> residual;
  if (jet == nullptr) residual.emplace(problem.residual, problem.layout, point.data(), tape);
  Evaluation matrix(problem.top_matrix.values, problem.layout, point.data(), tape);
  TopMatrix tops(problem.top_matrix);
  const auto residual_norm = [&] {
    if (residual)
      (*residual)(point.data(), outcome.residual.data());
    else
      jet->evaluate(point.data(), 0, outcome.residual.data());
    return norm(outcome.residual);
  };
  const auto ended = [&](TopsStatus status) {
    outcome.status = status;
    return outcome;
  };

  // linear equations: the first step is exact, the second removes rounding
  const int most_iterations = problem.linear ? 2 : 100;
  double before = residual_norm();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    stop_point();
    if (!std::isfinite(before)) return ended(TopsStatus::not_finite);
    matrix(point.data(), tops.values());
    std::vector<double> step = outcome.residual;
    if (!tops.solve(step)) return ended(TopsStatus::singular);

    const std::vector<double> start = point;
    double after = 0;
    for (double fraction = 1; fraction > shortest; fraction /= 2) {
      for (std::size_t i = 0; i < n; ++i) point[first + i] = start[first + i] - fraction * step[i];
      after = residual_norm();
      if (problem.linear || after < before) break;
    }
    const double size = std::max(1.0, largest(point.data() + first, n));
    const double change = largest(step.data(), n) / size;
    const bool at_rounding = after >= before && change <= 1e-9;
    if (!problem.linear && (change <= 1e-12 || at_rounding)) return outcome;
    before = after;
  }
  return ended(problem.linear ? TopsStatus::solved : TopsStatus::diverged);
}

}  // namespace daedal::solve
