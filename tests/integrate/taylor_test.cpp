// Taylor's method: errors at rounding over long times, constraints, energy, any index, both directions of time.

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/integrate/integrate.hpp"
#include "daedal/run/reference.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/problem_system.hpp"
#include "support/bounds.hpp"
#include "support/elliptic.hpp"
#include "support/problems.hpp"
#include "support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace daedal::solve::testing {
namespace {

/// Runs a problem from its consistent start.
RunResult run_problem(const formulate::Problem& problem, const Method& method,
                      const std::vector<double>& times) {
  const ConsistentPoint start = consistent_point(problem);
  ProblemSystem system(problem, start.t, start.states, start.tops, {.implicit = false});
  return run(system, method, start.states, times);
}

Method taylor(double tolerance) { return TaylorOptions{.tolerance = tolerance}; }

/// Largest position error of the pendulum during period n.
double largest_error(const RunResult& result, int n) {
  const support::HorizontalPendulum<long double> exact;
  const auto period = static_cast<double>(exact.period());
  long double worst = 0;
  for (const auto& row : result.rows) {
    if (row.t < (n - 1) * period || row.t > n * period) continue;
    const auto there = exact.at(row.t);
    worst = std::max({worst, std::abs(row.s[0] - there.x), std::abs(row.s[1] - there.y)});
  }
  return static_cast<double>(worst);
}

TEST(Taylor, pendulum_obeys_brouwers_law_for_a_thousand_periods) {
  const support::HorizontalPendulum<long double> exact;
  const auto period = static_cast<double>(exact.period());
  std::vector<double> times{0};
  for (const int n : {1, 10, 100, 1000})
    for (int k = 1; k <= 200; ++k) times.push_back((n - 1 + k / 200.0) * period);
  const RunResult result = run_problem(problem_of(pendulum_text), taylor(1e-17), times);
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  for (const int n : {1, 10, 100, 1000}) {
    const double error = largest_error(result, n), bound = 2e-15 * std::pow(n, 1.5);
    EXPECT_LT(error, bound) << "period " << n;
    RecordProperty("error_in_period_" + std::to_string(n), std::to_string(error / bound));
    std::printf("period %4d: error %.2e, bound %.2e\n", n, error, bound);
  }
}

TEST(Taylor, constraints_hold_to_rounding_at_steps_and_between) {
  const formulate::Problem problem = problem_of(pendulum_text);
  const ConsistentPoint start = consistent_point(problem);
  ProblemSystem system(problem, start.t, start.states, start.tops, {.implicit = false});
  const auto integrator = make_integrator(taylor(1e-16), system);
  ASSERT_TRUE(integrator->start(0, start.states.data(), start.tops.data(), 20).ok);
  const auto violation = [](const double* s) { return std::abs(s[0] * s[0] + s[1] * s[1] - 1); };
  double at_steps = 0, between = 0;
  while (integrator->time() < 20) {
    ASSERT_TRUE(integrator->step(20).ok);
    at_steps = std::max(at_steps, violation(integrator->state().data()));
    for (const double part : {0.1, 0.35, 0.5, 0.77, 0.99}) {
      double s[4];
      integrator->interpolate(std::lerp(integrator->previous_time(), integrator->time(), part), s);
      between = std::max(between, violation(s));
    }
  }
  EXPECT_LT(at_steps, 1e-15);
  EXPECT_LT(between, 1e-14);
}

TEST(Taylor, quadruple_precision_follows_the_elliptic_functions) {
  const support::HorizontalPendulum<long double> exact;
  const formulate::Problem problem = problem_of(pendulum_text);
  const std::vector<double> times = grid(5, 20);
  const ReferenceTrajectory reference =
      reference_trajectory(problem, consistent_point(problem), times);
  ASSERT_EQ(reference.failure, Failure::none);
  ASSERT_EQ(reference.rows.size(), times.size());
  for (const ReferenceRow& row : reference.rows) {
    const auto there = exact.at(row.t);
    EXPECT_LT(std::abs(static_cast<long double>(row.states[0] - there.x)), 1e-17L);
    EXPECT_LT(std::abs(static_cast<long double>(row.states[1] - there.y)), 1e-17L);
    const compile::Quad rod = row.states[0] * row.states[0] + row.states[1] * row.states[1] - 1;
    EXPECT_LT(std::abs(static_cast<double>(rod)), 1e-32);
  }
}

// A spring and a damper hold a wall that is pushed: x = f/k (1 - exp(-d t/2) (cos w t + d/(2 w) sin w t)), w^2 = k - d^2/4.
TEST(Taylor, quadruple_precision_follows_penalties_in_the_place_of_constraints) {
  constexpr long double k = 100, d = 4, f = 3;
  const formulate::Problem problem =
      problem_of(R"(model pushed
coordinate x = 0
kinetic x'^2/2
potential -3*x
constraint wall: x = 0
)",
                 {.kind = formulate::Kind::penalty, .penalty = {.stiffness = 100, .damping = 4}});
  const std::vector<double> times = grid(2, 8);
  const ReferenceTrajectory reference =
      reference_trajectory(problem, consistent_point(problem), times);
  ASSERT_EQ(reference.failure, Failure::none);
  ASSERT_EQ(reference.rows.size(), times.size());
  const long double w = std::sqrt(k - d * d / 4);
  for (const ReferenceRow& row : reference.rows) {
    const long double t = row.t, decay = std::exp(-d * t / 2);
    const long double x = f / k * (1 - decay * (std::cos(w * t) + d / (2 * w) * std::sin(w * t)));
    const long double v = f / w * decay * std::sin(w * t);
    EXPECT_LT(std::abs(static_cast<long double>(row.states[0]) - x), 1e-18L);
    EXPECT_LT(std::abs(static_cast<long double>(row.states[1]) - v), 1e-17L);
    const auto multiplier = static_cast<long double>(row.tops[1]);
    EXPECT_LT(std::abs(multiplier + k * x + d * v), 1e-16L);
  }
}

