// The loop over steps, break points and output times, for any System.
#pragma once

#include "daedal/solve/integrator.hpp"
#include "daedal/solve/system.hpp"

#include <optional>
#include <span>

namespace daedal::solve {

/// Told what happens while it happens. z are the tops at (t, s).
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void row(double t, const double* s, const double* z) = 0;
  virtual void step(double t, const double* s, const double* z) = 0;  // after each accepted step
  /// A break point lies between two times; s is the same at both.
  virtual void jump(double before, double after, const double* s, const double* z) {
    (void)before, (void)after, (void)s, (void)z;
  }
  /// A time within the integrator's last step at which to end the run; asked before the step is told.
  virtual std::optional<double> stop(const Integrator&) { return std::nullopt; }
  /// Asked after each row and each step: why the run should end here, if it should.
  virtual Failure objection() const { return Failure::none; }
};

/// Integrates from (t, s, z) to times.back() and reports a row at each of `times` (ascending, none
/// before t; or descending, for methods that run backwards): from dense output, projected when the system projects, with tops solved anew, so that
/// every row is consistent; in systems of higher index with the tops of the method. Break points are met exactly and the method starts afresh behind them.
/// `halved`: a step also ends in the middle between two break points. Where they are so close that each step reaches from one
/// to the next, this is what makes the steps of a second run shorter; no tolerance does.
StepOutcome integrate(System& system, Integrator& integrator, double t, const double* s,
                      const double* z, std::span<const double> times, Observer& observer,
                      bool halved = false);

}  // namespace daedal::solve
