// See singular.hpp.

#include "daedal/start/singular.hpp"

#include "daedal/base/svd.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/level_residual.hpp"
#include "daedal/system/point.hpp"
#include "redundancy.hpp"

#include <Eigen/Core>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace daedal::solve {

namespace {

std::vector<double> values_at(const formulate::Problem& problem, const expr::SparseFunction& f,
                              std::span<const double> point) {
  std::vector<double> values(f.column.size());
  Evaluation(f.values, problem.layout, point.data(), tape_only())(point.data(), values.data());
  return values;
}

/// Indices of the entries of a unit vector that matter, largest first, not more than a reader
/// wants.
std::vector<Eigen::Index> leading(const Eigen::VectorXd& v) {
  std::vector<Eigen::Index> found;
  for (Eigen::Index i = 0; i < v.size(); ++i)
    if (std::abs(v[i]) > 0.1 * v.cwiseAbs().maxCoeff()) found.push_back(i);
  std::stable_sort(found.begin(), found.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(v[a]) > std::abs(v[b]); });
  if (found.size() > 6) found.resize(6);
  return found;
}

}  // namespace

std::string describe_equation(const formulate::Problem& problem, std::uint32_t equation) {
  const std::size_t own = problem.dae->equations.size() + (problem.has_work ? 1 : 0);
  if (equation >= own) return problem.auxiliaries[equation - own];
  if (equation >= problem.dae->equations.size()) return "the energy balance";
  const derive::Equation& e = problem.dae->equations[equation];
  switch (e.kind) {
    case derive::EquationKind::constraint:
      return fmt::format("constraint '{}'", e.name);
    case derive::EquationKind::servo:
      return fmt::format("servo '{}'", e.name);
    case derive::EquationKind::equation:
      return fmt::format("equation '{}'", e.name);
    case derive::EquationKind::motion:
    case derive::EquationKind::drive:
    case derive::EquationKind::definition:
      return e.name;
  }
  return e.name;
}

ConstraintRank constraint_rank(const formulate::Problem& problem, std::span<const double> point,
                               double tolerance) {
  if (problem.levels.empty()) return {};
  const formulate::Level& level = problem.levels.back();
  const std::vector<double> values = values_at(problem, level.jacobian, point);
  // Definitions come first: what depends on them is a constraint. Constraints of positions come before those of
  // velocities: they say more than their derivatives.
  const auto is_definition = [&](std::uint32_t row) { return row >= level.constraints(); };
  std::vector<std::uint32_t> order(level.jacobian.rows);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (is_definition(a) != is_definition(b)) return is_definition(a);
    return level.derivative[a] > level.derivative[b];
  });
  RowMatrix matrix{level.jacobian.rows, level.jacobian.columns, {0}, {}, {}};
  for (const std::uint32_t r : order) {
    for (std::uint32_t k = level.jacobian.row_start[r]; k < level.jacobian.row_start[r + 1]; ++k) {
      const std::uint32_t c = level.jacobian.column[k];
      if (!level.movable.empty() && !level.movable[c]) continue;
      matrix.column.push_back(c);
      matrix.values.push_back(values[k] * nominal_at(problem, level.unknowns[c]));
    }
    matrix.row_start.push_back(static_cast<std::uint32_t>(matrix.column.size()));
  }
  ConstraintRank rank{level.constraints(), rank_of_rows(matrix, tolerance)};
  rank.report.rank -= level.definitions;
  for (DependentRow& dependent : rank.report.dependent) {
    dependent.row = order[dependent.row];
    for (std::uint32_t& row : dependent.follows_from) row = order[row];
    std::erase_if(dependent.follows_from, is_definition);
  }
  return rank;
}

std::vector<double> gradient_lengths(const formulate::Problem& problem,
                                     std::span<const double> point) {
  if (problem.levels.empty()) return {};
  const formulate::Level& level = problem.levels.back();
  const std::vector<double> values = values_at(problem, level.jacobian, point);
  std::vector<double> lengths(level.constraints(), 0.0);
  for (std::uint32_t r = 0; r < level.constraints(); ++r)
    for (std::uint32_t k = level.jacobian.row_start[r]; k < level.jacobian.row_start[r + 1]; ++k)
      lengths[r] = std::hypot(
          lengths[r], values[k] * nominal_at(problem, level.unknowns[level.jacobian.column[k]]));
  return lengths;
}

