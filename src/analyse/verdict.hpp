// The portrait in two sentences.
#pragma once

#include "daedal/analyse/portrait.hpp"

#include <string>

namespace daedal::analysis {

/// What kind of system it is.
std::string verdict(const Portrait& portrait);
/// What would make it another kind.
std::string what_would_change_it(const Portrait& portrait, const derive::Dae& forward);

}  // namespace daedal::analysis
