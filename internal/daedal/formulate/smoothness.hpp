// How often a signal can be differentiated before it jumps.
#pragma once

#include "daedal/model/model.hpp"

namespace daedal::formulate {

/// Of a signal without joints.
inline constexpr int smooth = 1000;

/// The number of continuous derivatives; -1 when the signal itself jumps. Both sides of every switch of `if`, abs, sign, min,
/// floor, ... of time alone are compared, up to derivative `most`. Branches of more than time, and those that switch for ever,
/// are treated as jumps (if, sign, floor, mod) and corners (abs, min, max).
int continuous_derivatives(const model::Model& model, expr::Expr signal, int most);

/// The smoothness its trajectories must have for `derivatives` continuous ones: more where they occur differentiated.
int smoothness_for(const expr::Graph& graph, expr::Expr signal, int derivatives);

}  // namespace daedal::formulate
