// The form of a model that a run uses: not every formulation supports lifted positions.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/task/model.hpp"

#include <vector>

namespace daedal {
inline namespace task {

/// The lifted form, or the one written out where lifting was left to Daedal and this run does not know it; then a warning is added.
const Mechanism& form_for(const Model& model, formulate::Kind formulation,
                          const solve::Method& method, std::vector<Diagnostic>& warnings);

}  // namespace task
}  // namespace daedal
