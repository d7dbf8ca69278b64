// Equilibria: all derivatives zero, the equations satisfied.
//
//   f_i(t, x, 0, 0, ..., u) = 0,   the nearest pose to the start values.
//
// Positions are coordinates and variables; what acts in the pose (multipliers, and inputs that are free) has no position to
// stay near to, and takes the values that balance the forces. With all inputs free, the inputs hold the pose.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/structure/regularity.hpp"

#include <map>
#include <string>
#include <vector>

namespace daedal::analysis {

struct EquilibriumOptions {
  double t = 0;                             // [s], where time occurs in the equations
  std::vector<expr::SymbolId> free_inputs;  // the others keep their signals' values at t
  std::map<expr::SymbolId, double> fixed;   // positions that have these values
  int attempts = 6;  // >= 1: guesses tried; all but the first perturbed, reproducibly
};

struct Equilibrium {
  bool found = false;
  bool from_perturbed_guess = false;  // no convergence from the start values, but near them
  double t = 0;                       // [s]
  std::vector<double> values;         // by symbol: parameters, unknowns, inputs
  std::vector<solve::Move> moves;     // positions that are not where the start values are
  int neutral_directions =
      0;  // the pose can move along them and stay an equilibrium, to first order
  std::string worst_equation;  // not found: where the largest residual is left, and how large
  double residual = 0;
};

/// Of a forward Dae. Throws ModelError when the equations have no finite value at the start.
Equilibrium equilibrium(const derive::Dae& dae, const EquilibriumOptions& options = {});

/// Values of all leaves at rest there.
structure::Point point_of(const Equilibrium& equilibrium);

/// "model 'm': no equilibrium near the start values", with the equation that is not satisfied.
Diagnostic no_equilibrium(const derive::Dae& dae, const Equilibrium& nearest);

}  // namespace daedal::analysis
