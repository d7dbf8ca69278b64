// Parameters equal to 0 are folded before anything is derived: an undamped oscillator has another structure than a damped
// one, and its equations should not contain the dampers.
#pragma once

#include "daedal/model/model.hpp"

namespace daedal::derive {

/// `model` with every parameter of value 0 replaced by 0; those that occur are added to `folded`:
/// start values of parts are none of the equations' business.
model::Model fold_zero_parameters(const model::Model& model, std::vector<expr::SymbolId>& folded);

}  // namespace daedal::derive
