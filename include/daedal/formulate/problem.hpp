// A Problem: a Dae formulated for integration.
//
// From the offsets of the Sigma-method: states s are x_j^(k), k < d_j; tops z are x_j^(d_j). The equations f_i
// differentiated c_i times (with Baumgarte's terms when requested) determine z from (t, s); the lower levels f_i^(k), k < c_i,
// are the constraints the states must satisfy, level by level:
//     s' = next(s, z),    0 = residual(t, s, z),    0 = levels(t, s).
// A mechanism with holonomic constraints is the special case s = (q, v), z = (a, lambda), levels c(q) and c'(q, v).
//
// Lifted positions r = e(q, r) are unknowns of the equations, but no states: r and r' follow from (q, v) by substitution,
// in the order of their definitions. So z = (tops, r, r'), and only the tops are solved for (docs/methods/lifting.md).
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/structure/examine.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::compile {
class JetProgram;
}

namespace daedal::formulate {

struct Baumgarte {
  double a1 = 0, a0 = 0;  // c'' + a1 c' + a0 c = 0;  velocity level: c' + a1/2 c = 0
};
struct Penalty {
  double stiffness = 0,
         damping =
             0;  // lambda + stiffness c + damping c' = 0;  velocity level: lambda + damping c = 0
};
struct AugmentedLagrangian {
  double stiffness = 0;      // lambda <- lambda - stiffness c, until
  double tolerance = 1e-10;  // no |c| is larger
};
struct NonlinearStabiliser {
  double rate = 0;  // [1/s], xi1' = xi2 - rate xi1, xi2' = -rate xi2 with (c, c') = (xi1, xi2)
};
/// index1, index2, index3: f_i differentiated c_i, c_i - 1, c_i - 2 times (never less than 0).
/// ggl: index 2 with the positions enforced too, src/formulate/gear_gupta_leimkuhler.cpp.
/// null_space, minimal: as many states move freely as there are degrees of freedom, internal/daedal/system/local_coordinates.hpp;
/// hamilton: momenta as states, enforced by projection, src/system/momentum_states.hpp.
enum class Kind : std::uint8_t {
  index1,
  baumgarte,
  projection,
  index2,
  index3,
  penalty,
  augmented_lagrangian,
  nonlinear_stabiliser,
  ggl,
  null_space,
  minimal,
  hamilton
};
struct Formulation {
  Kind kind = Kind::projection;
  Baumgarte all;
  std::map<std::string, Baumgarte> each;  // by constraint name; overrides `all`
  Penalty penalty;
  AugmentedLagrangian augmented;
  NonlinearStabiliser stabiliser;
  /// Baumgarte's pole, or the stabiliser's rate, is still to be chosen: solve::settled does it.
  bool automatic = false;
};
/// "projection", "baumgarte", ...
std::string_view name(Kind kind);

/// Level k < 0 of the derivative array: equations f_i^(c_i + k) in the states x_j^(d_j + k).
struct Level {
  int level = -1;
  std::vector<std::uint32_t> equation;    // Dae equation of each row
  std::vector<std::uint16_t> derivative;  // how often it was differentiated
  expr::Function residual;                // rows as `equation`; empty unless written out
  std::vector<std::uint32_t> unknowns;    // point positions of the states of this level
  expr::SparseFunction jacobian;          // columns as `unknowns`
  /// Metric in which corrections are smallest (columns as `unknowns`): the mass matrix on free coordinates; empty rows
  /// (driven coordinates) must not move.
  expr::SparseFunction metric;
  std::vector<bool> movable;
  std::uint32_t definitions = 0;  // of lifted positions: the last rows

