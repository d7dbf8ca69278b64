// Step handling common to all integrators: fit them to a limit, detect when they are too small,
// count them, measure errors.
#pragma once

#include "daedal/integrate/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

namespace daedal::solve {

inline constexpr std::string_view reason_underflow =
    "the step became too small to change the time: the motion cannot be continued with the "
    "requested accuracy";
inline constexpr std::string_view reason_creeping =
    "steps fail, and no longer lead anywhere: the motion cannot be continued with the requested "
    "accuracy";
inline constexpr std::string_view reason_max_steps =
    "the number of steps reached its limit max_steps";

/// Below this a step is lost in the rounding of t.
inline double smallest_step(double t) {
  return 10 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-8);
}

/// Also when h is no number: every comparison with one is false, and a loop over shorter steps would never end.
inline bool too_short(double h, double t) { return !(h >= smallest_step(t)); }

/// No step begins with rates that are not finite: whatever is made of them, the first step's length included, is no number.
inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// A projection that moves the state by more than this part of the accepted local error has its derivative evaluated again.
/// Below it, what was found before the projection serves: of rk45, k_7 is off by O(h^6) and enters the next step times h.
inline constexpr double notable_move = 0.1;

/// How far a rejected first step may be cut at once. Later steps follow an error they know and are cut carefully; the first one
/// is a guess, and cut by a bound it would have the same length for every tolerance, which hides its error from the estimated
/// global error.
inline constexpr double least_factor_of_first_step = 0.01;

struct StepLength {
  double h = 0;
  bool last = false;  // ends at the limit
};

/// `h` no longer than `longest` (0: no bound) and ending at `limit` when it would come within a
/// hundredth of itself, which spares a tiny last step. Fixed steps are only cut, never stretched
/// beyond rounding.
inline StepLength fit_step(double t, double h, double limit, double longest, bool adaptive) {
  if (longest > 0) h = adaptive ? std::min(h, longest) : longest;
  const double slack = adaptive ? 1.01 : 1 + 1e-9;
  const double remaining = limit - t;
  if (remaining <= slack * h) return {remaining, true};
  return {h, false};
}

/// Counts an accepted step; one that was cut to meet a limit does not affect the smallest.
inline void record_step(StepStatistics& statistics, double h, bool cut) {
  ++statistics.accepted;
  statistics.largest_step = std::max(statistics.largest_step, h);
  if (cut && statistics.accepted > 1) return;
  statistics.smallest_step =
      statistics.smallest_step == 0 ? h : std::min(statistics.smallest_step, h);
}

/// Root mean square of v_i / (atol_i + rtol |y_i|).
inline double weighted_norm(std::size_t n, const double* v, const double* y, const double* atol,
                            double rtol) {
  if (n == 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double ratio = v[i] / (atol[i] + rtol * std::abs(y[i]));
    sum += ratio * ratio;
  }
  return std::sqrt(sum / static_cast<double>(n));
}

}  // namespace daedal::solve
