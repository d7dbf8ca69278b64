// Consistent points: states and tops that satisfy the constraints on every level and the equations.
//
// Levels are solved lowest first; on each the result is the nearest point to the guesses,
//     min |x - x0|_W   subject to   f(x) = 0,
// with W = diag(1/max(|x0|, nominal)^2) for positions and the mass metric for velocities. Values
// marked `fixed` and those that no reaction can move (driven coordinates) stay as they are. Stated
// values move last: the others are chosen so that they hold, and what the constraints forbid all the
// same moves as little as they allow, with a warning that names them.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/formulate/problem.hpp"

#include <string>
#include <vector>

namespace daedal::solve {

/// What becomes of start values that violate the constraints.
enum class StartValues : std::uint8_t {
  consistent,  // they are guesses: the nearest values that satisfy every level
  as_given     // they stay, to see what a formulation makes of the violation
};
/// "consistent", "as_given".
const std::vector<std::string>& start_values_names();

struct ConsistentOptions {
  StartValues values = StartValues::consistent;
  double t = 0;                   // [s]
  double rank_tolerance = 1e-10;  // in (0, 1): distance of a unit gradient from the others' span
  int attempts = 8;               // >= 1: guesses tried; all but the first perturbed, always alike
  std::vector<double>
      states;  // guesses, as in the problem's layout; empty: the model's start values
  std::vector<expr::Leaf> kept;  // of these, what must not move
};

/// A start value that had to move to satisfy the constraints.
struct Move {
  std::string name;  // "x", "phi[2]'"
  std::string unit;
  double from = 0, to = 0;
};

/// A constraint, or a derivative of one, that does not hold at a start kept as given.
struct StartViolation {
  std::string name;  // "rod", "rod'"
  double value = 0;  // left-hand side minus right-hand side
};

struct ConsistentPoint {
  double t = 0;
  std::vector<double> states, tops;        // as in the problem's layout
  std::vector<Move> moves;                 // in the order of the layout
  std::vector<StartViolation> violations;  // lowest level first; only of a start kept as given
  /// A start found only from a perturbed guess; stated values that the constraints forbid.
  std::vector<Diagnostic> warnings;
};

/// Throws ModelError: a start as given in a formulation that would not keep it, constraints that cannot be met (which, by how much), redundant constraints
/// (which follows from which), equations that do not determine the accelerations and multipliers.
ConsistentPoint consistent_point(const formulate::Problem& problem,
                                 const ConsistentOptions& options = {});

}  // namespace daedal::solve
