// Linearisation away from rest: at the start values as they are given, or along a simulated motion.
//
// With a motion x(t) the linear model E x' = A x + B u describes small departures from it; its matrices change with time, and
// frozen poles show how departures begin, not how they end.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/pencil/pencil.hpp"
#include "daedal/run/simulate.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal::analysis {

struct OperatingPoint {
  double t = 0;                                   // [s]
  std::vector<std::pair<Column, double>> values;  // states, then accelerations and forces
  LinearModel linear;
  Spectrum poles;
};

/// At the start values, which must satisfy every constraint on every level: throws ModelError that names those that are
/// violated, and by how much. `outputs` as in PortraitOptions.
OperatingPoint linearise_at_start(const std::shared_ptr<const derive::Dae>& dae,
                                  const std::vector<std::string>& outputs = {});

struct AlongOptions {
  double first = 0, last = 1;  // [s], 0 <= first <= last
  int count = 11;              // times, evenly; 1 where first = last
  std::vector<std::string> outputs;
  Watch watch;  // asked to stop, the points until then
};
/// Throws ModelError when the motion cannot be simulated to the end.
std::vector<OperatingPoint> linearise_along(const std::shared_ptr<const derive::Dae>& dae,
                                            const AlongOptions& options);

}  // namespace daedal::analysis
