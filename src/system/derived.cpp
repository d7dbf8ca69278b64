#include "derived.hpp"

#include "daedal/system/no_row.hpp"

#include <cstdint>
#include <utility>

namespace daedal::solve {

namespace {

/// Rows and those columns of a level's Jacobian that may move, as a bipartite graph with a largest matching.
class LevelGraph {
 public:
  explicit LevelGraph(const formulate::Level& level)
      : columns_of_(level.rows()), rows_of_(level.unknowns.size()) {
    const expr::SparseFunction& j = level.jacobian;
    for (std::uint32_t r = 0; r < j.rows; ++r)
      for (std::uint32_t k = j.row_start[r]; k < j.row_start[r + 1]; ++k) {
        const std::uint32_t c = j.column[k];
        if (!level.movable.empty() && !level.movable[c]) continue;
        columns_of_[r].push_back(c);
        rows_of_[c].push_back(r);
      }
    column_of_.assign(columns_of_.size(), no_row);
    row_of_.assign(rows_of_.size(), no_row);
    for (std::uint32_t r = 0; r < columns_of_.size(); ++r) match(r);
  }

  const std::vector<std::uint32_t>& rows_of(std::uint32_t column) const { return rows_of_[column]; }

  struct Part {
    std::vector<bool> rows, columns;
  };
  /// What alternating paths reach from the unmatched columns: more unknowns than equations.
  Part under_determined() const {
    Part part{std::vector<bool>(columns_of_.size()), std::vector<bool>(rows_of_.size())};
    std::vector<std::uint32_t> open;
    for (std::uint32_t c = 0; c < rows_of_.size(); ++c)
      if (row_of_[c] == no_row) open.push_back(c), part.columns[c] = true;
    while (!open.empty()) {
      const std::uint32_t c = open.back();
      open.pop_back();
      for (const std::uint32_t r : rows_of_[c]) {
        if (part.rows[r]) continue;
        part.rows[r] = true;
        if (const std::uint32_t next = column_of_[r]; next != no_row && !part.columns[next])
          open.push_back(next), part.columns[next] = true;
      }
    }
    return part;
  }

 private:
  /// A shortest augmenting path from `start`, when there is one.
  void match(std::uint32_t start) {
    std::vector<std::uint32_t> queue = {start};
    std::vector<std::uint32_t> came_from(rows_of_.size(), no_row);
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const std::uint32_t c : columns_of_[queue[next]]) {
        if (came_from[c] != no_row) continue;
        came_from[c] = queue[next];
        if (row_of_[c] != no_row) {
          queue.push_back(row_of_[c]);
          continue;
        }
        for (std::uint32_t column = c; column != no_row;) {
          const std::uint32_t row = came_from[column];
          row_of_[column] = row;
          column = std::exchange(column_of_[row], column);
        }
        return;
      }
  }

  std::vector<std::vector<std::uint32_t>> columns_of_, rows_of_;
  std::vector<std::uint32_t> column_of_, row_of_;  // the matching
};

/// By row: whether its derivatives contain unknowns of the level.
std::vector<bool> nonlinear_rows(const formulate::Problem& problem, const formulate::Level& level) {
  std::vector<bool> unknown(problem.layout.size(), false), nonlinear(level.rows(), false);
  for (const std::uint32_t position : level.unknowns) unknown[position] = true;
  std::vector<std::uint32_t> row_of_entry(level.jacobian.column.size());
  for (std::uint32_t r = 0; r < level.jacobian.rows; ++r)
    for (std::uint32_t k = level.jacobian.row_start[r]; k < level.jacobian.row_start[r + 1]; ++k)
      row_of_entry[k] = r;
  for (const expr::Occurrence& o : expr::occurrences(level.jacobian.values)) {
    const std::uint32_t position = problem.layout.find(o.leaf);
    if (position != compile::absent && unknown[position]) nonlinear[row_of_entry[o.row]] = true;
  }
  return nonlinear;
}

}  // namespace

std::vector<bool> derived_columns(const formulate::Problem& problem,
                                  const formulate::Level& level) {
  const LevelGraph graph(level);
  const LevelGraph::Part under = graph.under_determined();
  const std::vector<bool> nonlinear = nonlinear_rows(problem, level);
  std::vector<bool> derived(level.unknowns.size(), false);
  for (std::uint32_t c = 0; c < derived.size(); ++c) {
    derived[c] = !under.columns[c];
    for (const std::uint32_t r : graph.rows_of(c))
      if (!under.rows[r] && nonlinear[r]) derived[c] = false;
  }
  return derived;
}

}  // namespace daedal::solve
