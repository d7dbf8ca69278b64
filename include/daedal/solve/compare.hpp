// Formulations and methods side by side on one model: error against cost.
//
// Every case is simulated with rows at the same times and compared with a Taylor run at rounding (projection, tolerance
// 1e-15): largest differences of positions, velocities and multipliers over the rows. The reference is judged as any other run
// is, by a second one.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/solve/method.hpp"
#include "daedal/solve/prepare.hpp"
#include "daedal/solve/trajectory.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace daedal::solve {

struct CompareCase {
  formulate::Formulation formulation;
  Method method;
};

struct CompareOptions {
  double until = 10;  // [s], > 0
  double every = 0;   // [s], >= 0: between rows that are compared; 0: until/100
  PrepareOptions prepare;
  unsigned threads = 0;   // cases at the same time; 0: as many as the machine has cores
  ProgressSink progress;  // may be empty; called from one thread at a time
  const std::atomic<bool>* interrupt =
      nullptr;  // when it becomes true, what has not ended is interrupted
};

struct CompareResult {
  std::string refused;  // why the combination makes no sense; else
  Status status = Status::completed;
  std::string reason;                                                   // where it stopped
  double position_error = 0, velocity_error = 0, multiplier_error = 0;  // up to where it stopped
  bool wrong = false;       // off by an error as large as the motion
  double drift = 0;         // of the constraints themselves
  double energy_error = 0;  // [J]
  StepStatistics statistics;
  double wall_time = 0;  // [s]
};

struct Comparison {
  std::vector<CompareResult> results;  // as the cases
  Status reference_status = Status::completed;
  std::string reference_reason;
  Trust reference_trust;  // errors are known up to where the reference can be relied on
};

/// Throws ModelError as prepare does.
Comparison compare(const std::shared_ptr<const derive::Dae>& dae,
                   const std::vector<CompareCase>& cases, const CompareOptions& options);

}  // namespace daedal::solve
