// Simpson's rule (Lobatto IIIA) on reduced systems, as boundary value problems of inverse models are usually discretised
// [Druecker2022, 6.2.2]: tops at the nodes are unknowns shared by both neighbours, states in the middle of an interval are
// Hermite's interpolation,
//
//     s_m = (s_k + s_(k+1))/2 + h/8 (s'_k - s'_(k+1)),    s_(k+1) = s_k + h/6 (s'_k + 4 s'_m + s'_(k+1)),
//     r = 0 at nodes and middles.
//
// For comparison: r may be less differentiated (index 2 or 3), which shows what that costs. Collocation at Gauss points has
// no such rows at the nodes and is what stable inversion uses.
#pragma once

#include "daedal/invert/boundary_value.hpp"

#include <Eigen/Core>

#include <vector>

namespace daedal::invert {

/// Rows at the ends and the states at which they vanish.
struct SimpsonEnds {
  Eigen::MatrixXd left, right;
  std::vector<double> left_target, right_target;
};

struct SimpsonSolution {
  bool converged = false;
  int iterations = 0;
  double step = 0;                   // the last correction, relative
  std::vector<double> states, tops;  // by node
};

/// `equations` are discretised; `reduced`, of index 1, closes them at the first node together with its levels. States and
/// tops are guesses, the same at all nodes.
SimpsonSolution solve_simpson(ReducedSystem& equations, ReducedSystem& reduced,
                              const std::vector<double>& times, const Desired& desired,
                              const SimpsonEnds& ends, const std::vector<double>& states,
                              const std::vector<double>& tops, int most_iterations = 20);

}  // namespace daedal::invert
