// From a consistent start to a trajectory.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/solve/consistent.hpp"
#include "daedal/solve/method.hpp"
#include "daedal/solve/trajectory.hpp"

#include <atomic>

namespace daedal::solve {

struct SimulateOptions {
  double until = 10;         // [s], > start time
  double every = 0;          // [s], >= 0: rows at 0, every, 2 every, ... and `until`; 0: until/1000
  Method method;             // rk45 by default
  bool global_error = true;  // estimate it by a second run, at about twice the cost of the first
  bool halved = false;       // steps end in the middle between break points too: for second runs
  bool history = false;      // keep drift and energy of every row, not only the largest
  compile::Options compile;
  ProgressSink progress;                         // may be empty
  const std::atomic<bool>* interrupt = nullptr;  // when it turns true the run ends behind its step
};

/// Every option out of its range.
std::vector<Diagnostic> check(const SimulateOptions& options, double start = 0);

/// Integrates from `start`. A numerical failure is an outcome (status, reason), and so is an interruption: the rows up to
/// it are there. Throws
/// std::invalid_argument when check() objects, ModelError when the table would not fit into memory.
Trajectory simulate(const formulate::Problem& problem, const ConsistentPoint& start,
                    const SimulateOptions& options);

}  // namespace daedal::solve
