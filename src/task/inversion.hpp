// The data of one inversion, and its verdict.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/invert/internal_dynamics.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/invert/verify.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/task/invert.hpp"
#include "redefine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct Inversion::Details {
  Mechanism mechanism;  // with its output redefined, if requested
  inversion::InverseModel inverse;
  std::string dynamics;                                 // the internal ones, in words
  std::optional<inversion::InternalDynamics> internal;  // and in numbers
  solve::ConsistentPoint start;
  solve::SimulateOptions options;
  double extent = 0;                                   // of the desired motion
  std::string formulation;                             // of the equations of a method of fixed step
  std::optional<inversion::SteppedInversion> stepped;  // by such a method
  std::optional<inversion::StableInversion> stable;    // not minimum phase
  std::optional<inversion::RecedingRun> receding;      // the same in real time; else jets
  double sample_time = 0;                              // [s], of the real-time methods
  std::optional<inversion::StepTimes> evaluations;     // of jets, as code of their own
  std::optional<inversion::Verification> proof;
  std::optional<inversion::ForwardRun> own_start;    // from the model's own start values
  std::optional<inversion::ForwardRun> other_plant;  // of verify_with
  std::optional<Redefined> redefined;
  std::string impossible;            // why the rows end early: no inputs within their limits
  std::vector<Following> following;  // of the outputs that were redefined
};

/// Zeros at the start on a map, with a table.
void add_zeros(emit::Report& page, const inversion::InternalDynamics& internal);

}  // namespace task
}  // namespace daedal
