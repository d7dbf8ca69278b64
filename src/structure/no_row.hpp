// The value of empty entries in matchings and index maps.
#pragma once

#include <cstdint>

namespace daedal::structure {

inline constexpr std::uint32_t no_row = 0xffffffff;

}  // namespace daedal::structure
