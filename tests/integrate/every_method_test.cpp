// What every method must do on mechanisms, from their text on. The suite takes its methods from the variant: who joins the
// variant joins the suite.

#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/elliptic.hpp"
#include "support/observed_order.hpp"
#include "support/problems.hpp"
#include "support/reachable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

namespace daedal::solve::testing {
namespace {

template <class Variant>
struct Alternatives;
template <class... Options>
struct Alternatives<std::variant<Options...>> {
  using type = ::testing::Types<Options...>;
};
struct Names {
  template <class Options>
  static std::string GetName(int) {
    return std::string(Options::name);
  }
};

template <class Options>
class EveryMethodOnMechanisms : public ::testing::Test {
 protected:
  static Trajectory run(const std::string& text, const Method& method, double until, double every) {
    const formulate::Problem problem = problem_of(text);
    SimulateOptions options;
    options.method = method;
    options.until = until;
    options.every = every;
    options.global_error = false;
    options.compile.backend = compile::Backend::tape;
    return simulate(problem, consistent_point(problem), options);
  }
};
TYPED_TEST_SUITE(EveryMethodOnMechanisms, Alternatives<Method>::type, Names);

const std::string oscillator =
    "model oscillator\ncoordinate x = 1\nkinetic x'^2/2\npotential x^2/2\n";

TYPED_TEST(EveryMethodOnMechanisms, keeps_the_error_near_the_tolerance_between_its_steps_too) {
  const double tolerance = reachable<TypeParam>(1e-9);
  const Trajectory t = this->run(oscillator, with_tolerance<TypeParam>(tolerance), 10, 0.037);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  const std::size_t x = *t.table.find("x"), v = *t.table.find("x'");
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    const double time = t.table.at(row, 0);
    ASSERT_NEAR(t.table.at(row, x), std::cos(time), 2 * error_factor<TypeParam> * tolerance);
    ASSERT_NEAR(t.table.at(row, v), -std::sin(time), 2 * error_factor<TypeParam> * tolerance);
  }
}

TYPED_TEST(EveryMethodOnMechanisms, follows_the_pendulum_and_keeps_its_rod) {
  const support::HorizontalPendulum<> exact;
  const double tolerance = reachable<TypeParam>(1e-10);
  const Trajectory t = this->run(pendulum_text, with_tolerance<TypeParam>(tolerance), 3, 0.05);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_LT(t.drift[0].largest, 1e-14);
  EXPECT_LT(t.drift[1].largest, 1e-13);
  const std::size_t x = *t.table.find("x"), y = *t.table.find("y");
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    const auto at = exact.at(t.table.at(row, 0));
    ASSERT_NEAR(t.table.at(row, x), at.x, 10 * error_factor<TypeParam> * tolerance);
    ASSERT_NEAR(t.table.at(row, y), at.y, 10 * error_factor<TypeParam> * tolerance);
  }
}

// A force that jumps at 1/3 s: both pieces of the motion are parabolas.
TYPED_TEST(EveryMethodOnMechanisms, meets_the_time_at_which_a_force_jumps) {
  const std::string text =
      "model jump\ncoordinate x = 0\nkinetic x'^2/2\nforce (if t < 1/3 then 1 else -1000) on x\n";
  const double tolerance = reachable<TypeParam>(1e-9);
  const Trajectory t = this->run(text, with_tolerance<TypeParam>(tolerance), 1, 0.1);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  const double b = 1.0 / 3, rest = 1 - b;
  EXPECT_NEAR(t.table.at(t.table.rows() - 1, *t.table.find("x")),
              b * b / 2 + b * rest - 500 * rest * rest, 1000 * 100 * tolerance);
}

TYPED_TEST(EveryMethodOnMechanisms, gives_the_same_bits_twice) {
  const Method method = with_tolerance<TypeParam>(1e-7);
  const Trajectory a = this->run(pendulum_text, method, 2, 0.01),
                   b = this->run(pendulum_text, method, 2, 0.01);
  ASSERT_EQ(a.table.rows(), b.table.rows());
  for (std::size_t row = 0; row < a.table.rows(); ++row)
    for (std::size_t column = 0; column < a.table.columns().size(); ++column)
      ASSERT_EQ(a.table.at(row, column), b.table.at(row, column));
}

