// What a design explains beside its gains: what limits the loop, its curves, its answer to a step.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/base/table.hpp"
#include "daedal/control/regulator.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/study/control.hpp"

#include <complex>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// Unstable poles, unstable zeros of the outputs against the inputs of the regulator, and its clock [AstromMurray2008, section 11.4].
std::vector<BandwidthLimit> bandwidth_limits(const analysis::LinearModel& linear,
                                             const feedback::Regulator& regulator, double period,
                                             double delay);

/// Coordinates after a step of 1 beside each command, until the slowest mode has died out.
Table step_response(const model::Model& model, const feedback::Regulator& regulator,
                    const std::vector<expr::Leaf>& states, double period);

/// Gain and phase of loops that are opened at their inputs, then their Nyquist curves. `rates` are those of the closed loop [1/s];
/// with a period [s] the models are images, see feedback::bilinear().
void add_loops(emit::Report& page, const std::vector<std::string>& inputs,
               const std::vector<analysis::LinearModel>& loops,
               const std::vector<std::complex<double>>& rates, double period);

}  // namespace task
}  // namespace daedal
