// A map from node ids to 32-bit numbers, by open addressing: what a traversal stores for the nodes
// it visits. Its size depends on the nodes visited, not on the graph, which may be a million times larger.
#pragma once

#include <cstdint>
#include <vector>

namespace daedal::expr {

class IdMap {
 public:
  static constexpr std::uint32_t absent = 0xffffffff;

  std::size_t size() const { return size_; }

  /// The number kept for `id`, or `absent`.
  std::uint32_t find(std::uint32_t id) const { return places_[place_of(id)].number; }

  /// Keeps `number` for `id` unless it has one; true when it was new.
  bool insert(std::uint32_t id, std::uint32_t number) {
    Place& place = places_[place_of(id)];
    if (place.number != absent) return false;
    place = {id, number};
    if (2 * ++size_ > places_.size()) grow();
    return true;
  }
  void set(std::uint32_t id, std::uint32_t number) { places_[place_of(id)].number = number; }

 private:
  struct Place {
    std::uint32_t id = 0;
    std::uint32_t number = absent;
  };

  // Fibonacci hashing: neighbouring ids, the usual case, fall far apart.
  std::size_t place_of(std::uint32_t id) const {
    const std::size_t mask = places_.size() - 1;
    std::size_t i = static_cast<std::size_t>((id * 0x9e3779b97f4a7c15ULL) >> shift_);
    while (places_[i].number != absent && places_[i].id != id) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    std::vector<Place> old(2 * places_.size());
    old.swap(places_);
    --shift_;
    for (const Place& place : old) {
      if (place.number != absent) places_[place_of(place.id)] = place;
    }
  }

  std::vector<Place> places_ = std::vector<Place>(32);
  int shift_ = 64 - 5;  // places_.size() == 2^(64 - shift_)
  std::size_t size_ = 0;
};

}  // namespace daedal::expr
