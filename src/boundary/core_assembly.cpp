#include "daedal/boundary/core_assembly.hpp"

#include <algorithm>

namespace daedal::boundary {

CoreAssembly::CoreAssembly(const SecondOrderForm& form) {
  const std::uint32_t n = form.unknowns(), none = n;
  std::vector<std::uint32_t> row(n, none), column(n, none);
  for (std::uint32_t k = 0; k < form.core_unknowns().size(); ++k) {
    row[form.core_equations()[k]] = k;
    column[form.core_unknowns()[k]] = k;
  }
  std::uint32_t value = n;  // after the residual
  for (int k = 0; k < SecondOrderForm::orders; ++k) {
    const solve::SparsePattern& pattern = form.pattern(k);
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t e = pattern.row_start[i]; e < pattern.row_start[i + 1]; ++e, ++value)
        if (row[i] != none && column[pattern.column[e]] != none)
          entries_[k].push_back({value, row[i], column[pattern.column[e]], 0});
  }
  const auto core = static_cast<std::uint32_t>(form.core_unknowns().size());
  std::vector<std::vector<std::uint32_t>> columns(core);
  for (int k = 1; k < SecondOrderForm::orders; ++k)
    for (const Entry& e : entries_[k]) columns[e.row].push_back(e.column);
  coupling_.rows = coupling_.columns = core;
  coupling_.row_start = {0};
  for (std::vector<std::uint32_t>& c : columns) {
    std::sort(c.begin(), c.end());
    c.erase(std::unique(c.begin(), c.end()), c.end());
    coupling_.column.insert(coupling_.column.end(), c.begin(), c.end());
    coupling_.row_start.push_back(static_cast<std::uint32_t>(coupling_.column.size()));
  }
  for (int k = 1; k < SecondOrderForm::orders; ++k)
    for (Entry& e : entries_[k])
      e.coupling = static_cast<std::uint32_t>(
          std::lower_bound(coupling_.column.begin() + coupling_.row_start[e.row],
                           coupling_.column.begin() + coupling_.row_start[e.row + 1], e.column) -
          coupling_.column.begin());
}

void CoreAssembly::fill(const double* values, double step, BlockTridiagonal& to,
                        std::size_t i) const {
  double *const diagonal = to.diagonal(i), *const lower = to.lower(i), *const upper = to.upper(i);
  for (std::size_t r = 0; r < to.size(); ++r)
    std::fill_n(diagonal + r * to.row(), to.stride(), 0.0);
  std::fill_n(lower, coupling_.entries(), 0.0);
  std::fill_n(upper, coupling_.entries(), 0.0);
  for (const Entry& e : entries_[0]) diagonal[e.row * to.row() + e.column] += values[e.value];
  if (step == 0) return;
  const double rate = 0.5 / step, acceleration = 1 / (step * step);
  for (const Entry& e : entries_[1]) {
    lower[e.coupling] -= rate * values[e.value];
    upper[e.coupling] += rate * values[e.value];
  }
  for (const Entry& e : entries_[2]) {
    const double value = acceleration * values[e.value];
    diagonal[e.row * to.row() + e.column] -= 2 * value;
    lower[e.coupling] += value;
    upper[e.coupling] += value;
  }
}

}  // namespace daedal::boundary
