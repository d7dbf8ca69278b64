// The receding horizon against the solution that knows the whole motion.
#include "daedal/invert/receding_horizon.hpp"

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

struct TwoLinkPlan {
  TwoLinkPlan()
      : problem(*tracking_problem(inverse_model(*forward_of_file("manipulator_2link")))),
        system(problem, {.backend = compile::Backend::tape}),
        desired([this](double t, double* w) { system.desired(t, w); }),
        states(system.states(), 0.0),
        tops(system.tops(), 0.0),
        u(problem.layout.find({problem.dae->model->find("u"), 0}) - 1 - problem.states) {}

  BoundaryValueSolution whole() {
    return solve_boundary_value(system, {-1, 0, 1, 2}, desired, states, tops,
                                {.tolerance = 1e-11, .order = 6});
  }
  double input(const BoundaryValueSolution& solution, const Desired& motion, double t) {
    SolutionAt at(system, solution, motion);
    std::vector<double> w(system.signals()), s(system.states()), z(system.tops());
    EXPECT_TRUE(at(t, w.data(), s.data(), z.data()));
    return z[u];
  }
  /// Largest |u - u of the whole motion| from rest on.
  double error(const RecedingHorizonOptions& options) {
    const BoundaryValueSolution exact = whole();
    RecedingHorizon plan(system, {-0.6, desired, states, tops}, options);
    double worst = 0;
    for (; plan.time() < 1.5; plan.advance(desired)) {
      const RecedingReport report = plan.update(desired);
      EXPECT_TRUE(report.ok()) << describe(report.status) << " at " << plan.time() << " step "
                               << report.step;
      worst = std::max(worst, std::abs(plan.tops()[u] - input(exact, desired, plan.time())));
    }
    return worst;
  }

  formulate::Problem problem;
  InverseSystem system;
  Desired desired;
  std::vector<double> states, tops;
  std::uint32_t u;
};

TEST(RecedingHorizon, finds_the_inputs_of_the_whole_motion) {
  TwoLinkPlan two_link;
  for (const double period : {1e-2, 1e-3})
    EXPECT_LE(two_link.error({.period = period, .preview = {}, .step = 0.02}), 3e-5) << period;
}

TEST(RecedingHorizon, error_falls_with_the_preview_as_the_slowest_growing_mode_says) {
  TwoLinkPlan two_link;
  std::vector<double> errors;
  for (const double preview : {0.1, 0.2, 0.3})
    errors.push_back(two_link.error(  // the shortest preview moves the plan by some percent
        {.period = 5e-3, .preview = preview, .step = 0.01, .reliable_below = 0.2}));
  for (std::size_t k = 0; k + 1 < errors.size(); ++k)
    // other modes have a share of the errors: exp(0.4) in their ratio
    EXPECT_NEAR(std::log(errors[k] / errors[k + 1]) / 0.1, 21.92, 4) << errors[k];
}

TEST(RecedingHorizon, a_new_motion_is_taken_over_in_two_steps) {
  TwoLinkPlan two_link;
  // at t = 0.4 s another 15 degrees are commanded, from 0.5 s on
  const Desired other = [&](double t, double* w) {
    std::vector<double> more(two_link.system.signals());
    two_link.desired(t, w);
    two_link.desired(t - 0.5, more.data());
    for (std::size_t i = 1; i < more.size(); ++i) w[i] += 0.5 * more[i];
  };
  const BoundaryValueSolution exact =
      solve_boundary_value(two_link.system, {-1, 0, 0.5, 1, 1.5, 2.5}, other, two_link.states,
                           two_link.tops, {.tolerance = 1e-10, .order = 6});
  RecedingHorizon plan(two_link.system, {-0.6, two_link.desired, two_link.states, two_link.tops},
                       {.period = 5e-3, .preview = {}, .step = 0.02});
  double behind = 0;
  bool told = false;
  for (; plan.time() < 2;) {
    const bool now = plan.time() > 0.4 - 1e-9;
    const Desired& motion = now ? other : two_link.desired;
    const RecedingReport report = plan.update(motion, now && !told);
    EXPECT_TRUE(report.ok()) << plan.time();
    if (now && !told) {
      EXPECT_EQ(report.iterations, 2);
      EXPECT_TRUE(report.factored);
    }
    told = now;
    if (plan.time() > 0.45)  // 0.1 s of notice are two time constants
      behind = std::max(
          behind, std::abs(plan.tops()[two_link.u] - two_link.input(exact, other, plan.time())));
    plan.advance(motion);
  }
  EXPECT_LE(behind, 1e-3);  // of 0.13
}

// A deviation of the passive joint from the plan, measured: what grows of it is dropped, what decays goes as exp(-21.9 t).
TEST(RecedingHorizon, seeded_with_a_measured_state_returns_to_the_plan_as_the_modes_decay) {
  TwoLinkPlan two_link;
  const RecedingHorizonOptions options{.period = 1e-2, .preview = {}, .step = 0.02};
  RecedingHorizon plan(two_link.system, {-0.6, two_link.desired, two_link.states, two_link.tops},
                       options);
  RecedingHorizon disturbed(two_link.system,
                            {-0.6, two_link.desired, two_link.states, two_link.tops}, options);
  std::vector<double> deviations;
  for (int k = 0; k < 110; ++k) {
    if (k == 80) {
      std::vector<double> measured(disturbed.states().begin(), disturbed.states().end());
      const auto place = [&](const char* name) {
        return two_link.problem.layout.find({two_link.problem.dae->model->find(name), 0}) - 1;
      };
      measured[place("beta")] += 0.01;
      measured[place("alpha")] -= 0.005;  // the output stays where it is
      disturbed.seed(measured);
    }
    EXPECT_TRUE(plan.update(two_link.desired).ok());
    EXPECT_TRUE(disturbed.update(two_link.desired).ok());
    if (k >= 80)
      deviations.push_back(std::abs(disturbed.tops()[two_link.u] - plan.tops()[two_link.u]));
    plan.advance(two_link.desired);
    disturbed.advance(two_link.desired);
  }
  EXPECT_GT(deviations[0], 1e-3);
  EXPECT_NEAR(std::log(deviations[2] / deviations[12]) / 0.1, 21.9, 2.2);
}

