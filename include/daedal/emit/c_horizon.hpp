// The receding horizon as C99: one file and one header, no dependency but math.h, no allocation, state passed by pointer.
//
// The same operations as invert::RecedingHorizon, its conditions at the ends and its mesh as constants. For small models: the
// equations are written out, and all matrices are dense.
#pragma once

#include "daedal/emit/c_code.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/invert/receding_horizon.hpp"

#include <string>

namespace daedal::emit {

/// `problem` is the one that `plan` plans with, and `plan` has just been made: it is at rest. `name` is a C identifier. Throws
/// ModelError for models too large and for what C code does not know.
CCode c_horizon(const formulate::Problem& problem, const invert::RecedingHorizon& plan,
                const invert::RecedingHorizonOptions& options, const std::string& name);

}  // namespace daedal::emit
