// States of rest of a reduced system: where the desired outputs stand still, everything may.
#pragma once

#include "daedal/invert/reduced_system.hpp"

#include <vector>

namespace daedal::invert {

/// States whose chains begin with them: no other state has them as its derivative.
std::vector<std::uint32_t> positions_of(const ReducedSystem& system);

struct Rest {
  bool found = false;
  double residual = 0;  // of r and c, where Newton's method ended
  std::vector<double> states, tops;
};

/// r(w, s, z) = 0 and c(w, s) = 0 with s' = 0, nearest to the guesses, by Gauss-Newton steps.
Rest rest_at(ReducedSystem& system, const double* w, const std::vector<double>& states,
             const std::vector<double>& tops);

}  // namespace daedal::invert
