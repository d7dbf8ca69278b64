// Equations of the model that a controller assumes, for laws that are their solution.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/model/designer.hpp"

namespace daedal::design {

/// Throws ModelError with the reason where the equations do not determine what is asked.
model::SolvedEquations equations_of(const derive::Dae& dae,
                                    const model::EquationQuestion& question);

}  // namespace daedal::design
