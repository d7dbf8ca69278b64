// What the browser runs, embedded in the executable: see web/ and tools/build_pages.
#pragma once

#include <string_view>

namespace daedal::emit {

std::string_view page_style();       // of the page itself, always there
std::string_view browser_style();    // of plots and equations; empty when built without npm
std::string_view flat_program();     // pages whose mechanism moves in the plane
std::string_view spatial_program();  // and in space

}  // namespace daedal::emit
