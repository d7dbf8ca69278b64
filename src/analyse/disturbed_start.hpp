// A Dae that starts at rest, or near it.
#pragma once

#include "daedal/analyse/equilibrium.hpp"

#include <map>
#include <memory>
#include <string>

namespace daedal::analysis {

/// Start values are those of `rest`, its inputs constant; what `disturbance` names is moved by as much and kept.
std::shared_ptr<const derive::Dae> starting_at(const derive::Dae& dae, const Equilibrium& rest,
                                               const std::map<std::string, double>& disturbance);

/// The value with which a leaf starts.
void set_start(model::Model& model, expr::Leaf leaf, double value, bool fixed);

}  // namespace daedal::analysis
