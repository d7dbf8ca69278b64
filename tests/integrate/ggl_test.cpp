// The stabilised form of index 2: positions and velocities on their constraints, whatever the method.

#include "daedal/integrate/combination.hpp"
#include "support/against_reference.hpp"

#include <gmock/gmock.h>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

Method bdf(double step, int order) {
  BdfOptions options;
  options.step = step;
  options.order = order;
  return options;
}

// Newton's method of the fixed-step methods goes to rounding; c and c' are sums of a few terms of order 1 and 10.
TEST(Ggl, positions_and_velocities_satisfy_their_constraints_to_rounding) {
  for (const char* name : {"pendulum", "fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.25, 0.5});
    const Trajectory t = model.simulate(Kind::ggl, bdf(0.005, 2));
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    EXPECT_LT(t.drift[0].largest, 1e-14) << name;
    EXPECT_LT(t.drift[1].largest, 1e-12) << name;
    const Trajectory index2 = model.simulate(Kind::index2, bdf(0.005, 2));
    EXPECT_GT(index2.drift[0].largest, 1e-8) << name;  // which does not hold the positions
  }
}

TEST(Ggl, keeps_the_orders_of_index_2_on_mechanisms) {
  for (const char* name : {"fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.25, 0.5});
    std::vector<double> steps;
    for (const int n : {64, 128, 256, 512, 1024}) steps.push_back(0.25 / n);
    expect_orders(model.orders(Kind::ggl, steps, [](double step) { return bdf(step, 2); }),
                  {2, 2, 2}, 0.2);
    for (double& step : steps) step *= 4;
    const auto radau = [](double step) {
      return Radau5Options{.tolerance = 1e-14, .step = step, .adaptive = false};
    };
    const auto measured = model.orders(Kind::ggl, {steps.begin(), steps.end() - 2}, radau);
    EXPECT_NEAR(measured[2].slope, 3, support::slope_margin)
        << ::testing::PrintToString(measured[2].errors);
  }
}

// The stages' own accelerations have the order of the multipliers, and so would rows that are interpolated with them: order 4.
TEST(Ggl, radau_keeps_its_order_between_steps_in_index_2) {
  const auto model = AgainstReference::of_text(pendulum_text, {0.3, 0.6, 0.9});
  const auto radau = [](double step) {
    return Radau5Options{.tolerance = 1e-14, .step = step, .adaptive = false};
  };
  for (const Kind kind : {Kind::index2, Kind::ggl}) {
    const auto measured = model.orders(kind, {1.0 / 16, 1.0 / 32, 1.0 / 64, 1.0 / 128}, radau);
    EXPECT_NEAR(measured[0].slope, 5, support::slope_margin)
        << ::testing::PrintToString(measured[0].errors);
    EXPECT_NEAR(measured[1].slope, 5, support::slope_margin)
        << ::testing::PrintToString(measured[1].errors);
  }
}

// Its first step moves the states by half a tolerance, and rounding of positions over a step of 1e-14 s is no small multiplier.
TEST(Ggl, ida_begins_at_any_tolerance) {
  for (const char* name : {"pendulum", "fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.01, 0.02});
    for (const double tolerance : {1e-8, 1e-10, 1e-12, 1e-13}) {
      const Trajectory t = model.simulate(Kind::ggl, IdaOptions{.tolerance = tolerance});
      EXPECT_EQ(t.status, Status::completed) << name << tolerance << t.reason;
      EXPECT_LT(model.errors(t)[0], 1e3 * tolerance);
    }
  }
}

// Step control sees positions and velocities alone; the multipliers are worth h less. Constraints hold to ten tolerances, errors
// stay below a hundred, velocities being of size 10.
TEST(Ggl, adaptive_methods_control_their_steps) {
  for (const char* name : {"pendulum", "fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.25, 0.5});
    for (const Method& method :
         {Method(Radau5Options{.tolerance = 1e-9}), Method(IdaOptions{.tolerance = 1e-9})}) {
      const Trajectory t = model.simulate(Kind::ggl, method);
      const Errors errors = model.errors(t);
      EXPECT_LT(errors[0], 1e-7) << name << solve::name(method);
      EXPECT_LT(errors[1], 1e-6) << name << solve::name(method);
      EXPECT_LT(errors[2], 1e-4) << name << solve::name(method);  // rows are between steps too
      EXPECT_LT(t.drift[0].largest, 1e-8) << name << solve::name(method);
      EXPECT_LT(t.drift[1].largest, 1e-7) << name << solve::name(method);
    }
  }
}

// There is no level below the velocities: ggl is index 2, to the bit.
TEST(Ggl, is_index_2_for_constraints_of_velocities) {
  const auto skate = AgainstReference::of_text(skate_text, {0.5, 1});
  const Errors ggl = skate.errors(skate.simulate(Kind::ggl, bdf(0.01, 3)));
  EXPECT_EQ(ggl, skate.errors(skate.simulate(Kind::index2, bdf(0.01, 3))));
  EXPECT_LT(ggl[0], 1e-4);
}

TEST(Ggl, refuses_methods_that_cannot_solve_it) {
  formulate::Formulation formulation;
  formulation.kind = Kind::ggl;
  const formulate::Problem problem = problem_of(pendulum_text, formulation);
  const auto message = [&](const char* method) {
    const auto refused = refusal(problem, make_method(method, {}));
    return refused ? refused->message + " | " + refused->help : "";
  };
  EXPECT_EQ(message("rk45"),
            "method rk45 solves the equations for accelerations and multipliers, which they do not "
            "determine in ggl | take an implicit method (radau5, bdf), or the formulation "
            "projection");
  EXPECT_EQ(message("generalized_alpha"),
            "method generalized_alpha integrates accelerations twice, but positions have rates of "
            "their own in ggl | take radau5 or bdf, or the formulation index3");
  EXPECT_THAT(message("taylor"), ::testing::HasSubstr("has no use for ggl"));
  EXPECT_THAT(message("rattle"), ::testing::HasSubstr("has no use for ggl"));
  for (const char* method : {"radau5", "bdf", "ida", "implicit_euler", "linear_implicit_euler"})
    EXPECT_EQ(message(method), "") << method;
}

}  // namespace
}  // namespace daedal::solve::testing
