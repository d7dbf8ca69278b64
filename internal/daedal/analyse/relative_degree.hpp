// Relative degree: the lowest derivative of an output that contains an input.
//
// With G(s) = C (sE - A)^-1 B + D, output i has relative degree r_ij against input j when G_ij(s) falls like k_ij s^-r_ij for
// large s. Since det [A - sE, b; c, d] = det(A - sE) G_ij(s), both are quotients of leading terms of two determinants: the
// degrees are counted by the decision between finite and infinite eigenvalues; no coefficient is compared with zero.
#pragma once

#include "daedal/analyse/linearise.hpp"

#include <Eigen/Core>

#include <limits>
#include <vector>

namespace daedal::analysis {

/// Of an output that an input does not affect.
inline constexpr int never = std::numeric_limits<int>::max();

struct RelativeDegree {
  std::vector<std::vector<int>> entries;  // r_ij: outputs x inputs; negative: G_ij grows
  std::vector<int> outputs;               // r_i, the smallest of its row
  Eigen::MatrixXd decoupling_matrix;      // lim s^r_i G_ij(s)
  int rank = 0;                           // of the decoupling matrix
  /// P = lim s^2 G(s): the direct effect of the inputs on the outputs' accelerations, H M^-1 B of an unconstrained mechanism;
  /// empty when some r_ij is below 2.
  Eigen::MatrixXd acceleration_matrix;
  int acceleration_rank = 0;
  std::vector<int>
      other_outputs;  // r_i in the other interpretation of near-singular ranks; empty: the same

  /// The vector (r_1, ..., r_p) is one where the decoupling matrix is square and regular.
  bool well_defined() const {
    return rank == decoupling_matrix.rows() && rank == decoupling_matrix.cols();
  }
};

RelativeDegree relative_degree(const LinearModel& linear);

}  // namespace daedal::analysis
