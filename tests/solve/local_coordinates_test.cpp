// null_space and minimal: motion in as many coordinates as there are degrees of freedom.

#include "solve/local_coordinates.hpp"

#include "daedal/solve/combination.hpp"
#include "solve/against_reference.hpp"
#include "support/elliptic.hpp"

#include <gmock/gmock.h>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

TEST(Householder, least_squares_solutions_leave_residuals_orthogonal_to_the_columns) {
  const double a[4][2] = {{1, 2}, {3, -1}, {0, 5}, {-2, 4}}, b[4] = {1, -1, 2, 7};
  Householder qr(4, 2);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 2; ++j) qr.at(i, j) = a[i][j];
  qr.factor();
  EXPECT_EQ(qr.pivot(0), 1u);  // the longer one
  double x[4] = {b[0], b[1], b[2], b[3]}, y[2];
  qr.solve(x, y);
  for (std::size_t j = 0; j < 2; ++j) {
    double along = 0;
    for (std::size_t i = 0; i < 4; ++i) along += a[i][j] * (b[i] - a[i][0] * y[0] - a[i][1] * y[1]);
    EXPECT_NEAR(along, 0, 1e-13);
  }
  double axis[4] = {0, 0, 1, 0};
  qr.apply(axis);  // the third column of Q is orthogonal to the columns of the matrix
  for (std::size_t j = 0; j < 2; ++j) {
    double along = 0;
    for (std::size_t i = 0; i < 4; ++i) along += a[i][j] * axis[i];
    EXPECT_NEAR(along, 0, 1e-14);
  }
}

class LocalFormulations : public ::testing::TestWithParam<Kind> {};

// Reactions included; constraints to rounding on both levels: sums of a few terms of order 1 and 10.
TEST_P(LocalFormulations, follow_the_reference_with_constraints_at_rounding) {
  const Method method = Dop853Options{.tolerance = 1e-11};
  const auto check = [&](const AgainstReference& model, const char* name) {
    const Trajectory t = model.simulate(GetParam(), method);
    const Errors errors = model.errors(t);
    EXPECT_LT(errors[0], 1e-9) << name;
    EXPECT_LT(errors[1], 1e-8) << name;
    EXPECT_LT(errors[2], 1e-7) << name;
    for (const LevelDrift& drift : t.drift)
      if (drift.level != "acceleration") {
        EXPECT_LT(drift.largest, 2e-14) << name << drift.level;
      }
  };
  for (const char* name : {"pendulum", "fourbar", "delta_robot"})
    check(AgainstReference::of_file(name, {0.25, 0.5, 1}), name);
  check(AgainstReference::of_text(skate_text, {0.5, 1}), "skate");
  check(AgainstReference::of_text(polar_text, {0.5, 1}), "polar");
}

TEST_P(LocalFormulations, keep_the_order_of_the_method_on_mechanisms) {
  for (const char* name : {"fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.25, 0.5});
    std::vector<double> steps;
    for (const int n : {64, 96, 128, 192, 256}) steps.push_back(0.25 / n);
    expect_orders(
        model.orders(GetParam(), steps, [](double step) { return Rk4Options{.step = step}; }),
        {4, 4, 4}, 0.2);
  }
}

// A method that lives on its past does not project its steps: free coordinates are renewed all the same, also without a row on
// the way. The pendulum swings through half a turn and back.
TEST_P(LocalFormulations, follow_large_motions_with_multistep_methods) {
  const auto model = AgainstReference::of_text(pendulum_text, {2});
  const Trajectory t = model.simulate(GetParam(), IdaOptions{.tolerance = 1e-10});
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_LT(model.errors(t)[0], 1e-7);
}

TEST_P(LocalFormulations, refuse_methods_that_know_better) {
  formulate::Formulation formulation;
  formulation.kind = GetParam();
  const formulate::Problem problem = problem_of(pendulum_text, formulation);
  const auto refused = refusal(problem, GeneralizedAlphaOptions{});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->message,
            "method generalized_alpha integrates accelerations twice, but steps are not made of "
            "accelerations in " +
                std::string(formulate::name(GetParam())));
  for (const char* method : {"rattle", "taylor"})
    EXPECT_TRUE(refusal(problem, make_method(method, {}))) << method;
  for (const char* method : {"rk45", "dop853", "rk23", "rk4", "euler", "radau5", "bdf", "ida"})
    EXPECT_FALSE(refusal(problem, make_method(method, {}))) << method;
}

