// No step of the real-time stepper allocates: a counting operator new watches.
#include "daedal/invert/classical.hpp"
#include "daedal/invert/receding_horizon.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/stepper/algebraic.hpp"
#include "support/allocations.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace daedal::test {
namespace {

TEST(Allocation, a_step_of_the_stepper_allocates_nothing_also_when_it_fails) {
  const auto forward = forward_of_file("cable_robot");
  const derive::Dae dae = derive::tracking(*forward);
  const structure::Point still = rest(*dae.model);
  const structure::Point start = [&](expr::Leaf leaf) {
    return dae.model->symbols[leaf.symbol].name == "cable" ? -18.9 * 9.81 / 8 : still(leaf);
  };
  for (const solve::StepFormula& formula : {solve::bdf_formula(4), solve::radau5_formula()}) {
    const auto program = std::make_shared<const solve::StepProgram>(
        solve::make_step_program(dae, formula, 0.01, start));
    solve::Stepper stepper(program, {});
    std::vector<double> desired;
    for (std::uint32_t stage = 0; stage < program->stages(); ++stage)
      desired.insert(desired.end(), {15.0, 4.0});
    const long before = allocations;
    bool ok = true;
    for (int n = 0; n < 100; ++n) ok = ok && stepper.step(desired).ok();
    desired[0] = std::numeric_limits<double>::quiet_NaN();
    const solve::StepReport failed = stepper.step(desired);
    const long after = allocations;
    EXPECT_TRUE(ok);
    EXPECT_FALSE(failed.ok());
    EXPECT_EQ(after - before, 0) << formula.name;
  }
}

TEST(Allocation, a_closed_jet_allocates_nothing_once_the_way_is_known) {
  const inversion::InverseModel inverse = inversion::inverse_model(*forward_of_file("cable_robot"));
  const model::Model& m = *inverse.dae->model;
  const std::vector<expr::Leaf> inputs{{m.find("u_T"), 0}, {m.find("u_L"), 0}};
  solve::AlgebraicSolution closed(inverse.problem, solve::consistent_point(inverse.problem),
                                  {.until = 10, .compile = {.backend = compile::Backend::tape}});
  ASSERT_TRUE(closed.watch(inputs));
  double u[2] = {};
  ASSERT_TRUE(closed.watched(9.9, u));
  const long before = allocations;
  bool ok = true;
  for (int n = 0; n < 500; ++n) ok = closed.watched(0.0198 * n, u) && ok;
  EXPECT_EQ(allocations - before, 0);
  EXPECT_TRUE(ok);
}

TEST(Allocation, numeric_jacobians_allocate_nothing_in_a_step) {
  const inversion::InverseModel inverse = inversion::inverse_model(*forward_of_file("cable_robot"));
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
  for (const solve::JacobianKind jacobian :
       {solve::JacobianKind::difference, solve::JacobianKind::broyden}) {
    solve::BdfOptions bdf{.order = 4, .step = 0.01};
    bdf.newton.jacobian = jacobian;
    const solve::Method method = bdf;
    solve::StepperOptions options = inversion::stepper_options(method);
    options.compile = {.backend = compile::Backend::tape};
    solve::Stepper stepper(inversion::step_program(inverse, start, method).program, options);
    const std::vector<double> desired{15, 4};
    const long before = allocations;
    bool ok = true;
    for (int n = 0; n < 50; ++n) ok = stepper.step(desired).ok() && ok;
    EXPECT_EQ(allocations - before, 0);
    EXPECT_TRUE(ok);
  }
}

/// A hundred samples with a change of the motion, a measured state, and a motion that is no number.
void expect_no_allocation(inversion::RecedingHorizon& plan, const boundary::Desired& desired,
                          bool& broken) {
  const std::vector<double> measured(plan.states().begin(), plan.states().end());
  const long before = allocations;
  bool ok = true;
  for (int n = 0; n < 100; ++n) {
    ok = ok && plan.update(desired, n == 40).ok();
    plan.advance(desired);
  }
  plan.seed(measured);
  broken = true;
  const bool failed = !plan.update(desired).ok();
  const long after = allocations;
  EXPECT_TRUE(ok);
  EXPECT_TRUE(failed);
  EXPECT_EQ(after - before, 0);
}

TEST(Allocation, an_update_by_central_differences_allocates_nothing_also_when_it_fails) {
  const auto problem =
      inversion::tracking_problem(inversion::inverse_model(*forward_of_file("manipulator_2link")));
  boundary::InverseSystem system(*problem, {.backend = compile::Backend::tape});
  bool broken = false;
  const boundary::Desired desired = [&](double t, double* w) {
    system.desired(t, w);
    if (broken) w[1] = std::numeric_limits<double>::quiet_NaN();
  };
  inversion::RecedingHorizon plan = inversion::RecedingHorizon::by_differences(
      system,
      {-0.5, desired, std::vector<double>(system.states()), std::vector<double>(system.tops())},
      {.period = 0.01, .preview = {}, .step = {}}, {.backend = compile::Backend::tape});
  expect_no_allocation(plan, desired, broken);
}

TEST(Allocation, an_update_of_the_receding_horizon_allocates_nothing_also_when_it_fails) {
  const auto problem =
      inversion::tracking_problem(inversion::inverse_model(*forward_of_file("manipulator_2link")));
  boundary::InverseSystem system(*problem, {.backend = compile::Backend::tape});
  bool broken = false;
  const boundary::Desired desired = [&](double t, double* w) {
    system.desired(t, w);
    if (broken) w[1] = std::numeric_limits<double>::quiet_NaN();
  };
  const std::vector<double> states(system.states()), tops(system.tops());
  inversion::RecedingHorizon plan(system, {-0.5, desired, states, tops},
                                  {.period = 0.01, .preview = {}, .step = {}});
  expect_no_allocation(plan, desired, broken);
}

}  // namespace
}  // namespace daedal::test
