#include "daedal/structure/hidden.hpp"

#include "daedal/structure/analysis.hpp"
#include "inverse_models.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::structure {
namespace {

TEST(Hidden, derivatives_of_a_constraint_are_those_of_calculus) {
  const test::SharedDae dae = test::forward_text(
      "model m\ncoordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n");
  const HiddenConstraints hidden = hidden_constraints(*dae, analyse(*dae));
  ASSERT_EQ(hidden.list.size(), 2u);
  // Along x = 2 + 3 t + 5 t^2, y = 7 + 11 t + 13 t^2 at t = 0.
  const double x[3] = {2, 3, 10}, y[3] = {7, 11, 26};
  const double expected[2] = {2 * (x[0] * x[1] + y[0] * y[1]),
                              2 * (x[1] * x[1] + x[0] * x[2] + y[1] * y[1] + y[0] * y[2])};
  for (int k = 0; k < 2; ++k) {
    const HiddenConstraint& h = hidden.list[static_cast<std::size_t>(k)];
    EXPECT_EQ(h.equation, 2u);
    EXPECT_EQ(h.derivative, k + 1);
    ASSERT_TRUE(h.value.has_value());
    const double value =
        expr::evaluate(*hidden.graph, std::span(&*h.value, 1), [&](expr::Leaf leaf) {
          return dae->model->symbols[leaf.symbol].name == "x" ? x[leaf.order] : y[leaf.order];
        })[0];
    EXPECT_DOUBLE_EQ(value, expected[k]);
  }
}

TEST(Hidden, what_is_beyond_the_limits_is_listed_but_not_written) {
  const test::SharedDae dae = test::torsional_oscillator(50);
  const Offsets o = analyse(*dae);
  const HiddenConstraints hidden = hidden_constraints(*dae, o, {3, 2000});
  std::size_t expected = 0;
  for (const int c : o.c) expected += static_cast<std::size_t>(c);
  EXPECT_EQ(hidden.list.size(), expected);
  for (const HiddenConstraint& h : hidden.list) EXPECT_EQ(h.value.has_value(), h.derivative <= 3);
  const HiddenConstraints tiny = hidden_constraints(*dae, o, {100, 3});
  for (const HiddenConstraint& h : tiny.list) EXPECT_FALSE(h.value.has_value());
}

}  // namespace
}  // namespace daedal::structure
