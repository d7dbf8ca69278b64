// The first step of an adaptive method of order p, from the sizes of y, y' and y'' [HairerNorsettWanner1993, II.4].
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
  double rtol = 0, t = 0, longest = 0;
  double *trial = nullptr, *trial_slope = nullptr;  // scratch
};

/// A hundredth of what it takes to change y by its own size, both over the tolerance. A y below the tolerance is at rest and its
/// size says nothing: after a step input it is what a few units in the last place of t have made of it. Never so short that it
/// is lost in the rounding of t.
inline double trial_step(double t, double size, double steepness) {
  const double h = size < 1 || steepness < 1e-5 ? 1e-6 : 0.01 * size / steepness;
  return std::max(h, 10 * smallest_step(t));
}

/// `evaluate(h, y, slope)` is the derivative at h after the start.
template <class Evaluate>
double first_step(const FirstStep& at, const Evaluate& evaluate) {
  const double size = weighted_norm(at.n, at.y, at.y, at.atol, at.rtol);
  const double steepness = weighted_norm(at.n, at.slope, at.y, at.atol, at.rtol);
  const double h0 = std::min(trial_step(at.t, size, steepness), at.longest);
  for (std::size_t i = 0; i < at.n; ++i) at.trial[i] = at.y[i] + h0 * at.slope[i];
  // The trial point is no part of the result: where the system fails there, begin small instead.
  if (evaluate(h0, at.trial, at.trial_slope) != Failure::none) return 1e-3 * h0;
  for (std::size_t i = 0; i < at.n; ++i) at.trial[i] = at.trial_slope[i] - at.slope[i];
  const double bend = weighted_norm(at.n, at.trial, at.y, at.atol, at.rtol) / h0;
  const double steepest = std::max(steepness, bend);
  const double h1 =
      steepest <= 1e-15 ? std::max(1e-6, h0 * 1e-3) : std::pow(0.01 / steepest, 1.0 / at.order);
  return std::min({100 * h0, std::max(h1, 10 * smallest_step(at.t)), at.longest});
}

}  // namespace daedal::solve
