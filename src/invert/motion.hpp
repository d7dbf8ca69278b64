// The desired motion of a model: when it moves.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <vector>

namespace daedal::invert {

/// Joints of the desired motion: it rests before the first and behind the last. Throws ModelError when there are none.
std::vector<double> joints_of(const formulate::Problem& problem);

}  // namespace daedal::invert
