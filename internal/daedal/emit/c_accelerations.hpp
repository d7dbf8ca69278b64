// The equations of motion as a C99 function: accelerations and multipliers at a state, for external integrators.
//
// It is the form of index 1. The equations, constraints differentiated until accelerations appear, are linear in the
// accelerations a and the multipliers lambda,
//     A(t, q, v, p, u) (a, lambda) = b(t, q, v, p, u),
// and the function evaluates A and b and solves by Gaussian elimination with row exchanges, at any state. Nothing enforces the
// constraints themselves: an integrator drifts away from them, and has to project or to stabilise.
#pragma once

#include "daedal/emit/c_code.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/start/prepare.hpp"

#include <string>
#include <vector>

namespace daedal::emit {

/// Arguments and results of the function, in order; names as in tables: "phi[2]'".
struct CAccelerations {
  CCode code;
  std::vector<std::string> positions, velocities, parameters, inputs, accelerations, multipliers;
};

/// Of a problem in the formulation index 1. `name` is a C identifier, that of the function and the prefix of everything.
/// Throws ModelError for equations that are not linear in their highest derivatives, are not written out, or are too many.
CAccelerations c_accelerations(const formulate::Problem& problem,
                               const solve::ConsistentPoint& start, const std::string& name);

}  // namespace daedal::emit
