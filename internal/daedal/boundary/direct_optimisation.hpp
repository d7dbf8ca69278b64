// Stable inversion as an optimisation, solved directly [BastosSeifriedBruls2013]: of all motions that satisfy Simpson's equations
// the one nearest to a path of rest,
//
//     minimise  int sum ((s_a - rest_a(t))/size_a)^2 dt,
//
// the integral by Simpson's rule too. No conditions at the ends: what grows is what costs. A nonlinear program with equations
// only, which Ipopt [WaechterBiegler2006] solves with exact first and second derivatives.
#pragma once

#include "daedal/boundary/rest_path.hpp"
#include "daedal/boundary/simpson.hpp"

namespace daedal::boundary {

/// Whether this was built with Ipopt.
bool direct_optimisation_available();

/// `reduced`, of index 1, is discretised; states and tops at rest at the left end, from where the path leads on, are a guess. Not
/// converged, without any iteration, where Ipopt is not there.
SimpsonSolution solve_direct(ReducedSystem& reduced, const std::vector<double>& times,
                             const Desired& desired, const RestPath& path,
                             const std::vector<double>& states, const std::vector<double>& tops);

}  // namespace daedal::boundary
