// What the column of a trajectory holds.
#pragma once

#include "daedal/model/model.hpp"

#include <string_view>

namespace daedal::solve {

enum class ColumnKind : std::uint8_t { position, velocity, multiplier, other };

/// By the column's name. Variables of plain equations count as positions, their derivatives as velocities.
ColumnKind column_kind(const model::Model& model, std::string_view column);

}  // namespace daedal::solve
