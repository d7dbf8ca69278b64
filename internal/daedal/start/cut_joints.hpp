// Joints with fewer equations, where those of a closed loop are redundant.
//
// A planar loop of bodies in space, closed by a fourth revolute joint of five equations, holds three of them already: nothing
// leaves the plane. A joint of two equations, or one between, closes it as well. Each proposal has been tested: its equations
// are a subset of the original ones, their rank is the same, so the motion is the same, and fewer are redundant.
#pragma once

#include "daedal/model/model.hpp"

#include <string>
#include <vector>

namespace daedal::solve {

struct CutJoint {
  std::string part;        // "j4"
  Place place;             // of the statement it replaces
  std::string text;        // "part j4 = revolute(b = rocker, planar = 1)"; empty: the joint can go
  int equations_less = 0;  // than before
};

/// Replacements of joints written in the model itself after which no constraint is redundant; empty when there are none
/// among the built-in elements, nothing is redundant, or the model is too large to try.
std::vector<CutJoint> cut_joints(const model::Library& library, const model::Overrides& overrides);

}  // namespace daedal::solve
