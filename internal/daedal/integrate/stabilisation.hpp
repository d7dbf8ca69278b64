// Decay rate of violations: a rule for baumgarte(auto) and nonlinear_stabiliser, and a check of given values.
// docs/methods/baumgarte.md explains the rule.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/start/prepare.hpp"

#include <memory>
#include <vector>

namespace daedal::solve {

/// The formulation with a pole, or a rate, in place of `automatic`:
///     p = min(10 omega, 1/h),      h the step, or tolerance^(1/order)/omega where it is chosen,
/// with omega the fastest rate of the motion at the start. Other formulations come back as they are.
/// Throws ModelError as prepare does.
formulate::Formulation settled(const std::shared_ptr<const derive::Dae>& dae,
                               const formulate::Formulation& formulation, const Method& method,
                               const PrepareOptions& options = {});

/// Constraints whose violations grow because the step of an explicit method lies outside its stability region.
std::vector<Diagnostic> unstable_decay(const formulate::Problem& problem, const Method& method);

}  // namespace daedal::solve
