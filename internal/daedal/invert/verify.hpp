// Verification of an inversion from its rows, independently of its solver.
//
//   defect     the polynomials through the rows of coordinates, multipliers and inputs, inserted into the equations as derived,
//              in the middle between rows
//   tracking   the inputs, interpolated, drive the forward model, integrated by another method than the inverse one: how
//              far its outputs are from the desired motion
//
// An unstable plant multiplies every error, those of rounding included, by exp(growth rate t). Its run restarts from the
// rows of the inversion often enough that no more than three digits are lost in between.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/run/simulate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::inversion {

struct Defect {
  double largest = 0;    // of |f_i| over the largest term of f_i, linearised
  std::string equation;  // where it is reached; "" when there were too few rows
  double at = 0;         // [s]
};

struct TrackingError {
  std::string servo;
  double largest = 0;  // of the servo-constraint, in its unit
  double at = 0;       // [s]
};

struct ForwardRun {
  solve::Status status = solve::Status::completed;
  std::string reason;  // where and why it stopped
  std::string method;  // "dop853"
  double growth_rate =
      0;  // [1/s], the rightmost pole of the plant along the motion; 0 when none is unstable
  double growth = 1;                  // of an error over the whole motion
  std::size_t segments = 1;           // runs, each from the rows of the inversion
  std::vector<TrackingError> errors;  // by servo-constraint

  /// The worst; nullptr when nothing was run.
  const TrackingError* largest() const;
};

struct Verification {
  Defect defect;
  ForwardRun forward;
};

struct VerifyOptions {
  double tolerance = 1e-11;  // in [1e-14, 0.1]: of the forward run
  compile::Options compile;
  Watch watch;
};

/// Of the rows of a completed inversion. A plant that cannot be run is an outcome, not an exception.
Verification verify(const InverseModel& inverse, const solve::Trajectory& trajectory,
                    const VerifyOptions& options = {});

/// The inputs of an inversion in another plant with the same inputs and servo lines, a finer beam say, from its own start
/// values. A plant that cannot be run is an outcome.
ForwardRun verify_with(const derive::Dae& plant, const InverseModel& inverse,
                       const solve::Trajectory& trajectory, const VerifyOptions& options = {});

/// One column of an inversion: an input, or the force of a constraint or drive.
struct SignalRange {
  std::string name, unit;
  double smallest = 0, smallest_at = 0, largest = 0, largest_at = 0;  // [unit], [s]
  double rate = 0, rate_at = 0;       // the largest derivative, signed [unit/s], [s]
  std::optional<double> sign_change;  // [s]: the first one, rounding errors around 0 aside

  double peak() const { return -smallest > largest ? smallest : largest; }
  double peak_at() const { return -smallest > largest ? smallest_at : largest_at; }
};
std::vector<SignalRange> input_ranges(const InverseModel& inverse, const Table& table);
/// Forces of constraints and of drives; one that changes its sign lets a cable go slack.
std::vector<SignalRange> force_ranges(const InverseModel& inverse, const Table& table);
/// Coordinates of inputs in directions without effect on the motion, daedal/invert/shared_inputs.hpp.
std::vector<SignalRange> free_ranges(const InverseModel& inverse, const Table& table);

}  // namespace daedal::inversion
