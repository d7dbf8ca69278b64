// Constraints without an unknown to determine: more constraints than unknowns.
#pragma once

#include "daedal/derive/dae.hpp"

#include <cstdint>
#include <vector>

namespace daedal::structure {

/// Drives, equations and constraints take one unknown each that they contain, in this order and the model's; constraints
/// that get none are the surplus (numbers in model->constraints). An over-constrained mechanism has some, although they
/// may all follow from the others: a planar four-bar linkage written in space, say.
std::vector<std::uint32_t> surplus_constraints(const derive::Dae& dae);

}  // namespace daedal::structure
