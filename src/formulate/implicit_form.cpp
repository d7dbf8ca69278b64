// The equations that implicit methods solve: of index 1, or less differentiated.
//
// Level -m of a Problem holds f_i^(c_i - m). In the formulation of index m + 1 each row comes from there, or from its own
// lowest level where it has fewer: velocities (m = 1) or positions (m = 2) of holonomic constraints. The stabilised form
// of index 2 (ggl) has both: velocities in the rows of the constraints, positions in those of their own multipliers. The
// augmented Lagrangian is that of index 3 with constraints c = 0 relaxed to lambda - held + stiffness c = 0.

#include "daedal/formulate/problem.hpp"
#include "formulate/dae_index.hpp"
#include "formulate/functions.hpp"
#include "formulate/gear_gupta_leimkuhler.hpp"

#include <algorithm>
#include <map>

namespace daedal::formulate {

namespace {

int most_missing(Kind kind) {
  if (kind == Kind::index3 || kind == Kind::augmented_lagrangian) return 2;
  return kind == Kind::index2 || kind == Kind::ggl ? 1 : 0;
}

/// Row of the first position multiplier (ggl); past the last row when there is none.
std::uint32_t first_position_row(const Problem& problem) {
  const Level* const positions =
      problem.formulation.kind == Kind::ggl ? position_level(problem) : nullptr;
  return problem.tops - (positions == nullptr ? 0 : positions->rows());
}

std::vector<std::uint8_t> missing_by_row(const Problem& problem) {
  const int most = most_missing(problem.formulation.kind);
  std::vector<std::uint8_t> missing(problem.algebraic(), 0);
  for (std::uint32_t i = 0; i < problem.tops; ++i)
    if (!is_definition(*problem.dae, i))
      missing[i] = static_cast<std::uint8_t>(std::min(problem.c[i], most));
  const std::uint32_t positions = first_position_row(problem);
  std::fill(missing.begin() + positions, missing.begin() + problem.tops, std::uint8_t{1});
  const bool none = std::all_of(missing.begin(), missing.end(), [](int m) { return m == 0; });
  return none ? std::vector<std::uint8_t>{} : missing;
}

/// Of each equation that is a definition, the symbol it defines.
std::map<std::uint32_t, expr::SymbolId> defined_by(const Problem& problem) {
  std::map<std::uint32_t, expr::SymbolId> symbol;
  auto let = problem.dae->model->lifted.begin();
  for (std::uint32_t i = 0; i < problem.dae->equations.size(); ++i)
    if (is_definition(*problem.dae, i)) symbol.emplace(i, (let++)->symbol);
  return symbol;
}

expr::Function lowered(const Problem& problem, const std::vector<std::uint8_t>& missing) {
  using expr::Family;
  const auto missing_of = [&](std::uint32_t i) { return missing.empty() ? 0 : int{missing[i]}; };
  const std::map<std::uint32_t, expr::SymbolId> defined = defined_by(problem);
  const std::uint32_t rows = problem.algebraic();
  std::vector<std::uint32_t> to(problem.tops, Family::no_row);
  for (std::uint32_t i = 0; i < problem.tops; ++i)
    if (missing_of(i) == 0) to[i] = i;
  expr::Function result = expr::select_rows(problem.residual, to, rows);
  for (const Level& level : problem.levels) {
    to.assign(level.rows(), Family::no_row);
    for (std::uint32_t r = 0; r < level.rows(); ++r) {
      const std::uint32_t i = level.equation[r];
      if (const auto lifted = defined.find(i); lifted != defined.end())
        to[r] =
            problem.layout.find({lifted->second, level.derivative[r]}) - problem.top_position(0);
      else if (missing_of(i) == -level.level)
        to[r] = i;
      else if (problem.formulation.kind == Kind::ggl && level.level == -2)
        to[r] = first_position_row(problem) + r;
    }
    result = expr::sum(result, expr::select_rows(level.residual, to, rows));
  }
  return result;
}

/// lambda - held + stiffness c in place of c.
expr::Function relaxed(const Problem& problem, const expr::Function& lowered) {
  std::vector<bool> is_held(lowered.rows, false);
  auto graph = std::make_shared<expr::Graph>(problem.dae->model->graph);
  std::vector<expr::Term> terms;
  for (const HeldMultiplier& h : problem.held) {
    is_held[h.equation] = true;
    terms.push_back({graph->sub(graph->leaf(problem.layout.leaf(h.multiplier)),
                                graph->leaf(problem.layout.leaf(h.held))),
                     h.equation});
  }
  expr::Function result =
      expr::sum(rows_where(lowered, [&](std::uint32_t i) { return !is_held[i]; }),
                scaled(rows_where(lowered, [&](std::uint32_t i) { return is_held[i]; }),
                       problem.formulation.augmented.stiffness));
  if (!terms.empty()) result.families.push_back(expr::identity_family(graph, terms));
  return result;
}

/// d f / d (count entries of the point from `first` on).
expr::SparseFunction jacobian_in(const Problem& problem, const expr::Function& f,
                                 std::uint32_t first, std::uint32_t count) {
  return expr::jacobian(f, count, [&](expr::Leaf leaf) {
    const std::uint32_t position = problem.layout.find(leaf);
    const bool inside = position >= first && position < first + count;
    return inside ? position - first : expr::Family::no_row;
  });
}

}  // namespace

ImplicitForm implicit_form(const Problem& problem) {
  ImplicitForm form;
  form.missing = missing_by_row(problem);
  const bool as_it_is = form.missing.empty() && problem.lifted == 0;
  form.residual = as_it_is ? problem.residual : lowered(problem, form.missing);
  if (!problem.held.empty()) form.residual = relaxed(problem, form.residual);
  form.state_matrix =
      jacobian_in(problem, form.residual, problem.state_position(0), problem.states);
  form.top_matrix =
      as_it_is ? problem.top_matrix
               : jacobian_in(problem, form.residual, problem.top_position(0), problem.algebraic());
  return form;
}

}  // namespace daedal::formulate
