// Poses of a second-order form: y at one time, with y' and y'' given.
//
// At rest both are 0. Quasi-static is the pose that the inertia forces of the moving pose of rest ask for: R' and R'' of the
// poses of rest R along the motion, deflections as if they had no dynamics of their own.
#pragma once

#include "daedal/boundary/block_tridiagonal.hpp"
#include "daedal/boundary/core_assembly.hpp"
#include "daedal/boundary/second_order_form.hpp"

#include <vector>

namespace daedal::boundary {

/// Nothing allocates after the constructor. All functions are false when the equations are singular or not finite.
class Pose {
 public:
  explicit Pose(SecondOrderForm& form);

  /// One step of Newton's method for y.
  bool step(const double* w, double* y, const double* rates, const double* accelerations);
  /// The unknowns that follow from the others, from their equations.
  bool follow(const double* w, double* y, const double* rates, const double* accelerations);
  /// At rest under the signals w, their rates taken as 0, from a guess y: at most so many steps, until one is below `enough`.
  bool rest(const double* w, double* y, int iterations, double enough = settled);
  /// Of the last step: largest change over nominal size.
  double change() const { return change_; }
  static constexpr double settled = 1e-10;  // the next step would be rounding

 private:
  bool solve_pair(const SecondOrderForm::Pair& pair);
  double residual(std::uint32_t equation) const;
  bool move(double* y);

  SecondOrderForm& form_;
  CoreAssembly assembly_;
  BlockTridiagonal block_;
  std::vector<double> values_, delta_, core_, still_, w_;
  double change_ = 0;
};

}  // namespace daedal::boundary
