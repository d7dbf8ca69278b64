// The levels of the derivative array that the states have to satisfy, and the metric in which they are corrected.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <vector>

namespace daedal::formulate {

/// Lowest first. `derivative[k]`: k-th derivatives of the equations, empty unless written out; `system_jacobian`: d f^(c) / d z.
std::vector<Level> levels_of(const Problem& problem, const std::vector<expr::Function>& derivative,
                             const expr::SparseFunction& system_jacobian);

}  // namespace daedal::formulate
