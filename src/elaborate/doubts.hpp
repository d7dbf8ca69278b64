// Valid statements that are probably not meant.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/model/model.hpp"

namespace daedal::model {

/// Warns about forces on coordinates of a model without any kinetic energy; about a kinetic energy that is negative for some
/// velocities at the start values, and a dissipation that is smaller in motion than at rest.
void tell_doubts(const Model& model, const expr::Graph& graph, Diagnostics& diagnostics);

}  // namespace daedal::model
