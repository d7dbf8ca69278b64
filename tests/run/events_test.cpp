// Events: located to rounding, modes, impulses, impacts; against closed forms.

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace daedal::solve::testing {
namespace {

using ::testing::HasSubstr;

Trajectory simulate_events(const std::string& text, double until,
                           const Method& method = TaylorOptions{.tolerance = 1e-14}) {
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  const formulate::Problem problem = formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))), {});
  SimulateOptions options;
  options.until = until;
  options.every = until / 100;
  options.method = method;
  return simulate(problem, consistent_point(problem), options);
}

double last(const Trajectory& t, const char* name) {
  return t.table.at(t.table.rows() - 1, *t.table.find(name));
}

const char* const breaking_pendulum = R"(model breaking_pendulum
parameter m = 1, L = 1, g = 9.81
coordinate x = L, y = 0
kinetic   m/2 * (x'^2 + y'^2)
potential m*g*y
constraint rod: x^2 + y^2 = L^2
event snap: when rod.force > 10 then release rod
)";

// Falls of a metre or so in some tens of steps, with velocities of some m/s.
const double of_fall = test::rounding(1000, 5);

// rod.force = -3 m g y / (2 L^2): it breaks where y = -20/(3 g); independent recomputation with mpmath, 14 digits.
constexpr double breaking_time = 0.39401610587161;

TEST(Events, the_rod_breaks_when_the_closed_form_says) {
  for (const Method& method :
       {Method{TaylorOptions{.tolerance = 1e-14}}, Method{Rk45Options{.tolerance = 1e-13}},
        Method{Radau5Options{.tolerance = 1e-12}}}) {
    const Trajectory t = simulate_events(breaking_pendulum, 1, method);
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    ASSERT_EQ(t.events.size(), 1u);
    EXPECT_EQ(t.events[0].what, "rod released");
    EXPECT_NEAR(t.events[0].t, breaking_time, test::accumulated(tolerance(method), 500))
        << t.method;
  }
}

TEST(Events, after_the_break_the_bob_flies_freely) {
  const Trajectory t = simulate_events(breaking_pendulum, 1);
  const double y = -20 / (3 * 9.81), x = std::sqrt(1 - y * y), speed = std::sqrt(-2 * 9.81 * y);
  // tangential velocity (x decreasing on the way down): (y, -x) speed
  const double flight = 1 - breaking_time;
  EXPECT_NEAR(last(t, "x"), x + y * speed * flight, of_fall);
  EXPECT_NEAR(last(t, "y"), y - x * speed * flight - 9.81 / 2 * flight * flight, of_fall);
  EXPECT_EQ(last(t, "rod.force"), 0);
  const std::vector<double> times = t.table.column(0), force = t.table.column("rod.force");
  int twice = 0;
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i] == times[i - 1]) {
      ++twice;
      EXPECT_NEAR(force[i - 1], 10, 10 * of_fall);
      EXPECT_EQ(force[i], 0);
    }
  EXPECT_EQ(twice, 1);  // one event, two rows of its time
}

TEST(Events, a_ball_bounces_at_the_times_of_the_geometric_series) {
  const Trajectory t = simulate_events(R"(model ball
parameter g = 9.81
coordinate y = 1
kinetic y'^2/2
potential g*y
constraint floor: y = 0
event hit: when y < 0 then attach floor (restitution = 0.5)
)",
                                       1.3);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  const double fall = std::sqrt(2 / 9.81);
  double time = fall;
  ASSERT_GE(t.events.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    // an error of the time of an impact grows with each by the ratio of speeds
    EXPECT_NEAR(t.events[k].t, time, test::rounding(100, std::pow(10, k))) << k;
    time += 2 * fall * std::pow(0.5, k + 1);
  }
}

TEST(Events, things_that_hit_at_the_same_time_bounce_as_each_would_alone) {
  // Falls from 1 m end with sqrt(2 g); restitution e leaves e of that.
  const double speed = std::sqrt(2 * 9.81), fall = std::sqrt(2 / 9.81);
  const auto after_hit = [&](const std::string& hits, const std::vector<double>& restitution) {
    const Trajectory t = simulate_events(R"(model balls
coordinate y = 1, z = 1
kinetic (y'^2 + 3*z'^2)/2
potential 9.81*(y + 3*z)
constraint floor: y = 0
constraint ground: z = 0
)" + hits,
                                         fall + 0.05);
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    EXPECT_NEAR(last(t, "y'"), restitution[0] * speed - 9.81 * 0.05, of_fall) << hits;
    EXPECT_NEAR(last(t, "z'"), restitution[1] * speed - 9.81 * 0.05, of_fall) << hits;
  };
  after_hit(
      "event one: when y < 0 then attach floor (restitution = 0.5)\n"
      "event two: when z < 0 then attach ground (restitution = 0.5)\n",
      {0.5, 0.5});
  after_hit(
      "event one: when y < 0 then attach floor (restitution = 1)\n"
      "event two: when z < 0 then attach ground (restitution = 0.7)\n",
      {1, 0.7});
  after_hit(
      "event one: when y < 0 then attach floor (restitution = 0.8), attach ground (restitution = "
      "0.8)\n",
      {0.8, 0.8});
}

