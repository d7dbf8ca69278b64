// What index maps hold where nothing is.
#pragma once

#include "daedal/expr/family.hpp"

namespace daedal::solve {

inline constexpr std::uint32_t no_row = expr::Family::no_row;

}  // namespace daedal::solve
