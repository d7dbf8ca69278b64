// Numbers kept by leaf.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <unordered_map>

namespace daedal::expr {

struct LeafHash {
  std::size_t operator()(Leaf leaf) const {
    return std::hash<std::uint64_t>{}((std::uint64_t{leaf.symbol} << 16) | leaf.order);
  }
};
using LeafTable = std::unordered_map<Leaf, std::uint32_t, LeafHash>;

}  // namespace daedal::expr
