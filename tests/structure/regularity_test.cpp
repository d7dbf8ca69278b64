#include "daedal/structure/regularity.hpp"

#include "daedal/structure/analysis.hpp"
#include "daedal/structure/rounding.hpp"
#include "inverse_models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace daedal::structure {
namespace {

using namespace test;

Point at(const derive::Dae& dae, std::map<std::string, double> values) {
  return [&dae, values = std::move(values)](expr::Leaf leaf) {
    const model::Symbol& symbol = dae.model->symbols[leaf.symbol];
    const auto given = values.find(model::name_of(symbol, leaf.order));
    return given != values.end() ? given->second : symbol.value;
  };
}

const std::string point_mass = "model m\ncoordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\n";

TEST(Regularity, a_pendulum_is_singular_at_its_pivot_only) {
  const SharedDae dae = forward_text(point_mass + "constraint rod: x^2 + y^2 = 1\n");
  const Offsets o = analyse(*dae);
  EXPECT_EQ(regularity(*dae, o).verdict, Verdict::regular);
  EXPECT_EQ(regularity(*dae, o, at(*dae, {{"x", 0.6}, {"y", 0.8}})).verdict, Verdict::regular);
  const Regularity pivot = regularity(*dae, o, at(*dae, {}));
  EXPECT_EQ(pivot.verdict, Verdict::singular_here);
  EXPECT_EQ(pivot.rank, 2u);
  EXPECT_EQ(describe(pivot, *dae),
            "singular at x = 0, y = 0: 'rod' does not determine 'rod' (rank 2 of 3, smallest "
            "singular value 0.0e+00); "
            "at other states it is regular");
}

TEST(Regularity, equations_that_are_singular_everywhere_are_told_apart) {
  const SharedDae dae = inverse_text(mass_on_car(mass_on_car_lengths, 15, 0));
  const Regularity found = regularity(*dae, analyse(*dae));
  EXPECT_EQ(found.verdict, Verdict::singular_everywhere);
  EXPECT_EQ(describe(found, *dae),
            "'motion of s1', 'motion of s2', 'path' do not determine 'x1', 's1' at any state (rank "
            "2 of 3)");
}

TEST(Regularity, random_points_stay_where_roots_and_logarithms_are_defined) {
  // Far from the start value the square root has no real value; near to it, it has.
  const SharedDae dae = forward_text(
      "model m\nvariable a = 1, b = 0\nequation one: a' = b\nequation two: sqrt(0.05 - (a - 1)^2) "
      "+ b = 0.2\n");
  EXPECT_EQ(regularity(*dae, analyse(*dae)).verdict, Verdict::regular);
  const SharedDae nowhere = forward_text(
      "model m\nvariable a = 1, b = 0\nequation one: a' = b\nequation two: b*sqrt(a - 10) = 0.2\n");
  const Regularity unknown = regularity(*nowhere, analyse(*nowhere));
  EXPECT_EQ(unknown.verdict, Verdict::unknown);
  EXPECT_EQ(describe(unknown, *nowhere),
            "the equations have no finite values near the start values, so their structure could "
            "not be checked");
}

TEST(Regularity, the_same_seed_gives_the_same_point) {
  const SharedDae dae = forward_text(point_mass);
  const Point a = random_point(*dae, 5), b = random_point(*dae, 5), other = random_point(*dae, 6);
  for (std::uint16_t order = 0; order < 4; ++order) {
    const expr::Leaf leaf{dae->unknowns[0], order};
    EXPECT_EQ(a(leaf), b(leaf));
    EXPECT_NE(a(leaf), other(leaf));
  }
}

TEST(Rounding, what_cancels_vanishes_and_what_is_small_does_not) {
  expr::Graph g;
  const expr::Expr x = g.leaf({1, 0}), y = g.leaf({2, 0});
  const Point point = [](expr::Leaf leaf) {
    return leaf.symbol == 1 ? std::acos(-1.0) / 2 : 1e-13;
  };
  const std::vector<expr::Expr> roots{
      g.unary(expr::Op::cos, x),  // cos(pi/2)
      g.sub(g.mul(g.add(x, y), g.add(x, y)),
            g.add(g.add(g.mul(x, x), g.mul(g.constant(2), g.mul(x, y))), g.mul(y, y))),
      y,            // a small number
      g.mul(y, y),  // a smaller one
      g.unary(expr::Op::sin, y)};
  const std::vector<Rounded> values = evaluate_rounded(g, roots, point);
  EXPECT_TRUE(values[0].vanishes());
  EXPECT_TRUE(values[1].vanishes());
  EXPECT_FALSE(values[2].vanishes());
  EXPECT_FALSE(values[3].vanishes());
  EXPECT_FALSE(values[4].vanishes());
}

}  // namespace
}  // namespace daedal::structure
