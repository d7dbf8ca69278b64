// The model with the selected outputs.
#pragma once

#include "daedal/analyse/linearise.hpp"

#include <string>
#include <vector>

namespace daedal::analysis {

/// The forward Dae with the selected outputs as its servo-constraints: their desired motion does not affect
/// linear answers, and the inverse Dae is then the one of these outputs. Without names: the servo lines, else all outputs.
/// Throws ModelError for outputs that do not exist.
derive::Dae with_outputs(const derive::Dae& forward, const std::vector<std::string>& names);

/// Forward, with these servo-constraints as outputs.
LinearModel linearise_asked(const derive::Dae& asked, const structure::Point& point);

}  // namespace daedal::analysis
