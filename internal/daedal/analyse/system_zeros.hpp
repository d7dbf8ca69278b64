// Invariant zeros for any numbers of outputs and inputs: where the system pencil
//
//   [ F - s I  G ]
//   [ H        J ]      has a smaller rank than for almost every s.
//
// The pencil is not square, or of deficient rank for every s; what is dependent is removed by orthogonal transformations
// until the rest is square and regular [EmamiNaeiniVanDooren1982]. With as many outputs as inputs, independent of each other,
// the zeros are those of poles_zeros.hpp.
#pragma once

#include "daedal/analyse/state_space.hpp"
#include "daedal/pencil/pencil.hpp"

namespace daedal::analysis {

struct SystemZeros {
  Spectrum zeros;
  int normal_rank = 0;  // of the transfer function, for almost every s
  double smallest_gap = 0;
};

/// std::invalid_argument when the system is not proper: outputs that depend on derivatives of inputs.
SystemZeros system_zeros(const StateSpace& system);

}  // namespace daedal::analysis
