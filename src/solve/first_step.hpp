// The first step of an adaptive explicit method of order p, from the sizes of y, y' and y''
// [HairerNorsettWanner1993, II.4].
#pragma once

#include "step_size.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace daedal::solve {

struct FirstStep {
  std::size_t n = 0;
  int order = 1;
  const double *y = nullptr, *slope = nullptr, *atol = nullptr;
  double rtol = 0, longest = 0;
  double *trial = nullptr, *trial_slope = nullptr;  // scratch
};

/// `evaluate(h, y, slope)` is the derivative at h behind the start.
template <class Evaluate>
double first_step(const FirstStep& at, const Evaluate& evaluate) {
  const double size = weighted_norm(at.n, at.y, at.y, at.atol, at.rtol);
  const double steepness = weighted_norm(at.n, at.slope, at.y, at.atol, at.rtol);
  double h0 = size < 1e-5 || steepness < 1e-5 ? 1e-6 : 0.01 * size / steepness;
  h0 = std::min(h0, at.longest);
  for (std::size_t i = 0; i < at.n; ++i) at.trial[i] = at.y[i] + h0 * at.slope[i];
  // The trial point is no part of the result: where the system fails there, begin small instead.
  if (evaluate(h0, at.trial, at.trial_slope) != Failure::none) return 1e-3 * h0;
  for (std::size_t i = 0; i < at.n; ++i) at.trial[i] = at.trial_slope[i] - at.slope[i];
  const double bend = weighted_norm(at.n, at.trial, at.y, at.atol, at.rtol) / h0;
  const double steepest = std::max(steepness, bend);
  const double h1 =
      steepest <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / steepest, 1.0 / at.order);
  return std::min({100 * h0, h1, at.longest});
}

}  // namespace daedal::solve