TEST(Taylor, four_bar_agrees_with_quadruple_precision) {
  const formulate::Problem problem = problem_of_file("fourbar");
  const std::vector<double> times = grid(5, 10);
  const ConsistentPoint start = consistent_point(problem);
  const ReferenceTrajectory reference = reference_trajectory(problem, start, times);
  ASSERT_EQ(reference.failure, Failure::none);
  const RunResult result = run_problem(problem, taylor(1e-16), times);
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  double worst = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t k = 0; k < 9; ++k)
      worst = std::max(
          worst, std::abs(static_cast<double>(result.rows[i].s[k] - reference.rows[i].states[k])));
  EXPECT_LT(worst, 1e-11);  // the motion amplifies the rounding of the start
  std::printf("four-bar against quadruple precision: %.2e\n", worst);
}

/// Energy error over 100 s relative to the largest kinetic energy.
double energy_drift(const formulate::Problem& problem) {
  SimulateOptions options;
  options.until = 100;
  options.every = 0.1;
  options.method = taylor(1e-16);
  const Trajectory t = simulate(problem, consistent_point(problem), options);
  EXPECT_EQ(t.status, Status::completed) << t.reason;
  return t.energy.largest_error / t.energy.scale;
}

TEST(Taylor, energy_of_conservative_mechanisms_stays_for_100_s) {
  EXPECT_LT(energy_drift(problem_of(pendulum_text)), 1e-12);
  EXPECT_LT(energy_drift(problem_of_file("spring_mass")), 1e-12);
  EXPECT_LT(energy_drift(problem_of_file("cart_pendulum")), 1e-12);
}

/// The family of the DAETS papers: each pendulum's length is driven by the multiplier of the one before.
formulate::Problem coupled_pendula(int count) {
  const std::string path =
      std::string(DAEDAL_SOURCE_DIR) + "/models/coupled_pendula/coupled_pendula.daedal";
  model::Overrides overrides;
  overrides.parameters["P"] = std::to_string(count);
  auto model = std::make_shared<const model::Model>(model::elaborate(model::load(path), overrides));
  return formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))), {});
}

TEST(Taylor, coupled_pendula_up_to_index_47_keep_their_lengths) {
  for (const int count : {3, 7, 23}) {
    const formulate::Problem problem = coupled_pendula(count);
    EXPECT_EQ(problem.structure.index, 2 * count + 1);
    EXPECT_EQ(problem.structure.degrees_of_freedom, 2 * count);
    SimulateOptions options;
    options.until = 5;
    options.method = taylor(1e-12);
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    ASSERT_EQ(t.status, Status::completed) << count << ": " << t.reason;
    EXPECT_LT(t.constraints.largest, 1e-15 * 100) << count;  // lengths squared of 100 m^2
  }
}

TEST(Taylor, coupled_pendula_agree_with_quadruple_precision) {
  const formulate::Problem problem = coupled_pendula(5);
  const std::vector<double> times = grid(10, 10);
  const ReferenceTrajectory reference =
      reference_trajectory(problem, consistent_point(problem), times);
  ASSERT_EQ(reference.failure, Failure::none);
  const RunResult result = run_problem(problem, taylor(1e-15), times);
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  double worst = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t k = 0; k < 15; ++k)  // x, y, lambda
      worst = std::max(
          worst, std::abs(static_cast<double>(result.rows[i].s[k] - reference.rows[i].states[k])));
  EXPECT_LT(worst, 1e-11);
  std::printf("coupled pendula, index 11, against quadruple precision: %.2e\n", worst);
}

