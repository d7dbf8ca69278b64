// More inputs than servo-constraints: their choice within limits, and its free directions.
//
// The inputs that produce a motion are  u = u* + N e,  u* the nearest to the inputs' own values (derive::inverse), N a basis of
// the directions without effect on the motion. Limits  low <= u <= high  make e the solution of a least-distance problem at
// each time; the inputs that are then at a limit, from when until when, make the inverse an ordinary Dae again.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace daedal::inversion {

struct WithinLimits {
  std::vector<derive::HeldInput> held;  // in the order of their times
  /// Inputs within their limits produce the motion up to here [s], and why no longer.
  double possible_until = std::numeric_limits<double>::infinity();
  std::string impossible;
};

/// `inverse` as it is without limits, flat, from `start`; the choice at `times`, its changes between them to rounding. One that begins
/// and ends between two times is not seen. Throws ModelError where the inputs enter the equations nonlinearly.
WithinLimits within_limits(const InverseModel& inverse, const solve::ConsistentPoint& start,
                           std::span<const double> times, const compile::Options& options);

/// Adds the coordinates N^T u of the inputs in the directions without effect to the rows, "null_space[1]", ..., and leaves the
/// multipliers of the choice out. N is orthonormal in inputs divided by their nominal sizes, and turns as little as possible
/// from row to row.
void show_free_directions(const InverseModel& inverse, solve::Trajectory& trajectory,
                          const compile::Options& options);

}  // namespace daedal::inversion
