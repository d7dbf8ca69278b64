// Stable inversion by central differences: the fast path where as many modes decay as grow.
//
// The window [begin, begin + intervals step] begins and ends at rest, and rest goes on at both sides. Newton's method starts
// from quasi-static poses; its matrices stay as soon as steps contract without new ones.
#pragma once

#include "central_differences.hpp"
#include "pose.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace daedal::invert {

struct DifferenceOutcome {
  bool ok = false;
  int order = 0;  // of the residual
  int iterations = 0, factored = 0;
  double error = 0;  // estimated, relative
};

class DifferenceSolution {
 public:
  /// The form must outlive it. Nothing allocates after the constructor.
  DifferenceSolution(SecondOrderForm& form, double begin, std::size_t intervals, double step);

  /// From the pose of rest at the left end. The orders 6, 4, 2 of the residual are tried in turn, from `order` on.
  DifferenceOutcome solve(const Desired& desired, const double* rest, int order,
                          double newton_tolerance);

  std::size_t intervals() const { return intervals_; }
  /// y and derivatives at a node of the window, all unknowns; after solve().
  const double* y(std::size_t node) const { return equations_.y(known + node); }
  void derivatives(std::size_t node, double* rates, double* accelerations) const {
    equations_.derivatives(known + node, rates, accelerations);
  }
  double time(std::size_t node) const { return equations_.time(known + node); }

 private:
  static constexpr std::size_t known =
      4;  // nodes at rest beyond each end, as many as stencils reach
  bool guess(const double* rest);
  bool iterate(double tolerance, DifferenceOutcome& outcome);
  bool follow();

  SecondOrderForm& form_;
  std::size_t intervals_;
  CentralDifferences equations_;
  Pose pose_;
  std::vector<double> rates_, accelerations_, poses_;
};

/// A mesh of equal intervals around the motion, with its joints among the nodes.
struct EvenWindow {
  double begin = 0, step = 0;
  std::size_t intervals = 0;
};
/// Steps of at most `longest`, and at least so much time before the first and behind the last joint; none when the joints
/// have no common measure near that step.
std::optional<EvenWindow> even_window(const std::vector<double>& joints, double longest,
                                      double before, double after);

/// As states at the nodes and tops at the Gauss points of three stages, interpolated from those at the nodes.
void hand_over(const SecondOrderForm& form, const DifferenceSolution& from,
               const ReducedSystem& system, BoundaryValueSolution& to);

}  // namespace daedal::invert