  std::uint32_t rows() const { return static_cast<std::uint32_t>(equation.size()); }
  std::uint32_t constraints() const { return rows() - definitions; }
};

/// Constraints that the Dae leaves out, on a level to which they belong: a run monitors that they still hold.
struct WatchedLevel {
  int level = -1;
  std::vector<std::uint32_t> constraint;  // of each row, a number in the model
  std::vector<std::uint16_t> derivative;
  expr::Function residual;
};

/// A multiplier of the augmented Lagrangian and the value it is sought around: positions of the point.
struct HeldMultiplier {
  std::uint32_t equation = 0;  // of its constraint
  std::uint32_t multiplier = 0, held = 0;
};

struct Problem {
  structure::Structure structure;
  std::shared_ptr<const derive::Dae> dae;  // that of the structure
  Formulation formulation;
  structure::Offsets offsets;  // those of the structure, raised where a derivative is required
  /// [0] t | states | tops | lifted | inputs and their derivatives | multipliers of constraints left out | held ones |
  /// parameters
  compile::Layout layout;
  std::uint32_t states = 0;  // layout positions 1 .. states
  std::uint32_t tops = 0;    // layout positions states+1 .. states+tops
  std::uint32_t lifted =
      0;  // next layout positions: lifted positions, then their derivatives below the tops
  expr::Function scan;            // rows: these, as functions of t, states and inputs
  std::uint32_t first_input = 0;  // layout positions of input leaves, evaluated from `inputs`
  /// Layout positions of what controllers hold between their samples, and its start values.
  std::uint32_t first_held_value = 0;
  std::vector<double> held_values;
  std::vector<std::uint32_t> next;  // for each state the point position of its time derivative
  std::vector<double> parameters;   // values for the layout's parameter part
  expr::Function inputs;     // rows: input leaves in layout order, functions of t and parameters
  expr::Function equations;  // f_i (of springs: penalty), and work' = power last when has_work
  std::vector<int> c, d;     // offsets of `equations` and of the tops
  /// Whether the derivatives f_i^(k) are written out as expressions. Beyond the second their size explodes: then
  /// `residual`, `right_hand_side` and Level::residual stay empty, and jets of `equations` give their values.
  bool written_out = true;
  expr::Function
      residual;        // rows: f_i^(c_i), with Baumgarte's terms, or penalties; inputs are leaves
  bool linear = true;  // residual is linear in z
  expr::SparseFunction top_matrix;    // d residual / d z
  expr::Function right_hand_side;     // -residual at z = 0, when linear
  std::vector<Level> levels;          // lowest first
  std::vector<WatchedLevel> watched;  // of dae->left_out, lowest first, that of the tops last
  std::vector<HeldMultiplier> held;   // of the augmented Lagrangian
  /// The extra state "work" (integral of the power) is the last state when the mechanism is not conservative.
  bool has_work = false;

  /// Names of tops that a formulation adds to those of the Dae: symbols from first_auxiliary_symbol() on.
  std::vector<std::string> auxiliaries;

  std::uint32_t state_position(std::uint32_t i) const { return 1 + i; }
  std::uint32_t top_position(std::uint32_t i) const { return 1 + states + i; }
  std::uint32_t first_lifted() const { return 1 + states + tops; }
  bool is_lifted(std::uint32_t position) const {
    return position >= first_lifted() && position < first_lifted() + lifted;
  }
  /// Entries of z.
  std::uint32_t algebraic() const { return tops + lifted; }
};

/// After the model's symbols and "work".
inline expr::SymbolId first_auxiliary_symbol(const Problem& problem) {
  return static_cast<expr::SymbolId>(problem.dae->model->symbols.size() + 1);
}

Problem formulate(structure::Structure structure, const Formulation& formulation);

/// The jets of `equations`; unknown j is the j-th top's symbol, parameters as in `parameters`.
std::shared_ptr<const compile::JetProgram> jet_program(const Problem& problem);

/// What implicit methods solve, 0 = residual(t, s, z), with its Jacobians: Problem::residual, or in the formulations index2
/// and index3 (and ggl) its rows differentiated `missing` times less; in the augmented Lagrangian constraints are the rows
/// lambda - held + stiffness c. (The Jacobian in the states is far larger than all the rest for
/// chains in joint angles, and only implicit methods need it.)
struct ImplicitForm {
  expr::Function residual;
  std::vector<std::uint8_t> missing;  // by row; empty when none is
  // rows: equations, then definitions of the lifted entries of z; columns of top_matrix: z
  expr::SparseFunction state_matrix, top_matrix;
};
ImplicitForm implicit_form(const Problem& problem);

/// The equations of a mechanism in the form d/dt p = f, for methods and formulations that work with momenta. Rows as those
/// of Problem::residual; p is 0 on rows that balance no momentum.
struct MomentumForm {
  expr::Function momenta;  // p(t, q, v) = dT/dv
  expr::Function rates;    // d/dt p, with accelerations
  expr::Function forces;   // f(t, q, v, lambda): reactions included; -residual where p is 0
  expr::SparseFunction
      masses;  // coordinates x coordinates: dp/dv, 1 on the diagonal of driven coordinates
  bool constant_masses = false;
};
/// Throws ModelError where T is not quadratic in the velocities; `asker` names the method that needs the momenta
/// ("method rattle").
MomentumForm momentum_form(const Problem& problem, std::string_view asker);
/// Throws ModelError for models that are no mechanisms with holonomic constraints alone.
void require_holonomic(const Problem& problem, std::string_view asker);

}  // namespace daedal::formulate
