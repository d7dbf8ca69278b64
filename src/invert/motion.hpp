// The desired motion of a model: when it moves, and what that means for the modes around it.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/invert/dichotomy.hpp"

#include <vector>

namespace daedal::invert {

/// Joints of the desired motion: it rests before the first and behind the last. Throws ModelError when there are none.
std::vector<double> joints_of(const formulate::Problem& problem);

/// The slowest mode that grows (or decays) near rest [1/s], of those with a rate of at least so much; 0 when there is none.
double slowest_rate(const Dichotomy& dichotomy, bool growing, double at_least = 0);

/// Counts the modes again: those with a rate below this one neither grow nor decay.
void count_modes(Dichotomy& dichotomy, double slowest);

}  // namespace daedal::invert