TEST(RecedingHorizon, never_hands_out_a_wrong_input_in_silence) {
  TwoLinkPlan two_link;
  RecedingHorizon plan(two_link.system, {-0.5, two_link.desired, two_link.states, two_link.tops},
                       {.period = 1e-2, .preview = {}, .step = 0.02});
  EXPECT_TRUE(plan.update(two_link.desired).ok());
  const std::vector<double> before(plan.tops().begin(), plan.tops().end());
  const Desired broken = [&](double t, double* w) {
    two_link.desired(t, w);
    w[1] = std::numeric_limits<double>::quiet_NaN();
  };
  const RecedingReport report = plan.update(broken);
  EXPECT_EQ(report.status, RecedingStatus::not_finite);
  EXPECT_THAT(plan.tops(), ::testing::ElementsAreArray(before));
  // a jump of the output within the window requires an impulse
  const Desired jump = [&](double t, double* w) {
    two_link.desired(t, w);
    if (t > plan.time() + 0.05) w[3] += 1e4;
  };
  EXPECT_FALSE(plan.update(jump, true).ok());
  EXPECT_THAT(plan.tops(), ::testing::ElementsAreArray(before)) << "the last good ones are kept";
}

// Limits are for the machine: the plan is that of a run without them.
TEST(RecedingHorizon, hands_out_inputs_within_their_limits_and_says_where_it_cuts) {
  TwoLinkPlan two_link;
  const RestStart start{-0.6, two_link.desired, two_link.states, two_link.tops};
  RecedingHorizonOptions options{.period = 1e-2, .preview = {}, .step = 0.02};
  RecedingHorizon free(two_link.system, start, options);
  double peak = 0;
  std::vector<double> asked;
  for (; free.time() < 1.5; free.advance(two_link.desired)) {
    ASSERT_TRUE(free.update(two_link.desired).ok());
    asked.push_back(free.tops()[two_link.u]);
    peak = std::max(peak, std::abs(asked.back()));
  }
  const double highest = peak / 2, rate = 2 * peak;  // half of the largest in a quarter of a second
  options.limits = {{.top = two_link.u, .lowest = -peak, .highest = highest, .rate = rate}};
  RecedingHorizon plan(two_link.system, start, options);
  double before = 0;
  std::size_t cut = 0;
  for (std::size_t k = 0; k < asked.size(); ++k, plan.advance(two_link.desired)) {
    const RecedingReport report = plan.update(two_link.desired);
    ASSERT_TRUE(report.made()) << describe(report.status);
    EXPECT_EQ(plan.tops()[two_link.u], asked[k]) << "the plan knows no limits";
    const double given = plan.inputs()[0];
    EXPECT_LE(given, highest);
    EXPECT_GE(given, -peak);
    EXPECT_LE(std::abs(given - before), rate * options.period * (1 + 1e-12)) << "rounding";
    EXPECT_EQ(report.status == RecedingStatus::limited, given != asked[k]);
    cut += report.status == RecedingStatus::limited;
    before = given;
  }
  EXPECT_GT(cut, asked.size() / 20);
  EXPECT_LT(cut, asked.size());
  EXPECT_EQ(before, asked.back()) << "it comes back";
}

TEST(RecedingHorizon, keeps_limited_inputs_where_no_plan_is_made) {
  TwoLinkPlan two_link;
  RecedingHorizonOptions options{.period = 1e-2, .preview = {}, .step = 0.02};
  options.limits = {{.top = two_link.u, .lowest = 0.5, .highest = 1}};
  RecedingHorizon plan(two_link.system, {-0.5, two_link.desired, two_link.states, two_link.tops},
                       options);
  EXPECT_EQ(plan.update(two_link.desired).status, RecedingStatus::limited);
  EXPECT_EQ(plan.inputs()[0], 0.5);
  const Desired broken = [&](double t, double* w) {
    two_link.desired(t, w);
    w[1] = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_FALSE(plan.update(broken).made());
  EXPECT_EQ(plan.inputs()[0], 0.5);
  options.limits = {{.top = two_link.u, .lowest = 1, .highest = 0}};
  EXPECT_THROW(RecedingHorizon(two_link.system,
                               {-0.5, two_link.desired, two_link.states, two_link.tops}, options),
               ModelError);
}

TEST(RecedingHorizon, is_refused_where_nothing_grows_or_nothing_rests) {
  TwoLinkPlan two_link;
  EXPECT_THROW(
      RecedingHorizon(two_link.system, {0.5, two_link.desired, two_link.states, two_link.tops}, {}),
      ModelError);
  EXPECT_THROW(
      RecedingHorizon(two_link.system, {-1, two_link.desired, two_link.states, two_link.tops},
                      {.period = 0, .preview = {}, .step = {}}),
      ModelError);
}

}  // namespace
}  // namespace daedal::test
