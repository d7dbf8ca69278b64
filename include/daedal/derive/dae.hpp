// The Dae: a square set of named equations in named unknowns, derived from a Model.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/model/model.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace daedal::derive {

enum class EquationKind : std::uint8_t {
  motion,
  constraint,
  equation,
  drive,
  servo,
  definition  // of a lifted position
};

struct Equation {
  std::string name;  // "motion of x", "rod", "volume", "drive of x_T"
  EquationKind kind = EquationKind::motion;
  Place place;
};

/// The mechanical view, kept in addition to the equations for the formulations that need it.
struct Mechanics {
  std::vector<expr::SymbolId> coordinates;  // all of them, then the lifted positions
  std::vector<bool> driven;          // parallel: prescribed by a drive, reactions do not act on it
  expr::Function momenta;            // rows: coordinates; dT/dv
  expr::SparseFunction mass_matrix;  // coordinates x coordinates: d2T/dv2
  expr::Function
      drive_force;  // rows: driven coordinates in order; residual of the replaced equation
  /// One row: v . dT/dv - T + V, the energy (Jacobi's function where T depends on time).
  expr::Function energy;
  expr::Function kinetic;  // one row: T
  /// One row: what changes the energy, v . (applied forces - dR/dv + G^T lambda) + drive power - dL/dt.
  expr::Function power;
  bool conservative = false;  // power is identically zero
};

/// Constraints that follow from the others and are left out of the equations, reactions included.
struct LeftOut {
  std::vector<std::uint32_t> constraints;  // of the model, ascending
  expr::Function residual;                 // rows as `constraints`
  /// Rows: all constraints of the model; columns: coordinates. The directions G along which constraints react; empty when
  /// nothing is left out.
  expr::SparseFunction reactions;
};

/// Parameters that hold the value of a comparison, 0 or 1, or of a floor: daedal/derive/branches.hpp.
struct Branches {
  std::vector<expr::SymbolId> symbols;  // of the model
  std::vector<expr::Expr> values;       // what they hold; may contain the parameters before them
  std::shared_ptr<const expr::Graph> graph;  // of the values
};

/// More inputs than servo-constraints: of those that produce the motion, the inputs nearest to their own values.
struct SharedInputs {
  struct Bound {
    expr::SymbolId input = 0;
    expr::Expr low, high;  // in the graph of the model; of time and parameters
  };
  std::vector<std::uint32_t> rows;          // equations in which inputs and reactions occur
  std::vector<expr::SymbolId> inputs;       // all of them
  std::vector<expr::SymbolId> adapting;     // unknowns without rates in these equations: reactions
  std::vector<expr::SymbolId> multipliers;  // parallel to rows: unknowns that make the choice
  std::vector<Bound>
      bounds;  // limits of inputs alone, which are no longer among those of the model
  explicit operator bool() const { return !inputs.empty(); }
};

/// An input that has a value, a function of time, from one time until another.
struct HeldInput {
  expr::SymbolId input = 0;
  expr::Expr value;            // in the graph of the model
  double from = 0, until = 0;  // [s]; may be infinite
};

struct Dae {
  std::shared_ptr<const model::Model> model;
  std::vector<expr::SymbolId>
      unknowns;  // coordinates, lifted positions, variables, multipliers (and inputs when inverted)
  std::vector<Equation> equations;  // equations.size() == unknowns.size()
  expr::Function residual;          // rows: equations
  Mechanics mechanics;
  expr::Function outputs;              // rows: model->outputs
  std::vector<expr::SymbolId> folded;  // parameters equal to 0, folded before everything else
  bool inverse = false;                // servo-constraints are equations, inputs are unknowns
  SharedInputs shared;                 // of an inverse with more inputs than servo-constraints
  /// A mode: constraints (numbers in the model) that do not act, and the Dae in which all do.
  std::vector<std::size_t> released;
  std::shared_ptr<const Dae> all_active;
  LeftOut left_out;
  Branches branches;  // held constant; empty when all branches are live
};

/// Lagrange's equations d/dt dT/dv - dT/dq + dV/dq + dR/dv = Q + G^T lambda, drives, constraints, plain equations.
/// In the mode in which the model starts: constraints that events attach and none releases do not act.
/// Throws ModelError when the set is not square (which equations, which unknowns).
Dae derive(const std::shared_ptr<const model::Model>& model);

/// The inverse model of a forward one: its servo-constraints become equations, its inputs unknowns; all else stays.
/// More inputs than servo-constraints share the work, src/derive/shared_inputs.cpp; some of them may be `held`, in the order of
/// their times. Throws ModelError when there are fewer, or when the servo-constraints do not determine the motion.
Dae inverse(const Dae& forward, std::span<const HeldInput> held = {});

/// The same with the desired outputs as external signals, new symbols of kind input in the order of the servo lines:
/// output - desired = 0, and residual - desired = 0 for a servo line whose right side is no function of time alone.
/// Their defaults are what the servo lines say (0 for the latter).
Dae tracking(const Dae& forward, std::span<const HeldInput> held = {});

/// The mode in which these constraints (sorted numbers in the model) do not act: their multipliers are 0, all names stay.
/// `dae` may be in any mode.
Dae in_mode(std::shared_ptr<const Dae> dae, const std::vector<std::size_t>& released);

/// The numbers in model->constraints of those that are equations, in their order.
std::vector<std::uint32_t> constraints_in(const Dae& dae);

/// The same model without the equations and reactions of these constraints (numbers in model->constraints) and those
/// already left out. Symbols keep their numbers; nothing else may depend on the removed multipliers.
Dae without_constraints(const Dae& dae, std::span<const std::uint32_t> constraints);

}  // namespace daedal::derive
