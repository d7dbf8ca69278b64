// Symbols are found by name in a time that does not depend on how many there are.
#include "daedal/model/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace daedal::model {
namespace {

Symbols numbered(std::size_t count) {
  Symbols symbols{{.name = "t", .kind = SymbolKind::time}};
  for (std::size_t k = 1; k <= count; ++k)
    symbols.push_back({.name = "q[" + std::to_string(k) + "]"});
  return symbols;
}

TEST(Symbols, every_name_is_found_at_every_size) {
  Symbols symbols{{.name = "t", .kind = SymbolKind::time}};
  EXPECT_EQ(Symbols().find("t"), 0u);
  for (std::size_t k = 1; k <= 100; ++k) {
    symbols.push_back({.name = "q[" + std::to_string(k) + "]"});
    for (std::size_t known = 1; known <= k; ++known)
      ASSERT_EQ(symbols.find("q[" + std::to_string(known) + "]"), known) << k;
    EXPECT_EQ(symbols.find("q[" + std::to_string(k + 1) + "]"), 0u);
    EXPECT_EQ(symbols.find("t"), 0u);
  }
}

TEST(Symbols, of_two_with_one_name_the_first_is_found) {
  Symbols symbols{{.name = "t", .kind = SymbolKind::time}, {.name = "2.5"}, {.name = "2.5"}};
  EXPECT_EQ(symbols.find("2.5"), 1u);
  // also when the table has grown
  for (const Symbol& more : numbered(50)) symbols.push_back(more);
  EXPECT_EQ(symbols.find("2.5"), 1u);
}

TEST(Symbols, looking_up_a_hundred_thousand_names_is_no_scan_of_them) {
  // A scan compares 5e9 names for all of them, a thousand times the work of making them; a table makes one or two
  // comparisons for each, half of that work. The bound is between; the best of five is independent of other load.
  constexpr std::size_t count = 100000;
  constexpr double scan_would_exceed = 20;
  double made = std::numeric_limits<double>::infinity(), found = made;
  const auto since = [](std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int turn = 0; turn < 5; ++turn) {
    auto start = std::chrono::steady_clock::now();
    const Symbols symbols = numbered(count);
    made = std::min(made, since(start));
    start = std::chrono::steady_clock::now();
    std::size_t wrong = 0;
    for (std::size_t s = 1; s <= count; ++s) wrong += symbols.find(symbols[s].name) != s ? 1 : 0;
    found = std::min(found, since(start));
    ASSERT_EQ(wrong, 0u);
  }
  EXPECT_LT(found, scan_would_exceed * made);
}

}  // namespace
}  // namespace daedal::model
