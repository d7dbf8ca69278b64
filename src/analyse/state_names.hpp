// "theta2'" as a leaf of a model.
#pragma once

#include "daedal/model/model.hpp"

#include <string>

namespace daedal::analysis {

/// Throws ModelError when the model has no coordinate or variable of this name.
expr::Leaf state_named(const model::Model& model, const std::string& name);

}  // namespace daedal::analysis
