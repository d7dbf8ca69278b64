#include "daedal/structure/system_jacobian.hpp"

#include <algorithm>
#include <map>

namespace daedal::structure {

using expr::Family;
using expr::Function;
using expr::Leaf;

namespace {

/// Rows of a sum of sparse functions whose rows do not overlap: where each entry of a part goes.
expr::SparseFunction merge(std::vector<expr::SparseFunction> parts, std::uint32_t rows,
                           std::uint32_t columns) {
  expr::SparseFunction result;
  result.rows = rows;
  result.columns = columns;
  std::vector<std::vector<std::uint32_t>> position(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) position[p].resize(parts[p].column.size());
  result.row_start.push_back(0);
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (std::uint32_t e = parts[p].row_start[i]; e < parts[p].row_start[i + 1]; ++e) {
        position[p][e] = static_cast<std::uint32_t>(result.column.size());
        result.column.push_back(parts[p].column[e]);
      }
    result.row_start.push_back(static_cast<std::uint32_t>(result.column.size()));
  }
  const auto entries = static_cast<std::uint32_t>(result.column.size());
  result.values.rows = entries;
  for (std::size_t p = 0; p < parts.size(); ++p)
    result.values =
        expr::sum(result.values, expr::select_rows(parts[p].values, position[p], entries));
  return result;
}

}  // namespace

// Which leaf is differentiated by depends on the row through c_i alone, so equations of equal c_i are taken together.
expr::SparseFunction system_jacobian(const derive::Dae& dae, const Offsets& offsets) {
  const auto equations = static_cast<std::uint32_t>(dae.equations.size());
  const auto unknowns = static_cast<std::uint32_t>(dae.unknowns.size());
  std::vector<std::uint32_t> column(dae.model->symbols.size(), Family::no_row);
  for (std::uint32_t j = 0; j < unknowns; ++j) column[dae.unknowns[j]] = j;
  std::map<int, std::vector<std::uint32_t>> rows_of;  // by c
  for (std::uint32_t i = 0; i < equations; ++i) rows_of[offsets.c[i]].push_back(i);

  std::vector<expr::SparseFunction> parts;
  for (const auto& [c, rows] : rows_of) {
    std::vector<std::uint32_t> kept(equations, Family::no_row);
    for (const std::uint32_t i : rows) kept[i] = i;
    const Function residual = expr::select_rows(dae.residual, kept, equations);
    parts.push_back(expr::jacobian(residual, unknowns, [&, times = c](Leaf leaf) {
      const std::uint32_t j = column[leaf.symbol];
      return j != Family::no_row && leaf.order + times == offsets.d[j] ? j : Family::no_row;
    }));
  }
  return merge(std::move(parts), equations, unknowns);
}

}  // namespace daedal::structure
