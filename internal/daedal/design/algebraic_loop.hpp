// Commands of continuous controllers that depend without delay on what they command.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/derive/dae.hpp"

#include <vector>

namespace daedal::design {

/// A warning for each command. Such a loop is solved with the equations, where it has a solution.
std::vector<Diagnostic> algebraic_loops(const derive::Dae& dae);

}  // namespace daedal::design
