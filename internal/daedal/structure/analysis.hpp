// The Sigma-method applied to a Dae, with its failures reported in the user's names.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/examine.hpp"

#include <span>

namespace daedal::structure {

/// Highest derivative of each unknown in each equation.
std::vector<SignatureEntry> signature(const derive::Dae& dae);

/// Offsets of a Dae. Throws ModelError when equations and unknowns do not match: which unknowns occur in too few equations,
/// which equations contain too few unknowns.
Offsets analyse(const derive::Dae& dae);

/// The index of equations differentiated so often, with unknowns up to the derivatives d. Definitions of lifted positions
/// and their multipliers are not included: expanded, as the user wrote them, there is nothing to differentiate.
int index_of(const derive::Dae& dae, std::span<const int> differentiations, std::span<const int> d);

}  // namespace daedal::structure
