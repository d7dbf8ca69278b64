// Weights of a quadratic cost in the user's coordinates.
#pragma once

#include "daedal/control/regulator.hpp"
#include "plant.hpp"

namespace daedal::feedback {

/// Q, R and N of the cost, in the order of states and inputs.
struct Cost {
  Eigen::MatrixXd q, r, n;
};

/// Throws ModelError for names that do not exist and weights out of range.
Cost cost_of(const derive::Dae& dae, const Plant& plant, const RegulatorOptions& options);

}  // namespace daedal::feedback
