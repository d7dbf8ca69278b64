#include "daedal/boundary/rest_path.hpp"

#include <algorithm>

namespace daedal::boundary {

RestPath::RestPath(ReducedSystem& system, const std::vector<double>& nodes, const Desired& desired,
                   const Rest& left)
    : n_(system.states()) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k > 0) times_.push_back(0.5 * (nodes[k - 1] + nodes[k]));
    times_.push_back(nodes[k]);
  }
  std::vector<double> w(system.signals());
  Rest rest = left;
  for (const double t : times_) {
    desired(t, w.data());
    for (std::uint32_t i = 1; i < w.size(); ++i)
      if (system.is_rate(i)) w[i] = 0;
    const Rest here = rest_at(system, w.data(), rest.states, rest.tops);
    if (here.found) rest = here;
    states_.insert(states_.end(), rest.states.begin(), rest.states.end());
  }
}

void RestPath::at(double t, double* states) const {
  const auto behind = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  const auto k = static_cast<std::size_t>(behind - times_.begin());
  const double share = (t - times_[k - 1]) / (times_[k] - times_[k - 1]);
  for (std::size_t a = 0; a < n_; ++a)
    states[a] = (1 - share) * states_[(k - 1) * n_ + a] + share * states_[k * n_ + a];
}

}  // namespace daedal::boundary
