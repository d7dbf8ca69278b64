// Implicit methods where a System knows rates but no residual: s' = F(t, s), however the system computes F.
//
// In the formulations null_space, minimal, hamilton and nonlinear_stabiliser the equations are solved for the rates of other
// states than those of Lagrange's equations. An implicit step needs dF/ds, which comes from differences: one evaluation for each
// state, or, where F depends on s only through V^T s, V with orthonormal columns (null_space, minimal), one for each column,
//
//     dF/ds = B V^T,   B = dF/ds V.
//
// Newton's method works on as many unknowns as there are states; when they are many, on w = V^T s too, which makes its matrix
// sparse: z = F(w) has the derivative B.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "daedal/system/system.hpp"

#include <memory>

namespace daedal::solve {

class LocalCoordinates;

/// The method on s' = F(t, s); its tops are those of the system. Explicit methods work on the system as it is.
/// `local` knows V, where there is one.
std::unique_ptr<Integrator> make_integrator_on_rates(const Method& method, System& system,
                                                     const LocalCoordinates* local = nullptr);

}  // namespace daedal::solve
