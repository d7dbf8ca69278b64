// One step of fixed length as expressions: formula, equations, Newton's method and Gaussian elimination in one graph.
//
// A formula with stages i = 1 .. s combines what is known with the derivatives at the stages,
//     x_i = known + h sum_j a_ij x'_j,        known = sum_p past_p x_(n-p),
// s = 1 for backward differentiation, 3 for Radau IIA. Followed up the chain x -> x' -> x'' = z this makes every state a known
// number plus a combination of the tops z of the stages, so the tops are all that the equations f, exactly as they were
// derived, are solved for:
//     f(t_i, x_i(z), x'_i(z), z_i, signals at t_i) = 0,    Newton: z <- z - (df/dz)^-1 f.
// Row i is divided by h^c_i and unknown j measured in h^(d_j - order of its top), with the offsets c, d of the Sigma-method: an
// entry, the derivative by x_j^(l), is then of the size h^(d_j - l - c_i), 1 or less. Unscaled, the matrix loses as many digits
// as the index costs powers of the step [BottassoBauchauCardona2007]. The elimination is written out with the pivots
// of the start, parameters are numbers. What is left is straight-line code: a kernel here, a function in exported C.
//
// Along a branch of regular solutions the sign of det(df/dz), the product of the pivots, does not change: the program carries
// it, so that a step whose iterations ended at another root (a cable of length -4 m) is recognised.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/structure/regularity.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::solve {

struct StepFormula {
  std::string name;
  std::vector<double>
      nodes;              // c_i in (0, 1]: times of the stages; the last is 1, the end of the step
  std::vector<double> a;  // [i * stages + j]
  std::vector<double> past;  // weights of x_n, x_(n-1), ...
  std::uint32_t stages() const { return static_cast<std::uint32_t>(nodes.size()); }
};
/// Of order 1 (implicit Euler) to 6; std::invalid_argument otherwise.
StepFormula bdf_formula(int order);
/// Radau IIA of order 5 [HairerWanner1996, IV.5].
StepFormula radau5_formula();
/// Of implicit_euler, linear_implicit_euler, bdf, and radau5 with a step. Throws ModelError for the other methods.
StepFormula step_formula(const Method& method);
/// [s], of these.
double step_length(const Method& method);

struct StepProgram {
  std::shared_ptr<const model::Model> model;
  StepFormula formula;
  double step = 0;  // [s]
  std::vector<expr::Leaf>
      signals;  // external: inputs that are not unknowns, with their derivatives
  std::vector<expr::Leaf>
      states;  // x_j^(l) below the highest derivative that occurs, each after its own derivative
  std::vector<expr::Leaf> tops;       // the highest derivatives, by unknown
  std::vector<std::uint32_t> next;    // by state: its derivative, a state, or states.size() + a top
  std::vector<std::uint32_t> top_of;  // by state: the top it is an integral of
  std::vector<std::uint32_t> depth;   // by state: how many integrals
  std::vector<double> start_states, start_tops;
  /// Corrections of the tops times these are compared with Newton's tolerance: changes of the lowest states relative to
  /// their size, and of algebraic unknowns relative to theirs and the square of the step.
  std::vector<double> weight;
  /// Rows of the equations times these, and corrections of the tops divided by these, are what Newton's matrix is made of.
  std::vector<double> row_scale, unit;
  std::vector<double> a;  // step * formula.a
  std::vector<double>
      top_weight;  // [state * stages + j]: of the tops in the states at the end of the step
  /// Guesses of the tops: [stage * predicted_from() + k], of the tops of the last steps, or of the stages of the last one.
  std::vector<double> predictor;
  std::uint32_t past = 1;  // steps whose states and tops are kept

  /// Leaves are (position, 0) of the point
  ///   times of the stages | signals by stage | known parts of the states by stage | tops by stage.
  std::shared_ptr<const expr::Graph> graph;
  std::vector<expr::Expr> correction;  // -(df/dz)^-1 f, by stage and top
  std::vector<expr::Expr> residual;    // f itself, by stage and equation
  expr::Expr monitor;                  // squared growth of multipliers and pivots since the start
  expr::Expr
      determinant;  // product of the inverse pivots, each in a power of 2 near its start; > 0 there

  /// Signals enter equations that are differentiated on the way to the tops: a jump of one is a spike in these.
  bool differentiated = false;
  /// By top: nominal size of its unknown, per s^order.
  std::vector<double> nominal;
  std::vector<double> signal_nominal;  // by signal

  std::uint32_t stages() const { return formula.stages(); }
  std::uint32_t predicted_from() const {
    return static_cast<std::uint32_t>(predictor.size()) / stages();
  }
  std::uint32_t first_signal() const { return stages(); }
  std::uint32_t first_known() const {
    return first_signal() + stages() * static_cast<std::uint32_t>(signals.size());
  }
  std::uint32_t first_top() const {
    return first_known() + stages() * static_cast<std::uint32_t>(states.size());
  }
  std::uint32_t point_size() const {
    return first_top() + stages() * static_cast<std::uint32_t>(tops.size());
  }
  /// h^k (a^k)_ij: how much of the top of stage j the k-th integral at stage i contains.
  double weight_of_top(std::uint32_t k, std::uint32_t i, std::uint32_t j) const;
};

/// `start` gives every leaf of the Dae at the start: values of the unknowns there choose the pivots. `constraint_scaling` k:
/// algebraic equations are multiplied by step^-k and nothing else is scaled [Druecker2022, (3.94)], instead of by the offsets.
/// Throws ModelError when the matrix of the step is singular there, or has too many entries to be written out.
StepProgram make_step_program(const derive::Dae& dae, const StepFormula& formula, double step,
                              const structure::Point& start,
                              std::optional<int> constraint_scaling = std::nullopt);

/// The leaves of a problem at a consistent point; parameters have their values, missing ones are 0. Both must outlive it.
structure::Point point_of(const formulate::Problem& problem, const ConsistentPoint& at);

}  // namespace daedal::solve
