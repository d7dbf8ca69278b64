// The model with the outputs that are asked for.
#pragma once

#include "daedal/analyse/linearise.hpp"

#include <string>
#include <vector>

namespace daedal::analyse {

/// The forward Dae with the outputs that are asked for as its servo-constraints: what they are asked to do has no part in
/// linear answers, and the inverse Dae is then the one of these outputs. Without names: the servo lines, else all outputs.
/// Throws ModelError for outputs that do not exist.
derive::Dae with_outputs(const derive::Dae& forward, const std::vector<std::string>& names);

/// Forward, with these servo-constraints as outputs.
LinearModel linearise_asked(const derive::Dae& asked, const structure::Point& point);

}  // namespace daedal::analyse
