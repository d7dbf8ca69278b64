// Motions that start elsewhere than the model says.
#pragma once

#include "daedal/start/prepare.hpp"
#include "daedal/task/model.hpp"

#include <vector>

namespace daedal {
inline namespace task {

/// The mechanism with its nearest equilibrium as start values; `moves` says which positions are not the model's own.
/// Throws ModelError when there is no equilibrium near the start values.
Mechanism at_equilibrium(const Model& model, const Mechanism& mechanism,
                         solve::RedundantConstraints allowed, std::vector<solve::Move>& moves);

}  // namespace task
}  // namespace daedal
