// The formulation ggl: see gear_gupta_leimkuhler.cpp.
#pragma once

#include "daedal/formulate/problem.hpp"

namespace daedal::formulate {

/// The level of the positions of holonomic constraints; null when there is none.
const Level* position_level(const Problem& problem);

/// Adds rates of the constrained positions and their multipliers, the latter last of all tops in the order of the
/// position level, with their equations. The matrices of the problem must then be rebuilt.
void add_position_multipliers(Problem& problem);

}  // namespace daedal::formulate
