#include "laws/linear_expressions.hpp"

#include <cstddef>
#include <utility>

namespace daedal::model {

using expr::Expr;

namespace {

/// Of the rows and columns that are left, by expansion along the first of these rows.
Expr determinant(expr::Graph& g, const std::vector<std::vector<Expr>>& m,
                 const std::vector<std::size_t>& rows, const std::vector<std::size_t>& columns) {
  if (rows.empty()) return g.constant(1);
  Expr sum = g.constant(0);
  const std::vector<std::size_t> below(rows.begin() + 1, rows.end());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Expr entry = m[rows[0]][columns[k]];
    if (g.is_constant(entry, 0)) continue;
    std::vector<std::size_t> others = columns;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    const Expr term = g.mul(entry, determinant(g, m, below, others));
    sum = k % 2 == 0 ? g.add(sum, term) : g.sub(sum, term);
  }
  return sum;
}

}  // namespace

std::vector<Expr> solved(expr::Graph& g, const std::vector<std::vector<Expr>>& m,
                         std::vector<Expr> right) {
  std::vector<std::size_t> rows(right.size()), columns(right.size());
  for (std::size_t k = 0; k < right.size(); ++k) rows[k] = columns[k] = k;
  std::vector<Expr> x(right.size());
  for (bool found = true; found;) {
    found = false;
    for (std::size_t r = 0; r < rows.size() && !found; ++r) {
      std::vector<std::size_t> present;
      for (std::size_t c = 0; c < columns.size(); ++c)
        if (!g.is_constant(m[rows[r]][columns[c]], 0)) present.push_back(c);
      if (present.size() != 1) continue;
      const std::size_t row = rows[r], column = columns[present[0]];
      x[column] = g.div(right[row], m[row][column]);
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(r));
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(present[0]));
      for (const std::size_t other : rows)
        right[other] = g.sub(right[other], g.mul(m[other][column], x[column]));
      found = true;
    }
  }
  const Expr whole = determinant(g, m, rows, columns);
  if (g.is_constant(whole, 0)) return {};
  for (const std::size_t column : columns) {
    std::vector<std::vector<Expr>> replaced = m;
    for (const std::size_t row : rows) replaced[row][column] = right[row];
    x[column] = g.div(determinant(g, replaced, rows, columns), whole);
  }
  return x;
}

}  // namespace daedal::model
