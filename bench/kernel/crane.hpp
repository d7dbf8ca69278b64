// The crane problem: one implicit Euler step of the inverse model of the reduced cable robot.
//
// Redundant coordinates x_T (trolley), L (cable), x_P, z_P (load), multiplier lambda, inputs u_T, u_L:
//     tau_T x_T'' + x_T' = u_T            x_P'' = 2 (x_P - x_T) lambda       z_P^2 + (x_P - x_T)^2 = L^2
//     tau_L L''  + L'   = u_L             z_P'' = g + 2 z_P lambda           x_P = x_d(t),  z_P = z_d(t)
// with velocity (q - q_n)/h and acceleration (q' - q'_n)/h. Seven unknowns, seven equations, index 5.
#pragma once

#include "daedal/compile/kernel.hpp"

#include <memory>
#include <vector>

namespace daedal::bench {

struct Crane {
  expr::Function residual, negative_residual;
  expr::SparseFunction jacobian;
  compile::Layout layout;
  std::vector<double> point;  // a typical point of the motion, unknowns first
  static constexpr std::uint32_t unknowns = 7;
};

Crane make_crane();

}  // namespace daedal::bench
