// See watched_levels.hpp.
#include "formulate/watched_levels.hpp"

#include "formulate/dae_index.hpp"
#include "formulate/functions.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace daedal::formulate {

using expr::Family;
using expr::Function;

namespace {

/// How often each constraint left out would be differentiated: to the tops of its unknowns.
std::vector<int> watched_orders(const Problem& problem) {
  const derive::Dae& dae = *problem.dae;
  const std::vector<std::uint32_t> index = unknown_index(dae);
  std::vector<int> orders(dae.left_out.constraints.size(), std::numeric_limits<int>::max());
  for (const expr::Occurrence& o : expr::occurrences(dae.left_out.residual))
    if (const std::uint32_t j = index[o.leaf.symbol]; j != Family::no_row)
      orders[o.row] = std::min(orders[o.row], problem.offsets.d[j] - int{o.leaf.order});
  return orders;
}

}  // namespace

std::vector<WatchedLevel> watched_levels(const Problem& problem, const expr::VariesInTime& varies) {
  const derive::LeftOut& out = problem.dae->left_out;
  std::vector<WatchedLevel> levels;
  if (out.constraints.empty()) return levels;
  const std::vector<int> orders = watched_orders(problem);
  std::vector<Function> derivative{out.residual};
  for (int k = 1; k <= *std::max_element(orders.begin(), orders.end()); ++k)
    derivative.push_back(expr::time_derivative(
        rows_where(derivative.back(), [&](std::uint32_t i) { return orders[i] >= k; }), varies));
  for (int level = 1 - static_cast<int>(derivative.size()); level <= 0; ++level) {
    WatchedLevel watched;
    watched.level = level;
    std::vector<std::uint32_t> row(orders.size(), Family::no_row);
    for (std::uint32_t i = 0; i < orders.size(); ++i) {
      if (orders[i] + level < 0) continue;
      row[i] = static_cast<std::uint32_t>(watched.constraint.size());
      watched.constraint.push_back(out.constraints[i]);
      watched.derivative.push_back(static_cast<std::uint16_t>(orders[i] + level));
    }
    const auto rows = static_cast<std::uint32_t>(watched.constraint.size());
    watched.residual.rows = rows;
    for (std::size_t k = 0; k < derivative.size(); ++k) {
      std::vector<std::uint32_t> to(orders.size(), Family::no_row);
      for (std::uint32_t i = 0; i < orders.size(); ++i)
        if (orders[i] + level == static_cast<int>(k)) to[i] = row[i];
      watched.residual = expr::sum(watched.residual, expr::select_rows(derivative[k], to, rows));
    }
    levels.push_back(std::move(watched));
  }
  return levels;
}

}  // namespace daedal::formulate
