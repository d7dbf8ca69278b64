// The question `control`: what a user of the library or the command line gets.
#include "daedal/study/control.hpp"

#include "daedal/task/model.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <string>

namespace daedal::test {
namespace {

using testing::HasSubstr;

const char* const pendulum =
    "model cart\nparameter m = 1, M = 0.5, L = 0.8, g = 9.81\ncoordinate x [m], theta [rad]\n"
    "let bob = [x + L*sin(theta), L*cos(theta)]\nkinetic m/2*x'^2 + M/2*dot(bob', bob')\n"
    "potential M*g*bob[2]\ninput u [N]\nforce u on x\n";

TEST(Control, gains_have_the_names_and_units_of_the_model) {
  const ControlDesign design =
      control(load_text(pendulum), {.state_weights = read_weights("q", "x=1,theta=10")});
  EXPECT_THAT(design.inputs, testing::ElementsAre("u"));
  EXPECT_THAT(design.states, testing::ElementsAre("x", "theta", "x'", "theta'"));
  EXPECT_THAT(design.state_units, testing::ElementsAre("m", "rad", "m/s", "rad/s"));
  EXPECT_THAT(design.state_weights, testing::ElementsAre(1, 10, 0, 0));
  // the product of the closed poles is that of the gain of x: det(A - B F) = F_x g/(m L), and F_x = sqrt(q_x/r)
  EXPECT_NEAR(std::abs(design.gain[0][0]), 1, rounding(1e3));
  std::complex<double> product = 1;
  for (const std::complex<double>& pole : design.closed) product *= pole;
  EXPECT_NEAR(product.real(), 9.81 / 0.8, rounding(1e4, 9.81 / 0.8));
  const std::string text = summary(design);
  EXPECT_THAT(text, HasSubstr("theta' [rad/s]"));
  EXPECT_THAT(to_json(design), HasSubstr("\"gain\""));
  EXPECT_FALSE(report(design).tables.empty());
}

// A clock of 1 ms: the poles it reports are near the continuous ones, by T/2 times the square of the fastest.
TEST(Control, poles_of_a_sampled_loop_are_rates) {
  const Model model = load_text(pendulum);
  const ControlDesign still = control(model, {.state_weights = read_weights("q", "x=1,theta=10")});
  const ControlDesign clock =
      control(model, {.state_weights = read_weights("q", "x=1,theta=10"), .period = 1e-3});
  ASSERT_EQ(still.closed.size(), clock.closed.size());
  for (std::size_t k = 0; k < still.closed.size(); ++k)
    EXPECT_LE(std::abs(still.closed[k] - clock.closed[k]),
              1e-3 / 2 * std::norm(still.closed.back()))
        << k;
  // and what it tolerates: half a period more of delay, which the hold adds
  ASSERT_EQ(clock.margins.size(), 1u);
  EXPECT_NEAR(*clock.margins[0].delay, *still.margins[0].delay - 1e-3 / 2, 1e-3 / 2);
  EXPECT_TRUE(clock.margins[0].highest_gain);
}

// The cart goes back before it goes forth: zeros at +-sqrt(g/L) from the force to its position.
TEST(Control, says_what_limits_the_loop) {
  const std::string text = std::string(pendulum) + "output place = x\n";
  const ControlDesign design =
      control(load_text(text), {.state_weights = read_weights("q", "1"), .period = 0.01});
  ASSERT_EQ(design.limits.size(), 3u);
  EXPECT_EQ(design.limits[0].cause, "unstable pole");
  EXPECT_TRUE(design.limits[0].lowest);
  EXPECT_NEAR(design.limits[0].frequency, 2 * std::sqrt(9.81 / 0.8 * 1.5), rounding(1e4, 10));
  EXPECT_EQ(design.limits[1].cause, "unstable zero");
  EXPECT_NEAR(design.limits[1].frequency, std::sqrt(9.81 / 0.8) / 2, rounding(1e4, 10));
  EXPECT_EQ(design.limits[2].cause, "clock");
  EXPECT_NEAR(design.limits[2].frequency, 200, rounding(10, 200));
  EXPECT_THAT(summary(design), HasSubstr("unstable zero 3.502 1/s"));
}

// A force of 1 beside the command: at rest the feedback takes it away, F_x x = 1, theta = 0.
TEST(Control, answers_a_step_with_its_static_gain) {
  for (const std::optional<double> period : {std::optional<double>(), std::optional(0.02)}) {
    const ControlDesign design =
        control(load_text(pendulum),
                {.state_weights = read_weights("q", "x=1,theta=10"), .period = period});
    const std::size_t end = design.step.rows() - 1;
    const double left = 5 * std::exp(-6.0);  // after six of the slowest time constants
    EXPECT_NEAR(design.step.column("x")[end] * design.gain[0][0], 1, left);
    EXPECT_NEAR(design.step.column("theta")[end], 0, left);
    // the first step is that of the force alone: a = u/m, within the first interval
    const double h = design.step.column("t")[1];
    EXPECT_NEAR(design.step.column("x")[1] / (h * h / 2), 1, 20 * h);
    EXPECT_GE(report(design).charts.size(), 5u);
  }
}

const char* const chain =
    "model chain\ncoordinate q[1..5]\nkinetic sum(i in 1..5: q[i]'^2/2)\n"
    "potential sum(i in 1..4: 20*(q[i+1] - q[i])^2/2)\n"
    "dissipation sum(i in 1..4: 0.4*(q[i+1]' - q[i]')^2/2)\ninput u\nforce u on q[1]\n";

ControlDesign designed(const std::string& text, std::optional<int> states,
                       std::optional<double> period) {
  return control(
      load_text(text),
      {.state_weights = read_weights("q", "q[5]=1"), .period = period, .reduce = states});
}

// All states in balanced coordinates: the same gains. Gramians and their roots have conditions below 1e7.
TEST(Control, designed_on_all_balanced_states_has_the_same_gains) {
  const std::string anchored = std::string(chain) + "potential 10*q[1]^2\ndissipation q[1]'^2\n";
  for (const std::optional<double> period : {std::optional<double>(), std::optional(0.1)}) {
    const ControlDesign whole = designed(anchored, {}, period),
                        all = designed(anchored, 10, period);
    for (std::size_t k = 0; k < whole.states.size(); ++k)
      EXPECT_NEAR(all.gain[0][k], whole.gain[0][k], rounding(1e7)) << whole.states[k];
  }
}

// Five masses: the chain as a whole is free, two states that stay, and bends in four modes.
TEST(Control, designs_on_fewer_states) {
  for (const std::optional<double> period : {std::optional<double>(), std::optional(0.1)}) {
    const ControlDesign whole = designed(chain, {}, period), part = designed(chain, 6, period);
    EXPECT_EQ(part.reduced, 6);
    EXPECT_EQ(part.closed.size(), 10u);
    // of the whole, and not much slower than the best
    double slowest = -1e9, best = -1e9;
    for (const std::complex<double>& pole : part.closed) slowest = std::max(slowest, pole.real());
    for (const std::complex<double>& pole : whole.closed) best = std::max(best, pole.real());
    EXPECT_LT(slowest, 0.9 * best);
    EXPECT_THAT(summary(part), HasSubstr("designed on 6 of 10 states"));
  }
  try {
    designed(chain, 1, {});
    FAIL() << "two states do not decay";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("reduce = 1: model 'chain' has 10 states"));
  }
}

TEST(Control, weights_in_words) {
  const Weights weights = read_weights("--state-weights", "1,phi=100,x'=2.5");
  EXPECT_EQ(weights.others, 1);
  ASSERT_EQ(weights.named.size(), 2u);
  EXPECT_EQ(weights.named[1].name, "x'");
  EXPECT_THROW(read_weights("--state-weights", "1,2"), ModelError);
  EXPECT_THROW(read_weights("--state-weights", "x=heavy"), ModelError);
  EXPECT_THROW(control(load_text(pendulum), {.period = 0}), ModelError);
}

}  // namespace
}  // namespace daedal::test
