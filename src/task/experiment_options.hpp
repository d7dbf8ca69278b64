// The options that an experiment states.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/task/simulate.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// Of an experiment that simulates. Throws ModelError for options that are none.
SimulateOptions simulate_options_of(const model::Experiment& experiment, const Model& model,
                                    const RunOptions& asked);

/// Commands and options that are none, in the experiments of the model `name` ("" the last), as far as the text alone shows them.
std::vector<Diagnostic> experiment_faults(const model::Library& library, const std::string& name);

}  // namespace task
}  // namespace daedal
