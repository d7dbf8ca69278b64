// The torsional oscillator: N disks, I phi_i'' + k (phi_i - phi_{i-1}) + k (phi_i - phi_{i+1}) + damping = u at disk 1.
#pragma once

#include "daedal/compile/kernel.hpp"

#include <cstdint>
#include <vector>

namespace daedal::bench {

struct Disks {
  expr::Function residual;  // three families: inertia, springs, dampers
  compile::Layout layout;
  std::vector<double> point;
};

Disks make_disks(std::uint32_t count);

}  // namespace daedal::bench
