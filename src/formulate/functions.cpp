#include "formulate/functions.hpp"

#include <algorithm>
#include <map>

namespace daedal::formulate {

using expr::Expr;
using expr::Family;
using expr::Function;
using expr::Graph;
using expr::Leaf;

Function scaled(const Function& f, double factor) {
  Function result = f;
  for (Family& family : result.families) {
    auto graph = std::make_shared<Graph>(family.graph);
    for (Expr& output : family.outputs)
      output = factor == -1 ? graph->neg(output) : graph->mul(graph->constant(factor), output);
    family.graph = graph;
  }
  return result;
}

namespace {

/// The instances of `family` listed in `chosen`.
Family subset(const Family& family, const std::vector<std::uint32_t>& chosen) {
  if (family.identity() || chosen.size() == family.instances) return family;
  Family part = family;
  part.instances = static_cast<std::uint32_t>(chosen.size());
  part.symbols.clear();
  part.rows.clear();
  const std::size_t outputs = family.outputs.size();
  for (const std::uint32_t i : chosen) {
    const auto symbols = family.symbols.begin() + std::ptrdiff_t{i} * family.slots;
    part.symbols.insert(part.symbols.end(), symbols, symbols + family.slots);
    const auto rows = family.rows.begin() + static_cast<std::ptrdiff_t>(i * outputs);
    part.rows.insert(part.rows.end(), rows, rows + static_cast<std::ptrdiff_t>(outputs));
  }
  return part;
}

/// Drops outputs that are identically zero.
void drop_zero_outputs(Family& family) {
  std::vector<Expr> kept;
  std::vector<std::size_t> index;
  for (std::size_t k = 0; k < family.outputs.size(); ++k)
    if (!family.graph->is_constant(family.outputs[k], 0))
      kept.push_back(family.outputs[k]), index.push_back(k);
  if (kept.size() == family.outputs.size()) return;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < family.instances; ++i)
    for (const std::size_t k : index) rows.push_back(family.row(i, k));
  family.outputs = std::move(kept);
  family.rows = std::move(rows);
}

}  // namespace

Function with_zeros(const Function& f, const std::function<bool(Leaf)>& is_zero) {
  Function result;
  result.rows = f.rows;
  for (const Family& family : f.families) {
    const std::vector<Leaf> leaves = expr::leaves(*family.graph, family.outputs);
    std::map<std::vector<bool>, std::vector<std::uint32_t>> by_pattern;
    for (std::uint32_t i = 0; i < family.instances; ++i) {
      std::vector<bool> pattern;
      for (const Leaf& leaf : leaves)
        pattern.push_back(is_zero({family.symbol(i, leaf.symbol), leaf.order}));
      by_pattern[pattern].push_back(i);
    }
    for (const auto& [pattern, instances] : by_pattern) {
      Family part = subset(family, instances);
      auto graph = std::make_shared<Graph>(family.graph);
      const Expr zero = graph->constant(0);
      part.outputs = expr::copy(*family.graph, family.outputs, *graph,
                                [&, &vanishes = pattern](Leaf leaf) -> std::optional<Expr> {
                                  const auto it =
                                      std::lower_bound(leaves.begin(), leaves.end(), leaf);
                                  if (vanishes[static_cast<std::size_t>(it - leaves.begin())])
                                    return zero;
                                  return std::nullopt;
                                });
      part.graph = graph;
      drop_zero_outputs(part);
      if (!part.outputs.empty()) result.families.push_back(std::move(part));
    }
  }
  return result;
}

Function rows_where(const Function& f, const std::function<bool(std::uint32_t)>& keep) {
  std::vector<std::uint32_t> row(f.rows);
  for (std::uint32_t i = 0; i < f.rows; ++i) row[i] = keep(i) ? i : Family::no_row;
  return expr::select_rows(f, row, f.rows);
}

std::vector<Leaf> leaves_of(const Function& f) {
  std::vector<Leaf> result;
  for (const Family& family : f.families)
    for (const Leaf& leaf : expr::leaves(*family.graph, family.outputs))
      for (std::uint32_t i = 0; i < family.instances; ++i)
        result.push_back({family.symbol(i, leaf.symbol), leaf.order});
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace daedal::formulate
