// Projection onto one constraint level: Newton's method with the smallest corrections in the
// level's metric,
//
//     [ W  J^T ] [ dx ]     [ 0 ]
//     [ J   0  ] [ mu ]  =  [ f ],      x <- x - dx,
//
// W the mass matrix where there is one: the correction is then an ideal impulse
// [LubichNowakPohleEngstler1995]. The matrix is the one of the equations of motion and may be
// regular although W is singular.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/level_residual.hpp"
#include "daedal/system/system.hpp"

#include <memory>
#include <vector>

namespace daedal::solve {

class LevelProjection {
 public:
  LevelProjection(const formulate::Problem& problem, const formulate::Level& level,
                  std::span<const double> sample, const compile::Options& options,
                  std::shared_ptr<EquationJet> jet);

  /// Moves the level's unknowns within `point` (all else in place there) until the level holds to
  /// rounding. With `low` (by point position) every value is point + low, and corrections below
  /// the rounding of the point are kept there: rounding them away would push the motion along the
  /// level at random.
  Failure project(double* point, double* low = nullptr);
  /// Point positions of the unknowns that follow from the levels below.
  std::vector<std::uint32_t> derived() const;
  /// dx, by point position and 0 elsewhere, with the matrix at `point` and f = `residual`.
  Failure correction(const double* point, const double* residual, double* dx);
  /// The smallest singular value of J in the metric W, rows in units of their lengths at the first call, by inverse iteration
  /// that continues from call to call: mu = -(J W^-1 J^T)^-1 f.
  double independence(const double* point);
  void wait_native() const;

 private:
  bool solve(double* point, bool reuse);
  void measure_rows(const double* point);
  double move(double* point, double* low) const;

  const formulate::Problem& problem_;
  const formulate::Level& level_;
  std::vector<std::uint32_t> columns_;  // point positions of what may move
  std::vector<double> nominal_;         // of these
  std::vector<bool> derived_;           // of these: follow from the levels below
  std::vector<double> solution_, right_hand_side_;
  std::vector<double> row_length_,
      weakest_;          // for `independence`; the direction of f it is found in
  bool linear_ = false;  // the Jacobian does not contain the level's unknowns
  bool keep_matrix_ = false, factored_ = false;
  bool fused_ = true;  // the solver knows the residual
  std::unique_ptr<compile::LinearSolver> solver_;
  LevelResidual residual_;
};

}  // namespace daedal::solve
