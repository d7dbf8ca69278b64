// The ordinary differential equation of a descriptor model on its constraint manifold.
//
//   E x' = A x + B u,   y = C x + D u      ->      z' = F z + G u,   x = T z + ...,   y = H z + J_0 u + J_1 u' + ...
//
// z has as many entries as there are finite poles. The rows of T that belong to variables with derivatives are orthonormal
// columns, turned so that each state comes as near as possible to one variable of the model, whose name it takes: without
// constraints z is x itself. Reactions depend on inputs directly, and with driven constraints on their derivatives: J_k.
#pragma once

#include "daedal/analyse/linearise.hpp"

#include <Eigen/Core>

#include <complex>
#include <optional>
#include <string>
#include <vector>

namespace daedal::analysis {

struct StateSpace {
  Eigen::MatrixXd f, g, h;
  std::vector<Eigen::MatrixXd> feedthrough;  // J_0, J_1, ...: at least J_0
  Eigen::MatrixXd basis;                     // T: variables of the linear model x states
  /// By how much rounding may have changed each entry; empty: unknown.
  Eigen::MatrixXd f_rounding, g_rounding, h_rounding;
  std::vector<std::string> states;  // the variable that each state is nearest to
  std::vector<std::string> inputs, outputs;

  bool proper() const { return feedthrough.size() == 1; }
  Eigen::Index size() const { return f.rows(); }
};

/// nullopt when the pencil A - s E is singular, to rounding: the equations do not determine the motion.
std::optional<StateSpace> find_state_space(const LinearModel& linear);
/// Throws ModelError where there is none.
StateSpace state_space(const LinearModel& linear);

/// H (sI - F)^-1 G + J_0 + J_1 s + ...
Eigen::MatrixXcd transfer(const StateSpace& system, std::complex<double> s);

}  // namespace daedal::analysis
