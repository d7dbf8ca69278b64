// The loop over steps, break points and output times, for any System.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "daedal/system/system.hpp"

#include <optional>
#include <span>

namespace daedal::solve {

/// Receives rows, steps and break points during the run. z are the tops at (t, s).
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void row(double t, const double* s, const double* z) = 0;
  virtual void step(double t, const double* s, const double* z) = 0;  // after each accepted step
  /// A break point lies between two times; s is the same at both.
  virtual void jump(double before, double after, const double* s, const double* z) {
    (void)before, (void)after, (void)s, (void)z;
  }
  /// A time within the integrator's last step at which to end the run; queried before the step is reported.
  virtual std::optional<double> stop(const Integrator&) { return std::nullopt; }
  /// Queried after each row and each step: the reason to end the run here, if any.
  virtual Failure objection() const { return Failure::none; }
};

/// What acts between steps at times of its own, such as the samples of controllers.
class Clock {
 public:
  virtual ~Clock() = default;
  /// The next time at which it acts; infinity when it never does again.
  virtual double next() const = 0;
  /// Acts at that time; the right-hand side may jump. False ends the run here.
  virtual bool act(double t, const double* s, const double* z) = 0;
};

/// Integrates from (t, s, z) to times.back() and reports a row at each of `times` (ascending, none
/// before t; or descending, for methods that run backwards): from dense output, projected when the system projects,
/// with tops solved again, so that every row is consistent; in systems of higher index with the tops of the method.
/// Break points are hit exactly and the method restarts after them. `halved`: a step also ends in the middle between
/// two break points. Where they are so close that each step reaches from one to the next, this is what makes the
/// steps of a second run shorter; no tolerance does. A clock acts at its times, at the start too; rows there show what holds
/// after it has acted.
StepOutcome integrate(System& system, Integrator& integrator, double t, const double* s,
                      const double* z, std::span<const double> times, Observer& observer,
                      bool halved = false, Clock* clock = nullptr);

}  // namespace daedal::solve
