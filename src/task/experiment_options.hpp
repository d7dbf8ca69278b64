// The options that an experiment states.
#pragma once

#include "daedal/task/simulate.hpp"

namespace daedal {
inline namespace task {

/// Of an experiment that simulates. Throws ModelError for options that are none.
SimulateOptions simulate_options_of(const model::Experiment& experiment, const Model& model,
                                    const RunOptions& asked);

}  // namespace task
}  // namespace daedal
