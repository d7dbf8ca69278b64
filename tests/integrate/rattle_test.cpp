// RATTLE: what a symplectic, symmetric method on the constraint manifold must show.

#include "daedal/integrate/combination.hpp"
#include "support/against_reference.hpp"
#include "support/bounds.hpp"
#include "support/run.hpp"

#include <gmock/gmock.h>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

Method rattle(double step) { return RattleOptions{.step = step}; }

std::vector<double> halved(double first) {
  return {first, first / 2, first / 4, first / 8, first / 16};
}

// order_test measures the pendulum; here masses depend on the position, forces on velocities.
TEST(Rattle, is_of_order_2_2_1_where_masses_and_forces_vary) {
  const auto polar = AgainstReference::of_text(polar_text, {0.5, 1});
  expect_orders(polar.orders(Kind::index3, halved(1 / 64.0), rattle), {2, 2, 1}, 0.2);
  const auto robot = AgainstReference::of_file("delta_robot", {0.25, 0.5});
  expect_orders(robot.orders(Kind::index3, halved(1 / 64.0), rattle), {2, 2, 1}, 0.2);
  const auto fourbar = AgainstReference::of_file("fourbar", {0.25, 0.5});
  expect_orders(fourbar.orders(Kind::index3, halved(1 / 128.0), rattle), {2, 2, 1}, 0.2);
}

TEST(Rattle, shows_multipliers_of_order_2_where_states_determine_them) {
  const auto robot = AgainstReference::of_file("delta_robot", {0.25, 0.5});
  expect_orders(robot.orders(Kind::projection, halved(1 / 64.0), rattle), {2, 2, 2}, 0.2);
}

// Positions and velocities of order 1 and 10: c and c' of fourbar and robot are sums of a few such terms.
TEST(Rattle, steps_satisfy_the_constraints_of_positions_and_velocities_to_rounding) {
  for (const char* name : {"pendulum", "fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.5, 1});
    const Trajectory t = model.simulate(Kind::index3, rattle(0.005));
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    EXPECT_LT(t.drift[0].largest, 1e-14) << name;
    EXPECT_LT(t.drift[1].largest, 1e-13) << name;
  }
}

/// Largest |energy - energy(0)| in the first and in the last tenth of a run.
std::pair<double, double> energy_errors(const std::string& text, const Method& method,
                                        double until) {
  const formulate::Problem problem = problem_of(text);
  const ConsistentPoint start = consistent_point(problem);
  double found[2] = {0, 0};
  for (const int last : {0, 1}) {
    // The error of the whole run against that of its first tenth.
    SimulateOptions options;
    options.method = method;
    options.until = last == 1 ? until : until / 10;
    options.every = options.until / 500;
    options.compile.backend = compile::Backend::tape;
    const Trajectory t = simulate(problem, start, options);
    EXPECT_EQ(t.status, Status::completed) << t.reason;
    found[last] = t.energy.largest_error;
  }
  return {found[0], found[1]};
}

// A symplectic method follows a modified energy for exponentially long times: the error of the true one stays bounded by
// O(h^2) [HairerLubichWanner2006, IX.8]. That of a method of higher order grows with time.
TEST(Rattle, energy_stays_bounded_over_long_runs) {
  for (const std::string& text : {pendulum_text, polar_text}) {
    const auto [early, late] = energy_errors(text, rattle(0.02), 1000);
    EXPECT_LT(late, 1.2 * early);
    const auto [rk4_early, rk4_late] = energy_errors(text, Rk4Options{.step = 0.02}, 1000);
    EXPECT_GT(rk4_late, 5 * rk4_early);
  }
}

// Symmetric: with velocities turned round the method goes back the way it came.
TEST(Rattle, goes_back_the_way_it_came) {
  for (const std::string& text : {pendulum_text, polar_text}) {
    const formulate::Problem problem = problem_of(text);
    const ConsistentPoint start = consistent_point(problem);
    ProblemSystem system(problem, 0, start.states, start.tops,
                         {.compile = {compile::Backend::tape}});
    RunResult there = run(system, rattle(0.01), start.states, {0, 2}, 0, start.tops);
    std::vector<double> state = there.end();
    for (const std::size_t v : {2, 3}) state[v] = -state[v];
    const RunResult back = run(system, rattle(0.01), state, {0, 2}, 0, start.tops);
    for (const std::size_t q : {0, 1})
      EXPECT_NEAR(back.end()[q], start.states[q], test::rounding(2 * 200, 10));
    for (const std::size_t v : {2, 3})
      EXPECT_NEAR(back.end()[v], -start.states[v], test::rounding(2 * 200, 10));
  }
}

// Driven constraints depend on time, and the drive does work: the balance holds as well as the method is accurate.
TEST(Rattle, follows_drives_and_counts_their_work) {
  const std::string text = R"(model driven
parameter m = 1 [kg], L = 1 [m], g = 9.81 [m/s^2]
coordinate s [m], x = 0.6 [m], y = -0.8 [m]
input u = 0.3*sin(4*t)^2 [m]
drive s by u position
kinetic m/2*(x'^2 + y'^2)
potential m*g*y
constraint rod: (x - s)^2 + y^2 = L^2
)";
  const auto model = AgainstReference::of_text(text, {0.5, 1});
  const auto orders = model.orders(Kind::projection, halved(1 / 64.0), rattle);
  expect_orders(orders, {2, 2, 2}, 0.2);
  const Trajectory coarse = model.simulate(Kind::projection, rattle(0.004)),
                   fine = model.simulate(Kind::projection, rattle(0.002));
  EXPECT_TRUE(fine.energy.known);
  EXPECT_NEAR(coarse.energy.largest_error / fine.energy.largest_error, 4,
              0.01);  // order 2; the next term is h^2 of the leading one
}

