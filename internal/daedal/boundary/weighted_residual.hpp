// y^T r(w, s, z), a weighted sum of the equations of a reduced system, and its derivatives: what optimality conditions and
// Lagrangians are made of.
#pragma once

#include "daedal/boundary/reduced_system.hpp"

#include <Eigen/Core>

#include <vector>

namespace daedal::boundary {

class WeightedResidual {
 public:
  explicit WeightedResidual(ReducedSystem& system);

  /// Linearises at (w, s, z); the results below are then available.
  void at(const double* w, const double* s, const double* z);
  const double* residual() const { return values_.data(); }
  /// dr/d(s, z), dense.
  const Eigen::MatrixXd& jacobian() const { return jacobian_; }
  /// Second derivatives of y^T r by (s, z): central differences of the exact first ones. They steer Newton's method and
  /// occur in no equation, so their error costs no accuracy.
  const Eigen::MatrixXd& hessian(const double* y);

 private:
  const Eigen::MatrixXd& linearise(const double* x, Eigen::MatrixXd& jacobian);

  ReducedSystem& system_;
  std::vector<double> w_, x_, values_, scratch_;
  Eigen::MatrixXd jacobian_, ahead_, behind_, hessian_;
};

}  // namespace daedal::boundary
