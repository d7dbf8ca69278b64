#include "daedal/structure/descriptor.hpp"

#include <algorithm>
#include <limits>

namespace daedal::structure {

Offsets descriptor_offsets(std::uint32_t size, std::span<const SignatureEntry> signature) {
  Offsets result;
  result.d.assign(size, 0);
  for (const SignatureEntry& e : signature)
    result.d[e.unknown] = std::max(result.d[e.unknown], e.order);
  constexpr int not_yet = std::numeric_limits<int>::max();
  result.c.assign(size, not_yet);
  for (const SignatureEntry& e : signature)
    result.c[e.equation] = std::min(result.c[e.equation], result.d[e.unknown] - e.order);
  std::replace(result.c.begin(), result.c.end(), not_yet, 0);  // an equation without unknowns
  return result;
}

}  // namespace daedal::structure