TYPED_TEST(EveryMethodOnMechanisms, stops_in_words_behind_its_largest_number_of_steps) {
  TypeParam options;
  options.max_steps = 3;
  options.step = 0.01;
  const Trajectory t = this->run(oscillator, options, 10, 1);
  EXPECT_NE(t.status, Status::completed);
  EXPECT_THAT(t.reason, ::testing::HasSubstr("max_steps"));
}

// x'' = 6 x^2 from x = 1, x' = 2: x = 1/(1 - t)^2.
TYPED_TEST(EveryMethodOnMechanisms, stops_in_words_where_the_motion_ceases_to_exist) {
  const std::string text =
      "model burst\ncoordinate x = 1\ninitial x' = 2\nkinetic x'^2/2\npotential -2*x^3\n";
  const Trajectory t = this->run(text, with_tolerance<TypeParam>(1e-8), 2, 0.01);
  EXPECT_NE(t.status, Status::completed);
  EXPECT_FALSE(t.reason.empty());
  EXPECT_NEAR(t.table.at(t.table.rows() - 1, 0), 1,
              0.05);  // each method stops where its steps become too short, before t = 1
}

// The length of the first step was NaN there, which no comparison finds too short: rk45, dop853, rk23 and radau5 never ended.
TYPED_TEST(EveryMethodOnMechanisms, stops_in_words_where_a_branch_has_no_value) {
  const std::string head = "model cliff\ncoordinate x = 0\ninitial x' = 1\nkinetic x'^2/2\n";
  for (const std::string branch : {"force (if t < 1 then 0 else log(0.5 - x)) on x\n",
                                   "force (if x < 1 then 0 else sqrt(0.5 - x)) on x\n",
                                   "force (if x' < 1.5 then 0 else sqrt(-x')) on x\nevent hit: "
                                   "when x > 1 then set x' = 2\n"}) {
    const Trajectory t = this->run(head + branch, with_tolerance<TypeParam>(1e-8), 3, 0.01);
    EXPECT_EQ(t.status, Status::stopped) << branch;
    EXPECT_THAT(t.reason, ::testing::HasSubstr("motion of x")) << branch;
    const double end = t.table.at(t.table.rows() - 1, 0);
    EXPECT_GE(end, 0.99 - test::rounding(4)) << branch;  // the last row before it
    EXPECT_LE(end, 1.01) << branch;                      // or the end of an equal step
  }
}

// Rounding of a stiff spring's force exceeds any tolerance of Newton's method. Equal steps cannot be shortened: they stopped.
TEST(EqualSteps, follow_stiff_springs_in_the_place_of_constraints) {
  const formulate::Formulation springs{.kind = formulate::Kind::penalty,
                                       .penalty = {.stiffness = 1e6, .damping = 1e3}};
  const formulate::Problem problem = problem_of_file("fourbar", springs);
  const ConsistentPoint start = consistent_point(problem);
  const auto last = [&](const Method& method) {
    SimulateOptions options;
    options.method = method;
    options.until = 0.5;
    options.global_error = false;
    const Trajectory t = simulate(problem, start, options);
    EXPECT_EQ(t.status, Status::completed) << name(method) << ": " << t.reason;
    std::vector<double> states;
    for (std::size_t c = 1; c <= problem.states; ++c)
      states.push_back(t.table.at(t.table.rows() - 1, c));
    return states;
  };
  const std::vector<double> exact = last(Radau5Options{.tolerance = 1e-10});
  const auto error = [&](const Method& method) {
    const std::vector<double> states = last(method);
    double largest = 0;
    for (std::size_t i = 0; i < states.size(); ++i)
      largest = std::max(largest, std::abs(states[i] - exact[i]));
    return largest;
  };
  const auto expect_order = [&](double order, auto method) {
    const double coarse = error(method);
    method.step /= 2;
    EXPECT_NEAR(std::log2(coarse / error(method)), order, support::slope_margin)
        << name(Method(method));
  };
  expect_order(1, ImplicitEulerOptions{.step = 1e-3});
  expect_order(1, LinearImplicitEulerOptions{.step = 1e-3});
  expect_order(2, BdfOptions{.order = 2, .step = 1e-3});
  expect_order(2, GeneralizedAlphaOptions{.step = 1e-3});
}

}  // namespace
}  // namespace daedal::solve::testing
