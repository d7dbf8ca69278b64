#include "cancellation.hpp"

#include "daedal/structure/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::structure {

using expr::Expr;
using expr::Family;
using expr::Leaf;

namespace {

/// Leaves of unknowns in `e`.
std::vector<Leaf> unknown_leaves(const expr::Graph& graph, Expr e, const derive::Dae& dae) {
  std::vector<Leaf> result;
  for (const Leaf& leaf : expr::leaves(graph, std::span(&e, 1)))
    if (std::find(dae.unknowns.begin(), dae.unknowns.end(), leaf.symbol) != dae.unknowns.end())
      result.push_back(leaf);
  return result;
}

/// Those of `some` that have no higher derivative in `leaves` (sorted by symbol, then order).
std::vector<Leaf> highest(const std::vector<Leaf>& leaves, const std::vector<Leaf>& some) {
  std::vector<Leaf> result;
  for (const Leaf& leaf : some) {
    const auto next = std::upper_bound(leaves.begin(), leaves.end(), leaf);
    if (next == leaves.end() || next->symbol != leaf.symbol) result.push_back(leaf);
  }
  return result;
}

bool vanish_at_all(const expr::Graph& graph, Expr e, const std::vector<Point>& points) {
  return std::all_of(points.begin(), points.end(), [&](const Point& point) {
    const Rounded value = evaluate_rounded(graph, std::span(&e, 1), point)[0];
    return std::isfinite(value.value) && value.vanishes();
  });
}

}  // namespace

Cleaned without_cancelled_leaves(expr::Graph& graph, Expr e, const derive::Dae& dae,
                                 const std::vector<Point>& points) {
  const std::vector<Leaf> leaves = unknown_leaves(graph, e, dae);
  const std::vector<Expr> slopes = expr::gradient(graph, e, leaves);
  std::vector<Leaf> cancelled;
  for (std::size_t k = 0; k < leaves.size(); ++k)
    if (vanish_at_all(graph, slopes[k], points)) cancelled.push_back(leaves[k]);
  const std::vector<Leaf> removed = highest(leaves, cancelled);
  if (removed.empty()) return {e, {}};
  // Any number will do in their place; 0 makes most terms vanish, 1 is the second try where 0 is outside some domain.
  for (const double number : {0.0, 1.0}) {
    const Expr constant = graph.constant(number);
    const Expr rest =
        expr::copy(graph, std::span(&e, 1), graph, [&](Leaf leaf) -> std::optional<Expr> {
          if (std::find(cancelled.begin(), cancelled.end(), leaf) == cancelled.end())
            return std::nullopt;
          return constant;
        })[0];
    if (!vanish_at_all(graph, graph.sub(e, rest), points)) continue;
    return {rest, removed};
  }
  return {e, {}};
}

void replace_row(derive::Dae& dae, std::uint32_t equation, std::shared_ptr<const expr::Graph> graph,
                 Expr value) {
  const std::uint32_t rows = dae.residual.rows;
  std::vector<std::uint32_t> kept(rows);
  for (std::uint32_t i = 0; i < rows; ++i) kept[i] = i == equation ? Family::no_row : i;
  dae.residual = expr::select_rows(dae.residual, kept, rows);
  const expr::Term term[] = {{value, equation}};
  dae.residual.families.push_back(expr::identity_family(std::move(graph), term));
}

std::vector<Expr> written_rows(const derive::Dae& dae, const std::vector<std::uint32_t>& equations,
                               expr::Graph& graph) {
  std::vector<std::uint32_t> place(dae.residual.rows, Family::no_row);
  for (std::uint32_t k = 0; k < equations.size(); ++k) place[equations[k]] = k;
  return expr::expand(
      expr::select_rows(dae.residual, place, static_cast<std::uint32_t>(equations.size())), graph);
}

}  // namespace daedal::structure
