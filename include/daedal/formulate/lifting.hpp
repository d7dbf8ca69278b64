// Which formulations do not know lifted positions.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <span>

namespace daedal::formulate {

/// These work on the levels as constraints alone, where definitions of lifted positions stand too: their models are written out.
std::span<const Kind> kinds_without_lifting();

}  // namespace daedal::formulate
