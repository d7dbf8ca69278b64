// Stable inversion: the bounded solution of an inverse model whose internal dynamics are unstable [ChenPaden1996].
//
// Integrated forwards, the inverse model of a non-minimum phase system grows without bound. It has one bounded
// solution nevertheless, which begins to move before the output does (pre-actuation) and comes to rest after it: a
// boundary value problem on
//     [first joint - before, last joint + after]
// from rest to rest. Where the motion is periodic the bounded solution is so too: then the window is one period, and both ends
// are the same state.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/boundary/boundary_value.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/run/simulate.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::inversion {

/// The method for the bounded solution.
enum class Scheme : std::uint8_t {
  automatic,    // central differences where they apply and are accurate enough, else collocation
  collocation,  // at Gauss points: any mechanism, any tolerance
  central_differences  // on the equations as derived, a fraction of the work
};

struct StableInversionOptions {
  Scheme scheme = Scheme::automatic;
  std::optional<double> step;  // [s], > 0, of central differences; default 0.65 / slowest growth
  boundary::BoundaryValueOptions boundary_value;
  /// As boundary_value.tolerance; else that one, and 1e-5 where the zeros lie far apart (elastic bodies): meshes that resolve
  /// the fastest cost minutes.
  std::optional<double> tolerance;
  std::optional<double> before,
      after;  // [s], >= 0; else until the slowest modes have decayed to the tolerance
  std::optional<double>
      until;         // [s], instead of `after`: where the rows end, also of periodic motions
  double every = 0;  // [s] between rows; 0: a thousand of them
  compile::Options compile;
};
/// Faults in the user's terms.
std::vector<Diagnostic> check(const StableInversionOptions& options);

struct StableInversion {
  solve::Trajectory trajectory;  // stopped with a reason when there is no solution; warnings
  boundary::BoundaryValueSolution solution;
  double first_joint = 0, last_joint = 0;  // [s]: the outputs move in between
  double period = 0;     // [s], > 0: the motion is periodic, and the window is one period
  double motion = 0;     // largest deviation from rest, and its coordinate
  double tolerance = 0;  // of the states at the nodes, requested or chosen
  double slowest_growth = 0,
         slowest_decay = 0;  // [1/s], of the modes at the left and at the right end; 0: none
  double preparation = 0, solving = 0;  // [s] equations, kernels, modes; guess and Newton's method
};

/// The tracking equations of an inverse model, formulated: states, external desired outputs. Throws ModelError when they
/// cannot be solved.
std::shared_ptr<const formulate::Problem> tracking_problem(const InverseModel& inverse);

/// Throws ModelError for motions that are neither periodic nor begin and end at rest.
StableInversion stable_inversion(const InverseModel& inverse,
                                 const StableInversionOptions& options = {});

}  // namespace daedal::inversion
