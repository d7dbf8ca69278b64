// The stabilised form of index 2 [GearGuptaLeimkuhler1985]: positions and velocities both satisfy their constraints,
//
//     q' = v - G^T mu,   M a = f + G^T lambda,   c(t, q) = 0,   d/dt c = 0.
//
// A second set of multipliers mu lets the positions give way; on the solution it is 0. The derivatives w of the
// constrained positions become tops of their own, beside mu:
//
//     0 = w - v + G^T mu,      0 = mu      (differentiated; implicit_form puts c(t, q) = 0 in its place).

#include "formulate/gear_gupta_leimkuhler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace daedal::formulate {

namespace {

/// Positions in a point of the states that the constraints of `level` contain.
std::vector<std::uint32_t> constrained(const Level& level) {
  std::vector<std::uint32_t> columns = level.jacobian.column;
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

/// Space in the point for `count` more tops, after the existing ones.
void widen_layout(Problem& problem, std::uint32_t count) {
  const std::uint32_t end = 1 + problem.states + problem.tops;
  compile::Layout wider;
  for (std::uint32_t p = 0; p < end; ++p) wider.add(problem.layout.leaf(p));
  const auto first = static_cast<expr::SymbolId>(first_auxiliary_symbol(problem));
  for (std::uint32_t k = 0; k < count; ++k) wider.add({first + k, 0});
  for (std::uint32_t p = end; p < problem.layout.size(); ++p) wider.add(problem.layout.leaf(p));
  wider.first_parameter = problem.layout.first_parameter + count;
  problem.layout = std::move(wider);
  problem.first_input += count;
  problem.tops += count;
}

}  // namespace

const Level* position_level(const Problem& problem) {
  const auto level = std::find_if(problem.levels.begin(), problem.levels.end(),
                                  [](const Level& l) { return l.level == -2; });
  return level == problem.levels.end() ? nullptr : &*level;
}

void add_position_multipliers(Problem& problem) {
  const Level* const positions = position_level(problem);
  if (positions == nullptr) return;  // on velocity level there is nothing to stabilise
  const std::vector<std::uint32_t> columns = constrained(*positions);
  const auto rates = static_cast<std::uint32_t>(columns.size());
  const std::uint32_t first = problem.tops, first_mu = first + rates;
  const model::Model& model = *problem.dae->model;
  for (const std::uint32_t column : columns) {
    const expr::Leaf q = problem.layout.leaf(positions->unknowns[column]);
    problem.auxiliaries.push_back("rate of " + model::name_of(model.symbols[q.symbol], q.order));
  }
  for (const std::uint32_t i : positions->equation)
    problem.auxiliaries.push_back("position multiplier of " + problem.dae->equations[i].name);
  widen_layout(problem, rates + positions->rows());

  auto graph = std::make_shared<expr::Graph>(model.graph);
  const auto top = [&](std::uint32_t j) {
    return graph->leaf(problem.layout.leaf(problem.top_position(j)));
  };
  const std::vector<expr::Expr> jacobian = expr::expand(positions->jacobian.values, *graph);
  std::vector<expr::Term> terms;
  std::vector<std::uint32_t> row_of(positions->unknowns.size());
  for (std::uint32_t k = 0; k < rates; ++k) {
    const std::uint32_t state = positions->unknowns[columns[k]] - 1;
    row_of[columns[k]] = first + k;
    const expr::Expr v = graph->leaf(problem.layout.leaf(problem.next[state]));
    terms.push_back({graph->sub(top(first + k), v), first + k});
    problem.next[state] = problem.top_position(first + k);
  }
  for (std::uint32_t i = 0; i < positions->rows(); ++i) {
    terms.push_back({top(first_mu + i), first_mu + i});
    for (std::uint32_t e = positions->jacobian.row_start[i];
         e < positions->jacobian.row_start[i + 1]; ++e)
      terms.push_back(
          {graph->mul(jacobian[e], top(first_mu + i)), row_of[positions->jacobian.column[e]]});
  }
  problem.residual.rows = problem.tops;
  const auto symbols =
      static_cast<std::uint32_t>(first_auxiliary_symbol(problem) + problem.auxiliaries.size());
  problem.residual = expr::sum(
      problem.residual, expr::gather(graph, terms, problem.tops, symbols, [&](expr::SymbolId s) {
        return s >= model.symbols.size() || model.varies(s);
      }));
  problem.c.resize(problem.tops, 0);
  problem.d.resize(problem.tops, 0);
}

}  // namespace daedal::formulate
