// Central differences for stable inversion: the linear system, what nodes can do alone, orders, when they apply.
#include "daedal/boundary/block_tridiagonal.hpp"
#include "daedal/boundary/difference_solution.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "support/observed_order.hpp"
#include "support/stepped.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;
using ::testing::HasSubstr;

TEST(BlockTridiagonal, solves_what_dense_elimination_solves) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> entry(-1, 1);
  for (const std::uint32_t n : {1u, 3u, 4u, 5u, 8u, 13u, 29u}) {
    constexpr std::size_t blocks = 6;
    solve::SparsePattern pattern{n, n, {0}, {}};
    for (std::uint32_t r = 0; r < n; ++r) {
      for (std::uint32_t c = r % 2; c < n; c += 2) pattern.column.push_back(c);
      pattern.row_start.push_back(static_cast<std::uint32_t>(pattern.column.size()));
    }
    BlockTridiagonal system(blocks, pattern);
    const auto size = static_cast<Eigen::Index>(blocks * n);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t i = 0; i < blocks; ++i) {
      const auto at = static_cast<Eigen::Index>(i * n);
      for (std::uint32_t r = 0; r < n; ++r) {
        for (std::uint32_t c = 0; c < n; ++c)
          dense(at + r, at + c) = system.diagonal(i)[r * system.row() + c] = entry(random);
        for (std::uint32_t e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
          system.lower(i)[e] = entry(random);
          system.upper(i)[e] = entry(random);
          if (i > 0) dense(at + r, at - n + pattern.column[e]) = system.lower(i)[e];
          if (i + 1 < blocks) dense(at + r, at + n + pattern.column[e]) = system.upper(i)[e];
        }
      }
    }
    for (std::size_t i = 0; i < blocks; ++i) ASSERT_TRUE(system.eliminate(i)) << n;
    Eigen::VectorXd b(size);
    for (double& value : b) value = entry(random);
    Eigen::VectorXd x = b;
    system.solve(x.data());
    // entries of order 1: rounding, times the growth of pivots within blocks
    EXPECT_LE((dense * x - b).norm(), 1e-10 * (1 + x.norm())) << n;
  }
}

TEST(BlockTridiagonal, tells_a_singular_block) {
  BlockTridiagonal system(1, {2, 2, {0, 0, 0}, {}});
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 2; ++c) system.diagonal(0)[r * system.row() + c] = 1;
  EXPECT_FALSE(system.eliminate(0));
}

/// A pole on a car, linear: a'' = 4 a - z''; the motion of the car is smooth enough for all orders.
struct Pole {
  Pole()
      : problem(tracking_problem(inverse_model(*forward_of(model::load_text(R"(model pole
coordinate x, a, track
kinetic   x'^2/2 + (x' + a')^2/2 + track'^2/2
potential -2*a^2
constraint rail: track = 0
input u
force u on x
servo x = rest_to_rest(t, smoothness = 12)
)",
                                                                            "pole.daedal"))))),
        system(*problem, {.backend = compile::Backend::tape}),
        form(SecondOrderForm::make(*problem, {.backend = compile::Backend::tape})),
        desired([this](double t, double* w) { system.desired(t, w); }),
        rest(form->unknowns()) {}

  std::size_t number(const std::string& name) const {
    const auto& unknowns = problem->dae->unknowns;
    return static_cast<std::size_t>(
        std::find(unknowns.begin(), unknowns.end(), problem->dae->model->find(name)) -
        unknowns.begin());
  }

  std::shared_ptr<const formulate::Problem> problem;
  InverseSystem system;
  std::unique_ptr<SecondOrderForm> form;
  Desired desired;
  std::vector<double> rest;
};

TEST(SecondOrderForm, leaves_to_the_mesh_what_nodes_cannot_do_alone) {
  const Pole pole;
  // track follows from the rail, which its reaction obeys; the force u from the motion of x
  std::vector<std::string> core;
  for (const std::uint32_t j : pole.form->core_unknowns())
    core.push_back(pole.problem->dae->model->symbols[pole.problem->dae->unknowns[j]].name);
  EXPECT_THAT(core, ::testing::ElementsAre("a"));
  EXPECT_EQ(pole.form->fixed().size(), 2u);  // track, and x by its servo-constraint
  EXPECT_EQ(pole.form->followers().size(), 2u);
}

