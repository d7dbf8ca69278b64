#include "servo_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedal::inversion {

using expr::Expr;
using expr::Leaf;

namespace {

/// Of the largest entry: below, a pivot is zero.
constexpr double zero_pivot = 1e-10;

}  // namespace

void refuse_reduction(const model::Model& model, std::string message, std::string help) {
  throw ModelError({Severity::error,
                    model.servos.empty() ? model.place : model.servos.front().place,
                    fmt::format("model '{}': {}", model.name, message),
                    {},
                    std::move(help)});
}

ServoRows::ServoRows(const derive::Dae& tracking, const structure::Point& start)
    : dae_(tracking),
      start_(start),
      graph_(std::make_shared<expr::Graph>(tracking.model->graph)),
      rows_(expr::expand(tracking.residual, *graph_)),
      first_servo_(
          static_cast<std::uint32_t>(tracking.equations.size() - tracking.model->servos.size())) {
  for (const expr::SymbolId unknown : dae_.unknowns) highest_[unknown] = 0;
  for (const expr::Occurrence& o : expr::occurrences(dae_.residual))
    if (const auto unknown = highest_.find(o.leaf.symbol); unknown != highest_.end())
      unknown->second = std::max<int>(unknown->second, o.leaf.order);
  for (const expr::SymbolId unknown : dae_.unknowns)
    if (highest_[unknown] > 0 && dae_.model->symbols[unknown].kind != model::SymbolKind::input)
      tops_.push_back({unknown, static_cast<std::uint16_t>(highest_[unknown])});
}

int ServoRows::missing(std::uint32_t row) const {
  const Expr roots[] = {rows_[row]};
  int least = -1;
  for (const Leaf leaf : expr::leaves(*graph_, roots)) {
    const auto unknown = highest_.find(leaf.symbol);
    if (unknown == highest_.end()) continue;
    const bool moves =
        std::find(tops_.begin(), tops_.end(),
                  Leaf{leaf.symbol, static_cast<std::uint16_t>(unknown->second)}) != tops_.end();
    if (!moves) return 0;
    const int distance = unknown->second - leaf.order;
    least = least < 0 ? distance : std::min(least, distance);
  }
  return std::max(least, 0);
}

Expr ServoRows::derivative(Expr row, int k) {
  std::vector<Expr> value{row};
  for (; k > 0; --k)
    value = expr::time_derivative(*graph_, value,
                                  [&](expr::SymbolId s) { return dae_.model->varies(s); });
  return value[0];
}

double ServoRows::value(Expr e) const {
  const Expr roots[] = {e};
  return expr::evaluate(*graph_, roots, start_)[0];
}

SampledMatrix ServoRows::by_tops(const std::vector<Expr>& rows) {
  SampledMatrix matrix{rows.size(), tops_.size(), {}, {}};
  matrix.entries.assign(rows.size() * tops_.size(), graph_->constant(0));
  for (const expr::JacobianEntry& e : expr::jacobian(*graph_, rows, tops_))
    matrix.entries[e.row * matrix.columns + e.column] = e.value;
  matrix.sample = expr::evaluate(*graph_, matrix.entries, start_);
  return matrix;
}

std::vector<Expr> ServoRows::with(const std::vector<Expr>& rows,
                                  const std::map<Leaf, Expr>& leaves) {
  return expr::copy(*graph_, rows, *graph_, [&](Leaf leaf) -> std::optional<Expr> {
    const auto other = leaves.find(leaf);
    return other == leaves.end() ? std::nullopt : std::optional(other->second);
  });
}

derive::Dae ServoRows::make(const std::vector<Expr>& rows, std::vector<derive::Equation> equations,
                            std::vector<expr::SymbolId> unknowns,
                            std::shared_ptr<const model::Model> model) const {
  derive::Dae result = dae_;
  if (model) result.model = std::move(model);
  result.equations = std::move(equations);
  result.unknowns = std::move(unknowns);
  std::vector<expr::Term> terms;
  for (const Expr row : rows) terms.push_back({row, static_cast<std::uint32_t>(terms.size())});
  result.residual = {static_cast<std::uint32_t>(terms.size()),
                     {expr::identity_family(graph_, terms)}};
  return result;
}

Pivots largest_pivots(const SampledMatrix& matrix) {
  std::vector<double> a = matrix.sample;
  const auto entry = [&](std::size_t i, std::size_t j) -> double& {
    return a[i * matrix.columns + j];
  };
  double scale = 0;
  for (const double value : a) scale = std::max(scale, std::abs(value));
  std::vector<bool> row_used(matrix.rows), column_used(matrix.columns);
  Pivots pivots;
  while (pivots.rows.size() < std::min(matrix.rows, matrix.columns)) {
    std::size_t row = 0, column = 0;
    double largest = zero_pivot * scale;
    for (std::size_t i = 0; i < matrix.rows; ++i)
      for (std::size_t j = 0; j < matrix.columns; ++j)
        if (!row_used[i] && !column_used[j] && std::abs(entry(i, j)) > largest)
          largest = std::abs(entry(i, j)), row = i, column = j;
    if (largest <= zero_pivot * scale) break;
    row_used[row] = column_used[column] = true;
    pivots.rows.push_back(row);
    pivots.columns.push_back(column);
    for (std::size_t i = 0; i < matrix.rows; ++i) {
      if (row_used[i]) continue;
      const double factor = entry(i, column) / entry(row, column);
      for (std::size_t j = 0; j < matrix.columns; ++j) entry(i, j) -= factor * entry(row, j);
    }
  }
  return pivots;
}

}  // namespace daedal::inversion
