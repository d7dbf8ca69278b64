// Places of leaves in a point.
#include "daedal/compile/kernel.hpp"

#include <stdexcept>

namespace daedal::compile {
namespace {

std::uint64_t key(expr::Leaf leaf) { return (std::uint64_t{leaf.symbol} << 16) | leaf.order; }

}  // namespace

std::uint32_t Layout::add(expr::Leaf leaf) {
  const auto [place, is_new] = position_.emplace(key(leaf), size());
  if (!is_new) throw std::invalid_argument("a leaf has one place in a layout");
  leaves_.push_back(leaf);
  return place->second;
}

std::uint32_t Layout::find(expr::Leaf leaf) const {
  const auto place = position_.find(key(leaf));
  return place == position_.end() ? absent : place->second;
}

}  // namespace daedal::compile
