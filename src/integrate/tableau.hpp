// Explicit Runge-Kutta methods as plain data:
//
//     k_i = f(t + c_i h, y + h sum_j a_ij k_j),   i = 0 .. s-1,      y_new = y + h sum_j b_j k_j,
//     k_s = f(t + h, y_new)                                           the first stage of the next step.
//
// Weights are written with the stage they belong to; what is not written is zero.
#pragma once

#include <vector>

namespace daedal::solve {

struct Weight {
  int stage = 0;
  double value = 0;
};
using Weights = std::vector<Weight>;

struct Stage {
  double c = 0;
  Weights a;
};

struct Tableau {
  int order = 1;              // of the step; estimates are of order - 1
  std::vector<Stage> stages;  // k_0 .. k_(s-1)
  Weights b;
  /// h sum e_j k_j is the estimated error of a step; it may contain k_s. Empty: fixed steps only.
  Weights error;
  /// A second, coarser estimate that tempers the first one [HairerNorsettWanner1993, II.10].
  Weights error_low;
  /// Dense output: the cubic through both ends and their slopes, and for each row of `dense` one degree more. Stages for it
  /// alone follow k_s.
  std::vector<Stage> dense_stages;
  std::vector<Weights> dense;

  bool estimate_needs_end() const;
};

Tableau euler_tableau();   // explicit Euler, order 1
Tableau rk4_tableau();     // the classical method, order 4 [HairerNorsettWanner1993, II.1]
Tableau rk23_tableau();    // [BogackiShampine1989], order 3(2)
Tableau dop853_tableau();  // Dormand and Prince, order 8(5,3), dense output of order 7

}  // namespace daedal::solve
