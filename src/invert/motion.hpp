// The desired motion of a model: when it moves, and when it repeats.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <optional>
#include <vector>

namespace daedal::inversion {

/// Joints of the desired motion: it rests before the first and after the last. Throws ModelError when there are none.
std::vector<double> joints_of(const formulate::Problem& problem);

/// The period [s] of a desired motion in which time occurs in sines and cosines only, of a t + b each; none where the
/// frequencies a have no common measure, or nothing moves.
std::optional<double> period_of(const formulate::Problem& problem);

}  // namespace daedal::inversion
