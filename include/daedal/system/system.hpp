// A problem as an integrator sees it.
//
//     s' = next(s, z),   0 = r(t, s, z)       (z algebraic: top derivatives and multipliers)
// where `project` enforces the constraint levels of the states. An explicit method uses
// `derivative`, an implicit one `residual` and its Jacobians. One System per thread: it owns its
// scratch, and no call allocates.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace daedal::formulate {
struct Problem;
}

namespace daedal::solve {

enum class Failure : std::uint8_t {
  none,
  singular_matrix,
  newton_diverged,
  not_finite,
  cannot_project,
  inaccurate,
  no_series,
  not_redundant,
  interrupted,
  multipliers_move
};
/// "the matrix of the equations is singular", ...
std::string_view describe(Failure failure);

using expr::SparsePattern;

/// The canonical view of a mechanism: momenta p(t, q, v), forces f (reactions included) and holonomic constraints c(t, q).
/// Vectors are by row of r, on which p' = f or c = 0, or by top, where velocities take the places of their derivatives.
class Canonical {
 public:
  virtual ~Canonical() = default;
  /// Whether dp/dv does not depend on the positions.
  virtual bool constant_masses() const = 0;
  virtual void momenta(double t, const double* s, double* p) = 0;
  virtual void forces(double t, const double* s, const double* z, double* f) = 0;
  /// By row of r: whether it is a constraint.
  virtual std::span<const std::uint8_t> constrained() const = 0;
  /// c and c' on the rows of constraints; the others stay as they are.
  virtual void positions(double t, const double* s, double* c) = 0;
  virtual void velocities(double t, const double* s, double* c) = 0;
  /// Factors [dp/dv -G^T; G 0] at (t, s). False when it is singular.
  virtual bool factor(double t, const double* s) = 0;
  /// x, by top, from b, by row, with that matrix.
  virtual void solve(const double* b, double* x) = 0;
  /// Solves dp/dv x = b at (t, s), x by top (0 for multipliers). False when dp/dv is singular.
  virtual bool solve_masses(double t, const double* s, const double* b, double* x) = 0;
};

class System {
 public:
  virtual ~System() = default;
  virtual std::uint32_t states() const = 0;
  virtual std::uint32_t tops() const = 0;

  /// For state i: its derivative is state next(i) when next(i) < states(), else top next(i) -
  /// states().
  virtual std::span<const std::uint32_t> next() const = 0;

  /// The typical size of each state: absolute tolerances are relative ones times it.
  /// Empty: 1 for all.
  virtual std::span<const double> nominal() const { return {}; }

  /// By row of r: how many differentiations are missing until r(t, s, z) = 0 determines z. On the rows of holonomic
  /// constraints it is 1 for their velocities (index 2) and 2 for their positions (index 3). Empty: none.
  virtual std::span<const std::uint8_t> missing() const { return {}; }

  /// Solves r(t, s, z) = 0, differentiated where that is missing, for z (a guess on entry) and sets ds = next(s, z).
  virtual Failure derivative(double t, const double* s, double* z, double* ds) = 0;

  virtual void residual(double t, const double* s, const double* z, double* r) = 0;
  virtual const SparsePattern& state_pattern() const = 0;  // of dr/ds
  virtual const SparsePattern& top_pattern() const = 0;    // of dr/dz
  /// values[0 ..): the entries of dr/ds in the order of their pattern, then those of dr/dz.
  virtual void jacobians(double t, const double* s, const double* z, double* values) = 0;

  /// Augmented Lagrangian: the multipliers among z, a solution of r = 0, become those that the next one is sought around.
  /// False when that changes nothing any more: the constraints hold.
  virtual bool hold_multipliers(const double* z) {
    (void)z;
    return false;
  }

  /// By state: whether `project` recomputes it from the other states by linear equations, so that errors do not propagate in
  /// it. Empty: no such state.
  virtual std::span<const std::uint8_t> derived() const { return {}; }

  /// Converts an error of the stepped states to one of the mechanism's states: another where steps are taken in other
  /// coordinates, near the states of the last derivative.
  virtual void show_error(double* error) { (void)error; }

  /// Moves s to the nearest point satisfying the constraint levels; does nothing when the
  /// formulation does not project.
  virtual bool projects() const = 0;
  virtual Failure project(double t, double* s) = 0;
  /// The same for states s + low, each a sum of two doubles: corrections too small for s are kept in low.
  virtual Failure project(double t, double* s, double* low) {
    (void)low;
    return project(t, s);
  }

  /// Later states have been tried in vain: the next projection is of a step, wherever it lies among them, not of a row.
  virtual void return_from_later_states() {}

  /// Moves states interpolated between two steps onto the constraints that steps satisfy, where `missing` says that these
  /// are not those of `derivative`; leaves them where that fails.
  virtual void settle_between_steps(double t, double* s) { (void)t, (void)s; }

  /// Solves for the tops z (a guess on entry) and expands states and tops in a Taylor series at (t, s):
  /// coefficients[n * (states() + tops()) + i] for n <= order; tops lack the last one, which is 0.
  virtual Failure expand(double t, const double* s, double* z, int order, double* coefficients) {
    (void)t, (void)s, (void)z, (void)order, (void)coefficients;
    return Failure::no_series;
  }

  /// Whether the equations contain functions that are flat to rounding before they bend, as tanh: a series where they are flat
  /// does not see that.
  virtual bool has_flat_functions() const { return false; }

  /// Null for systems that are no mechanisms with holonomic constraints alone.
  virtual Canonical* canonical() { return nullptr; }

  /// Times in (t0, t1] where the right-hand side is not smooth (joints of trajectories, input
  /// data), sorted.
  virtual std::vector<double> break_points(double t0, double t1) const = 0;
};

/// The System of a formulated problem, which must outlive it. `states` and `tops` are a consistent point: pivots are chosen
/// there.
std::unique_ptr<System> make_system(const formulate::Problem& problem, double t,
                                    std::span<const double> states, std::span<const double> tops);

}  // namespace daedal::solve
