// Which formulation goes with which integrator, and why the others do not.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/method.hpp"

#include <optional>

namespace daedal::solve {

/// Whether the method works on the residual and its Jacobians, not on derivatives alone.
bool is_implicit(const Method& method);
/// Formulations whose states are others than those of the equations: methods see s' = F(t, s) alone.
bool steps_rates(formulate::Kind kind);

/// Why the combination makes no sense, with an alternative; nothing when it does.
std::optional<Diagnostic> refusal(const formulate::Problem& problem, const Method& method);

}  // namespace daedal::solve
