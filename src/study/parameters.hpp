// A model over its parameters.
#pragma once

#include "daedal/analyse/continuation.hpp"
#include "daedal/analyse/sweep.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/model.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// The model as a function of these parameters, taken as `asked` is; messages call them `option`. Throws ModelError for parameters
/// that have a value already.
analysis::DaeAt family(const Model& model, const Asked& asked, const std::string& option,
                       const std::vector<std::string>& parameters);

/// `free` by name, as inputs_named reads it.
analysis::SweepOptions sweep_options(const Asked& asked, const std::vector<std::string>& free,
                                     const std::vector<std::string>& outputs, bool at_start,
                                     const Watch& watch);

/// Says what is wrong with the names, and with the start where it is in motion, at the first point.
void check_first_point(const analysis::DaeAt& dae_at, const std::vector<double>& values,
                       const analysis::SweepOptions& options);

/// Names of parameters that can be given from outside.
std::vector<std::string> parameter_names(const model::Model& model);

/// "k [N/m]"
std::string axis_of(const model::Model& model, const std::string& parameter);

/// "no folds", "1 fold", "2 folds".
std::string counted(std::size_t count, const std::string& what);

}  // namespace task
}  // namespace daedal
