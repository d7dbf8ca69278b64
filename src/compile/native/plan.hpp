// The order in which native code computes, and where it is cut into functions.
//
// Calls clobber every vector register, and independent calls of one function cost less together than one by one. So
// instructions are ordered by how many calls lie before them on their longest path: all that needs no call, then the
// first calls, grouped by function, then what needs these, and so on. Without calls this is the program's own order.
#pragma once

#include "daedal/compile/native_interface.hpp"

#include <cstdint>
#include <vector>

namespace daedal::compile {

/// One instruction, or calls of one function that do not depend on each other.
struct Group {
  std::vector<std::uint32_t> members;  // instruction numbers
  /// Of a sine or cosine: the instruction for the other half of the pair, or itself when that is not wanted.
  std::vector<std::uint32_t> partners;
};

struct Plan {
  std::vector<std::vector<Group>> functions;
  std::uint32_t largest_group = 1;
};
Plan plan(const NativeRequest& request);

}  // namespace daedal::compile
