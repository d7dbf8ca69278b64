// Why a run stopped, in the user's names.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/integrator.hpp"

#include <span>
#include <string>

namespace daedal::solve {

/// "stopped at t = 0.8314 s: ..." and indented lines: step, what is singular or grows there, a way
/// out. `point` is the last accepted one.
std::string stop_reason(const formulate::Problem& problem, std::span<const double> point,
                        const StepOutcome& outcome, const Method& method);

/// The same for a constraint of the model that was left out and does not hold any more.
std::string violated_constraint(const formulate::Problem& problem, double t,
                                std::uint32_t constraint, double residual);

}  // namespace daedal::solve
