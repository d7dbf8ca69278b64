// The equations that implicit methods solve: of index 1, or less differentiated.
//
// Level -m of a Problem holds f_i^(c_i - m). In the formulation of index m + 1 each row comes from there, or from its own
// lowest level where it has fewer: velocities (m = 1) or positions (m = 2) of holonomic constraints.

#include "daedal/formulate/problem.hpp"

#include <algorithm>
#include <map>

namespace daedal::formulate {

namespace {

int most_missing(Kind kind) { return kind == Kind::index3 ? 2 : kind == Kind::index2 ? 1 : 0; }

bool is_definition(const Problem& problem, std::uint32_t equation) {
  const std::vector<derive::Equation>& equations = problem.dae->equations;
  return equation < equations.size() &&
         equations[equation].kind == derive::EquationKind::definition;
}

std::vector<std::uint8_t> missing_by_row(const Problem& problem) {
  const int most = most_missing(problem.formulation.kind);
  std::vector<std::uint8_t> missing(problem.algebraic(), 0);
  for (std::uint32_t i = 0; i < problem.tops; ++i)
    if (!is_definition(problem, i))
      missing[i] = static_cast<std::uint8_t>(std::min(problem.c[i], most));
  const bool none = std::all_of(missing.begin(), missing.end(), [](int m) { return m == 0; });
  return none ? std::vector<std::uint8_t>{} : missing;
}

/// Of each equation that is a definition, the symbol it defines.
std::map<std::uint32_t, expr::SymbolId> defined_by(const Problem& problem) {
  std::map<std::uint32_t, expr::SymbolId> symbol;
  auto let = problem.dae->model->lifted.begin();
  for (std::uint32_t i = 0; i < problem.dae->equations.size(); ++i)
    if (is_definition(problem, i)) symbol.emplace(i, (let++)->symbol);
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
    }
    result = expr::sum(result, expr::select_rows(level.residual, to, rows));
  }
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
  form.state_matrix =
      jacobian_in(problem, form.residual, problem.state_position(0), problem.states);
  form.top_matrix =
      as_it_is ? problem.top_matrix
               : jacobian_in(problem, form.residual, problem.top_position(0), problem.algebraic());
  return form;
}

}  // namespace daedal::formulate
