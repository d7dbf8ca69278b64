// The order of solution: fine block-triangular form of the system Jacobian [Pryce2001, PothenFan1990].
//
// An entry of the signature matters for the system Jacobian where d_j - c_i = Sigma(i, j). Equation i then needs unknown j,
// which is found by the equation j is matched to; the strongly connected parts of that graph are the blocks. Each is solved
// for its own unknowns with those of earlier blocks known. J is regular where every diagonal block is.
#pragma once

#include "daedal/structure/offsets.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace daedal::structure {

struct Block {
  std::vector<std::uint32_t> equations;
  std::vector<std::uint32_t> unknowns;  // unknowns[k] is matched to equations[k]
};

/// Blocks in an order of solution, equations within a block in increasing order. The offsets have a transversal.
std::vector<Block> fine_blocks(const Offsets& offsets, std::span<const SignatureEntry> signature);

}  // namespace daedal::structure
