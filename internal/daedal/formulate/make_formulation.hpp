// Formulations by name: "projection", "baumgarte(pole = 5)", ...
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/model/model.hpp"

#include <string>
#include <vector>

namespace daedal::formulate {

/// "projection", "index1", ...
const std::vector<std::string>& formulation_names();

/// Throws ModelError for unknown names and options, for values out of their range and for constraints that do not exist.
Formulation make_formulation(const model::Option& option, const derive::Dae& dae);

/// "baumgarte(a1 = 10, a0 = 25)", as one would write it.
std::string describe(const Formulation& formulation);

}  // namespace daedal::formulate
