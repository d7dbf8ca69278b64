// From a consistent start to a trajectory.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/solve/consistent.hpp"
#include "daedal/solve/method.hpp"
#include "daedal/solve/trajectory.hpp"

namespace daedal::solve {

struct SimulateOptions {
  double until = 10;  // [s], > start time
  double every = 0;   // [s], >= 0: rows at 0, every, 2 every, ... and `until`; 0: until/1000
  Method method;      // rk45 by default
  compile::Options compile;
  ProgressSink progress;  // may be empty
};

/// Every option out of its range.
std::vector<Diagnostic> check(const SimulateOptions& options, double start = 0);

/// Integrates from `start`. A numerical failure is an outcome (status, reason). Throws
/// std::invalid_argument when check() objects, ModelError when the table would not fit into memory.
Trajectory simulate(const formulate::Problem& problem, const ConsistentPoint& start,
                    const SimulateOptions& options);

}  // namespace daedal::solve
