#include "clusters.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedal::analysis {

namespace {

/// Estimates are within a factor of some units of the true error.
constexpr double radius_in_errors = 4;

bool overlap(const Eigenvalue& a, const Eigenvalue& b) {
  return std::abs(a.value - b.value) <= radius_in_errors * (a.error + b.error);
}

/// Connected parts of the graph of overlapping disks; label[i] is the first member's number.
std::vector<std::size_t> connected(const std::vector<Eigenvalue>& values) {
  std::vector<std::size_t> label(values.size());
  std::iota(label.begin(), label.end(), std::size_t{0});
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (label[i] == label[j] || !overlap(values[i], values[j])) continue;
      const std::size_t from = std::max(label[i], label[j]), to = std::min(label[i], label[j]);
      std::replace(label.begin(), label.end(), from, to);
    }
  return label;
}

Cluster cluster_of(const std::vector<Eigenvalue>& members) {
  Cluster c;
  c.multiplicity = static_cast<int>(members.size());
  for (const Eigenvalue& m : members) c.mean += m.value / static_cast<double>(members.size());
  for (const Eigenvalue& m : members) {
    c.spread = std::max(c.spread, std::abs(m.value - c.mean));
    c.error = std::max(c.error, m.error);
  }
  return c;
}

bool further_right(const Cluster& a, const Cluster& b) {
  const double tie = 1e-9 * std::max({std::abs(a.mean), std::abs(b.mean)});
  if (std::abs(a.mean.real() - b.mean.real()) > std::max(tie, a.error + b.error))
    return a.mean.real() > b.mean.real();
  if (std::abs(std::abs(a.mean.imag()) - std::abs(b.mean.imag())) > tie)
    return std::abs(a.mean.imag()) < std::abs(b.mean.imag());
  return a.mean.imag() > b.mean.imag();
}

}  // namespace

std::vector<Cluster> clusters(std::vector<Eigenvalue>& values) {
  const std::vector<std::size_t> label = connected(values);
  struct Group {
    Cluster cluster;
    std::vector<Eigenvalue> members;
  };
  std::vector<Group> groups;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (label[i] != i) continue;
    Group group;
    for (std::size_t j = i; j < values.size(); ++j)
      if (label[j] == i) group.members.push_back(values[j]);
    group.cluster = cluster_of(group.members);
    groups.push_back(std::move(group));
  }
  // insertion keeps the result defined although nearly equal real parts make the comparison intransitive
  std::vector<Group> sorted;
  for (Group& group : groups) {
    const auto place = std::find_if(sorted.begin(), sorted.end(), [&](const Group& other) {
      return further_right(group.cluster, other.cluster);
    });
    sorted.insert(place, std::move(group));
  }
  std::vector<Cluster> result;
  values.clear();
  for (Group& group : sorted) {
    result.push_back(group.cluster);
    values.insert(values.end(), group.members.begin(), group.members.end());
  }
  return result;
}

}  // namespace daedal::analysis
