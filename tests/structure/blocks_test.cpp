#include "daedal/structure/analysis.hpp"
#include "daedal/structure/examine.hpp"
#include "inverse_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace daedal::structure {
namespace {

using Set = std::vector<std::uint32_t>;

TEST(Blocks, every_block_needs_only_itself_and_earlier_ones_and_cannot_be_parted) {
  std::mt19937 random(20260102);
  for (int trial = 0; trial < 300; ++trial) {
    const auto n = static_cast<std::uint32_t>(1 + random() % 8);
    std::vector<SignatureEntry> signature;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j)
        if (random() % 100 < 35) signature.push_back({i, j, static_cast<int>(random() % 3)});
    const Offsets o = offsets(n, signature);
    if (o.singular()) continue;
    const std::vector<Block> blocks = fine_blocks(o, signature);
    std::vector<std::size_t> of_equation(n, n), of_unknown(n, n);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (const std::uint32_t i : blocks[b].equations) of_equation[i] = b;
      for (const std::uint32_t j : blocks[b].unknowns) of_unknown[j] = b;
    }
    EXPECT_EQ(std::count(of_equation.begin(), of_equation.end(), n), 0);
    EXPECT_EQ(std::count(of_unknown.begin(), of_unknown.end(), n), 0);
    // reach[i][k]: equation i needs, directly or not, the unknown of equation k
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
    Set equation_of(n);
    for (std::uint32_t i = 0; i < n; ++i) equation_of[o.assignment[i]] = i, reach[i][i] = true;
    for (const SignatureEntry& e : signature)
      if (o.d[e.unknown] - o.c[e.equation] == e.order) {
        EXPECT_LE(of_unknown[e.unknown], of_equation[e.equation]) << "trial " << trial;
        reach[e.equation][equation_of[e.unknown]] = true;
      }
    for (std::uint32_t k = 0; k < n; ++k)
      for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t j = 0; j < n; ++j)
          if (reach[i][k] && reach[k][j]) reach[i][j] = true;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t k = 0; k < n; ++k)
        EXPECT_EQ(of_equation[i] == of_equation[k], reach[i][k] && reach[k][i])
            << "trial " << trial;
  }
}

TEST(Blocks, inverse_oscillator_is_solved_disk_by_disk_from_the_far_end) {
  const test::SharedDae dae = test::torsional_oscillator(4);
  const Offsets o = analyse(*dae);
  const std::vector<Block> blocks = fine_blocks(o, signature(*dae));
  ASSERT_EQ(blocks.size(), 5u);
  const std::vector<std::uint32_t> equation{4, 3, 2, 1, 0}, unknown{3, 2, 1, 0, 4};
  for (std::size_t b = 0; b < 5; ++b) {
    EXPECT_EQ(blocks[b].equations, Set{equation[b]});
    EXPECT_EQ(blocks[b].unknowns, Set{unknown[b]});
  }
}

TEST(Blocks, a_chain_of_100000_equations_does_not_exhaust_the_stack) {
  constexpr std::uint32_t n = 100000;
  std::vector<SignatureEntry> signature;
  for (std::uint32_t i = 0; i < n; ++i) {
    signature.push_back({i, i, 0});
    if (i + 1 < n) signature.push_back({i, i + 1, 0});
  }
  const std::vector<Block> blocks = fine_blocks(offsets(n, signature), signature);
  ASSERT_EQ(blocks.size(), n);
  EXPECT_EQ(blocks.front().equations[0], n - 1);
}

}  // namespace
}  // namespace daedal::structure
