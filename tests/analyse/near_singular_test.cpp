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

// At alpha = 1e-7 the pencil's sin(alpha)^2 is of the size of rounding, at 1e-8 the entries themselves are those at 0: both were
// counted as singular, relative degree 4 (undamped 6), without a word.
struct Reading {
  int degree, zeros;
};
class AnyAngle : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(NearSingular, AnyAngle, ::testing::Range(1, 13));

void expect_read_or_doubted(const Portrait& p, Reading truth) {
  ASSERT_TRUE(p.input_output);
  const InputOutput& io = *p.input_output;
  const bool right = io.zeros.finite() == truth.zeros && io.degree.outputs[0] == truth.degree;
  if (right && !io.zeros.other) return;
  ASSERT_TRUE(io.zeros.other);
  ASSERT_THAT(io.degree.other_outputs, ::testing::SizeIs(1));
  EXPECT_THAT(p.disagreements, Contains(HasSubstr("nearly singular: the number of finite zeros")));
  EXPECT_TRUE(right || (io.zeros.other->finite == truth.zeros &&
                        io.degree.other_outputs[0] == truth.degree));
  EXPECT_TRUE(right || io.zeros.other->margin < 1) << "what is lost is within rounding";
}

TEST_P(AnyAngle, no_wrong_reading_without_doubt) {
  const double alpha = std::pow(10.0, -GetParam());
  expect_read_or_doubted(damped(alpha), {3, 3});
  expect_read_or_doubted(
      portrait(library_model("mass_on_car", "", {{"alpha", fmt::format("{}", alpha)}})), {4, 2});
  expect_read_or_doubted(portrait(library_model("mass_on_car", "mass_on_car_two",
                                                {{"alpha", fmt::format("{}", alpha)}})),
                         {2, 2});
}

TEST(NearSingular, the_parameter_that_makes_the_difference_is_named) {
  EXPECT_THAT(damped(1e-9).disagreements, Contains(HasSubstr("any other value of alpha;")));
}

// A mass on a car whose inertia along the spring is 1 + (a - b)^2: the relative degree of its position is 2 with the zeros
// +-i/(a - b), and 4 where a = b. Two parameters are degenerate together.
Portrait two_arms(double difference) {
  return portrait(text_model(fmt::format(
      "model arms\nparameter a = 0.7, b = {}\ncoordinate x, s\nkinetic x'^2/2 + (x' + s')^2/2 + "
      "(a - b)^2*s'^2/2\npotential s^2/2\ninput u\nforce u on x\noutput z = x + s\n",
      0.7 + difference)));
}

TEST_P(AnyAngle, no_wrong_reading_without_doubt_between_parameters) {
  expect_read_or_doubted(two_arms(std::pow(10.0, -GetParam())), {2, 2});
}

TEST(NearSingular, equal_parameters_are_meant_to_be_equal) {
  const Portrait p = two_arms(0);
  ASSERT_TRUE(p.input_output);
  EXPECT_THAT(p.input_output->degree.outputs, ElementsAre(4));
  EXPECT_THAT(p.disagreements, IsEmpty());
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
