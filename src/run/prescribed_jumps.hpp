// Constraints that jump in time:  c(q, t) with a different value just before and just after some t.
//
// A guide x = s(t) whose s jumps by 1 m moves a mass by 1 m in no time, which no force does. An input with such a signal is
// refused when the equations are formulated (src/formulate/signals.cpp); a function of time written into the constraint
// itself is examined here, on every level and at every break point of the run.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/start/prepare.hpp"

#include <vector>

namespace daedal::solve {

/// Throws ModelError when the constraint itself jumps between the start and `until`. Returns a warning where only a
/// derivative of it does, and velocities jump; and where events may release it before.
std::vector<Diagnostic> prescribed_jumps(const formulate::Problem& problem,
                                         const ConsistentPoint& start, double until);

}  // namespace daedal::solve
