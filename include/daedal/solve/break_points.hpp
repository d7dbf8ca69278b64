// Times at which expressions are not smooth.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <span>
#include <vector>

namespace daedal::solve {

/// Sorted times in (t0, t1]: ends of rest-to-rest motions, breaks of splines, switches of `if`,
/// abs, min, ... whose argument is a function of time alone. What depends on the state as well is
/// no break point but an event.
std::vector<double> break_points(const formulate::Problem& problem, double t0, double t1);
/// The same for expressions of the model's graph (servo-constraints, say).
std::vector<double> break_points(const formulate::Problem& problem,
                                 std::span<const expr::Expr> expressions, double t0, double t1);

}  // namespace daedal::solve