TEST(Events, a_plank_that_falls_flat_on_two_stones_rises_flat) {
  // Both contacts share mass and inertia: hit one after the other they would set it spinning.
  const double speed = std::sqrt(2 * 9.81 * 0.5), fall = std::sqrt(2 * 0.5 / 9.81);
  const Trajectory t = simulate_events(R"(model plank
coordinate y = 0.5, phi = 0
kinetic (2*y'^2 + 0.3*phi'^2)/2
potential 9.81*2*y
constraint left: y - 0.4*phi = 0
constraint right: y + 0.4*phi = 0
event one: when y - 0.4*phi < 0 then attach left (restitution = 0.6)
event two: when y + 0.4*phi < 0 then attach right (restitution = 0.6)
)",
                                       fall + 0.05);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_NEAR(last(t, "y'"), 0.6 * speed - 9.81 * 0.05, of_fall);
  EXPECT_NEAR(last(t, "phi'"), 0, of_fall);
}

TEST(Events, bounces_come_to_an_end_and_the_ball_rests) {
  const Trajectory t = simulate_events(R"(model ball
coordinate y = 1
kinetic y'^2/2
potential 9.81*y
constraint floor: y = 0
event hit: when y < 0 then attach floor (restitution = 0.5)
)",
                                       10);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_EQ(t.events.back().what, "floor attached");
  // the bounces end at fall (1 + 2 e/(1 - e))
  EXPECT_NEAR(t.events.back().t, 3 * std::sqrt(2 / 9.81), 1e-5);
  EXPECT_NEAR(last(t, "y"), 0, 1e-12);
  EXPECT_NEAR(last(t, "floor.force"), -9.81, 1e-12);
}

TEST(Events, chattering_is_reported_with_the_event) {
  const Trajectory t = simulate_events(R"(model m
variable x = -1, side = 1
equation x' = side
equation side' = 0
event above: when x > 0 then set side = -1
event below: when x < 0 and t > 0.5 then set side = 1
)",
                                       2);
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_THAT(t.reason, HasSubstr("chatters, 200 events within"));
  EXPECT_NEAR(t.events.back().t, 1, test::rounding(200 * 40));  // 200 events
}

// Their times converge to T (1 + 2 e/(1 - e)); rounding left the ball below the floor there, and it fell on without a word.
TEST(Events, bounces_by_set_stop_where_they_come_to_an_end) {
  for (const double e : {0.3, 0.8}) {
    const Trajectory t = simulate_events(
        "model ball\ncoordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\n"
        "event hit: when y < 0 then set y' = -" +
            std::to_string(e) + "*y'\n",
        5);
    EXPECT_EQ(t.status, Status::stopped);
    EXPECT_THAT(t.reason, HasSubstr("event 'hit' happens ever faster, 4 times within 5.0e-07 s"));
    EXPECT_THAT(t.reason, HasSubstr("help: attach a constraint there"));
    // what is left of the series there is less than the time in which events accumulate, divided by 1 - e
    EXPECT_NEAR(t.events.back().t, std::sqrt(2 / 9.81) * (1 + 2 * e / (1 - e)), 5e-7 / (1 - e));
  }
}

// Bodies were moved to where the constraint holds, over any distance and without a word.
TEST(Events, a_constraint_that_does_not_hold_is_not_attached) {
  const std::string ball =
      "model m\ncoordinate x = 0, y = 1\nkinetic (x'^2 + y'^2)/2\n"
      "potential 9.81*y\nconstraint floor: y = 0\n";
  Trajectory t = simulate_events(ball + "event stick: when t > 0.2 then attach floor\n", 1);
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_THAT(t.reason,
              HasSubstr("stopped at t = 0.2 s: after event 'stick' the motion cannot continue"));
  EXPECT_THAT(t.reason,
              HasSubstr("constraint 'floor' does not hold there: attaching it would move y "
                        "from 0.8038 to "));
  EXPECT_THAT(t.reason, HasSubstr("help: let the event happen where the constraint holds"));
  t = simulate_events(ball + "event hit: when y < 0.5 then attach floor (restitution = 0.5)\n", 1);
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_THAT(t.reason, HasSubstr("would move y from 0.5 to "));
  t = simulate_events(ball + "event stick: when t > 0.2 then set y = 0, attach floor\n", 1);
  EXPECT_EQ(t.status, Status::completed) << t.reason;
}

