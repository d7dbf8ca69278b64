// Receding horizons by collocation on elastic bodies, with steps that resolve undamped oscillations.
#include "daedal/boundary/rest.hpp"
#include "daedal/invert/receding_horizon.hpp"
#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;

/// The flexible arm, and its whole motion by collocation on a mesh.
struct ArmOnMesh {
  ArmOnMesh(const std::string& elements, const std::string& damping, double mesh_step)
      : step(mesh_step),
        inverse(inverse_model(*forward_of_file(
            "flexible_link",
            {.parameters = {{"N", elements}, {"damping", damping}}, .inputs = {}, .model = {}}))),
        problem(tracking_problem(inverse)),
        system(*problem, compile::Options{}),
        desired([this](double t, double* w) { system.desired(t, w); }),
        start(start_guess(*problem)) {
    StableInversionOptions options;
    options.scheme = Scheme::collocation;
    options.before = options.after = 1;
    options.boundary_value.intervals = static_cast<std::size_t>(std::lround(3 / step));
    options.every = step;
    whole = stable_inversion(inverse, options);
    EXPECT_TRUE(whole.solution.ok()) << whole.trajectory.reason;
  }
  RecedingHorizon plan(double begin, double preview, double period) {
    return RecedingHorizon::by_collocation(
        system, {begin, desired, start.states, start.tops},
        {.period = period, .preview = preview, .step = step, .reliable_below = 1}, {});
  }
  double input(const RecedingHorizon& of) const {
    const std::uint32_t at = problem->layout.find({problem->dae->model->find("u"), 0}) - 1;
    return at < problem->states ? of.states()[at] : of.tops()[at - problem->states];
  }
  /// Largest difference of the input from that of the whole motion, at the nodes.
  double error(double preview, double period) {
    RecedingHorizon along = plan(-0.4, preview, period);
    const Table& rows = whole.trajectory.table;
    double largest = 0;
    while (along.time() < 1.3) {
      EXPECT_TRUE(along.update(desired).ok()) << along.time();
      const double node = (along.time() + 1) / step;
      if (std::abs(node - std::round(node)) < 1e-6)
        largest = std::max(
            largest, std::abs(input(along) - rows.at(static_cast<std::size_t>(std::lround(node)),
                                                     *rows.find("u"))));
      along.advance(desired);
    }
    return largest;
  }

  double step;
  InverseModel inverse;
  std::shared_ptr<const formulate::Problem> problem;
  InverseSystem system;
  Desired desired;
  StartGuess start;
  StableInversion whole;
};

// The bounds are those required of all steps and dampings (tests/invert/difference_plan_test.cpp has the longer steps).
TEST(SlowDescriptorPlan, is_robust_against_damping_where_steps_resolve_the_axial_oscillations) {
  for (const char* const damping : {"0", "1e-4", "1e-3"}) {
    ArmOnMesh arm("4", damping, 0.01);
    EXPECT_LE(arm.error(0.1, 0.01), 2e-2) << damping;
    EXPECT_LE(arm.error(0.2, 0.01), 1e-3) << damping;
    EXPECT_LE(arm.error(0.3, 0.01), 5e-5) << damping;
  }
}

TEST(DescriptorPlan, finds_the_same_inputs_at_the_nodes_with_samples_between_them) {
  ArmOnMesh arm("1", "0", 0.02);
  const double every_node = arm.error(0.4, 0.02), between = arm.error(0.4, 0.005);
  EXPECT_LE(every_node, 2e-5);
  EXPECT_LE(between, 2e-5);
}

TEST(DescriptorPlan, error_falls_with_the_preview_as_the_slowest_growing_mode_says) {
  ArmOnMesh arm("1", "0", 0.01);
  const double first = arm.error(0.1, 0.01), second = arm.error(0.2, 0.01);
  // other modes have a share of both errors: exp(0.1) in their ratio
  EXPECT_NEAR(std::log(first / second) / 0.1, 26.89, 1) << first << " " << second;
}

TEST(DescriptorPlan, is_what_a_receding_run_takes_where_central_differences_do_not_apply) {
  ArmOnMesh arm("1", "0", 0.01);
  RecedingRunOptions options;
  options.horizon = {.period = 0.01, .preview = 0.4, .step = 0.01};
  const RecedingRun run = receding_run(arm.inverse, options);
  ASSERT_EQ(run.trajectory.status, solve::Status::completed) << run.trajectory.reason;
  EXPECT_GT(run.modes.centre, 0);  // of the mesh: with its oscillation
  const Table &ours = run.trajectory.table, &whole = arm.whole.trajectory.table;
  for (std::size_t r = 0; r < ours.rows(); ++r) {
    const auto node = static_cast<std::size_t>(std::lround((ours.at(r, 0) + 1) / 0.01));
    if (node >= whole.rows()) continue;
    EXPECT_NEAR(ours.at(r, *ours.find("u")), whole.at(node, *whole.find("u")),
                1e-5);  // the window ends after 0.4 s: exp(-22 0.4) = 2e-4 of an input of 0.1
  }
}

TEST(DescriptorPlan, never_hands_out_a_wrong_input_in_silence) {
  ArmOnMesh arm("1", "0", 0.02);
  RecedingHorizon plan = arm.plan(-0.1, 0.3, 0.02);
  ASSERT_TRUE(plan.update(arm.desired).ok());
  const double before = arm.input(plan);
  const Desired broken = [&](double t, double* w) {
    arm.desired(t, w);
    if (t > plan.time() + 0.1) w[1] = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(plan.update(broken).status, RecedingStatus::not_finite);
  EXPECT_EQ(arm.input(plan), before);
  EXPECT_TRUE(plan.update(arm.desired).ok());
}

}  // namespace
}  // namespace daedal::test
