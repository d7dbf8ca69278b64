#include "singular_jacobian.hpp"

#include "daedal/expr/graph.hpp"
#include "daedal/structure/system_jacobian.hpp"

#include <algorithm>
#include <numeric>

namespace daedal::structure {

using expr::Expr;
using expr::Leaf;

SingularJacobian::SingularJacobian(const derive::Dae& dae, const Offsets& offsets)
    : jacobian_(system_jacobian(dae, offsets)), start_(random_point(dae, 0, 0)) {
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j)
    unknown_[dae.unknowns[j]] = static_cast<int>(j);
  RandomJacobians random(dae, jacobian_);
  const std::optional<RandomJacobian> first = random.next(), second = random.next();
  if (!second) return;
  points_ = {first->point, second->point};
  std::vector<std::uint32_t> all(dae.unknowns.size());
  std::iota(all.begin(), all.end(), 0u);
  values_ = first->values.scaled_part(all, all);
}

int SingularJacobian::unknown(expr::SymbolId symbol) const {
  const auto found = unknown_.find(symbol);
  return found == unknown_.end() ? -1 : found->second;
}

std::vector<std::vector<Expr>> SingularJacobian::dense(expr::Graph& graph) const {
  const std::vector<Expr> values = expr::expand(jacobian_.values, graph);
  std::vector<std::vector<Expr>> entry(jacobian_.rows,
                                       std::vector<Expr>(jacobian_.columns, graph.constant(0)));
  for (std::uint32_t i = 0; i < jacobian_.rows; ++i)
    for (std::uint32_t e = jacobian_.row_start[i]; e < jacobian_.row_start[i + 1]; ++e)
      entry[i][jacobian_.column[e]] = values[e];
  return entry;
}

SymbolicRows SingularJacobian::rows(const std::vector<std::uint32_t>& equations,
                                    expr::Graph& graph) const {
  const std::vector<std::vector<Expr>> all = dense(graph);
  SymbolicRows result{.entry = {}, .value = {}, .start = start_, .elsewhere = points_};
  result.value.resize(static_cast<Eigen::Index>(equations.size()), values_.cols());
  for (const std::uint32_t i : equations) {
    result.value.row(static_cast<Eigen::Index>(result.entry.size())) = values_.row(i);
    result.entry.push_back(all[i]);
  }
  return result;
}

SymbolicRows SingularJacobian::columns(const std::vector<std::uint32_t>& unknowns,
                                       expr::Graph& graph) const {
  const std::vector<std::vector<Expr>> all = dense(graph);
  SymbolicRows result{.entry = {}, .value = {}, .start = start_, .elsewhere = points_};
  result.value.resize(static_cast<Eigen::Index>(unknowns.size()), values_.rows());
  for (const std::uint32_t j : unknowns) {
    result.value.row(static_cast<Eigen::Index>(result.entry.size())) = values_.col(j).transpose();
    std::vector<Expr>& column = result.entry.emplace_back();
    for (const std::vector<Expr>& row : all) column.push_back(row[j]);
  }
  return result;
}

bool varies(const derive::Dae& dae, const expr::Graph& graph, Expr e) {
  const std::vector<Leaf> leaves = expr::leaves(graph, std::span(&e, 1));
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const Leaf& leaf) { return dae.model->varies(leaf.symbol); });
}

std::string text(const derive::Dae& dae, const expr::Graph& graph, Expr e) {
  constexpr std::size_t readable = 200;
  return expr::to_text(
      graph, e,
      [&](Leaf leaf) { return model::name_of(dae.model->symbols[leaf.symbol], leaf.order); },
      readable);
}

}  // namespace daedal::structure
