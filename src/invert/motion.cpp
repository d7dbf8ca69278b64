#include "motion.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/system/break_points.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal::inversion {

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
  const bool repeats = period_of(problem).has_value();
  throw ModelError(
      {Severity::error,
       m.servos.empty() ? m.place : m.servos.front().place,
       fmt::format("model '{}': its desired motion {}", m.name,
                   repeats ? "repeats for ever: there is no beginning and end"
                           : "neither begins and ends nor repeats, one of which stable inversion "
                             "needs"),
       {},
       repeats ? "one period of it is inverted off line, without `receding` and `formulations`"
               : "let it rest before and after:  servo z = ... * rest_to_rest(t/tf),  or repeat:  "
                 "sin(2*t)"});
}

}  // namespace daedal::inversion
