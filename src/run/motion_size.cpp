#include "motion_size.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double rest_share = 1e-7, rest_in_tolerances = 10;
constexpr double noise_factor =
    10;  // times what is rest: an error that is more than noise around it
constexpr double least_of_group = 0.1;

double largest_amount(const Extent& e) {
  return std::max(std::abs(e.smallest), std::abs(e.largest));
}

}  // namespace

MotionSize motion_size(const model::Model& model, const Trajectory& trajectory, double tolerance) {
  const std::vector<Column>& columns = trajectory.table.columns();
  MotionSize size;
  size.columns.assign(columns.empty() ? 0 : columns.size() - 1, 0);
  const double at_rest = std::max(rest_share, rest_in_tolerances * tolerance);
  std::set<std::string> resting;                           // coordinates
  std::map<std::pair<bool, std::string>, double> largest;  // of positions and velocities, by unit
  const std::size_t known = std::min(columns.size(), trajectory.extents.size());
  for (std::size_t c = 1; c < known; ++c) {
    const Extent& extent = trajectory.extents[c];
    const bool position = columns[c].is_position();
    if (!position && !columns[c].is_velocity()) continue;
    const std::string& coordinate = columns[c].symbol;
    const double nominal = model.symbols[model.find(coordinate)].nominal;
    const double floor = at_rest * (nominal + largest_amount(extent));
    const double own = position ? extent.largest - extent.smallest : largest_amount(extent);
    // a velocity belongs to its position, whose column comes first: noise around rest may be fast
    const bool moves = position ? own > floor : !resting.contains(coordinate);
    if (position && !moves) resting.insert(coordinate);
    if (!position && !moves) continue;
    size.columns[c - 1] = moves ? own : noise_factor * floor;
    size.moves |= moves;
    if (moves) {
      double& of_group = largest[{position, columns[c].unit}];
      of_group = std::max(of_group, own);
    }
  }
  for (std::size_t c = 1; c < known; ++c)
    if (double& own = size.columns[c - 1]; own > 0)
      own = std::max(own, least_of_group * largest[{columns[c].is_position(), columns[c].unit}]);
  return size;
}

}  // namespace daedal::solve
