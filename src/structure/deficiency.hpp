// The over- and under-determined parts of equations without a transversal [DulmageMendelsohn1958].
//
// The over-determined part holds the equations reached from unmatched equations over alternating paths: together they
// contain fewer unknowns than they are. The under-determined part holds the unknowns reached from unmatched unknowns: they
// occur in fewer equations than they are. Both parts do not depend on which largest matching was found.
#pragma once

#include "daedal/structure/examine.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace daedal::structure {

struct Part {
  std::vector<std::uint32_t> equations, unknowns;  // sorted
};
struct Deficiency {
  Part over_determined, under_determined;
};
/// `offsets` are those of the singular signature; numbers at and beyond `equations` and `unknowns` fill up the square.
Deficiency deficiency(const Offsets& offsets, std::span<const SignatureEntry> signature,
                      std::uint32_t equations, std::uint32_t unknowns);

}  // namespace daedal::structure
