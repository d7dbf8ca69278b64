// Whether the motion turned at a singular pose.
//
// Constraints that are violated by e belong to another mechanism. Where their gradients depend on each other two motions
// cross, and there the other mechanism has two that pass each other at a distance of the order of sqrt(e): a run
// that follows it changes from the one motion to the other, within a short time, with constraints and energy as good as
// before. A second run does the same. What betrays it are velocities that change at once where the gradients are within
// some sqrt(e) of losing rank. Formulations that hold the positions to rounding do not turn.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace daedal::solve {

class TurnMonitor {
 public:
  explicit TurnMonitor(const formulate::Problem& problem);
  bool looks() const { return !velocities_.empty(); }
  /// After each accepted step; `violation`: largest residual of the constraints themselves so far.
  void look_at_step(const double* point, double violation);

  struct Turn {
    double t = 0;          // [s]
    double lasted = 0;     // [s]
    double violation = 0;  // of the constraints
  };
  /// The first one.
  const std::optional<Turn>& found() const { return found_; }

 private:
  void end_episode(double violation);
  bool near_singular(double violation) const;

  const formulate::Problem& problem_;
  std::vector<std::uint32_t> velocities_;  // positions in the point
  std::vector<double> last_, before_;      // velocities at the last step, and before the episode
  std::vector<double> first_;              // the point of the first step
  std::vector<double> sharpest_;           // the point of the largest acceleration in the episode
  double last_time_ = 0, begin_ = 0, sharpest_rate_ = 0, fastest_ = 0;
  double total_ = 0, elapsed_ = 0;  // change of the velocities in all, and the time it took
  bool started_ = false, in_episode_ = false;
  int looked_ = 0;  // at the rank
  std::optional<Turn> found_;
};

}  // namespace daedal::solve
