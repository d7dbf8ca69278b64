// A loop with a clock, linear about its rest: from one sample to the next.
//
// Between samples z' = f z + g v with held commands v. What controllers hold, q, are commands, measured values, states, estimates. At a
// sample, each controller computes from z and q as they are: what it measures, what it estimates, then its states and commands; the
// commands act after their dead times, exactly.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Core>

#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace daedal::feedback {

/// The held value becomes  z_row z + q_row q.
struct HeldFormula {
  std::size_t held = 0;
  Eigen::RowVectorXd z_row, q_row;
};
struct HeldCommand {
  HeldFormula formula;
  Eigen::VectorXd g;     // how it acts on z'
  double dead_time = 0;  // [s]
};
/// s <- a s + b v,  s <- s + gain (y - h s - j v),  x = basis s; v, y and x are held values.
struct SteadyFilter {
  Eigen::MatrixXd a, b, h, j, gain, basis;
  std::vector<std::size_t> inputs, measured, estimates;
};
struct ClockedController {
  std::vector<HeldFormula> measured, states;
  std::vector<HeldCommand> commands;
  std::optional<SteadyFilter> filter;
};

/// Z_(k+1) = step Z_k + route c_k, c_k = answer Z_k: c are the commands of all controllers.
struct SampledLoop {
  Eigen::MatrixXd step, route, answer;
  Eigen::MatrixXd closed() const { return step + route * answer; }
};

/// All controllers have the same period [s]; `held` values in all. What nothing reads is no state of the loop.
SampledLoop sampled_loop(const Eigen::MatrixXd& f,
                         const std::vector<ClockedController>& controllers, std::size_t held,
                         double period);

/// Of modes from one sample to the next.
analysis::Spectrum factors_of(const SampledLoop& loop);
/// "asymptotically stable", "marginal", "unstable": beyond the errors of the factors.
std::string stability_of(const analysis::Spectrum& factors);
/// The mean of a cluster of factors; what is 0 but for rounding is 0.
std::complex<double> shown_factor(const analysis::Cluster& factor);

/// Opened at a command, as loop_margins() takes it with the period.
analysis::LinearModel opened(const SampledLoop& loop, Eigen::Index command, double period);

/// Of x_(k+1) = a x_k + b v_k, y_k = h x_k + j v_k with these covariances: the gain to which Kalman's filter settles; nothing
/// where it settles to none.
std::optional<Eigen::MatrixXd> steady_gain(const Eigen::MatrixXd& a, const Eigen::MatrixXd& h,
                                           const Eigen::MatrixXd& process,
                                           const Eigen::MatrixXd& noise);

}  // namespace daedal::feedback
