// Inverse models by classical methods of fixed step: implicit Euler, BDF, Radau IIA, as a real-time system runs them.
//
// The equations are solved as they were derived, undifferentiated, with the desired outputs as signals from outside: one
// solve::Stepper, step by step, along the motion that the servo lines ask for.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/solve/consistent.hpp"
#include "daedal/solve/method.hpp"
#include "daedal/solve/stepper.hpp"
#include "daedal/solve/trajectory.hpp"

#include <memory>

namespace daedal::invert {

/// A step program of the inverse model, its desired outputs from outside, with the pivots of `start`. Throws ModelError for
/// methods that step differently.
std::shared_ptr<const solve::StepProgram> step_program(const InverseModel& inverse,
                                                       const solve::ConsistentPoint& start,
                                                       const solve::Method& method);
/// Newton's part of the method's options.
solve::StepperOptions stepper_options(const solve::Method& method);

struct StepTimes {
  std::uint64_t steps = 0;
  double median = 0, most = 0, worst = 0;  // [s]; `most`: 99.9 % of all steps take less
};

struct SteppedInversion {
  solve::Trajectory trajectory;
  StepTimes times;
  int most_iterations = 0;      // of a step
  double largest_residual = 0;  // of the equations, before the last correction of a step
};

/// From `start` to `until`, a row every `every` seconds (0: until/1000), rounded to whole steps.
SteppedInversion step_through(const InverseModel& inverse, const solve::ConsistentPoint& start,
                              const solve::Method& method, double until, double every,
                              const compile::Options& options = {
                                  .backend = compile::Backend::native});

}  // namespace daedal::invert