// Each action counted as an event, the second one of them "in one run only".
TEST(Events, of_two_actions_are_one_for_the_estimate) {
  const Trajectory t = simulate_events(R"(model m
coordinate x = 1
variable n = 0
kinetic x'^2/2
potential 2*x^2
equation n' = 0
event cross: when x < 0 then set n = n + 1, x' = x'
)",
                                       3, Rk45Options{.tolerance = 1e-8});
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_EQ(t.global_error.remark, "");
  EXPECT_LT(t.global_error.event_time, 1e-6);  // some hundred steps of 1e-8
}

TEST(Events, a_plastic_impact_keeps_the_ball_on_the_floor) {
  const Trajectory t = simulate_events(R"(model ball
parameter m = 2
coordinate x, y = 1
initial x' = 3 fixed
kinetic m/2*(x'^2 + y'^2)
potential m*9.81*y
constraint floor: y = 0
event hit: when y < 0 then attach floor
)",
                                       2);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0].what, "floor attached");
  EXPECT_NEAR(last(t, "y"), 0, test::rounding(4));
  EXPECT_NEAR(last(t, "x"), 6, test::rounding(100, 6));
  EXPECT_NEAR(last(t, "floor.force"), -2 * 9.81, test::rounding(40, 2 * 9.81));
  EXPECT_NEAR(t.energy.final - t.energy.initial, -2 * 9.81, 1e-12);  // what fell is lost
}

TEST(Events, set_values_are_kept_and_the_others_move_least) {
  // Two masses on a rigid bar along x: setting one velocity moves the other through the constraint, by an impulse.
  const Trajectory t = simulate_events(R"(model cart
coordinate a = 0, b = 1
initial a' = 1 fixed
kinetic a'^2/2 + 3*b'^2/2
constraint bar: b - a = 1
event wall: when a > 0.5 then set a' = -2
)",
                                       1);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0].what, "a' set to -2");
  EXPECT_NEAR(last(t, "a'"), -2, test::rounding(16, 2));
  EXPECT_NEAR(last(t, "b'"), -2, test::rounding(16, 2));
}

TEST(Events, happen_at_the_same_time_with_the_values_before) {
  // Both fire at x = 1: the values are exchanged, not copied one after the other.
  const Trajectory t = simulate_events(R"(model swap
variable x = 0, p = 5, q = 7
equation x' = 1
equation p' = 0
equation q' = 0
event one: when x > 1 then set p = q
event two: when x > 1 then set q = p
)",
                                       2);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_NEAR(t.events[0].t, 1, test::rounding(16));
  EXPECT_EQ(last(t, "p"), 7);
  EXPECT_EQ(last(t, "q"), 5);
}

TEST(Events, one_that_is_true_at_the_start_happens_there_with_a_note) {
  const Trajectory t = simulate_events(R"(model m
coordinate x = 3
kinetic x'^2/2
event far: when x > 2 then set x' = -1
)",
                                       1);
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0].t, 0);
  ASSERT_FALSE(t.warnings.empty());
  EXPECT_THAT(t.warnings[0].message,
              HasSubstr("the condition of event 'far' is true at the start, so it happens there"));
  EXPECT_NEAR(last(t, "x"), 2, test::rounding(16, 2));
}

// The modes of the inverse model were those of the forward one: without its servo-constraints it went on with inputs of 0.
TEST(Events, that_change_an_inverse_model_end_it) {
  for (const std::string actions : {"attach wall", "set x' = 0"}) {
    const auto model = std::make_shared<const model::Model>(model::elaborate(
        model::load_text("model m\ncoordinate x = 0\nkinetic x'^2/2\ninput u\nforce u on "
                         "x\nconstraint wall: x = 0.6\n"
                         "servo x = t\nevent hit: when x > 0.6 then " +
                             actions + "\nevent never: when x > 9 then attach wall\n",
                         "m.daedal")));
    const formulate::Problem problem = formulate::formulate(
        structure::by_signature(
            std::make_shared<const derive::Dae>(derive::inverse(derive::derive(model)))),
        {});
    SimulateOptions options;
    options.until = 1;
    options.every = 0.01;
    options.method = TaylorOptions{};
    options.global_error = false;
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    EXPECT_EQ(t.status, Status::stopped);
    EXPECT_EQ(t.reason,
              "stopped at t = 0.6 s: event 'hit' happens there, and an inversion does not continue "
              "after an event\n  help: end before it, `until = 0.6`, or ask for a motion on which "
              "its condition does not become true");
    EXPECT_TRUE(t.events.empty());
    EXPECT_NEAR(last(t, "x"), 0.6, test::rounding(16));
  }
}

TEST(Events, what_cannot_be_met_afterwards_is_told) {
  const Trajectory t = simulate_events(R"(model m
coordinate a = 0, b = 1
initial a' = 1 fixed
kinetic a'^2/2 + b'^2/2
constraint bar: b - a = 1
event wall: when a > 0.5 then set a' = -1, set b' = 2
)",
                                       1);
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_THAT(t.reason, HasSubstr("after event 'wall' the motion cannot continue"));
  EXPECT_THAT(t.reason, HasSubstr("bar"));
}

}  // namespace
}  // namespace daedal::solve::testing
