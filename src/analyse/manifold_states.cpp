#include "manifold_states.hpp"

namespace daedal::analysis {

using Eigen::Index;

ManifoldStates::ManifoldStates(Flow& of, const LinearModel& linear)
    : flow(of), system(state_space(linear)), rest(of.start().states) {
  std::vector<Index> rows;
  for (std::size_t k = 0; k < linear.leaves.size(); ++k) {
    const int position = flow.state_of(linear.leaves[k]);
    if (position < 0) continue;
    rows.push_back(static_cast<Index>(k));
    leaves.push_back(linear.leaves[k]);
    positions.push_back(position);
  }
  basis = system.basis(rows, Eigen::all);
}

Eigen::VectorXd ManifoldStates::departure(const std::vector<double>& states) const {
  Eigen::VectorXd x(basis.rows());
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const auto p = static_cast<std::size_t>(positions[k]);
    x[static_cast<Index>(k)] = states[p] - rest[p];
  }
  return basis.transpose() * x;
}

Eigen::VectorXd ManifoldStates::rate(const structure::Point& point) const {
  Eigen::VectorXd x(basis.rows());
  for (std::size_t k = 0; k < leaves.size(); ++k)
    x[static_cast<Index>(k)] =
        point({leaves[k].symbol, static_cast<std::uint16_t>(leaves[k].order + 1)});
  return basis.transpose() * x;
}

std::vector<double> ManifoldStates::states(const Eigen::VectorXd& z) const {
  const Eigen::VectorXd x = basis * z;
  std::vector<double> s = rest;
  for (std::size_t k = 0; k < positions.size(); ++k)
    s[static_cast<std::size_t>(positions[k])] += x[static_cast<Index>(k)];
  if (!flow.project(flow.start().t, s)) s.clear();
  return s;
}

}  // namespace daedal::analysis
