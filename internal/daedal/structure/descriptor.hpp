// Offsets of a descriptor form: d_j is the highest order in which unknown j occurs, and equation i is differentiated until it
// contains one of the x_j^(d_j).
//
// No transversal is required, so { f_i^(c_i) = 0 } need not determine the tops x_j^(d_j). Where an input reaches an output
// only through what other equations hold, as the velocity of a beam's first section reaches its tip through the forces in
// the beam, canonical offsets differentiate those equations too; these do not.
#pragma once

#include "daedal/structure/examine.hpp"

#include <cstdint>
#include <span>

namespace daedal::structure {

/// `assignment` stays empty.
Offsets descriptor_offsets(std::uint32_t size, std::span<const SignatureEntry> signature);

}  // namespace daedal::structure
