// The value of empty entries in index maps.
#pragma once

#include "daedal/expr/graph.hpp"

namespace daedal::solve {

inline constexpr std::uint32_t no_row = expr::Family::no_row;

}  // namespace daedal::solve
