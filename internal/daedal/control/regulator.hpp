// The feedback u = -F (x - x_rest) that holds a mechanism at rest at the least quadratic cost, in the user's own coordinates.
//
//   J = int  (x - x_rest)^T Q (x - x_rest) + 2 (x - x_rest)^T N u + u^T R u  dt
//
// x are all variables with derivatives: redundant coordinates, their velocities, states of drives. On the constraint manifold
// x - x_rest = T z with orthonormal columns of T, so the reduced problem has the weight T^T Q T, and F = F_z T^T
// [Druecker2022, (4.17)-(4.20)]. Another basis T W with an orthogonal W changes neither the cost nor F: F_z W W^T T^T.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/control/loop_margins.hpp"
#include "daedal/control/sampled_loop.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Core>

#include <complex>
#include <optional>
#include <string>
#include <vector>

namespace daedal::feedback {

/// Integrals q of errors in the cost, q' = of (x - x_rest), with weight q^T weight q; with a period the sum of what is sampled,
/// q_(k+1) = q_k + period of (x_k - x_rest).
struct Integrals {
  Eigen::MatrixXd of, weight;      // quantities x states, quantities x quantities
  std::vector<std::string> names;  // of the quantities
};

struct RegulatorOptions {
  std::vector<std::string> inputs;  // that the feedback commands; empty: all
  /// Weights by name, and of whatever has none. Without any, 1 for every state.
  std::vector<std::pair<std::string, double>> states, commands;
  std::optional<double> other_states;  // default 1 where `states` is empty, else 0
  double other_commands = 1;
  /// Q, R and N in the order of states and inputs; what is given outranks the weights above.
  std::optional<Eigen::MatrixXd> q, r, n;
  double period = 0;  // [s] of a controller with a clock; 0: continuous
  double delay = 0;   // [s] from the moment that a sample shows to when its command acts
  std::optional<Integrals> integrals;
  /// Designed on so many states, those that inputs move and weights see most [Moore1981].
  std::optional<int> reduce;
};

struct Regulator {
  std::vector<std::string> inputs, states;  // rows, columns of F
  Eigen::MatrixXd gain, integral_gain;      // F, and that of the integrals
  /// With a delay: of what was fed back 1, 2, ... samples ago.
  std::vector<Eigen::MatrixXd> past_gains;
  Eigen::MatrixXd cost;                          // X: x^T X x is what it costs to begin at x
  Eigen::VectorXd state_weights, input_weights;  // diagonals of Q, R
  std::vector<std::string>
      held;                 // driven coordinates that other inputs drive: they stay where they are
  analysis::Spectrum open;  // [1/s]
  /// [1/s]; with a period: factors from sample to sample, without the zeros of a delay.
  std::vector<std::complex<double>> closed;
  std::vector<LoopMargins> margins;          // by input
  std::vector<analysis::LinearModel> loops;  // opened at each input, as loop_margins() takes them
  /// z' = f z + g (u - u_rest),  u - u_rest = -reduced_gain z,  x - x_rest = basis z.
  Eigen::MatrixXd f, g, basis, reduced_gain;
  /// Where commands are late, or errors are summed: the loop from sample to sample, whose first states are z.
  std::optional<SampledLoop> sampled;
  double residual = 0, condition = 0;  // of the Riccati equation
};

/// The variables with derivatives, positions before their velocities: columns of F.
std::vector<expr::Leaf> states_of(const analysis::LinearModel& linear);

/// Of a forward Dae, linearised. Throws ModelError: names that do not exist, weights out of range, modes that the inputs do
/// not move or the weights do not see.
Regulator regulator(const derive::Dae& dae, const analysis::LinearModel& linear,
                    const RegulatorOptions& options);

/// The same answer about gains that were found in another way, `closed` among what is given: all but costs.
Regulator judged(const derive::Dae& dae, const analysis::LinearModel& linear,
                 const RegulatorOptions& options, Regulator gains);

}  // namespace daedal::feedback
