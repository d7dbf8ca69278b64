#include "daedal/elaborate/elaborate.hpp"
#include "daedal/model/model.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/examine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace daedal::structure {
namespace {

/// Largest sum of orders over all transversals, by trying every permutation; -1 when there is none.
int brute_force_value(std::uint32_t n, const std::vector<SignatureEntry>& signature) {
  std::vector<std::vector<int>> sigma(n, std::vector<int>(n, -1));
  for (const SignatureEntry& e : signature) sigma[e.equation][e.unknown] = e.order;
  std::vector<std::uint32_t> permutation(n);
  std::iota(permutation.begin(), permutation.end(), 0u);
  int best = -1;
  do {
    int value = 0;
    for (std::uint32_t i = 0; i < n && value >= 0; ++i)
      value = sigma[i][permutation[i]] < 0 ? -1 : value + sigma[i][permutation[i]];
    best = std::max(best, value);
  } while (std::next_permutation(permutation.begin(), permutation.end()));
  return best;
}

TEST(Offsets, agree_with_every_permutation_on_random_signatures) {
  std::mt19937 random(20260101);
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<std::uint32_t>(1 + random() % 6);
    std::vector<SignatureEntry> signature;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j)
        if (random() % 100 < 45) signature.push_back({i, j, static_cast<int>(random() % 4)});
    const int value = brute_force_value(n, signature);
    const Offsets o = offsets(n, signature);
    ASSERT_EQ(o.singular(), value < 0) << "trial " << trial;
    if (o.singular()) continue;
    // Sum d - sum c is the value of a highest transversal (duality), and every entry respects the offsets.
    EXPECT_EQ(o.value(), value) << "trial " << trial;
    for (const SignatureEntry& e : signature) EXPECT_GE(o.d[e.unknown] - o.c[e.equation], e.order);
    for (const int c : o.c) EXPECT_GE(c, 0);
    // Canonical: no smaller c is possible, so some equation of every connected set is not differentiated at all.
    EXPECT_EQ(*std::min_element(o.c.begin(), o.c.end()), 0);
  }
}

/// Pryce's fixed-point iteration from the given offsets upwards: slow, and the definition of the smallest valid ones.
void iterate(std::vector<int>& c, std::vector<int>& d, const Offsets& o,
             const std::vector<SignatureEntry>& signature) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const SignatureEntry& e : signature)
      if (d[e.unknown] < c[e.equation] + e.order)
        d[e.unknown] = c[e.equation] + e.order, changed = true;
    for (const SignatureEntry& e : signature)
      if (o.assignment[e.equation] == e.unknown && c[e.equation] != d[e.unknown] - e.order)
        c[e.equation] = d[e.unknown] - e.order, changed = true;
  }
}

TEST(Offsets, are_the_smallest_valid_ones_plain_and_raised) {
  std::mt19937 random(20260105);
  int compared = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<std::uint32_t>(1 + random() % 12);
    std::vector<SignatureEntry> signature;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j)
        if (i == j || random() % 100 < 25)
          signature.push_back({i, j, static_cast<int>(random() % 5)});
    std::shuffle(signature.begin(), signature.end(), random);
    const Offsets o = offsets(n, signature);
    ASSERT_FALSE(o.singular());
    std::vector<int> c(n, 0), d(n, 0), at_least(n, 0);
    iterate(c, d, o, signature);
    EXPECT_EQ(o.c, c) << "trial " << trial;
    EXPECT_EQ(o.d, d) << "trial " << trial;
    for (int& order : at_least) order = static_cast<int>(random() % 8);
    const Offsets higher = raised(o, signature, at_least);
    for (std::uint32_t j = 0; j < n; ++j) d[j] = std::max(d[j], at_least[j]);
    iterate(c, d, o, signature);
    EXPECT_EQ(higher.c, c) << "trial " << trial;
    EXPECT_EQ(higher.d, d) << "trial " << trial;
    ++compared;
  }
  EXPECT_EQ(compared, 400);
}

TEST(Offsets, tell_unmatched_equations_and_unknowns) {
  const std::vector<SignatureEntry> signature{{0, 0, 1},
                                              {1, 0, 0}};  // two equations for x, none for y
  const Offsets o = offsets(2, signature);
  EXPECT_TRUE(o.singular());
  EXPECT_EQ(o.unmatched_equations.size(), 1u);
  EXPECT_EQ(o.unmatched_unknowns, std::vector<std::uint32_t>{1});
}

TEST(Offsets, long_chains_are_analysed_at_once) {
  // c_i of a chain of n equations x_i = x_{i+1}' grows to n - 1; a local search must not visit everything each time.
  constexpr std::uint32_t n = 20000;
  std::vector<SignatureEntry> signature;
  for (std::uint32_t i = 0; i < n; ++i) {
    signature.push_back({i, i, 2});
    if (i + 1 < n) signature.push_back({i, i + 1, 0});
    if (i > 0) signature.push_back({i, i - 1, 0});
  }
  const Offsets o = offsets(n, signature);
  EXPECT_EQ(o.c, std::vector<int>(n, 0));
  EXPECT_EQ(o.d, std::vector<int>(n, 2));
}

Structure analyse_text(const std::string& text) {
  auto m = std::make_shared<model::Model>(model::elaborate(model::load_text(text)));
  return by_signature(std::make_shared<const derive::Dae>(derive::derive(m)));
}

TEST(Structure, index_of_mechanisms) {
  const std::string energies = "model m\ncoordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\n";
  EXPECT_EQ(analyse_text(energies).index, 0);
  EXPECT_EQ(analyse_text(energies + "constraint rod: x^2 + y^2 = 1\n").index, 3);
  EXPECT_EQ(analyse_text(energies + "constraint skate: x*y' - y*x' = 0\n").index, 2);
  EXPECT_EQ(analyse_text(energies + "constraint rod: x^2 + y^2 = 1\n").degrees_of_freedom, 2);
}

std::string fault_of(const std::string& text) {
  try {
    analyse_text(text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(Structure, missing_and_doubled_equations_are_named) {
  EXPECT_EQ(fault_of("model m\nvariable a, b\nequation first: a + b = 1\n"),
            "<text>:2:13: error: model 'm' has 1 equation for 2 unknowns\n"
            "    variable a, b\n"
            "                ^\n"
            "  2 unknowns ('a', 'b') occur in 1 equation only ('first')\n"
            "  help: add an equation, or give the unknown a value as a parameter");
  EXPECT_EQ(fault_of("model m\nvariable a\nequation first: a = 1\nequation second: a = 2\n"),
            "<text>:4:10: error: model 'm' has 2 equations for 1 unknown\n"
            "    equation second: a = 2\n"
            "             ^~~~~~\n"
            "  2 equations ('first', 'second') contain 1 unknown only ('a')\n"
            "  help: remove an equation, or declare what it determines as a variable");
}

TEST(Structure, a_coordinate_that_nothing_moves_is_named) {
  EXPECT_EQ(fault_of("model m\ncoordinate x, y\nkinetic x'^2/2\n"),
            "<text>:2:15: error: model 'm': the equations do not determine all unknowns\n"
            "    coordinate x, y\n"
            "                  ^\n"
            "  no equation contains 'y'\n"
            "  no unknown is in 'motion of y'\n"
            "  help: a coordinate needs a kinetic energy, a potential, a damper, a drive or a "
            "constraint that contains it");
}

}  // namespace
}  // namespace daedal::structure