TEST(Taylor, backward_in_time_returns_to_the_start) {
  const formulate::Problem problem = problem_of_file("fourbar");
  const ConsistentPoint start = consistent_point(problem);
  ProblemSystem system(problem, start.t, start.states, start.tops, {.implicit = false});
  const RunResult there = run(system, taylor(1e-16), start.states, grid(3, 3));
  ASSERT_TRUE(there.outcome.ok) << there.outcome.reason;
  const RunResult back = run(system, taylor(1e-16), there.end(), {3, 2, 1, 0}, 3);
  ASSERT_TRUE(back.outcome.ok) << back.outcome.reason;
  ASSERT_EQ(back.rows.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < start.states.size(); ++k)
      EXPECT_NEAR(back.rows[i].s[k], there.rows[3 - i].s[k], test::rounding(100, 100))
          << i << ' ' << k;
}

TEST(Taylor, joints_of_an_input_are_met_exactly) {
  const formulate::Problem problem = problem_of(R"(model m
coordinate x
kinetic x'^2/2
input u = if t < 1 then 2 else -1
force u on x
)");
  const RunResult result = run_problem(problem, taylor(1e-14), {0, 0.5, 1, 1.5, 3});
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  const auto exact = [](double t) {
    return t < 1 ? t * t : 1 + 2 * (t - 1) - (t - 1) * (t - 1) / 2;
  };
  for (const auto& row : result.rows)
    EXPECT_NEAR(row.s[0], exact(row.t), test::rounding(8, 4)) << row.t;
  EXPECT_LE(result.statistics.accepted, 4u);  // polynomials: one step to each joint
}

// Two bodies held by thirteen equations, with masses 460 to 1: rounding moves the accelerations by more than a tolerance of 1e-15
// allows, whatever the step. Steps were halved until they no longer changed the time (found by a random mechanism).
TEST(Taylor, passes_where_rounding_exceeds_the_tolerance) {
  const formulate::Problem problem = problem_of(R"(model linkage
part body1 = spatial_body(mass = 10.67520060286642, inertia = [0.57978694391870711, 0.97813597317085788, 0.71962836650894113], position = [-1.3917337004466317, -0.13805247199515591, 1.1159470465731207], orientation = [0.5011489684239665, -0.620431474526143, -0.59160346392950736, 0.11798236449367407])
part body2 = spatial_body(mass = 0.023225183806328834, inertia = [0.00096368930925359571, 0.00017750038260101741, 0.00092505498881532283], position = [-1.0761019109209826, -1.0156173782737685, 1.3271992663351093], orientation = [-0.1029264996615481, 0.068643272447594716, 0.8666131368551423, 0.48340035979009899])
part joint1 = spherical(b = body1, point_a = [-0.71528975539743445, -0.05472357267038841, 0.41163731056007252], point_b = [-0.059384651037707903, 0.96974142991774115, -0.12902458223684476])
part joint2 = revolute(a = body1, b = body2, point_a = [0.024282136813924271, 0.47088336326873043, -0.23602011904511166], point_b = [-0.24325949731698215, 0.12516607158552184, 0.96122676572508015], axis_a = [0.93666596955251369, -0.21583628045347336, -0.27581073496558917], axis_b = [-0.12953412253264701, 0.98316379403464293, 0.12887926597829202])
part joint3 = spherical(b = body2, point_a = [-0.85348282162322875, -0.24001522909403705, 0.33869564255769258], point_b = [-0.44265278754380949, -0.35978947089312041, 1.1414321763763318])
)");
  const RunResult result = run_problem(problem, taylor(1e-15), {0, 1});
  ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
  EXPECT_LT(result.statistics.rejected, result.statistics.accepted);
  const double times[] = {0, 1};
  const ReferenceTrajectory exact = reference_trajectory(problem, consistent_point(problem), times);
  ASSERT_EQ(exact.failure, Failure::none);
  double error = 0;
  for (std::size_t i = 0; i < result.end().size(); ++i)
    error =
        std::max(error, std::abs(result.end()[i] - static_cast<double>(exact.rows[1].states[i])));
  EXPECT_LT(error, 1e-12);
}

// Where tanh is flat to rounding the series knows nothing of where it bends: a step went over a whole period, and friction that had
// turned round twice was never met.
TEST(Taylor, sees_friction_turn_round_within_a_step) {
  for (const char* const width : {"1e-2", "1e-5"}) {
    const formulate::Problem problem = problem_of(
        std::string("model m\ncoordinate x = 0\ninitial x' = 1\nkinetic x'^2/2\npotential 50*x^2\n"
                    "force -0.2*tanh(x'/") +
        width + ") on x\n");
    const RunResult result = run_problem(problem, taylor(1e-12), {0, 1});
    const RunResult small_steps =
        run_problem(problem, Dop853Options{.tolerance = 1e-13, .step = 1e-3}, {0, 1});
    ASSERT_TRUE(result.outcome.ok) << result.outcome.reason;
    ASSERT_TRUE(small_steps.outcome.ok) << small_steps.outcome.reason;
    EXPECT_NEAR(result.end()[0], small_steps.end()[0], test::accumulated(1e-12, 100)) << width;
    EXPECT_NEAR(result.end()[1], small_steps.end()[1], test::accumulated(1e-12, 100, 10)) << width;
  }
}

}  // namespace
}  // namespace daedal::solve::testing
