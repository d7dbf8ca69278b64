// From a Dae to a problem with its start: structure, point, check, and where necessary, a conversion of the equations
// or constraints left out.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/structure/examine.hpp"

#include <memory>
#include <string>
#include <vector>

// Consistent points: states and tops that satisfy the constraints on every level and the equations.
//
// Levels are solved lowest first; on each the result is the nearest point to the guesses,
//     min |x - x0|_W   subject to   f(x) = 0,
// with W = diag(1/max(|x0|, nominal)^2) for positions and the mass metric for velocities. Values
// marked `fixed` and those that no reaction can move (driven coordinates) stay as they are. Stated
// values move last: the others are chosen so that they hold, and those that the constraints contradict
// move as little as possible, with a warning that names them.

namespace daedal::solve {

/// Where a motion starts, and treatment of start values that violate the constraints.
enum class StartValues : std::uint8_t {
  consistent,  // they are guesses: the nearest values that satisfy every level
  as_given,    // they stay, to show how a formulation treats the violation
  rest,        // consistent, all velocities as near to 0 as the constraints allow
  equilibrium  // at rest where all accelerations are 0; `simulate` looks for the place, `prepare` does not
};
/// "consistent", "as_given", "rest", "equilibrium".
const std::vector<std::string>& start_values_names();

struct ConsistentOptions {
  StartValues values = StartValues::consistent;
  double t = 0;                   // [s]
  double rank_tolerance = 1e-10;  // in (0, 1): distance of a unit gradient from the others' span
  int attempts = 8;               // >= 1: guesses tried; all but the first perturbed, reproducibly
  std::vector<double>
      states;  // guesses, as in the problem's layout; empty: the model's start values
  std::vector<expr::Leaf> kept;  // of these, what must not move
  std::vector<double> held;      // what controllers hold there; empty: their start values
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
  std::vector<double> held;                // what controllers hold; empty: their start values
  std::vector<Move> moves;                 // in the order of the layout
  std::vector<StartViolation> violations;  // lowest level first; only of a start kept as given
  /// A start found only from a perturbed guess; stated values that the constraints forbid.
  std::vector<Diagnostic> warnings;
};

/// Throws ModelError: a start as given in a formulation that would not keep it, constraints that cannot be met (which, by how much), redundant constraints
/// (which follows from which), equations that do not determine the accelerations and multipliers.
ConsistentPoint consistent_point(const formulate::Problem& problem,
                                 const ConsistentOptions& options = {});

/// Treatment of redundant constraints; docs/methods/redundant_constraints.md.
enum class RedundantConstraints : std::uint8_t {
  error,      // name them and stop
  least_norm  // name them, leave them out, and share the reactions among all multipliers
};
/// "error", "least_norm".
const std::vector<std::string>& redundant_constraints_names();

struct PrepareOptions {
  ConsistentOptions start;
  RedundantConstraints redundant_constraints = RedundantConstraints::error;
};

/// Constraints are redundant, and least_norm is not selected. Each diagnostic names those of one joint, or one.
class RedundantConstraintsError : public ModelError {
 public:
  using ModelError::ModelError;
};

struct Prepared {
  std::shared_ptr<const derive::Dae> dae;  // as given, without the constraints left out
  formulate::Problem problem;
  ConsistentPoint start;               // its warnings name the constraints left out
  std::vector<expr::SymbolId> shared;  // multipliers that only the least norm determines
};

/// Throws RedundantConstraintsError; ModelError as examine, formulate and consistent_point do, for equations whose structure cannot be decided, and for
/// redundant constraints whose multipliers something else depends on.
Prepared prepare(std::shared_ptr<const derive::Dae> dae, const formulate::Formulation& formulation,
                 const PrepareOptions& options = {});

}  // namespace daedal::solve
