// Times at which expressions are not smooth.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <span>
#include <vector>

namespace daedal::solve {

/// Sorted times in (t0, t1]: ends of rest-to-rest motions, breaks of splines, switches of `if`, abs, min, floor, ... whose
/// argument is a function of time (inputs included) alone; all of them, because bounds of the argument and its
/// derivative leave no gaps. t0 itself is among them when such a function switches there. What depends on the state
/// as well is no break point but an event. Throws ModelError when there are more than 10^6, or when rounding errors
/// alone decide.
std::vector<double> break_points(const formulate::Problem& problem, double t0, double t1);
/// The same for expressions of the model's graph (servo-constraints, say), the first 10^4 of each switch.
std::vector<double> break_points(const formulate::Problem& problem,
                                 std::span<const expr::Expr> expressions, double t0, double t1);

}  // namespace daedal::solve
