// Problem -> System -> Integrator, and Problem -> Stepper, by what the public headers offer.
#include "daedal/integrate/integrator.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/stepper/stepper.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

namespace daedal::solve::testing {
namespace {

const std::string fall_text = "model fall\ncoordinate x = 2\nkinetic x'^2/2\npotential 10*x\n";
constexpr double until = 0.75;
double height(double t) { return 2 - 5 * t * t; }
/// A handful of steps, each exact on polynomials of degree 2: what is left is rounding.
constexpr double rounding = 1e-13;

TEST(Experts, a_system_made_of_a_problem_can_be_integrated) {
  const formulate::Problem problem = problem_of(fall_text);
  const ConsistentPoint start = consistent_point(problem);
  const std::unique_ptr<System> system = make_system(problem, 0, start.states, start.tops);
  const std::unique_ptr<Integrator> integrator = make_integrator(Rk45Options{}, *system);
  ASSERT_TRUE(integrator->start(0, start.states.data(), start.tops.data(), until).ok);
  while (integrator->time() < until) ASSERT_TRUE(integrator->step(until).ok);
  EXPECT_NEAR(integrator->state()[0], height(until), rounding);
}

TEST(Experts, a_stepper_made_of_a_problem_steps_it) {
  const formulate::Problem problem = problem_of(fall_text);
  Stepper stepper =
      make_stepper(problem, consistent_point(problem), BdfOptions{.order = 2, .step = until / 4});
  EXPECT_TRUE(stepper.signals().empty());
  ASSERT_EQ(stepper.nodes().size(), 1);
  EXPECT_EQ(stepper.nodes()[0], 1);
  for (int n = 0; n < 4; ++n) ASSERT_TRUE(stepper.step({}).ok());
  EXPECT_NEAR(stepper.value(stepper.find({problem.dae->unknowns[0], 0})), height(until), rounding);
}

}  // namespace
}  // namespace daedal::solve::testing
