// Numbers that must be finite in a model.
#pragma once

#include "daedal/model/model.hpp"

namespace daedal::model {

/// Faults where the parameters given make a part of an equation infinite or no number at all,
/// whatever the unknowns are: m/L with L = 0. A branch of `if` that they rule out is ignored.
void check_finite(const Model& model, const expr::Graph& graph, Diagnostics& diagnostics);

}  // namespace daedal::model
