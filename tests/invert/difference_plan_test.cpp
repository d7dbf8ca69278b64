// Receding horizons by central differences, on the two-link manipulator and the flexible arm.
#include "daedal/boundary/difference_solution.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/invert/receding_horizon.hpp"
#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "support/stepped.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;

/// A model, its whole motion on a mesh, and plans on the same mesh.
struct Planned {
  Planned(const std::string& folder, const std::map<std::string, std::string>& parameters,
          double mesh_step = 0.02)
      : step(mesh_step),
        problem(tracking_problem(inverse_model(
            *forward_of_file(folder, {.parameters = parameters, .inputs = {}, .model = {}})))),
        system(*problem, compile),
        desired([this](double t, double* w) { system.desired(t, w); }),
        start(start_guess(*problem)),
        form(SecondOrderForm::make(*problem, compile)),
        whole(*form, -1, static_cast<std::size_t>(std::lround(3 / step)), step) {
    std::vector<double> rest(form->unknowns()), w(form->signals());
    form->from_point(start.states.data(), start.tops.data(), rest.data());
    desired(-1, w.data());
    EXPECT_TRUE(Pose(*form).rest(w.data(), rest.data(), 20));
    EXPECT_TRUE(whole.solve(desired, rest.data(), 4, 1e-10).ok);
  }

  RecedingHorizon plan(double begin, const RecedingHorizonOptions& options) {
    return RecedingHorizon::by_differences(system, {begin, desired, start.states, start.tops},
                                           options, compile);
  }
  double input(const RecedingHorizon& of) const {
    const std::uint32_t at = problem->layout.find({problem->dae->model->find("u"), 0}) - 1;
    return at < problem->states ? of.states()[at] : of.tops()[at - problem->states];
  }
  double input(std::size_t node) const {
    const auto& unknowns = problem->dae->unknowns;
    return whole.y(node)[static_cast<std::size_t>(
        std::find(unknowns.begin(), unknowns.end(), problem->dae->model->find("u")) -
        unknowns.begin())];
  }
  /// Largest difference of the input from that of the whole motion.
  double error(double preview, double period = 0.01) {
    RecedingHorizon along =
        plan(-0.4, {.period = period, .preview = preview, .step = step, .reliable_below = 1});
    double largest = 0;
    while (along.time() < 1.3) {
      EXPECT_TRUE(along.update(desired).ok()) << along.time();
      const double node = (along.time() + 1) / step;
      if (std::abs(node - std::round(node)) < 1e-6)
        largest = std::max(
            largest, std::abs(input(along) - input(static_cast<std::size_t>(std::lround(node)))));
      along.advance(desired);
    }
    return largest;
  }

  double step;
  compile::Options compile{.backend = compile::Backend::automatic};
  std::shared_ptr<const formulate::Problem> problem;
  InverseSystem system;
  Desired desired;
  StartGuess start;
  std::unique_ptr<SecondOrderForm> form;
  DifferenceSolution whole;
};

// Bounds for four elements measured with another program, and required of this one: 2e-2, 1e-3, 5e-5 rad/s of 0.9 rad/s.
TEST(DifferencePlan, of_a_flexible_arm_needs_a_short_preview_only) {
  Planned arm("flexible_link", {{"N", "4"}});
  EXPECT_LE(arm.error(0.1), 2e-2);
  EXPECT_LE(arm.error(0.2), 1e-3);
  EXPECT_LE(arm.error(0.3), 5e-5);
}

// Damping moves the axial zeros to the left; the mesh takes them for modes that grow and decay as many, as without it. (Steps
// of 10 ms would resolve them: tests/invert/descriptor_plan_test.cpp.)
TEST(SlowDifferencePlan, of_a_flexible_arm_is_robust_against_damping_and_the_length_of_steps) {
  for (const char* const damping : {"0", "1e-4", "1e-3"})
    for (const double step : {0.02, 0.05}) {
      Planned arm("flexible_link", {{"N", "4"}, {"damping", damping}}, step);
      EXPECT_LE(arm.error(0.1, step), 2e-2) << damping << " " << step;
      EXPECT_LE(arm.error(0.2, step), 1e-3) << damping << " " << step;
      EXPECT_LE(arm.error(0.3, step), 5e-5) << damping << " " << step;
    }
}

