// Long work of every module, each as one call that can be stopped and says what came out, to the bit.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/base/table.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string_view>
#include <vector>

namespace daedal::test {

/// A hash over everything that was found.
class Bits {
 public:
  Bits& add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001b3u;
    hash_ ^= hash_ >> 29;
    return *this;
  }
  Bits& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
  Bits& add(std::string_view text) {
    for (const char c : text) add(static_cast<std::uint64_t>(c));
    return add(std::uint64_t{text.size()});
  }
  template <class Values>
  Bits& add_all(const Values& values) {
    for (const auto& value : values) add(static_cast<double>(value));
    return add(static_cast<std::uint64_t>(values.size()));
  }
  Bits& add(const Table& table) { return add_all(table.data()); }
  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

using WatchedWork = std::function<std::uint64_t(const Watch& watch)>;

struct LongTask {
  const char* name;
  std::function<WatchedWork()> make;  // reads models and the like: no part of what is stopped
};

/// In messages of a failed test.
inline void PrintTo(const LongTask& task, std::ostream* out) { *out << task.name; }

const std::vector<LongTask>& long_tasks();

}  // namespace daedal::test