TEST(Rattle, refuses_what_has_no_momenta_or_no_constraints_of_positions) {
  const auto message = [](const std::string& text, Kind kind = Kind::projection) {
    formulate::Formulation formulation;
    formulation.kind = kind;
    const auto refused = refusal(problem_of(text, formulation), rattle(0.01));
    return refused ? refused->message : "";
  };
  EXPECT_EQ(message(pendulum_text), "");
  EXPECT_EQ(
      message(pendulum_text, Kind::index1),
      "method rattle holds positions and velocities on their constraints by its own reactions "
      "and has no use for index1");
  EXPECT_EQ(message(skate_text),
            "method rattle needs constraints of positions: 'blade' is one of velocities");
  EXPECT_EQ(message("model m\ncoordinate x\nkinetic x'^4\n"),
            "method rattle needs a kinetic energy that is quadratic in the velocities; that of "
            "model 'm' is not, in x'");
  EXPECT_EQ(message("model m\nvariable T = 1\nequation T' = -T\n"),
            "method rattle needs a mechanism: 'T' is no coordinate with an acceleration");
}

// Constraints of positions, known to rounding, are divided by the step: Newton's changes of the velocities stay at 1e-16/h.
TEST(Rattle, short_steps_find_their_solution) {
  for (const char* name : {"fourbar", "looper"}) {
    const auto model = AgainstReference::of_file(name, {0.01, 0.02});
    for (const double step : {1e-4, 1e-5, 1e-6}) {
      const Trajectory t = model.simulate(Kind::projection, rattle(step));
      EXPECT_EQ(t.status, Status::completed) << name << ", " << step << ": " << t.reason;
      EXPECT_LT(t.drift[0].largest, 1e-12) << name << ", " << step;
    }
  }
}

// The multiplier that breaks the rod is one of the method, of order 1; found at the ends of steps alone, errors would jump by h.
TEST(Rattle, events_of_multipliers_are_found_between_steps) {
  const std::string text = pendulum_text + "event snap: when rod.force > 10 then release rod\n";
  const double exact = 0.39401610587161;
  const auto error = [&](double step) {
    const formulate::Problem problem = problem_of(text, {.kind = Kind::index3});
    SimulateOptions options;
    options.method = rattle(step);
    options.until = 0.5;
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    return t.events.empty() ? HUGE_VAL : std::abs(t.events[0].t - exact);
  };
  const double coarse = error(1e-3), fine = error(1e-3 / 4);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_NEAR(coarse / fine, 4, 0.1);  // order 1, and a share of the next term, h
}

}  // namespace
}  // namespace daedal::solve::testing
