// One point of a sweep.
#pragma once

#include "daedal/analyse/sweep.hpp"

namespace daedal::analysis {

EquilibriumOptions equilibrium_options(const model::Model& model, const SweepOptions& options);

/// `rest`, where it is not null, becomes the equilibrium if there is one.
Sample sample(const DaeAt& dae_at, const std::vector<double>& parameters,
              const SweepOptions& options, Equilibrium* rest);

}  // namespace daedal::analysis
