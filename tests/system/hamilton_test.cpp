// The formulation hamilton: momenta as states.

#include "daedal/integrate/combination.hpp"
#include "support/against_reference.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

TEST(Hamilton, follows_the_reference_with_constraints_at_rounding) {
  expect_reference_followed(Kind::hamilton);
}

// Two methods: Lagrange's form and Hamilton's, each with its own states, errors and steps.
TEST(Hamilton, delta_robot_agrees_with_lagranges_form) {
  const auto model = AgainstReference::of_file("delta_robot", {0.5, 1});
  const Method method = Rk45Options{.tolerance = 1e-10};
  const Trajectory hamilton = model.simulate(Kind::hamilton, method),
                   lagrange = model.simulate(Kind::projection, method);
  ASSERT_EQ(hamilton.status, Status::completed) << hamilton.reason;
  const std::size_t last = lagrange.table.rows() - 1;
  for (std::size_t c = 0; c < lagrange.table.width(); ++c)
    EXPECT_NEAR(hamilton.table.at(last, c), lagrange.table.at(last, c),
                test::accumulated(1e-10, 100) * (1 + std::abs(lagrange.table.at(last, c))))
        << lagrange.table.columns()[c].name;
}

// T = m/2 (r'^2 + r^2 w'^2): p(r) = m r', p(w) = m r^2 w'.
TEST(Hamilton, shows_the_momenta_in_columns_of_their_own) {
  const auto model = AgainstReference::of_text(polar_text, {0.5, 1});
  const Trajectory t = model.simulate(Kind::hamilton, Rk45Options{});
  const auto column = [&](const char* name) { return *t.table.find(name); };
  EXPECT_EQ(t.table.columns()[column("p(w)")].unit, "J*s");
  for (std::size_t r = 0; r < t.table.rows(); ++r) {
    const double radius = t.table.at(r, column("r"));
    EXPECT_NEAR(t.table.at(r, column("p(r)")), 1.3 * t.table.at(r, column("r'")),
                test::rounding(16, 5));
    EXPECT_NEAR(t.table.at(r, column("p(w)")), 1.3 * radius * radius * t.table.at(r, column("w'")),
                test::rounding(16, 5));
  }
}

TEST(Hamilton, keeps_the_order_of_the_method_on_mechanisms) {
  for (const char* name : {"fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.25, 0.5});
    std::vector<double> steps;
    for (const int n : {64, 96, 128, 192, 256}) steps.push_back(0.25 / n);
    expect_orders(
        model.orders(Kind::hamilton, steps, [](double step) { return Rk4Options{.step = step}; }),
        {4, 4, 4}, 0.2);
  }
}

// The states change their meaning at no event: what is located, written and handed on are velocities.
TEST(Hamilton, and_free_directions_pass_events) {
  for (const Kind kind : {Kind::hamilton, Kind::null_space, Kind::minimal}) {
    formulate::Formulation formulation;
    formulation.kind = kind;
    const formulate::Problem problem = problem_of_file("breaking_pendulum", formulation);
    SimulateOptions options;
    options.until = 1;
    options.method = Dop853Options{.tolerance = 1e-13};
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    ASSERT_EQ(t.events.size(), 1u);
    EXPECT_NEAR(t.events[0].t, 0.39401610587161, 1e-11);  // closed form, models/breaking_pendulum
    EXPECT_LT(t.energy.largest_error, 1e-10) << formulate::name(kind);
  }
}

// A cart with a prescribed motion: no equation balances its momentum, its velocity a state as before; T has terms
// linear in free velocities once that of the cart is given.
TEST(Hamilton, driven_coordinates_keep_their_velocities) {
  const auto model = AgainstReference::of_text(R"(model m
parameter tau = 0.1 [s]
coordinate s, w = 0.5 [rad]
input u = 1
drive s by u velocity(lag = tau)
kinetic ((s' + cos(w)*w')^2 + (sin(w)*w')^2)/2
potential -9.81*cos(w)
)",
                                               {0.5, 1});
  const Trajectory t = model.simulate(Kind::hamilton, Dop853Options{.tolerance = 1e-11});
  const Errors errors = model.errors(t);
  EXPECT_LT(errors[0], 1e-9);
  EXPECT_LT(errors[1], 1e-9);
  EXPECT_TRUE(t.table.find("p(w)"));
  EXPECT_FALSE(t.table.find("p(s)"));
}

TEST(Hamilton, refuses_what_it_cannot_be) {
  formulate::Formulation formulation;
  formulation.kind = Kind::hamilton;
  const formulate::Problem problem = problem_of(pendulum_text, formulation);
  for (const char* method : {"generalized_alpha", "rattle", "taylor"})
    EXPECT_TRUE(refusal(problem, make_method(method, {}))) << method;
  const formulate::Problem quartic =
      problem_of("model m\ncoordinate x\ninitial x' = 1\nkinetic x'^4\n", formulation);
  const ConsistentPoint start = consistent_point(quartic);
  EXPECT_THROW(ProblemSystem(quartic, 0, start.states, start.tops, {.implicit = false}),
               ModelError);
}

}  // namespace
}  // namespace daedal::solve::testing
