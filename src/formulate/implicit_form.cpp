// The equations that implicit methods solve: of index 1, or less differentiated.
//
// Level -m of a Problem holds f_i^(c_i - m). In the formulation of index m + 1 each row comes from there, or from its own
// lowest level where it has fewer: velocities (m = 1) or positions (m = 2) of holonomic constraints. The augmented
// Lagrangian is that of index 3 with constraints c = 0 relaxed to lambda - held + stiffness c = 0.

#include "daedal/formulate/problem.hpp"
#include "formulate/functions.hpp"

#include <algorithm>

namespace daedal::formulate {

namespace {

int most_missing(Kind kind) {
  if (kind == Kind::index3 || kind == Kind::augmented_lagrangian) return 2;
  return kind == Kind::index2 ? 1 : 0;
}

std::vector<std::uint8_t> missing_by_row(const Problem& problem) {
  const int most = most_missing(problem.formulation.kind);
  std::vector<std::uint8_t> missing;
  for (const int c : problem.c) missing.push_back(static_cast<std::uint8_t>(std::min(c, most)));
  const bool none = std::all_of(missing.begin(), missing.end(), [](int m) { return m == 0; });
  return none ? std::vector<std::uint8_t>{} : missing;
}

expr::Function lowered(const Problem& problem, const std::vector<std::uint8_t>& missing) {
  using expr::Family;
  const std::uint32_t rows = problem.tops;
  std::vector<std::uint32_t> to(rows, Family::no_row);
  for (std::uint32_t i = 0; i < rows; ++i)
    if (missing[i] == 0) to[i] = i;
  expr::Function result = expr::select_rows(problem.residual, to, rows);
  for (const Level& level : problem.levels) {
    to.assign(level.rows(), Family::no_row);
    for (std::uint32_t r = 0; r < level.rows(); ++r)
      if (missing[level.equation[r]] == -level.level) to[r] = level.equation[r];
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
  form.residual = form.missing.empty() ? problem.residual : lowered(problem, form.missing);
  if (!problem.held.empty()) form.residual = relaxed(problem, form.residual);
  form.state_matrix =
      jacobian_in(problem, form.residual, problem.state_position(0), problem.states);
  form.top_matrix = form.missing.empty() ? problem.top_matrix
                                         : jacobian_in(problem, form.residual,
                                                       problem.top_position(0), problem.tops);
  return form;
}

}  // namespace daedal::formulate