// A slider-crank of equal links, x = 2 cos(w): with the crank upright the links fold, and the constraints lose rank. Steps
// pass over the pose, and the motion goes on as it came: the slider could rest behind it, but moves.
TEST_P(LocalFormulations, steps_pass_over_a_singular_pose) {
  const auto model = AgainstReference::of_text(R"(model folding
coordinate a = 0.6 [m], b = 0.8 [m], x = 1.2 [m]
initial a' = -1.6, b' = 1.2, x' = -3.2
kinetic (a'^2 + b'^2)/2 + x'^2/4
constraint crank: a^2 + b^2 = 1
constraint rod: (x - a)^2 + b^2 = 1
)",
                                               {0.1});
  formulate::Formulation formulation;
  formulation.kind = GetParam();
  const Trajectory t = model.simulate_until(formulation, Rk4Options{.step = 1e-3}, 0.6);
  EXPECT_EQ(t.status, Status::completed) << t.reason;
  const std::size_t last = t.table.rows() - 1;
  EXPECT_LT(t.table.at(last, *t.table.find("a")), -0.2);
  EXPECT_NEAR(t.table.at(last, *t.table.find("x")), 2 * t.table.at(last, *t.table.find("a")), 1e-9);
  EXPECT_LT(t.energy.largest_error, 1e-6);
}

// Friction that grows with the reaction does work in motions that the constraint allows.
TEST_P(LocalFormulations, refuse_reactions_that_do_work) {
  formulate::Formulation formulation;
  formulation.kind = GetParam();
  const formulate::Problem problem = problem_of(R"(model m
coordinate x = 1 [m], y [m]
kinetic (x'^2 + y'^2)/2
constraint line: y = 0
force -0.3*line on x
)",
                                                formulation);
  const ConsistentPoint start = consistent_point(problem);
  try {
    ProblemSystem system(problem, 0, start.states, start.tops, {.implicit = false});
    FAIL() << "not refused";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("needs reactions that do no work: line does"));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, LocalFormulations,
                         ::testing::Values(Kind::null_space, Kind::minimal),
                         [](const auto& each) { return std::string(formulate::name(each.param)); });

// The rod x^2 + y^2 = 1 gives x from y as long as |x| > |y|/2, and y from x behind.
TEST(Minimal, reports_which_coordinates_are_integrated_from_when_on) {
  const auto model = AgainstReference::of_text(pendulum_text, {0.5, 1});
  const double step = 1e-3;
  const Trajectory t = model.simulate(Kind::minimal, Rk4Options{.step = step});
  ASSERT_EQ(t.switches.size(), 3u);
  EXPECT_EQ(t.switches[0].t, 0);
  EXPECT_THAT(t.switches[0].from, ::testing::IsEmpty());
  EXPECT_THAT(t.switches[0].to, ::testing::ElementsAre("y"));
  EXPECT_THAT(t.switches[1].from, ::testing::ElementsAre("y"));
  EXPECT_THAT(t.switches[1].to, ::testing::ElementsAre("x"));
  EXPECT_THAT(t.switches[2].to, ::testing::ElementsAre("y"));
  const support::HorizontalPendulum<> exact;
  const auto before = exact.at(t.switches[1].t - step), at = exact.at(t.switches[1].t);
  EXPECT_GT(std::abs(before.x), 0.5 * std::abs(before.y));
  EXPECT_LT(std::abs(at.x), 0.5 * std::abs(at.y));
}

// Coordinates that are not free are Newton's guesses and nothing else.
TEST(Minimal, the_free_coordinates_alone_decide) {
  formulate::Formulation formulation;
  formulation.kind = Kind::minimal;
  const formulate::Problem problem = problem_of(pendulum_text, formulation);
  const ConsistentPoint start = consistent_point(problem);
  ProblemSystem system(problem, 0, start.states, start.tops, {.implicit = false});
  std::vector<double> z(problem.tops), ds(4), other(4);
  const double right[] = {std::sqrt(1 - 0.09), 0.3, -0.3 * 2 / std::sqrt(1 - 0.09), 2};
  ASSERT_EQ(system.derivative(0, right, z.data(), ds.data()), Failure::none);
  const double wrong[] = {0.8, 0.3, 17, 2};  // y and y' are free
  ASSERT_EQ(system.derivative(0, wrong, z.data(), other.data()), Failure::none);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(other[i], ds[i], 1e-14 * (1 + std::abs(ds[i])));
}

}  // namespace
}  // namespace daedal::solve::testing
