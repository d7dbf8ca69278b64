// The Sigma-method applied to a Dae, with its failures told in the user's names.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/offsets.hpp"

namespace daedal::structure {

/// Highest derivative of each unknown in each equation.
std::vector<SignatureEntry> signature(const derive::Dae& dae);

/// Offsets of a Dae. Throws ModelError when equations and unknowns do not match: which unknowns occur in too few equations,
/// which equations contain too few unknowns.
Offsets analyse(const derive::Dae& dae);

}  // namespace daedal::structure
