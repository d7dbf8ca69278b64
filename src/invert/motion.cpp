#include "motion.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/solve/break_points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>

namespace daedal::invert {

namespace {

constexpr double horizon_end = 1e4;    // [s], no trajectory is longer
constexpr double before_start = 1e-3;  // [s], so that a joint at 0 is seen

}  // namespace

std::vector<double> joints_of(const formulate::Problem& problem) {
  const model::Model& m = *problem.dae->model;
  std::vector<expr::Expr> servos;
  for (const model::Relation& servo : m.servos) servos.push_back(servo.residual);
  std::vector<double> joints = solve::break_points(problem, servos, -before_start, horizon_end);
  for (double& t : joints)
    if (std::abs(t) < 1e-12) t = 0;  // found by bisection
  if (joints.size() >= 2) return joints;
  throw ModelError(
      {Severity::error,
       m.servos.empty() ? m.place : m.servos.front().place,
       fmt::format("model '{}': its desired motion has no beginning and end, which stable "
                   "inversion needs",
                   m.name),
       {},
       "let it rest before and behind:  servo z = ... * rest_to_rest(t/tf)"});
}

double slowest_rate(const Dichotomy& d, bool growing, double at_least) {
  constexpr double on_the_circle = 1e-7;  // as the dichotomy itself decides
  double slowest = 0;
  for (const std::complex<double>& mu : d.multipliers) {
    const double rate = (growing ? 1 : -1) * std::log(std::abs(mu)) / d.step;
    if (rate * d.step > on_the_circle && rate >= at_least && (slowest == 0 || rate < slowest))
      slowest = rate;
  }
  return slowest;
}

void count_modes(Dichotomy& d, double slowest) {
  d.stable = d.centre = d.unstable = 0;
  for (const std::complex<double>& mu : d.multipliers) {
    const double rate = std::log(std::abs(mu)) / d.step;
    (rate > slowest ? d.unstable : rate < -slowest ? d.stable : d.centre)++;
  }
}

}  // namespace daedal::invert
