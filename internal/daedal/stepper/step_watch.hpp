// What is considered near its prediction, for a step of the stepper and of its C code.
#pragma once

#include "daedal/stepper/step_program.hpp"

#include <algorithm>
#include <vector>

namespace daedal::solve {

/// Of the size of a position: solutions farther from the prediction may lie on another branch.
inline constexpr double far_distance = 0.1;
/// The same, below which no top jumps: differences of second order of so small a jump stay in the range of nominal sizes for
/// steps of 1 ms and more.
inline constexpr double calm_distance = 1e-6;
/// A top jumps when it lies farther from its prediction than so many times its usual size: from one end of the usual range
/// to the other is twice that, which accelerations of piecewise constant motions do.
inline constexpr double jump_growth = 4;
/// In a transition it may lie farther away by this factor: accelerations of the transition are not the usual ones.
inline constexpr double transition_allowance = 10;
/// What a step keeps of the usual size of a top: half of it is forgotten after 700 steps.
inline constexpr double size_memory = 0.999;

/// A transition that does not take away all of a jump begins when no more than this share of it is left.
inline constexpr double worthwhile = 0.5;

/// By top: smaller distances from the prediction are no jumps, whatever its usual size is; from rest this one is 0.
inline std::vector<double> jump_floors(const StepProgram& program) {
  std::vector<double> floors;
  for (std::size_t j = 0; j < program.tops.size(); ++j)
    floors.push_back(std::max(program.nominal[j], calm_distance / program.weight[j]));
  return floors;
}

}  // namespace daedal::solve
