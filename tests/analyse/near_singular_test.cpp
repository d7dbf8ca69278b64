// Zeros and relative degree near a parameter value where they change: decided by what rounding does to small singular values.
#include "daedal/analyse/portrait.hpp"
#include "models.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::analysis::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A mass on an incline on a car, pulled by another car: with the mass held horizontally, the damped one has the zeros
///   -k1/d1   and the roots of   m3 sin(alpha)^2 s^2 + d2 s + k2 = 0;
/// at alpha = 0 the second of the latter is infinite, and the relative degree is 4 instead of 3.
Portrait damped(double alpha) {
  return portrait(library_model("mass_on_car", "",
                                {{"alpha", fmt::format("{}", alpha)}, {"d1", "1"}, {"d2", "1"}}));
}

class SmallAngle : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(NearSingular, SmallAngle, ::testing::Values(1e-2, 1e-3, 1e-4, 1e-5));

TEST_P(SmallAngle, keeps_the_zero_that_goes_to_infinity) {
  const Portrait p = damped(GetParam());
  ASSERT_TRUE(p.input_output);
  EXPECT_THAT(p.input_output->degree.outputs, ElementsAre(3));
  ASSERT_EQ(p.input_output->zeros.finite(), 3);
  const double sine = std::sin(GetParam()), far = -1 / (3 * sine * sine) + 3;  // first two terms
  double found = 0;
  for (const Eigenvalue& z : p.input_output->zeros.values) found = std::min(found, z.value.real());
  // sin^2 + cos^2 is rounded: 2 eps/sin^2 of the quotient, and as much again from the pencil, times 100 for its condition.
  EXPECT_NEAR(found / far, 1, 100 * 2.2e-16 / (sine * sine) + 10 * sine * sine);
  EXPECT_EQ(p.input_output->structure.degrees_of_freedom, 3);
}

// The undamped one: +-i sqrt(k2/m3)/sin(alpha).
TEST(NearSingular, an_undamped_pair_goes_to_infinity_too) {
  const Portrait p = portrait(library_model("mass_on_car", "", {{"alpha", "1e-4"}}));
  ASSERT_TRUE(p.input_output);
  EXPECT_THAT(p.input_output->degree.outputs, ElementsAre(4));
  EXPECT_EQ(p.input_output->zeros.finite(), 2);
}

TEST(NearSingular, both_readings_are_reported_with_a_margin) {
  const Portrait p = damped(1e-4);
  ASSERT_TRUE(p.input_output && p.input_output->zeros.other);
  EXPECT_EQ(p.input_output->zeros.other->finite, 2);
  EXPECT_GT(p.input_output->zeros.other->margin, 10);
  EXPECT_THAT(p.input_output->degree.other_outputs, ElementsAre(4));
  EXPECT_THAT(p.disagreements,
              Contains(HasSubstr("nearly singular: the number of finite zeros is 3, or 2 if")));
}

TEST(NearSingular, far_from_it_and_right_at_it_there_is_no_doubt) {
  for (const double alpha : {0.2, 0.0}) {
    const Portrait p = damped(alpha);
    ASSERT_TRUE(p.input_output);
    EXPECT_THAT(p.input_output->degree.outputs, ElementsAre(alpha > 0 ? 3 : 4));
    EXPECT_THAT(p.input_output->degree.other_outputs, IsEmpty());
    EXPECT_THAT(p.disagreements, IsEmpty());
  }
}

}  // namespace
}  // namespace daedal::analysis::test
