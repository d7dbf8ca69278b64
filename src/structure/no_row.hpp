// What matchings and index maps hold where nothing is.
#pragma once

#include <cstdint>

namespace daedal::structure {

inline constexpr std::uint32_t no_row = 0xffffffff;

}  // namespace daedal::structure
