// A curve F(z) = 0 with one equation less than unknowns, followed by its length [Keller1977]:
//   predict z + h t along the unit tangent t, correct by Newton's method across it.
// Unknowns are scaled by the caller, so that a step of 1 is a large one in each of them. Where more than one direction is
// free, the curve goes on as straight as it can.
#pragma once

#include <Eigen/Core>

#include <functional>
#include <optional>

namespace daedal::analysis {

/// F and dF/dz; false where there is no finite value.
using CurveEquations =
    std::function<bool(const Eigen::VectorXd& z, Eigen::VectorXd& f, Eigen::MatrixXd& jacobian)>;

struct CurvePoint {
  Eigen::VectorXd z, tangent;
  int orientation = 0;  // sign of det [dF/dz; tangent^T]; 0 when that is not square
  int iterations = 0;   // of Newton's method
};

class Curve {
 public:
  explicit Curve(CurveEquations equations) : equations_(std::move(equations)) {}

  /// The point of the curve nearest to z, its tangent turned towards `direction`.
  std::optional<CurvePoint> start(const Eigen::VectorXd& z, const Eigen::VectorXd& direction) const;
  /// A step of length h, which may be negative; nullopt when Newton's method does not get there.
  std::optional<CurvePoint> advance(const CurvePoint& from, double h) const;
  /// Where another branch crosses: along the direction, across the tangent there, that leaves F as it is to first order; on the
  /// side that `sense`, 1 or -1, gives. nullopt when no second branch is found.
  std::optional<CurvePoint> other_branch(const CurvePoint& crossing, double h, int sense) const;
  /// Step by step in lengths that suit the curvature; `next` is called with each point and returns false to stop.
  /// False when the curve could not be followed to where `next` would have stopped.
  bool follow(const CurvePoint& from, double largest_step,
              const std::function<bool(const CurvePoint&, double step)>& next) const;
  /// Between `from` and the point h after it, where `test` has opposite signs: its root.
  CurvePoint locate(const CurvePoint& from, double h,
                    const std::function<double(const CurvePoint&)>& test) const;

 private:
  std::optional<CurvePoint> correct(Eigen::VectorXd z, const Eigen::VectorXd& direction) const;
  CurveEquations equations_;
};

}  // namespace daedal::analysis
