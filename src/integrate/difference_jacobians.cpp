// See difference_jacobians.hpp.

#include "difference_jacobians.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

DifferenceJacobians::DifferenceJacobians(System& system)
    : system_(system),
      point_(system.states() + system.tops()),
      increment_(point_.size()),
      rows_(system.tops()),
      disturbed_(system.tops()) {
  std::vector<std::vector<Entry>> columns(point_.size());
  std::uint32_t target = 0;
  const auto collect = [&](const SparsePattern& pattern, std::uint32_t first) {
    for (std::uint32_t r = 0; r < pattern.rows; ++r)
      for (std::uint32_t k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k) {
        const std::uint32_t column = first + pattern.column[k];
        columns[column].push_back({r, column, target++});
      }
  };
  collect(system.state_pattern(), 0);
  collect(system.top_pattern(), system.states());

  std::vector<std::vector<bool>> taken;  // by group: rows
  for (std::uint32_t c = 0; c < columns.size(); ++c) {
    const auto fits = [&](std::size_t g) {
      return std::none_of(columns[c].begin(), columns[c].end(),
                          [&](const Entry& e) { return taken[g][e.row]; });
    };
    if (columns[c].empty()) continue;
    std::size_t g = 0;
    while (g < groups_.size() && !fits(g)) ++g;
    if (g == groups_.size()) {
      groups_.emplace_back();
      taken.emplace_back(system.tops(), false);
    }
    groups_[g].columns.push_back(c);
    for (const Entry& e : columns[c]) {
      taken[g][e.row] = true;
      groups_[g].entries.push_back(e);
    }
  }
}

double DifferenceJacobians::scale(std::uint32_t column) const {
  const std::span<const double> nominal = system_.nominal();
  const double least = column < nominal.size() ? nominal[column] : 1;
  return std::max(std::abs(point_[column]), least);
}

std::size_t DifferenceJacobians::evaluate(double t, const double* s, const double* z,
                                          double* values) {
  const std::size_t n = system_.states();
  std::copy_n(s, n, point_.data());
  std::copy_n(z, system_.tops(), point_.data() + n);
  system_.residual(t, s, z, rows_.data());
  for (const Group& group : groups_) {
    for (const std::uint32_t c : group.columns) {
      const double before = point_[c];
      point_[c] += std::sqrt(std::numeric_limits<double>::epsilon()) * scale(c);
      increment_[c] = point_[c] - before;  // as rounded
    }
    system_.residual(t, point_.data(), point_.data() + n, disturbed_.data());
    for (const Entry& e : group.entries)
      values[e.target] = (disturbed_[e.row] - rows_[e.row]) / increment_[e.column];
    for (const std::uint32_t c : group.columns) point_[c] = c < n ? s[c] : z[c - n];
  }
  return 1 + groups_.size();
}

}  // namespace daedal::solve
