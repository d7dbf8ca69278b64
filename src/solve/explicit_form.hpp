// Implicit methods where a System knows rates but no residual: s' = F(t, s), whatever the system does to find F.
//
// In the formulations null_space, minimal, hamilton and nonlinear_stabiliser the equations are solved for the rates of other
// states than those of Lagrange's equations. An implicit step needs dF/ds: it comes from differences, one evaluation for each
// state, and Newton's method works on as many unknowns as there are states.
#pragma once

#include "daedal/solve/integrator.hpp"
#include "daedal/solve/system.hpp"

#include <memory>

namespace daedal::solve {

/// The method on s' = F(t, s); its tops are those of the system. Explicit methods work on the system as it is.
std::unique_ptr<Integrator> make_integrator_on_rates(const Method& method, System& system);

}  // namespace daedal::solve
