// The point at which a problem's functions are evaluated: which derivatives of the unknowns it contains, and where.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <vector>

namespace daedal::formulate {

/// Derivatives that outputs, limits and the energy balance contain, by unknown: a coordinate that its drive prescribes
/// algebraically (x = u) still has a velocity and takes a force.
std::vector<int> orders_asked_for(const derive::Dae& dae);

/// What a lifted position is made of has at least as many derivatives as the position itself: the smallest offsets would
/// make absolute angles states and find joint angles from them.
std::vector<int> orders_for_the_scan(const derive::Dae& dae, std::vector<int> orders);

/// Time, states, tops, lifted positions, inputs and parameters, as the offsets say. `derivative[k]`: k-th derivatives of the
/// equations, in which more derivatives of inputs occur.
void lay_out(Problem& problem, const std::vector<expr::Function>& derivative);

}  // namespace daedal::formulate
