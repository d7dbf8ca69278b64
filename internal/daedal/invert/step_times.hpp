// Step times as a real-time system needs them: median, worst case and histogram.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/start/prepare.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace daedal::inversion {

struct StepTimes {
  std::uint64_t steps = 0;
  double median = 0, most = 0, worst = 0;  // [s]; `most`: 99.9 % of all steps take less
  /// Steps that took less than bound(k) and no less than the bound before; the last: all longer ones.
  std::vector<std::uint64_t> histogram;
  static double bound(std::size_t k) { return 1e-8 * static_cast<double>(std::uint64_t{1} << k); }
};

/// Of single steps [s].
StepTimes step_times(std::vector<double> seconds);

/// Of the inputs of an inverse model without internal dynamics, one time after another, by jets written out as code; the first
/// pass, in which code and anchors are made, is not included. Nothing when the equations are too large for it.
std::optional<StepTimes> evaluation_times(
    const InverseModel& inverse, const solve::ConsistentPoint& start, std::span<const double> times,
    const compile::Options& options = {.backend = compile::Backend::native});

}  // namespace daedal::inversion
