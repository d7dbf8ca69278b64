// Inverse models by classical fixed-step methods: implicit Euler, BDF, Radau IIA, as a real-time system runs them.
//
// The equations are solved as they were derived, undifferentiated, or in an index-reduced variant, with the desired outputs as
// external signals: one solve::Stepper, step by step, along the desired motion of the servo lines.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/invert/index_reduction.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/step_times.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/stepper/stepper.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace daedal::inversion {

/// How the equations of a step are written.
struct ClassicalForm {
  ReductionOptions reduction;
  /// In [0, 6]: algebraic equations are multiplied by step^-scaling; without it all are scaled by the structure's offsets.
  std::optional<int> scaling;
  double residual = 0;  // >= 0: solve::StepperOptions::residual_tolerance
};

/// An inverse model ready to be stepped.
struct Steppable {
  ReducedModel reduced;
  std::shared_ptr<const solve::StepProgram> program;
};
/// Its desired outputs are external, its pivots from `start`. Throws ModelError for methods that step differently and
/// for variants that do not exist.
Steppable step_program(const InverseModel& inverse, const solve::ConsistentPoint& start,
                       const solve::Method& method, const ClassicalForm& form = {});
/// Newton's part of the method's options.
solve::StepperOptions stepper_options(const solve::Method& method, const ClassicalForm& form = {});

struct SteppedInversion {
  solve::Trajectory trajectory;
  StepTimes times;
  int most_iterations = 0;      // of a step
  double largest_residual = 0;  // of the equations, before the last correction of a step
  /// Steps that were made but are reported as jumps, or as passing a singular pose; the time at the end of the first.
  std::uint64_t jumps = 0, singular_passed = 0;
  double first_jump = 0, first_singular_passed = 0;
};

/// From `start` to `until`, a row every `every` seconds (0: until/1000), rounded to whole steps. In a StopScope that asks to
/// stop it ends after its step, with the rows until then.
SteppedInversion step_through(
    const InverseModel& inverse, const solve::ConsistentPoint& start, const solve::Method& method,
    double until, double every,
    const compile::Options& options = {.backend = compile::Backend::native},
    const ClassicalForm& form = {});

}  // namespace daedal::inversion
