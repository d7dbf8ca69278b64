// Small departures from rest: states of the linearised model on the manifold, and back to the states of the motion.
#pragma once

#include "daedal/analyse/state_space.hpp"
#include "flow.hpp"

#include <Eigen/Core>

namespace daedal::analysis {

/// z = T^T (s - s_0), s = s_0 + T z drawn to the manifold; T has orthonormal columns.
struct ManifoldStates {
  ManifoldStates(Flow& flow, const LinearModel& linear);

  Eigen::VectorXd departure(const std::vector<double>& states) const;
  /// T^T of what the point says about the derivatives of the states.
  Eigen::VectorXd rate(const structure::Point& point) const;
  /// Empty when the manifold is not reached.
  std::vector<double> states(const Eigen::VectorXd& z) const;

  Flow& flow;
  StateSpace system;
  std::vector<double> rest;        // states of the flow
  std::vector<expr::Leaf> leaves;  // of the rows of T
  std::vector<int> positions;      // the same among the states of the flow
  Eigen::MatrixXd basis;           // T
};

}  // namespace daedal::analysis
