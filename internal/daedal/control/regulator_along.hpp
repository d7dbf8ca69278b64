// The linear-quadratic regulator along a motion: gains that change with time.
//
//   x' = A(t) x + B(t) u,   J = x(t_f)^T X_f x(t_f) + int  x^T Q x + 2 x^T N u + u^T R u  dt
//   -X' = A^T X + X A - (X B + N) R^-1 (B^T X + N^T) + Q,   X(t_f) = X_f,   F = R^-1 (B^T X + N^T)
//
// x is the departure from the motion, X_f the solution of the algebraic equation at its end: from there on F stays. The
// equation is linear in [1; X], whose transition matrix over a step is the exponential of Magnus' series, order 4
// [BlanesCasasOteoRos2009]: of a motion that stands still it is exact. With a period the command is held; the transition and the cost
// of each period are found the same way, and the recursion backwards is that of dynamic programming.
#pragma once

#include "daedal/control/regulator.hpp"

#include <functional>

namespace daedal::feedback {

struct Motion {
  std::function<analysis::LinearModel(double t)> linear;
  double end = 0;    // [s]; it begins at t = 0, and what it ends with stays
  int pieces = 400;  // steps at least
};

struct ScheduledGains {
  std::vector<std::string> inputs, states;  // rows, columns of F
  std::vector<double> times;                // [s], at equal distances
  std::vector<Eigen::MatrixXd> gains;       // F at these times
};

/// Throws ModelError as `regulator` does for the end of the motion, and for models with constraints.
ScheduledGains regulator_along(const derive::Dae& dae, const Motion& motion,
                               const RegulatorOptions& options);

}  // namespace daedal::feedback
