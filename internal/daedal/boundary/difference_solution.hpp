// Stable inversion by central differences: the fast path where as many modes decay as grow.
//
// The window [begin, begin + intervals step] begins and ends at rest, and rest goes on at both sides. Newton's method starts
// from quasi-static poses; its matrices stay as soon as steps contract without new ones. Where it fails the amplitude of the
// motion grows from rest, by the formula of order 2 whose matrices are exact, and the order is raised at the end.
//
// A motion that repeats has one bounded solution, which repeats too. The window is then one period and a margin at each side
// in which the growing and the decaying modes forget the ends, which are quasi-static.
#pragma once

#include "daedal/boundary/amplitude.hpp"
#include "daedal/boundary/central_differences.hpp"
#include "daedal/boundary/pose.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace daedal::boundary {

struct DifferenceOutcome {
  bool ok = false;
  int order = 0;  // of the residual
  int iterations = 0, factored = 0;
  double error = 0;  // estimated, relative
  int continuation_steps = 0;
  double amplitude = 1;               // not ok: reached
  double at = 0;                      // [s], not ok: where the last step was largest,
  std::uint32_t largest_unknown = 0;  // and in what
};

class DifferenceSolution {
 public:
  /// The form must outlive it.
  DifferenceSolution(SecondOrderForm& form, double begin, std::size_t intervals, double step);

  /// From the pose of rest at the left end, with a residual of this order if steps contract with it, else of a lower one.
  DifferenceOutcome solve(const Desired& desired, const double* rest, int order,
                          double newton_tolerance, const Watch& watch = {});

  /// Intervals of each margin, of a motion that repeats.
  std::size_t margin = 0;
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
  bool rest_behind();
  enum class Matrices : std::uint8_t {
    kept,
    exact
  };  // exact ones, of order 2, for the longest way
  bool iterate(int order, double tolerance, DifferenceOutcome& outcome,
               Matrices matrices = Matrices::kept);
  bool continue_amplitude(const Desired& desired, const double* rest, double tolerance,
                          const Watch& watch, DifferenceOutcome& outcome);
  bool raise_order(int order, double tolerance, DifferenceOutcome& outcome);
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
/// Steps of at most `longest`, and at least so much time before the first and after the last joint; none when the joints
/// have no common measure near that step.
std::optional<EvenWindow> even_window(const std::vector<double>& joints, double longest,
                                      double before, double after);

/// As states and tops at the nodes, pieces of the motion meeting at `joints`.
void hand_over(const SecondOrderForm& form, const DifferenceSolution& from,
               const std::vector<double>& joints, const ReducedSystem& system,
               BoundaryValueSolution& to);

}  // namespace daedal::boundary