std::string list_rows(const formulate::Problem& problem, const std::vector<std::uint32_t>& rows) {
  std::vector<Named> names;
  for (const std::uint32_t row : rows) {
    const derive::Equation& e = problem.dae->equations[problem.levels.back().equation[row]];
    names.push_back({e.name, e.place});
  }
  return list_names(names);
}

Undetermined undetermined(const formulate::Problem& problem, std::span<const double> point) {
  constexpr std::uint32_t largest = 400;
  const expr::SparseFunction& f = problem.top_matrix;
  Undetermined found;
  if (f.rows == 0 || f.rows > largest || f.rows != f.columns) return found;
  const std::vector<double> values = values_at(problem, f, point);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(f.rows, f.columns);
  for (std::uint32_t r = 0; r < f.rows; ++r)
    for (std::uint32_t k = f.row_start[r]; k < f.row_start[r + 1]; ++k)
      a(r, f.column[k]) = values[k];
  if (!a.allFinite()) return found;
  for (Eigen::Index r = 0; r < a.rows(); ++r)
    if (const double length = a.row(r).norm(); length > 0) a.row(r) /= length;
  const Svd vectors = svd(a);
  if (vectors.values.minCoeff() > 1e-10 * vectors.values.maxCoeff()) return found;
  for (const Eigen::Index i : leading(vectors.v.rightCols<1>()))
    found.unknowns.push_back(name_at(problem, problem.top_position(static_cast<std::uint32_t>(i))));
  for (const Eigen::Index i : leading(vectors.u.rightCols<1>()))
    found.equations.push_back(describe_equation(problem, static_cast<std::uint32_t>(i)));
  return found;
}

std::vector<std::string> equations_not_finite(const formulate::Problem& problem,
                                              std::span<const double> point, double h) {
  constexpr std::size_t most = 3;
  std::vector<double> at(point.begin(), point.end()), residual(problem.tops);
  for (std::uint32_t i = 0; i < problem.algebraic(); ++i)
    if (double& top = at[1 + problem.states + i]; !std::isfinite(top)) top = 0;
  const std::shared_ptr<EquationJet> jet = shared_jet(problem);
  std::vector<std::string> found;
  const auto look = [&] {
    if (problem.inputs.rows > 0)
      Evaluation(problem.inputs, problem.layout, at.data(), tape_only())(
          at.data(), at.data() + problem.first_input);
    if (jet)
      jet->evaluate(at.data(), 0, residual.data());
    else
      Evaluation(problem.residual, problem.layout, at.data(), tape_only())(at.data(),
                                                                           residual.data());
    for (std::uint32_t i = 0; i < problem.tops && found.size() < most; ++i)
      if (!std::isfinite(residual[i])) found.push_back(describe_equation(problem, i));
  };
  look();
  if (!found.empty() || !std::isfinite(h)) return found;
  std::vector<double> moved = at;
  moved[0] += h;
  for (std::uint32_t i = 0; i < problem.states; ++i) moved[1 + i] += h * at[problem.next[i]];
  at = std::move(moved);
  look();
  return found;
}

std::string values_in(const formulate::Problem& problem, std::span<const double> point,
                      const std::vector<std::string>& described_equations) {
  constexpr int most = 8;
  std::vector<std::uint32_t> positions;
  for (const expr::Occurrence& o : expr::occurrences(problem.equations)) {
    const std::string equation = describe_equation(problem, o.row);
    const std::uint32_t position = problem.layout.find(o.leaf);
    const bool state = position >= 1 && position <= problem.states;
    const bool input = position >= problem.first_input && position < problem.layout.first_parameter;
    if (position != compile::absent && (state || input) &&
        std::find(described_equations.begin(), described_equations.end(), equation) !=
            described_equations.end())
      positions.push_back(position);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  std::string text;
  for (std::size_t k = 0; k < positions.size() && k < most; ++k)
    text += fmt::format("{}{} = {}", k == 0 ? "" : ", ", name_at(problem, positions[k]),
                        with_unit(point[positions[k]], unit_at(problem, positions[k])));
  return positions.size() > most ? text + ", ..." : text;
}

}  // namespace daedal::solve
