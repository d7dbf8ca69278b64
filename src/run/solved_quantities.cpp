#include "solved_quantities.hpp"

#include "daedal/base/lu.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace daedal::solve {

namespace {

/// Residuals and the entries of their Jacobian, which are listed in `entries` as (row, column).
template <class Entries>
expr::Function with_jacobian(const model::Model& model, const model::Solved& solved,
                             Entries& entries) {
  const auto graph = std::make_shared<expr::Graph>(model.graph);
  std::vector<expr::Leaf> unknowns;
  for (const expr::SymbolId symbol : solved.unknowns) unknowns.push_back({symbol, 0});
  std::vector<expr::Term> terms;
  for (const expr::Expr residual : solved.residuals)
    terms.push_back({residual, static_cast<std::uint32_t>(terms.size())});
  for (const expr::JacobianEntry& entry : expr::jacobian(*graph, solved.residuals, unknowns)) {
    terms.push_back({entry.value, static_cast<std::uint32_t>(terms.size())});
    entries.push_back({entry.row, entry.column});
  }
  return {static_cast<std::uint32_t>(terms.size()), {expr::identity_family(graph, terms)}};
}

}  // namespace

SolvedQuantities::SolvedQuantities(const model::Model& model, const model::Solved& solved,
                                   const formulate::Problem& problem, const double* point,
                                   const compile::Options& options)
    : evaluation_(with_jacobian(model, solved, entries_), problem.layout, point, options) {
  for (const expr::SymbolId symbol : solved.unknowns)
    positions_.push_back(problem.layout.find({symbol, 0}));
  const auto size = static_cast<Eigen::Index>(positions_.size());
  jacobian_.resize(size, size);
  residual_.resize(size);
  rows_.resize(evaluation_.rows());
}

std::string SolvedQuantities::solve(double* point) {
  constexpr int most_iterations = 50;
  constexpr double converged = 1e-9;  // of a step: the error after it is of the order of its square
  const std::size_t size = positions_.size();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    evaluation_(point, rows_.data());
    if (std::ranges::any_of(rows_, [](double v) { return !std::isfinite(v); }))
      return "its equations have no finite values there";
    jacobian_.setZero();
    for (std::size_t k = 0; k < entries_.size(); ++k)
      jacobian_(entries_[k].row, entries_[k].column) = rows_[size + k];
    for (std::size_t k = 0; k < size; ++k) residual_[static_cast<Eigen::Index>(k)] = -rows_[k];
    if (!solve_scaled(jacobian_, residual_)) return "its equations are singular there";
    bool small = true;
    for (std::size_t k = 0; k < size; ++k) {
      double& x = point[positions_[k]];
      const double change = residual_[static_cast<Eigen::Index>(k)];
      x += change;
      small = small && std::abs(change) <= converged * (1 + std::abs(x));
    }
    if (small) return {};
  }
  return "Newton's method does not converge";
}

}  // namespace daedal::solve
