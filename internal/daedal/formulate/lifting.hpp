// Formulations that do not support lifted positions.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <span>

namespace daedal::formulate {

/// These work on the levels as constraints alone, which also contain definitions of lifted positions: their models
/// are expanded.
std::span<const Kind> kinds_without_lifting();

}  // namespace daedal::formulate
