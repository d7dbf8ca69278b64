// A run of the solver, for programs: simulations and inversions write it alike.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/task/json.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct RunView {
  const formulate::Problem& problem;
  const solve::ConsistentPoint& start;
  const solve::SimulateOptions& options;
  const solve::Trajectory& trajectory;
};
nlohmann::ordered_json run_json(const RunView& run, const std::string& experiment);

/// Springs in place of constraints have a motion of their own, and the estimated error is that of solving for it.
bool bends_constraints(const formulate::Problem& problem);

}  // namespace task
}  // namespace daedal
