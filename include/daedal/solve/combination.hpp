// Which formulation goes with which integrator and which start, and why the others do not.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/solve/consistent.hpp"
#include "daedal/solve/method.hpp"

#include <optional>

namespace daedal::solve {

/// Whether the method works on the residual and its Jacobians, not on derivatives alone.
bool is_implicit(const Method& method);
/// Formulations whose states are others than those of the equations: methods see s' = F(t, s) alone.
bool steps_rates(formulate::Kind kind);

/// Why the combination makes no sense, with what to take instead; nothing when it does.
std::optional<Diagnostic> refusal(const formulate::Problem& problem, const Method& method);
/// The same for the start values.
std::optional<Diagnostic> refusal(const formulate::Problem& problem, StartValues values);

}  // namespace daedal::solve
