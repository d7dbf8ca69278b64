// Two-point boundary value problems of reduced systems: from rest to rest over a window of time, or over one period of a
// periodic motion.
//
// Gauss collocation of order 4 or 6 on a mesh with fixed nodes (joints of the desired motion), Newton's method, continuation
// in the amplitude of the motion where Newton fails, and a mesh that follows the errors. The error is estimated by the gaps
// that the formula with one more stage finds between the nodes, put through the factors of the last Newton step: a deferred
// correction [AscherMattheijRussell1995] that is not made but measured.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/boundary/dichotomy.hpp"
#include "daedal/boundary/reduced_system.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace daedal::boundary {

/// w at a time: t, desired outputs, their derivatives.
using Desired = std::function<void(double t, double* w)>;

/// Conditions on the states at the ends of the window.
enum class EndConditions : std::uint8_t {
  automatic,   // from the propagator of one interval, centre modes at the left
  eigenspace,  // decaying modes at the left, growing ones at the right: no centre modes allowed
  positions    // all positions at rest at both ends, velocities free
};
/// "automatic", "eigenspace", "positions".
const std::vector<std::string>& end_conditions_names();

struct BoundaryValueOptions {
  double tolerance =
      1e-8;  // in [1e-13, 0.1]: of the states at the nodes, relative to their sizes on the window
  int order = 4;  // 4 or 6, at the nodes
  EndConditions ends = EndConditions::automatic;
  bool periodic = false;  // s(end) = s(begin) of a periodic motion, instead of rest at both ends
  std::size_t intervals = 0;  // > 0: so many, of equal length between joints, no refinement
  double first_step =
      0;  // [s], > 0: of the first mesh where all steps are to be equal; else from the longest piece
  int newton_iterations = 15;      // > 0, of one amplitude; fewer where they do not converge
  double newton_tolerance = 1e-9;  // of a correction, relative as above
  std::size_t most_intervals = 20000;
  Watch watch;
};

enum class BoundaryValueStatus : std::uint8_t {
  solved,
  inaccurate,  // solved on the finest mesh allowed, or on the requested one; error above the tolerance
  not_at_rest,  // no state of rest at the left or right end
  singular,     // collocation equations or boundary conditions
  diverged,     // Newton's method, at every amplitude tried
  wrong_counts  // conditions that do not match the numbers of modes
};

struct BoundaryValueSolution {
  BoundaryValueStatus status = BoundaryValueStatus::solved;
  bool at_left = false;            // not_at_rest, wrong_counts: at which end
  double at = 0;                   // [s], where it failed
  std::size_t state = 0;           // diverged: which moved most; from states() on, a top
  double amplitude = 1;            // diverged: reached
  int conditions = 0, needed = 0;  // wrong_counts: at that end

  Dichotomy left, right;
  std::vector<double> times;   // nodes
  std::vector<double> states;  // [node * states() + i]
  std::vector<double> tops;    // [(interval * stages + j) * tops() + i], at the Gauss points
  /// [node * tops() + i]; not empty: found on equidistant nodes that do not resolve the time between them. What moves
  /// faster must not be propagated from node to node (growing with 1500 1/s it amplifies a rounding error by 1e10 in
  /// 16 ms): everything between them is interpolated, never across a joint.
  std::vector<double> node_tops;
  std::vector<std::size_t> joints;  // nodes at which pieces of the motion meet, then
  int stages = 2;
  int meshes = 0, newton_iterations = 0, continuation_steps = 0;
  double error = 0;  // estimated, relative
  std::vector<double> left_rest, right_rest;

  bool ok() const { return status <= BoundaryValueStatus::inaccurate; }
};

/// Throws Interrupted. On [joints.front(), joints.back()], `joints` ascending, at least two; states and tops guess the rest at the left end.
BoundaryValueSolution solve_boundary_value(ReducedSystem& system, const std::vector<double>& joints,
                                           const Desired& desired,
                                           const std::vector<double>& states,
                                           const std::vector<double>& tops,
                                           const BoundaryValueOptions& options);

/// The solution at any time of its window: propagated from the preceding node by the formula with one more stage, or
/// interpolated from the nodes where they have values of all tops.
class SolutionAt {
 public:
  SolutionAt(ReducedSystem& system, const BoundaryValueSolution& solution, Desired desired);
  ~SolutionAt();
  /// False when the local equations are singular. `s` and `z` have states() and tops() entries; `w` is set too.
  bool operator()(double t, double* w, double* s, double* z);

 private:
  class Local;
  std::unique_ptr<Local> local_;
};

}  // namespace daedal::boundary
