// Modes of a mechanism: some of its constraints do not act.
#pragma once

#include "daedal/derive/dae.hpp"

#include <vector>

namespace daedal::derive {

/// Constraints that events attach and none releases: they do not act at the start.
std::vector<std::size_t> released_at_start(const model::Model& model);

}  // namespace daedal::derive