TEST(CentralDifferences, have_the_orders_2_4_6_also_in_the_input) {
  Pole pole;
  const BoundaryValueSolution exact = solve_boundary_value(
      pole.system, {-12, 0, 1, 13}, pole.desired, std::vector<double>(pole.system.states()),
      std::vector<double>(pole.system.tops()), {.tolerance = 1e-12, .order = 6});
  ASSERT_TRUE(exact.ok());
  SolutionAt at(pole.system, exact, pole.desired);
  std::vector<double> w(pole.system.signals()), s(pole.system.states()), z(pole.system.tops());
  const std::uint32_t u_top = pole.problem->layout.find({pole.problem->dae->model->find("u"), 0}) -
                              1 - pole.system.states();
  const std::uint32_t a_state =
      pole.problem->layout.find({pole.problem->dae->model->find("a"), 0}) - 1;
  for (const int order : {2, 4, 6}) {
    std::vector<double> steps, angles, forces;
    for (const std::size_t per_second : {20u, 24u, 28u, 34u, 40u}) {
      const double step = 1.0 / static_cast<double>(per_second);
      DifferenceSolution solution(*pole.form, -12, 25 * per_second, step);
      const DifferenceOutcome outcome =
          solution.solve(pole.desired, pole.rest.data(), order, 1e-10);
      ASSERT_TRUE(outcome.ok) << order << " " << per_second;
      ASSERT_EQ(outcome.order, order);
      double angle = 0, force = 0;
      for (std::size_t k = 11 * per_second; k <= 14 * per_second; ++k) {
        ASSERT_TRUE(at(solution.time(k), w.data(), s.data(), z.data()));
        angle = std::max(angle, std::abs(solution.y(k)[pole.number("a")] - s[a_state]));
        force = std::max(force, std::abs(solution.y(k)[pole.number("u")] - z[u_top]));
      }
      steps.push_back(step);
      angles.push_back(angle);
      forces.push_back(force);
    }
    EXPECT_NEAR(support::fitted_order(steps, angles).slope, order, support::slope_margin);
    EXPECT_NEAR(support::fitted_order(steps, forces).slope, order,
                0.4);  // forces contain second differences: the next term of the error weighs more
  }
}

TEST(CentralDifferences, estimate_their_error_within_a_factor_of_three) {
  const auto inverse =
      inverse_model(*forward_of(model::load_text(two_link_text("pi/6", "1"), "arm.daedal")));
  StableInversionOptions options;
  options.every = 0.02;
  options.before = options.after = 0.5;
  const StableInversion exact = stable_inversion(inverse, options);
  options.scheme = Scheme::central_differences;
  options.step = 0.02;
  options.tolerance = 1e-4;
  const StableInversion found = stable_inversion(inverse, options);
  ASSERT_EQ(found.trajectory.status, solve::Status::completed) << found.trajectory.reason;
  EXPECT_THAT(found.trajectory.method, HasSubstr("central differences of order 6"));
  double error = 0;
  for (const char* name : {"alpha", "beta", "alpha'", "beta'"}) {
    const std::size_t column = *found.trajectory.table.find(name);
    ASSERT_EQ(exact.trajectory.table.rows(), found.trajectory.table.rows());
    double largest = 0, difference = 0;
    for (std::size_t r = 0; r < found.trajectory.table.rows(); ++r) {
      largest = std::max(largest, std::abs(exact.trajectory.table.at(r, column)));
      difference = std::max(difference, std::abs(exact.trajectory.table.at(r, column) -
                                                 found.trajectory.table.at(r, column)));
    }
    error = std::max(error, difference / largest);
  }
  EXPECT_LE(error, 3 * found.solution.error);
  EXPECT_GE(error, found.solution.error / 3);
}

TEST(CentralDifferences, are_chosen_where_the_tolerance_allows) {
  const auto inverse =
      inverse_model(*forward_of(model::load_text(two_link_text("pi/6", "1"), "arm.daedal")));
  StableInversionOptions options;
  EXPECT_THAT(stable_inversion(inverse, options).trajectory.method, HasSubstr("collocation"));
  options.tolerance = 1e-4;
  const StableInversion fast = stable_inversion(inverse, options);
  EXPECT_THAT(fast.trajectory.method, HasSubstr("central differences"));
  EXPECT_LE(fast.solution.error, 1e-4);
  options.scheme = Scheme::collocation;
  EXPECT_THAT(stable_inversion(inverse, options).trajectory.method, HasSubstr("collocation"));
}

// An undamped oscillator beside the unstable mode: a step that resolves it (h omega < 2) makes it a centre mode.
TEST(CentralDifferences, tell_steps_that_resolve_an_undamped_oscillation) {
  const auto problem =
      tracking_problem(inverse_model(*forward_of(model::load_text(R"(model shaken
coordinate x, a, b
kinetic   x'^2/2 + (x' + a')^2/2 + (x' + b')^2/2
potential -8*a^2 + 50*b^2
input u
force u on x
servo x = rest_to_rest(t, smoothness = 6)
)",
                                                                  "shaken.daedal"))));
  const auto form = SecondOrderForm::make(*problem, {.backend = compile::Backend::tape});
  std::vector<double> rest(form->unknowns()), w(form->signals());
  const double omega = 10, growth = 4;
  for (const double step : {0.5 / omega, 1.9 / omega})
    EXPECT_FALSE(CentralDifferences::splits_evenly(*form, w.data(), rest.data(), step, growth));
  for (const double step : {2.1 / omega, 3 / omega})
    EXPECT_TRUE(CentralDifferences::splits_evenly(*form, w.data(), rest.data(), step, growth));
}

}  // namespace
}  // namespace daedal::test
