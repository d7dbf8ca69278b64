// What a model may say and most likely does not mean.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/model/model.hpp"

namespace daedal::model {

/// Warns about sines of angles in degrees, and about forces on coordinates of a model without any kinetic energy.
void tell_doubts(const Model& model, const expr::Graph& graph, Diagnostics& diagnostics);

}  // namespace daedal::model
