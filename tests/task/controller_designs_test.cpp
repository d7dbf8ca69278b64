// The gains of the laws of controllers: those of the same question asked directly, with the same poles and margins.
#include "daedal/study/control.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/model.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using test::rounding;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string cart =
    "model cart\nparameter m = 1 [kg], M = 2 [kg], l = 0.5 [m], g = 9.81 [m/s^2]\n"
    "coordinate x [m], theta [rad]\nlet bob = [x + l*sin(theta), l*cos(theta)]\n"
    "kinetic M/2*x'^2 + m/2*dot(bob', bob')\npotential m*g*bob[2]\ninput u [N]\nforce u on x\n";

Model acting(const std::string& block) {
  return load_text(cart + block, "model.daedal", {.controllers = {"c"}});
}

ControllerDesigns designs_of(const std::string& block) { return controller_designs(acting(block)); }

TEST(ControllerDesigns, are_the_regulator_of_the_same_weights) {
  const ControllerDesigns found = designs_of(
      "controller c every 50 ms\ncommand u = delay(lqr(Q = weights(x = 10, theta = 100), R = 0.1, "
      "delay = 0.07), time = 0.07)\n");
  ControlOptions options;
  options.state_weights = read_weights("state_weights", "x=10,theta=100");
  options.input_weights.others = 0.1;
  options.period = 0.05;
  options.delay = 0.07;
  const ControlDesign direct = control(load_text(cart, "model.daedal"), options);
  ASSERT_EQ(found.laws.size(), 1u);
  EXPECT_EQ(found.laws[0].name, "lqr");
  EXPECT_EQ(found.laws[0].place.line, 10u);
  const ControlDesign& law = *found.laws[0].design;
  EXPECT_EQ(law.gain, direct.gain);
  EXPECT_EQ(law.past_gains, direct.past_gains);
  EXPECT_EQ(law.closed, direct.closed);
  EXPECT_EQ(law.residual, direct.residual);
  ASSERT_TRUE(law.margins[0].delay && direct.margins[0].delay);
  EXPECT_EQ(*law.margins[0].delay, *direct.margins[0].delay);
  EXPECT_THAT(summary(found),
              AllOf(HasSubstr("cart: lqr in line 10: feedback"), HasSubstr("theta' [rad/s]"),
                    HasSubstr("u [N]"), HasSubstr("riccati"), HasSubstr("residual")));
}

// The same loop, seen from its law and from its equations.
TEST(ControllerDesigns, of_pole_placement_have_the_margins_of_the_loop) {
  const std::string block =
      "controller c\ncommand u = pole_placement(poles = [-1, -2], pairs = [-3, 2])\n";
  const ControllerDesigns found = designs_of(block);
  const Analysis loop = analyse(acting(block));
  ASSERT_EQ(found.laws.size(), 1u);
  const ControlDesign& law = *found.laws[0].design;
  EXPECT_TRUE(law.state_weights.empty());
  EXPECT_THAT(summary(found), Not(HasSubstr("riccati")));
  ASSERT_EQ(loop.margins.size(), 1u);
  const double exact = rounding(1e8);  // crossings of curves of order 4, conditions of 1e3
  EXPECT_NEAR(*law.margins[0].lowest_gain, *loop.margins[0].lowest_gain, exact);
  EXPECT_NEAR(*law.margins[0].phase, *loop.margins[0].phase, 100 * exact);
  EXPECT_NEAR(*law.margins[0].delay, *loop.margins[0].delay, exact);
}

TEST(ControllerDesigns, of_lqi_have_gains_of_their_integrals_and_the_margins_of_the_loop) {
  const std::string block =
      "controller c every 20 ms\ncommand u = lqi(Q = 1, R = 0.1, integral = 5, of = x)\n";
  const ControllerDesigns found = designs_of(block);
  const SampledLoop loop = sampled_loop(acting(block));
  const ControlDesign& law = *found.laws.at(0).design;
  EXPECT_EQ(law.integrals, std::vector<std::string>{"x"});
  ASSERT_EQ(law.integral_gain.size(), 1u);
  EXPECT_THAT(summary(found), HasSubstr("integral of x"));
  const double exact = rounding(1e9);  // of a sampled loop of order 5, whose slowest factor is 0.98
  EXPECT_NEAR(*law.margins[0].lowest_gain, *loop.margins[0].lowest_gain, exact);
  EXPECT_NEAR(*law.margins[0].highest_gain, *loop.margins[0].highest_gain, exact);
  EXPECT_NEAR(*law.margins[0].phase, *loop.margins[0].phase, 100 * exact);
}

TEST(ControllerDesigns, refuse_controllers_without_gains_and_options_of_a_regulator) {
  const auto fault_of = [](const std::string& block, const ControlOptions& options) {
    try {
      design_of(acting(block), options);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(fault_of("controller c\ncommand u = -x\n", {}),
              AllOf(HasSubstr("controller 'c' has no law with designed gains"),
                    HasSubstr("lqr, lqi and pole_placement have")));
  ControlOptions options;
  options.period = 0.1;
  EXPECT_EQ(fault_of("controller c\ncommand u = lqr(Q = 1, R = 1)\n", options),
            "error: period: the laws of controller 'c' have their own\n"
            "  help: leave the option or the controller out");
}

}  // namespace
}  // namespace task
}  // namespace daedal
