// More inputs than servo-constraints, see shared_inputs.cpp.
#pragma once

#include "daedal/derive/dae.hpp"

#include <span>
#include <string>
#include <vector>

namespace daedal::derive {

/// Why the servo-constraints of `forward` leave more open than how its inputs share the work; "" when nothing.
std::string why_not_shared(const Dae& forward);

/// `dae` with the equations that choose among `inputs`. Its servo-constraints and inputs are still to be added.
Dae with_shared_inputs(const Dae& dae, const std::vector<expr::SymbolId>& inputs,
                       std::span<const HeldInput> held);

}  // namespace daedal::derive
