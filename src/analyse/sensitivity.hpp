// How the rightmost zero moves with the parameters.
#pragma once

#include "daedal/analyse/portrait.hpp"

namespace daedal::analysis {

/// By central differences over the parameters' values, the equilibrium computed again for each; parameters that are 0 or do not
/// move the zero are left out. `asked` is a forward Dae whose servo-constraints are the outputs. Strongest first.
std::vector<Sensitivity> sensitivities(const derive::Dae& asked, const EquilibriumOptions& options,
                                       const Cluster& rightmost);

}  // namespace daedal::analysis
