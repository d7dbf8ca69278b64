// What a loop tolerates at one of its inputs while all others stay closed.
#pragma once

#include "daedal/analyse/linearise.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::feedback {

struct LoopMargins {
  std::optional<double> lowest_gain,
      highest_gain;                       // factors between which it stays stable; none: no bound
  std::optional<double> phase, phase_at;  // [deg] of lag, < 0 of lead: the nearer one; at [rad/s]
  std::optional<double> delay, delay_at;  // [s], the shortest that it does not tolerate; at [rad/s]
  double sensitivity_peak = 0, peak_at = 0;  // max 1/|1 + L|, at [rad/s]
};

/// A loop opened at an input: `loop` leads from there to minus what the feedback answers, so that -1 closes it.
struct OpenedLoop {
  std::string controller, input;
  analysis::LinearModel loop;
};

/// Of a loop that is stable when closed. With a period [s] `loop` is the image of a sampled one, see bilinear().
LoopMargins loop_margins(const analysis::LinearModel& loop, double period = 0);

/// x_(k+1) = a x_k + b u_k, y_k = c x_k + d u_k as a model in  w = 2/T (z - 1)/(z + 1):  the unit circle is the imaginary axis,
/// e^(j omega T) lies at  2/T tan(omega T/2).
struct SampledModel {
  Eigen::MatrixXd a, b, c, d;
};
analysis::LinearModel bilinear(const SampledModel& sampled, double period);

/// The equations `c commands u` of continuous controllers in a linear model of the whole, each opened in turn.
std::vector<OpenedLoop> opened_loops(const std::vector<std::string>& controllers,
                                     const analysis::LinearModel& closed);

}  // namespace daedal::feedback
