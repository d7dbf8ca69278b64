// The receding horizon as C99: one file and one header, no dependency but math.h, no allocation, state passed by pointer.
//
// The same operations as inversion::RecedingHorizon, its conditions at the ends and its mesh as constants. For small models: the
// equations are written out, and all matrices are dense.
#pragma once

#include "daedal/emit/c_code.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/invert/receding_horizon.hpp"

#include <string>

namespace daedal::emit {

/// `problem` is the one that `plan` plans with, and `plan` has just been made: it is at rest. `name` is a C identifier. Throws
/// ModelError for models that are too large and for unsupported operations.
CCode c_horizon(const formulate::Problem& problem, const inversion::RecedingHorizon& plan,
                const inversion::RecedingHorizonOptions& options, const std::string& name);

}  // namespace daedal::emit
