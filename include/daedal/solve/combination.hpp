// Which formulation goes with which integrator, and why the others do not.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/solve/method.hpp"

#include <optional>

namespace daedal::solve {

/// Whether the method works on the residual and its Jacobians, not on derivatives alone.
bool is_implicit(const Method& method);

/// Why the combination makes no sense, with what to take instead; nothing when it does.
std::optional<Diagnostic> refusal(const formulate::Problem& problem, const Method& method);

}  // namespace daedal::solve
