// How often a signal can be differentiated before it jumps.
#pragma once

#include "daedal/expr/graph.hpp"

namespace daedal::formulate {

/// Of a signal without joints.
inline constexpr int smooth = 1000;

/// The number of continuous derivatives; -1 when the signal itself may jump (if, sign, floor, mod).
int continuous_derivatives(const expr::Graph& graph, expr::Expr signal);

/// The smoothness its trajectories must have for `derivatives` continuous ones: more where they occur differentiated.
int smoothness_for(const expr::Graph& graph, expr::Expr signal, int derivatives);

}  // namespace daedal::formulate
