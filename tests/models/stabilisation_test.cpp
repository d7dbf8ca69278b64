// Formulations that hold the constraints by other means than projection, on the library's models and on small ones.
#include "daedal/integrate/stabilisation.hpp"

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/integrate/combination.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/elliptic.hpp"
#include "support/model_point.hpp"
#include "support/observed_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>

namespace daedal::test {
namespace {

using formulate::Formulation;
using formulate::Kind;
using ::testing::HasSubstr;

std::shared_ptr<const derive::Dae> dae_of(const model::Library& library,
                                          const model::Overrides& overrides = {}) {
  const auto model = std::make_shared<const model::Model>(model::elaborate(library, overrides));
  return std::make_shared<const derive::Dae>(derive::derive(model));
}
std::shared_ptr<const derive::Dae> library_model(const std::string& name,
                                                 const model::Overrides& overrides = {}) {
  return dae_of(model::load(model_path(name)), overrides);
}
std::shared_ptr<const derive::Dae> text_model(const std::string& text) {
  return dae_of(model::load_text(text, "test.daedal"));
}

solve::Trajectory simulate(const std::shared_ptr<const derive::Dae>& dae,
                           const Formulation& formulation, const solve::Method& method,
                           double until) {
  const solve::Prepared prepared = solve::prepare(dae, formulation);
  solve::SimulateOptions options;
  options.until = until;
  options.every = until / 50;
  options.method = method;
  solve::Trajectory run = solve::simulate(prepared.problem, prepared.start, options);
  EXPECT_EQ(run.status, solve::Status::completed) << run.reason;
  return run;
}

double at_end(const solve::Trajectory& t, const std::string& column) {
  return t.table.at(t.table.rows() - 1, t.table.find(column).value());
}

Formulation of_kind(Kind kind) {
  Formulation formulation;
  formulation.kind = kind;
  return formulation;
}
Formulation augmented(double stiffness, double tolerance) {
  Formulation formulation = of_kind(Kind::augmented_lagrangian);
  formulation.augmented = {stiffness, tolerance};
  return formulation;
}
Formulation stabiliser(double rate) {
  Formulation formulation = of_kind(Kind::nonlinear_stabiliser);
  formulation.stabiliser.rate = rate;
  return formulation;
}

/// The largest difference of two runs in the columns both have.
double difference(const solve::Trajectory& a, const solve::Trajectory& b) {
  double largest = 0;
  EXPECT_EQ(a.table.rows(), b.table.rows());
  for (std::size_t r = 0; r < a.table.rows(); ++r)
    for (std::size_t c = 0; c < a.table.width(); ++c)
      largest = std::max(largest, std::abs(a.table.at(r, c) - b.table.at(r, c)));
  return largest;
}

// ---- orders

struct OrderCase {
  Formulation formulation;
  std::string method;
  std::map<std::string, solve::OptionValue> options;
  double longest_step;
  int order;  // of positions, velocities and multipliers
};

TEST(StabilisedOrder,
     positions_velocities_and_multipliers_of_the_pendulum_converge_with_the_order_of_the_method) {
  // Steps from where the error falls regularly (with longer ones rk4 changes its independent coordinate at places that
  // depend on the step) to well above rounding; multipliers of the augmented Lagrangian are uncertain by tolerance/h^2.
  const OrderCase cases[] = {{stabiliser(5), "euler", {}, 1.0 / 128, 1},
                             {stabiliser(5), "rk4", {}, 1.0 / 128, 4},
                             {augmented(1e8, 1e-14), "implicit_euler", {}, 1.0 / 128, 1},
                             {augmented(1e8, 1e-14), "bdf", {{"order", 2}}, 1.0 / 64, 2},
                             {augmented(1e8, 1e-14), "generalized_alpha", {}, 1.0 / 64, 2}};
  const auto pendulum = library_model("pendulum");
  const auto exact = support::HorizontalPendulum<>{}.at(1);
  for (const OrderCase& c : cases) {
    std::vector<double> steps, errors[3];
    for (int i = 0; i < 5; ++i) {
      steps.push_back(std::ldexp(c.longest_step, -i));
      auto options = c.options;
      options.insert_or_assign("step", steps.back());
      const auto run = simulate(pendulum, c.formulation, solve::make_method(c.method, options), 1);
      errors[0].push_back(std::hypot(at_end(run, "x") - exact.x, at_end(run, "y") - exact.y));
      errors[1].push_back(std::hypot(at_end(run, "x'") - exact.vx, at_end(run, "y'") - exact.vy));
      errors[2].push_back(std::abs(at_end(run, "rod.force") + 1.5 * 9.81 * exact.y));
    }
    for (const auto& error : errors)
      // steps begin where the next term of the error is small already
      EXPECT_NEAR(support::fitted_order(steps, error).slope, c.order, 0.2)
          << name(c.formulation.kind) << " " << c.method << ::testing::PrintToString(error);
  }
}

// ---- nonlinear stabiliser

TEST(NonlinearStabiliser, fourbar_reaches_the_reference_with_constraints_at_rounding) {
  // The crank turns by more than half a turn: no choice of independent coordinates serves all the way.
  const auto run =
      simulate(library_model("fourbar"), stabiliser(10), solve::Rk45Options{.tolerance = 1e-11}, 5);
  EXPECT_NEAR(at_end(run, "th1"), .831814499811, 1e-8);  // independent recomputation, SciPy
  EXPECT_NEAR(at_end(run, "th2"), .551429600302, accumulated(1e-11, 1000));
  EXPECT_NEAR(at_end(run, "th3"), 1.511862680720, accumulated(1e-11, 1000));
  EXPECT_LE(run.constraints.largest, 1e-13);
}

TEST(NonlinearStabiliser, long_steps_carry_a_pendulum_through_its_lowest_point) {
  // There x depends on y by a vertical tangent. A choice of coordinates that was kept for too long let the step end where
  // the rod is too short for y.
  const auto run =
      simulate(library_model("pendulum"), stabiliser(5), solve::Rk4Options{.step = 1.0 / 16}, 5);
  EXPECT_LE(run.constraints.largest, 1e-14);
}

TEST(NonlinearStabiliser, agrees_with_projection_on_the_delta_robot) {
  const solve::Method dop853 = solve::Dop853Options{.tolerance = 1e-12};
  const auto robot = library_model("delta_robot");
  const auto a = simulate(robot, stabiliser(5), dop853, 1);
  const auto b = simulate(robot, {}, dop853, 1);
  EXPECT_LE(difference(a, b), 1e-9);
}

TEST(NonlinearStabiliser, holds_constraints_that_move_with_time) {
  const auto dae = text_model(R"(model lifted
coordinate x = 1 [m], y = 0 [m]
kinetic x'^2/2 + y'^2/2
potential 9.81*y
constraint rod: x^2 + (y - 0.1*sin(3*t))^2 = 1
)");
  const auto a = simulate(dae, stabiliser(5), solve::Dop853Options{.tolerance = 1e-12}, 3);
  const auto b = simulate(dae, {}, solve::TaylorOptions{}, 3);
  EXPECT_LE(difference(a, b), 1e-8);
  EXPECT_LE(a.constraints.largest, 1e-14);
}

TEST(NonlinearStabiliser, refuses_series_and_constraints_on_velocity_level) {
  const auto robot = solve::prepare(library_model("delta_robot"), stabiliser(5));
  EXPECT_THAT(solve::refusal(robot.problem, solve::TaylorOptions{})->message,
              HasSubstr("method taylor expands the equations themselves"));
  const auto skate = solve::prepare(text_model(R"(model skate
coordinate x = 0 [m], y = 0 [m], phi = 0.1 [rad]
kinetic x'^2/2 + y'^2/2 + phi'^2/2
constraint blade: x'*sin(phi) = y'*cos(phi)
)"),
                                    stabiliser(5));
  EXPECT_EQ(solve::refusal(skate.problem, solve::Rk45Options{})->message,
            "nonlinear_stabiliser is made for holonomic constraints; 'blade' is none");
}

// ---- augmented Lagrangian

TEST(AugmentedLagrangian, converges_to_the_steps_of_index_3) {
  const auto looper = library_model("looper");
  for (const solve::Method& method :
       {solve::Method(solve::ImplicitEulerOptions{.step = 1e-2}),
        solve::Method(solve::BdfOptions{.order = 3, .step = 1e-2}),
        solve::Method(solve::GeneralizedAlphaOptions{.step = 1e-2})}) {
    const auto a = simulate(looper, augmented(1e8, 1e-13), method, 1);
    const auto b = simulate(looper, of_kind(Kind::index3), method, 1);
    // The violation left over h^2 is an acceleration, and times inertia a reaction: 1e-13/1e-4 * 100 kg.
    EXPECT_LE(difference(a, b), 1e-6) << name(method);
    EXPECT_LE(a.constraints.largest, 1e-12) << name(method);
  }
}

TEST(AugmentedLagrangian, holds_the_constraints_below_its_tolerance_in_every_step) {
  for (const double tolerance : {1e-6, 1e-9}) {
    const auto run = simulate(library_model("fourbar"), augmented(1e7, tolerance),
                              solve::GeneralizedAlphaOptions{.step = 1e-3}, 1);
    EXPECT_LE(run.constraints.largest, tolerance);
  }
}

TEST(AugmentedLagrangian, holds_constraints_on_velocity_level) {
  const auto skate = text_model(R"(model skate
coordinate x = 0 [m], y = 0 [m], phi = 0.1 [rad]
initial x' = 1, phi' = 1
kinetic x'^2/2 + y'^2/2 + phi'^2/2
constraint blade: x'*sin(phi) = y'*cos(phi)
)");
  const solve::Method bdf = solve::BdfOptions{.order = 2, .step = 1e-3};
  const auto a = simulate(skate, augmented(1e5, 1e-12), bdf, 1);
  const auto b = simulate(skate, of_kind(Kind::index2), bdf, 1);
  EXPECT_LE(difference(a, b), 1e-7);
}

TEST(AugmentedLagrangian, a_stiffness_that_is_too_small_stops_the_run_in_words) {
  const auto prepared = solve::prepare(library_model("looper"), augmented(1, 1e-10));
  solve::SimulateOptions options;
  options.until = 0.1;
  options.method = solve::BdfOptions{};
  const auto run = solve::simulate(prepared.problem, prepared.start, options);
  EXPECT_EQ(run.status, solve::Status::stopped);
  EXPECT_THAT(run.reason, HasSubstr("the multipliers of the augmented Lagrangian do not settle"));
  EXPECT_THAT(run.reason, HasSubstr("help: give augmented_lagrangian a larger stiffness"));
}

TEST(AugmentedLagrangian, refuses_methods_that_do_not_repeat_a_step) {
  const auto prepared = solve::prepare(library_model("looper"), augmented(1e8, 1e-10));
  for (const solve::Method& method :
       {solve::Method(solve::Rk45Options{}), solve::Method(solve::Radau5Options{}),
        solve::Method(solve::IdaOptions{})})
    EXPECT_THAT(solve::refusal(prepared.problem, method)->help,
                HasSubstr("implicit_euler, bdf or generalized_alpha"));
}

// ---- penalty

TEST(Penalty, the_springs_of_constraints_that_act_are_their_own_when_another_is_released) {
  // Without its own multiplier in its row, 'floor' would hold nothing once 'wall' is released.
  const auto dae = text_model(R"(model drop
coordinate x = 0 [m], y = 0 [m]
kinetic x'^2/2 + y'^2/2
potential 9.81*(x + y)
constraint wall: x = 0
constraint floor: y = 0
event open: when t > 0.1 then release wall
)");
  Formulation springs = of_kind(Kind::penalty);
  springs.penalty = {1e6, 2e3};
  const auto run = simulate(dae, springs, solve::Radau5Options{}, 0.5);
  const double deflection = 9.81e-6;  // of a spring at rest; x falls from there
  EXPECT_NEAR(at_end(run, "y"), -deflection, rounding(1e4, deflection));
  EXPECT_NEAR(at_end(run, "x"), -9.81 / 2 * 0.4 * 0.4 - deflection, accumulated(1e-9, 100));
}

// ---- baumgarte(auto)

Formulation automatic(Kind kind = Kind::baumgarte) {
  Formulation formulation = of_kind(kind);
  formulation.automatic = true;
  return formulation;
}

TEST(Automatic, takes_ten_times_the_fastest_rate_unless_the_step_is_too_long_for_it) {
  // A spring of 20 rad/s beside a constraint.
  const auto dae = text_model(R"(model m
coordinate x = 1 [m], y = 0 [m]
kinetic x'^2/2 + y'^2/2
potential 200*x^2
constraint flat: y = 0
)");
  const double of_rate = 1e-9 * 400;  // the fastest rate is an eigenvalue of difference quotients
  const Formulation fine = solve::settled(dae, automatic(), solve::Rk4Options{.step = 1e-4});
  EXPECT_FALSE(fine.automatic);
  EXPECT_NEAR(fine.all.a1, 2 * 200, of_rate);
  EXPECT_DOUBLE_EQ(fine.all.a0, fine.all.a1 * fine.all.a1 / 4);
  EXPECT_DOUBLE_EQ(solve::settled(dae, automatic(), solve::Rk4Options{.step = 0.01}).all.a1, 200);
  // tolerance^(1/3) = 0.1, of a step at 20 rad/s: 1/h = 200.
  EXPECT_NEAR(solve::settled(dae, automatic(), solve::Rk23Options{.tolerance = 1e-3}).all.a1, 400,
              of_rate);
  const Formulation stabilised =
      solve::settled(dae, automatic(Kind::nonlinear_stabiliser), solve::EulerOptions{.step = 0.1});
  EXPECT_DOUBLE_EQ(stabilised.stabiliser.rate, 10);
}

TEST(Automatic, a_disturbed_start_decays_with_every_explicit_method) {
  const auto looper = library_model("looper", {.parameters = {{"disturbance", "0.01"}}});
  solve::PrepareOptions as_given;
  as_given.start.values = solve::StartValues::as_given;
  for (const solve::Method& method :
       {solve::Method(solve::EulerOptions{.step = 1e-3}),
        solve::Method(solve::Rk4Options{.step = 0.05}),
        solve::Method(solve::Rk23Options{.step = 0.02, .adaptive = false}),
        solve::Method(solve::Rk45Options{.tolerance = 1e-6}),
        solve::Method(solve::Dop853Options{.step = 0.05, .adaptive = false})}) {
    const auto prepared =
        solve::prepare(looper, solve::settled(looper, automatic(), method, as_given), as_given);
    EXPECT_TRUE(solve::unstable_decay(prepared.problem, method).empty()) << name(method);
    solve::SimulateOptions options;
    options.until = options.every = 3;
    options.method = method;
    const auto run = solve::simulate(prepared.problem, prepared.start, options);
    EXPECT_EQ(run.status, solve::Status::completed) << run.reason;
    const double reach = 0.29 + 1.392 + at_end(run, "s"), theta1 = at_end(run, "theta1");
    const double h1 = reach * std::cos(theta1) - 0.8 - 0.55 * std::sin(at_end(run, "theta2"));
    EXPECT_LE(std::abs(h1), 1e-3) << name(method);  // from 1.8e-2, up to the drift of the method
  }
}

TEST(Stability, steps_outside_of_the_region_of_stability_are_warned_of) {
  Formulation literal = of_kind(Kind::baumgarte), split = literal;
  literal.each = {{"h1", {284, 28}}, {"h2", {1920, 1232}}};
  split.each = {{"h1", {18, 80}}, {"h2", {10, 24}}};
  const auto looper = library_model("looper");
  const solve::Method rk4 = solve::Rk4Options{.step = 1e-2};
  const auto faulty = solve::prepare(looper, literal), good = solve::prepare(looper, split);
  const auto warnings = solve::unstable_decay(faulty.problem, rk4);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_THAT(warnings[1].message,
              HasSubstr("violations of constraint 'h2' grow: a step of rk4 with step = 0.01 s"));
  EXPECT_THAT(warnings[1].details[0], HasSubstr("root at -1919/s"));
  EXPECT_TRUE(solve::unstable_decay(good.problem, rk4).empty());
  EXPECT_TRUE(solve::unstable_decay(faulty.problem, solve::ImplicitEulerOptions{}).empty());
}

TEST(Stability, intervals_on_the_negative_axis_are_those_of_the_literature) {
  // [HairerWanner1996, IV.2]: Euler 2, orders 3 and 4 with as many stages 2.51 and 2.79, Dormand and Prince 3.3.
  const auto model = text_model(R"(model m
coordinate x = 0 [m]
kinetic x'^2/2
constraint here: x = 0
)");
  struct Row {
    solve::Method method;
    double interval;
  };
  const Row rows[] = {{solve::EulerOptions{.step = 1}, 2},
                      {solve::Rk23Options{.step = 1, .adaptive = false}, 2.5127},
                      {solve::Rk4Options{.step = 1}, 2.7853},
                      {solve::Rk45Options{.step = 1, .adaptive = false}, 3.3066}};
  for (const Row& row : rows)
    for (const double side : {0.999, 1.001}) {
      Formulation formulation = of_kind(Kind::baumgarte);
      const double p = side * row.interval;
      formulation.all = {2 * p, p * p};
      const auto prepared = solve::prepare(model, formulation);
      EXPECT_EQ(solve::unstable_decay(prepared.problem, row.method).empty(), side < 1)
          << name(row.method) << " " << p;
    }
}

// ---- further models

TEST(DeltaPair, equal_robots_move_as_one_alone_and_the_rod_is_slack) {
  const solve::Method dop853 = solve::Dop853Options{.tolerance = 1e-12};
  model::Overrides equal{
      .parameters = {{"hold_right", "[-1.9, -1.95, -1.93]"}}, .inputs = {}, .model = "delta_pair"};
  const auto pair = simulate(library_model("delta_robot", equal), {}, dop853, 1);
  const auto alone = simulate(library_model("delta_robot"), {}, dop853, 1);
  for (const std::string side : {"left.", "right."})
    for (const char* angle : {"arm[1].q[1]", "arm[2].q[2]", "arm[3].q[3]"})
      EXPECT_NEAR(at_end(pair, side + angle), at_end(alone, angle), accumulated(1e-12, 10))
          << side << angle;
  EXPECT_NEAR(at_end(pair, "rod.force"), 0, accumulated(1e-12, 10));
}

TEST(DeltaPair, unequal_robots_keep_their_energy_balance_and_the_length_of_the_rod) {
  model::Overrides unequal{.parameters = {}, .inputs = {}, .model = "delta_pair"};
  const auto run = simulate(library_model("delta_robot", unequal), {}, solve::Rk45Options{}, 1);
  EXPECT_GT(std::abs(at_end(run, "rod.force")), 1e-2);
  EXPECT_LE(run.constraints.largest, 2e-15);
  EXPECT_LE(run.energy.largest_error, 1e-8);
}

TEST(Looper2dof, motion_near_the_upright_balance_is_that_of_the_linearised_equations) {
  // theta1 = pi/2 + x, theta2 = y: x'' = 2.59970 x - T1 x', y'' = -... ; the fast pole pair of theta2 and the slow real
  // pair of theta1 do not couple. Product of the real poles: -T0' = -2.59970 (independent recomputation, SymPy).
  model::Overrides near{.parameters = {{"theta1_start", "pi/2 + 1e-6"}, {"theta2_start", "0"}},
                        .inputs = {},
                        .model = {}};
  const auto run =
      simulate(library_model("looper_2dof", near), {}, solve::Dop853Options{.tolerance = 1e-13}, 1);
  const double inertia =
      130.6 * .703 * .703 + 66.8 * (.29 + .674 - .032) * (.29 + .674 - .032) + 32.55 + 10.18;
  const double friction = 1 / inertia, stiffness = 2.59970;
  const double root = std::sqrt(stiffness + friction * friction / 4);
  const double up = root - friction / 2, down = -root - friction / 2;
  const double linear = 1e-6 * (up * std::exp(down) - down * std::exp(up)) / (up - down);
  EXPECT_NEAR((at_end(run, "theta1") - std::acos(0.0)) / linear, 1, 1e-5);  // five decimals of T0'
}

TEST(Looper2dof, falls_at_the_pose_that_the_thesis_calls_an_equilibrium) {
  ModelPoint point("looper_2dof");
  const double theta1 = .1399, reach = (2.2 - .55) / std::sin(theta1);
  const auto solution =
      point.set({{"theta1", theta1}, {"s", reach - .29 - 1.392}, {"theta2", 0}}).solve();
  EXPECT_NEAR(solution.at("theta1''"), -8.865e-4, 0.51e-7);  // independent recomputation, SymPy
}

TEST(FourbarTable, evaluations_of_the_three_models_as_in_the_reference) {
  // SciPy with rtol 1e-3, atol 1e-6: the absolute tolerance is another one here, so within a factor 2.
  struct Row {
    solve::Method method;
    double explicit_model, approximate, null_space;
  };
  const Row rows[] = {{solve::Rk23Options{.tolerance = 1e-3}, 344, 13637, 248},
                      {solve::Rk45Options{.tolerance = 1e-3}, 194, 35450, 146},
                      {solve::Dop853Options{.tolerance = 1e-3}, 326, 15854, 314}};
  Formulation springs = of_kind(Kind::penalty);
  springs.penalty = {1e6, 0};
  const auto fourbar = library_model("fourbar");
  for (const Row& row : rows) {
    const auto evaluations = [&](const Formulation& formulation) {
      return static_cast<double>(
          simulate(fourbar, formulation, row.method, 2).statistics.evaluations);
    };
    EXPECT_NEAR(std::log(evaluations(of_kind(Kind::index1)) / row.explicit_model), 0, std::log(2))
        << name(row.method);
    EXPECT_NEAR(std::log(evaluations(springs) / row.approximate), 0, std::log(2))
        << name(row.method);
    EXPECT_NEAR(std::log(evaluations(of_kind(Kind::null_space)) / row.null_space), 0, std::log(2))
        << name(row.method);
  }
}

TEST(FourbarAssembly, both_modes_are_found_from_their_guesses) {
  for (const bool crossed : {false, true}) {
    model::Overrides guesses;
    if (crossed) guesses.parameters = {{"th2_guess", "-1.274"}, {"th3_guess", "-2.345"}};
    const auto start = solve::prepare(library_model("fourbar", guesses), {}).start;
    EXPECT_NEAR(start.states[5], crossed ? -1.274 : 0.492, 1e-3);  // th2
    EXPECT_NEAR(start.states[8], crossed ? -2.345 : 1.563, 1e-3);  // th3
  }
}

TEST(ElevatorCable, an_earthquake_keeps_the_energy_balance_and_moves_the_cable) {
  const auto dae =
      library_model("elevator_cable", {.parameters = {{"N", "10"}, {"sway", "0"}, {"quake", "1"}}});
  const auto run = simulate(dae, {}, solve::Rk45Options{.tolerance = 1e-10}, 10);
  EXPECT_LE(run.constraints.largest, 1e-12);
  EXPECT_LE(run.energy.largest_error, 1e-6);
  EXPECT_GT(run.energy.scale, 0.1);
}

}  // namespace
}  // namespace daedal::test
