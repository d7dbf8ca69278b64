// The size of a motion, against which errors are judged.
//
// Of a position the size is its range, of a velocity the largest amount; both over rows and steps. A column that moves far less
// than others of its kind and unit (a coordinate that symmetry keeps at 0) is held against a tenth of the largest of them.
// A motion below ten tolerances, or below 1e-7, of nominal value + largest amount is rest, with its velocity: there an
// error as large as the motion is what was asked for; only one of more than twice that size says that it is no rest.
#pragma once

#include "daedal/model/model.hpp"
#include "daedal/run/simulate.hpp"

#include <vector>

namespace daedal::solve {

/// An error beyond this part of the motion is as large as the motion: what is left is not the answer.
inline constexpr double as_large_as_motion = 0.25;

struct MotionSize {
  std::vector<double> columns;  // of the table but t; 0: not judged (multipliers, inputs, outputs)
  bool moves = false;           // any of them more than rest
};

/// `tolerance` of the steps; 0 where they are fixed.
MotionSize motion_size(const model::Model& model, const Trajectory& trajectory, double tolerance);

}  // namespace daedal::solve
