// Why a run stopped, in the user's names.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/solve/integrator.hpp"

#include <span>
#include <string>

namespace daedal::solve {

/// "stopped at t = 0.8314 s: ..." and indented lines: step, what is singular or grows there, a way
/// out. `point` is the last accepted one.
std::string stop_reason(const formulate::Problem& problem, std::span<const double> point,
                        const StepOutcome& outcome, std::string_view method);

}  // namespace daedal::solve
