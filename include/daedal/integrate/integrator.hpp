// One step at a time, with dense output: what all integrators have in common.
#pragma once

#include "daedal/integrate/method.hpp"
#include "daedal/system/system.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace daedal::solve {

struct StepStatistics {
  std::uint64_t accepted = 0, rejected = 0;
  std::uint64_t evaluations = 0;  // of the derivative, or of the residual
  std::uint64_t jacobians = 0, factorisations = 0, newton_iterations = 0;
  std::uint64_t projections = 0;
  double smallest_step = 0;  // [s], accepted; steps cut to meet a limit are left out
  double largest_step = 0;   // [s], accepted
};

struct StepOutcome {
  bool ok = true;
  std::string_view reason;        // in words, without names or numbers of the model; static text
  Failure cause = Failure::none;  // what the system answered last, when that is why
  double step = 0;                // [s], tried last
  std::optional<double> stopped = std::nullopt;  // [s], where the observer, or a row, ended the run
};

/// Integrates one System; once `start` has been called, a step allocates nothing.
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Begins at (t, s) with z a guess of the tops there; nothing of an earlier run is used except
  /// statistics. `end` > t is how far the run goes and sets the scale of the first step.
  virtual StepOutcome start(double t, const double* s, const double* z, double end) = 0;

  /// One accepted step, after as many rejected ones as it takes; it does not pass `limit` and meets
  /// it exactly.
  virtual StepOutcome step(double limit) = 0;

  virtual double previous_time() const = 0;
  virtual double time() const = 0;
  virtual std::span<const double> state() const = 0;  // at time()
  virtual std::span<const double> tops()
      const = 0;  // at time(), near it after a projection: a good guess

  /// s(t) for t in [previous_time(), time()]: continuous over the steps, of the method's dense
  /// order.
  virtual void interpolate(double t, double* s) const = 0;

  /// The tops as the method has them, for systems in which the states do not determine them.
  virtual void interpolate_tops(double t, double* z) const {
    (void)t;
    std::copy_n(tops().data(), tops().size(), z);
  }

  /// Whether t, within the last step, is so near to a singular pose that nothing can be solved for there: what is interpolated
  /// is the answer, states and tops.
  virtual bool is_near_pose(double t) const {
    (void)t;
    return false;
  }

  virtual const StepStatistics& statistics() const = 0;
  /// Whether many steps in a row were limited by stability, not by accuracy (explicit methods
  /// only).
  virtual bool seems_stiff() const { return false; }
  /// Whether steps are projected (else only the output is).
  virtual bool projects_steps() const { return true; }
};

std::unique_ptr<Integrator> make_integrator(const Method& method, System& system);

}  // namespace daedal::solve