TEST(DifferencePlan, error_falls_with_the_preview_as_the_slowest_growing_mode_says) {
  Planned two_link("manipulator_2link", {});
  const double first = two_link.error(0.1), second = two_link.error(0.2);
  // other modes have a share of both errors: exp(0.5) in their ratio
  EXPECT_NEAR(std::log(first / second) / 0.1, 21.92, 5) << first << " " << second;
}

// The two plans have nothing but the equations in common.
TEST(DifferencePlan, agrees_with_collocation) {
  Planned two_link("manipulator_2link", {});
  RecedingHorizon differences =
      two_link.plan(-0.6, {.period = 0.005, .preview = 0.5, .step = 0.01});
  RecedingHorizon collocation(two_link.system,
                              {-0.6, two_link.desired, two_link.start.states, two_link.start.tops},
                              {.period = 0.005, .preview = 0.5, .step = 0.01});
  double largest = 0;
  while (differences.time() < 1.2) {
    ASSERT_TRUE(differences.update(two_link.desired).ok());
    ASSERT_TRUE(collocation.update(two_link.desired).ok());
    largest =
        std::max(largest, std::abs(two_link.input(differences) - two_link.input(collocation)));
    differences.advance(two_link.desired);
    collocation.advance(two_link.desired);
  }
  EXPECT_LE(largest, 1e-5);  // of 0.13: order 4 at 10 ms, (21.9 0.01)^4 / 90 = 3e-5 relative
}

TEST(DifferencePlan, seeded_with_a_measured_state_returns_to_the_plan_as_the_modes_decay) {
  Planned two_link("manipulator_2link", {});
  const RecedingHorizonOptions options{.period = 0.01, .preview = {}, .step = 0.02};
  RecedingHorizon plan = two_link.plan(-0.6, options), disturbed = two_link.plan(-0.6, options);
  std::vector<double> deviations;
  for (int k = 0; k < 110; ++k) {
    if (k == 80) {
      std::vector<double> measured(disturbed.states().begin(), disturbed.states().end());
      const auto place = [&](const char* name) {
        return two_link.problem->layout.find({two_link.problem->dae->model->find(name), 0}) - 1;
      };
      measured[place("beta")] += 0.01;
      measured[place("alpha")] -= 0.005;  // the output stays where it is
      disturbed.seed(measured);
    }
    EXPECT_TRUE(plan.update(two_link.desired).ok());
    EXPECT_TRUE(disturbed.update(two_link.desired).ok());
    if (k >= 80) deviations.push_back(std::abs(two_link.input(disturbed) - two_link.input(plan)));
    plan.advance(two_link.desired);
    disturbed.advance(two_link.desired);
  }
  EXPECT_GT(deviations[0], 1e-3);
  EXPECT_NEAR(std::log(deviations[2] / deviations[12]) / 0.1, 21.9, 2.2);
}

TEST(DifferencePlan, never_hands_out_a_wrong_input_in_silence) {
  Planned two_link("manipulator_2link", {});
  RecedingHorizon plan = two_link.plan(-0.5, {.period = 0.01, .preview = {}, .step = 0.02});
  EXPECT_TRUE(plan.update(two_link.desired).ok());
  const std::vector<double> before(plan.tops().begin(), plan.tops().end());
  const Desired broken = [&](double t, double* w) {
    two_link.desired(t, w);
    w[1] = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(plan.update(broken).status, RecedingStatus::not_finite);
  EXPECT_THAT(plan.tops(), ::testing::ElementsAreArray(before));
  EXPECT_TRUE(plan.update(two_link.desired).ok()) << "and it goes on when signals are back";
  const Desired jump = [&](double t, double* w) {
    two_link.desired(t, w);
    if (t > plan.time() + 0.05) w[1] += 1;
  };
  EXPECT_FALSE(plan.update(jump, true).ok());
}

TEST(DifferencePlan, with_steps_that_resolve_undamped_oscillations_is_refused) {
  Planned arm("flexible_link", {{"N", "2"}});
  try {
    arm.plan(-0.5, {.period = 0.001, .preview = {}, .step = 0.004});
    FAIL() << "the first axial oscillation has 180 1/s";
  } catch (const ModelError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("resolve oscillations that neither grow nor decay"));
  }
}

}  // namespace
}  // namespace daedal::test
