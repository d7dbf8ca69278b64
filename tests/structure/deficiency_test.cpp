// Messages of structurally singular models: the Dulmage-Mendelsohn parts in the user's names.
#include "structure/deficiency.hpp"

#include "daedal/structure/analysis.hpp"
#include "inverse_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace daedal::structure {
namespace {

std::string fault_of(const test::SharedDae& dae) {
  try {
    analyse(*dae);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(Deficiency, parts_are_closed_and_short_of_the_right_thing) {
  std::mt19937 random(20260104);
  int singular = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 6);
    std::vector<SignatureEntry> signature;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j)
        if (random() % 100 < 25) signature.push_back({i, j, static_cast<int>(random() % 3)});
    const Offsets o = offsets(n, signature);
    if (!o.singular()) continue;
    ++singular;
    const Deficiency d = deficiency(o, signature, n, n);
    const Part &over = d.over_determined, &under = d.under_determined;
    const auto has = [](const std::vector<std::uint32_t>& set, std::uint32_t k) {
      return std::binary_search(set.begin(), set.end(), k);
    };
    for (const SignatureEntry& e : signature) {
      EXPECT_TRUE(!has(over.equations, e.equation) || has(over.unknowns, e.unknown));
      EXPECT_TRUE(!has(under.unknowns, e.unknown) || has(under.equations, e.equation));
    }
    EXPECT_EQ(over.equations.size(), over.unknowns.size() + o.unmatched_equations.size());
    EXPECT_EQ(under.unknowns.size(), under.equations.size() + o.unmatched_unknowns.size());
  }
  EXPECT_GT(singular, 50);
}

TEST(Deficiency, two_faults_in_one_square_model_are_told_together) {
  EXPECT_EQ(fault_of(test::forward_text(
                "model m\nvariable a, b, c, d\nequation one: a' = b\nequation two: a + b = 1\n"
                "equation three: a - b = 2\nequation four: c*d = a\n")),
            "<text>:2:19: error: model 'm': the equations do not determine all unknowns\n"
            "    variable a, b, c, d\n"
            "                      ^\n"
            "  2 unknowns ('c', 'd') occur in 1 equation only ('four')\n"
            "  3 equations ('one', 'two', 'three') contain 2 unknowns only ('a', 'b')\n"
            "  help: remove an equation, or declare what it determines as a variable");
}

TEST(Deficiency, an_input_that_acts_on_nothing_cannot_be_inverted) {
  EXPECT_EQ(
      fault_of(test::inverse_text("model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\ninput u\n"
                                  "force u on x\nservo path: y = t\n")),
      "<text>:4:7: error: model 'm': the equations do not determine all unknowns\n"
      "    input u\n"
      "          ^\n"
      "  2 unknowns ('x', 'u') occur in 1 equation only ('motion of x')\n"
      "  2 equations ('motion of y', 'path') contain 1 unknown only ('y')\n"
      "  help: an input must reach the outputs of the servo-constraints: by a force, a drive or an "
      "equation");
}

}  // namespace
}  // namespace daedal::structure
