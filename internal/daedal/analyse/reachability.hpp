// Controllability and observability: the modes that inputs excite and outputs show.
//
// In state space, by orthogonal transformations and rank decisions [VanDooren1981]: what no input moves splits off as a block
// of its own, whose eigenvalues are the modes that are not controllable. Observability is the same of the transposed system.
#pragma once

#include "daedal/analyse/state_space.hpp"
#include "daedal/pencil/pencil.hpp"

namespace daedal::analysis {

struct Reachability {
  int states = 0, rank = 0;  // reached, or shown
  Spectrum hidden;           // modes of the rest
  double smallest_gap = 0;   // of the rank decisions
  /// Orthonormal columns in the states; the first `rank` span what is reached (or what is shown).
  Eigen::MatrixXd basis;

  bool complete() const { return rank == states; }
};

Reachability controllability(const StateSpace& system);
Reachability observability(const StateSpace& system);

}  // namespace daedal::analysis
