// Branches that depend on the state, held constant: makes equations smooth between two changes of a branch.
//
// Every non-smooth operation is based on a comparison or a floor:
//     |g| = g < 0 ? -g : g,   sign g = (0 < g) - (g < 0),   min(a, b) = b < a ? b : a,   mod(a, b) = a - b floor(a/b), ...
// Each of these becomes a parameter that holds its value. Between two changes the equations are then smooth for every method,
// and a run looks for the changes.
#pragma once

#include "daedal/derive/dae.hpp"

#include <optional>

namespace daedal::derive {

/// `dae` with a parameter for every comparison and floor of unknowns (those of time and inputs alone are break points and
/// stay), see Dae::branches; nothing when there is none. Equations, the drives' forces and the power change, all else
/// keeps its live branches.
std::optional<Dae> hold_branches(const Dae& dae);

}  // namespace daedal::derive
