// The zeros of a mechanism at rest: how fast its internal dynamics grow and decay there, whatever mesh follows.
//
// They are the finite eigenvalues of the equations linearised at rest,
//     s' = next(s, z),   0 = dr/ds s + dr/dz z,     s along the constraint levels,
// each with what rounding may have made of it. One whose real part is smaller than that neither grows nor decays: an undamped
// axial oscillation of a beam has a real part of 1e-9 times its frequency, and is no reason for a window of a year.
#pragma once

#include "daedal/boundary/dichotomy.hpp"
#include "daedal/boundary/reduced_system.hpp"
#include "daedal/boundary/rest.hpp"

#include <vector>

namespace daedal::boundary {

struct RestZeros {
  std::vector<double> growth, decay;  // [1/s], of every mode that does, slowest first
  int centre = 0;                     // modes that do neither,
  std::vector<double> frequencies;    // [rad/s], of these, 0 and above
  double fastest = 0;                 // [1/s], the largest modulus

  /// 0 when nothing grows.
  double slowest_growth() const { return growth.empty() ? 0 : growth.front(); }
  /// Of those that decay with at least so much, else of all of them; 0 when nothing decays.
  double slowest_decay(double at_least = 0) const;
  /// The numbers alone.
  Dichotomy counts() const;
};

/// Throws std::runtime_error when the equations determine no motion near rest.
RestZeros zeros_at_rest(ReducedSystem& system, const double* w, const Rest& rest);

}  // namespace daedal::boundary
