// The least-distance problem  min |x|  subject to  G x >= h  [LawsonHanson1974, chapter 23].
#pragma once

#include <Eigen/Dense>

namespace daedal::inversion {

struct LeastDistance {
  bool feasible = true;
  Eigen::VectorXd x;
  /// Of each inequality, >= 0. Feasible: positive where it is active. Infeasible: weights of a contradiction, G^T y = 0 and h^T y > 0.
  Eigen::VectorXd weights;
};

LeastDistance least_distance(const Eigen::MatrixXd& g, const Eigen::VectorXd& h);

}  // namespace daedal::inversion
