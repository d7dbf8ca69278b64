// A receding horizon run along the motion of a model, sample by sample, as a real-time system would: rows and times.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/receding_horizon.hpp"
#include "daedal/run/simulate.hpp"

#include <optional>

namespace daedal::inversion {

struct RecedingRunOptions {
  RecedingHorizonOptions horizon;
  std::optional<double>
      after;         // [s] after the motion; default until the slowest mode has decayed to 1e-6
  double every = 0;  // [s] between rows; 0: every sample
  compile::Options compile;
  Watch watch;  // asked to stop, the run ends after its sample
};

struct RecedingRun {
  solve::Trajectory trajectory;  // stopped at the first update that is not ok, with the reason
  StepTimes times;               // of updates
  boundary::Dichotomy modes;
  double preview = 0, step = 0, slowest_growth = 0;  // [s], [s], [1/s]
  std::uint64_t factored = 0;                        // updates with new matrices
  double largest_step = 0;                           // of a plan, relative
  double truncation = 0;                             // exp(-growth preview)
};

/// What the options leave open, from the modes and from how fast the motion of the model is. Throws as receding_run.
RecedingHorizonOptions completed(boundary::InverseSystem& system,
                                 const RecedingHorizonOptions& options);

/// From rest, one preview before the motion. Throws ModelError as RecedingHorizon and stable_inversion do.
RecedingRun receding_run(const InverseModel& inverse, const RecedingRunOptions& options);

}  // namespace daedal::inversion
