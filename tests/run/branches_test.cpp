// Branches that depend on the state: held within steps, changed where they are crossed; against closed forms.

#include "daedal/derive/branches.hpp"

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/observed_order.hpp"
#include "support/problems.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::solve::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

Trajectory run(const std::string& text, double until, const Method& method, int rows = 100) {
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  const formulate::Problem problem = formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))), {});
  SimulateOptions options;
  options.until = until;
  options.every = until / rows;
  options.method = method;
  options.global_error = false;
  return simulate(problem, consistent_point(problem), options);
}

double last(const Trajectory& t, const char* name) {
  return t.table.at(t.table.rows() - 1, *t.table.find(name));
}

// x'' = -sign x from rest at 1/2: parabolas, a quarter of the period is sqrt(2 x0) = 1.
const char* const wedge = R"(model wedge
coordinate x = 0.5
kinetic x'^2/2
potential abs(x)
)";

class Branches : public ::testing::TestWithParam<Method> {};

TEST_P(Branches, an_oscillator_of_parabolas_has_its_exact_period) {
  const Trajectory t = run(wedge, 20, GetParam());
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_GE(t.branch_changes, 10u);
  for (std::size_t r = 0; r < t.table.rows(); ++r) {
    const double phase = std::remainder(t.table.at(r, 0), 4.0);  // in [-2, 2], even about both ends
    const double near = std::abs(phase) <= 1 ? phase : 2 - std::abs(phase);
    const double exact = (std::abs(phase) <= 1 ? 1 : -1) * (1 - near * near) / 2;
    EXPECT_NEAR(t.table.at(r, 1), exact, test::rounding(1000, 10)) << t.table.at(r, 0);
  }
  EXPECT_EQ(t.table.rows(), 101u);
  EXPECT_LT(t.energy.largest_error, 1e-11);
}

// All of them are exact on parabolas: what is left are the times of the changes.
INSTANTIATE_TEST_SUITE_P(methods, Branches,
                         ::testing::Values(Method{Rk23Options{}}, Method{Rk45Options{}},
                                           Method{Dop853Options{}}, Method{Radau5Options{}},
                                           Method{TaylorOptions{}},
                                           Method{Rk4Options{.step = 0.03}},
                                           Method{Rk45Options{.step = 0.07, .adaptive = false}}),
                         [](const auto& method) {
                           return std::string(name(method.param)) +
                                  (fixed_step(method.param) > 0 ? "_fixed" : "");
                         });

// Between two turns x'' + x = -+f: the amplitude loses 2 f in every half period.
TEST(BranchesOfFriction, take_the_same_from_every_half_oscillation) {
  const std::string text = R"(model rough
parameter f = 0.1
coordinate x = 1
kinetic x'^2/2
potential x^2/2
force -f*sign(x') on x
)";
  for (const Method& method :
       {Method{Rk45Options{.tolerance = 1e-12}}, Method{Dop853Options{.tolerance = 1e-12}},
        Method{Radau5Options{.tolerance = 1e-12}}, Method{TaylorOptions{.tolerance = 1e-14}},
        Method{IdaOptions{.tolerance = 1e-11}}}) {
    const Trajectory t =
        run(text, 4 * std::numbers::pi, method);  // 1 - 8 f > f: it does not stick yet
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    EXPECT_NEAR(last(t, "x"), 1 - 8 * 0.1,
                test::accumulated(tolerance(method), name(method) == "ida" ? 1000 : 100))
        << t.method;
    EXPECT_LT(t.energy.largest_error, 1e-8) << t.method;
  }
}

TEST(BranchesOfFriction, keep_the_order_of_a_method_with_fixed_steps) {
  const std::string text = R"(model rough
coordinate x = 1
kinetic x'^2/2
potential x^2/2
force -0.1*sign(x') on x
)";
  const auto error_of = [&](double step) {
    // where it turns, the velocity shows errors of the phase
    return std::abs(last(run(text, 4 * std::numbers::pi, Rk4Options{.step = step}), "x'"));
  };
  EXPECT_NEAR(support::observed_order(0.2, 5, error_of).slope, 4, support::slope_margin);
}

// x'' = -mu g sign x': at rest after v/(mu g).
TEST(BranchesOfFriction, a_mass_that_would_slide_in_a_switch_is_told_when_and_where) {
  const Trajectory t = run(R"(model mass
parameter mu = 0.2, g = 9.81
coordinate x = 0
initial x' = 1
kinetic x'^2/2
force -mu*g*sign(x') + 0.1 on x
)",
                           2, Rk45Options{.tolerance = 1e-12});
  EXPECT_EQ(t.status, Status::stopped);
  EXPECT_NEAR(std::stod(t.reason.substr(t.reason.find("= ") + 2)), 1 / (0.2 * 9.81 - 0.1),
              test::rounding(1000));  // located to rounding, through the steps before
  // which of the two sides of sign(x') changes last is a matter of rounding
  const std::string chatters = "chatters, 200 changes within 2.0e-06 s";
  EXPECT_THAT(t.reason,
              AnyOf(HasSubstr("'x' < 0' " + chatters), HasSubstr("'0 < x'' " + chatters)));
  EXPECT_THAT(t.reason, HasSubstr("help: attach a constraint there by an event"));
}

TEST(BranchesOfFriction, a_mass_on_a_rough_plane_stops_at_the_time_of_the_closed_form) {
  const std::string text = R"(model mass
parameter mu = 0.2, g = 9.81
coordinate x = 0
initial x' = 1
kinetic x'^2/2
force -mu*g*sign(x') on x
constraint grip: x' = 0
event rest: when x' <= 0 then attach grip
)";
  for (const Method& method : {Method{Rk45Options{}}, Method{Radau5Options{}},
                               Method{TaylorOptions{}}, Method{Rk4Options{.step = 0.01}}}) {
    const Trajectory t = run(text, 2, method);
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    ASSERT_EQ(t.events.size(), 1u);
    EXPECT_NEAR(t.events[0].t, 1 / (0.2 * 9.81), test::rounding(1000)) << t.method;
    EXPECT_NEAR(last(t, "x"), 1 / (2 * 0.2 * 9.81), test::rounding(1000)) << t.method;
    EXPECT_NEAR(last(t, "x'"), 0, test::rounding(1)) << t.method;
  }
}

TEST(BranchesOfContact, a_bounce_on_a_stiff_floor_keeps_the_energy) {
  // Linear contact: half an oscillation about y = -g/k; between two touches 2 v/g.
  const double g = 10, k = 1e4, v = std::sqrt(2 * g), w = std::sqrt(k);
  const double contact = (std::numbers::pi + 2 * std::atan(g / (w * v))) / w;
  const double period = 2 * v / g + contact;
  const Trajectory t = run(R"(model ball
parameter g = 10, k = 1e4
coordinate y = 1
kinetic y'^2/2
potential g*y + k/2*min(y, 0)^2
)",
                           5 * period, Rk45Options{.tolerance = 1e-12});
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_EQ(t.branch_changes, 10u);
  EXPECT_NEAR(last(t, "y"), 1, test::accumulated(1e-12, 500, 10));
  EXPECT_LT(t.energy.largest_error, 1e-9);
}

TEST(BranchesOfContact, what_has_no_value_beyond_its_change_is_stepped_across) {
  const Trajectory t = run(R"(model hertz
coordinate y = 1
kinetic y'^2/2
potential 10*y + 2e4/5*max(-y, 0)^2.5
)",
                           3, Rk45Options{.tolerance = 1e-10}, 300);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_LT(t.energy.largest_error, 1e-7);
}

TEST(BranchChanges, may_be_nested_and_simultaneous) {
  // ||x| - 1| of x = t - 3: slopes -1, 1, -1, 1 with corners at t = 2, 3, 4; y and z change together.
  const Trajectory t = run(R"(model nested
variable x = -3, y = 0, z = 0
equation x' = 1
equation y' = abs(abs(x) - 1)
equation z' = 2*abs(abs(x) - 1)
)",
                           6, Rk45Options{});
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_NEAR(last(t, "y"), 2 + 0.5 + 0.5 + 2, test::rounding(500, 5));
  EXPECT_NEAR(last(t, "z"), 10, test::rounding(500, 10));
  EXPECT_LE(t.statistics.rejected, 2u);
}

TEST(BranchChanges, of_a_staircase_are_all_met) {
  const Trajectory t = run(R"(model stairs
variable x = 0.5, y = 0, z = 0
equation x' = 1
equation y' = floor(x)
equation z' = mod(x, 1)
)",
                           4, TaylorOptions{}, 7);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_EQ(t.branch_changes, 4u);
  EXPECT_NEAR(last(t, "y"), 1 + 2 + 3 + 0.5 * 4, test::rounding(500, 8));
  EXPECT_NEAR(last(t, "z"), 4 * 0.5, 1e-12);  // a half per unit; from 0.5 to 4.5
}

TEST(BranchChanges, rows_at_a_change_are_written_once) {
  const Trajectory t = run(wedge, 8, Rk45Options{}, 8);  // changes at 1, 3, 5, 7, rows there too
  ASSERT_EQ(t.table.rows(), 9u);
  for (std::size_t r = 0; r < 9; ++r) EXPECT_EQ(t.table.at(r, 0), static_cast<double>(r));
}

/// Methods that control their steps, at a tolerance at which what rounding leaves of a state at rest is no longer small.
std::vector<Method> adaptive(double tolerance) {
  return {Rk23Options{.tolerance = std::max(tolerance, 1e-9)},
          Rk45Options{.tolerance = tolerance},
          Dop853Options{.tolerance = tolerance},
          Radau5Options{.tolerance = tolerance},
          IdaOptions{.tolerance = tolerance},
          TaylorOptions{.tolerance = tolerance}};
}

// The first thing a control engineer tries. What a few units in the last place of t make of the state at rest, 1e-14 m/s, is no
// scale for a step.
TEST(FirstSteps, after_a_step_input_from_rest) {
  for (const double tolerance : {1e-6, 1e-9, 1e-11})
    for (const Method& method : adaptive(tolerance)) {
      const Trajectory t = run(R"(model step
coordinate x = 0 [m]
input u = if t < 0.5 then 0 else 100 [N]
kinetic x'^2/2
potential 20*x^2
force u on x
)",
                               3, method);
      ASSERT_EQ(t.status, Status::completed) << t.method << " " << tolerance << ": " << t.reason;
      const double exact = 2.5 * (1 - std::cos(std::sqrt(40.0) * 2.5));
      // global errors of some hundred steps, of a solution of size 5
      EXPECT_NEAR(last(t, "x"), exact, 5e3 * std::max(tolerance, 1e-9)) << t.method;
    }
}

TEST(FirstSteps, where_a_large_coordinate_passes_zero) {
  // 4e7 m at 3 km/s: the tolerance of x at x = 0 is 1e-9 m, which 1e-13 s would pass; t is known to 2e-12 s there
  const double begin = 4e7 / 3000, until = 2e4;
  for (const Method& method : adaptive(1e-9)) {
    const Trajectory t = run(R"(model far
coordinate x = 4e7 [m]
initial x' = -3000
kinetic x'^2/2
force (if x < 0 then 1e-3 else 0) on x
)",
                             until, method);
    ASSERT_EQ(t.status, Status::completed) << t.method << ": " << t.reason;
    const double late = until - begin;
    EXPECT_NEAR(last(t, "x"), -3000 * late + 0.5e-3 * late * late, test::rounding(1000, 4e7))
        << t.method;
  }
}

// A continuous corner is passed by every method at every tolerance, to the accuracy of the smooth pieces: Taylor's method is the
// second method.
TEST(Corners, of_quadratic_drag_are_passed) {
  const std::string text = "model drag\nvariable x = 0\nequation x' = sin(t)/2 - abs(x)*x\n";
  const double exact = last(run(text, 10, TaylorOptions{.tolerance = 1e-15}), "x");
  for (const double tolerance : {1e-6, 1e-9, 1e-11})
    for (const Method& method : adaptive(tolerance)) {
      const Trajectory t = run(text, 10, method);
      ASSERT_EQ(t.status, Status::completed) << t.method << " " << tolerance << ": " << t.reason;
      EXPECT_NEAR(last(t, "x"), exact, test::accumulated(std::max(tolerance, 1e-9), 2000))
          << t.method;
    }
}

TEST(Corners, that_follow_each_other_closely_do_not_chatter) {
  // 250 corners within 2.5e-8 s, each passed once; the integral of |x - c| over [-1, 1] is 1 + c^2
  const Trajectory t = run(R"(model crowd
variable x = -1, y = 0
equation x' = 1
equation y' = sum(i in 1..250: abs(x - i*1e-10))
)",
                           2, Rk45Options{});
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_NEAR(last(t, "y"), 250, test::rounding(1000, 250));
}

// The comparison is rounding, 1e-8 large, and turns back and forth with every 1e-8 s from the first instant on; on both sides the
// rates are the same up to this size, and so is the integral.
TEST(Corners, that_rounding_passes_back_and_forth_are_stepped_across) {
  for (const Method& method : {Method{Rk45Options{}}, Method{IdaOptions{}}}) {
    const Trajectory t = run(R"(model noise
variable x = 0, y = 0
equation x' = 1
equation y' = 1 + abs(((x + 1e8) - 1e8) - x)
)",
                             10, method);
    ASSERT_EQ(t.status, Status::completed) << t.method << ": " << t.reason;
    EXPECT_NEAR(last(t, "y"), 10, test::rounding(10, 1e8)) << t.method;
  }
}

TEST(Jumps, that_are_crossed_do_not_chatter) {
  // phi passes 1 with phi' > 0, whatever the force on either side: phi = t - sin t, then -|phi| pulls back
  for (const double tolerance : {1e-6, 1e-9, 1e-11})
    for (const Method& method : adaptive(tolerance)) {
      const Trajectory t = run(R"(model m
coordinate phi = 0
kinetic phi'^2/2
force (if phi > 1 then -abs(phi) else sin(t)) on phi
)",
                               3, method);
      ASSERT_EQ(t.status, Status::completed) << t.method << " " << tolerance << ": " << t.reason;
      EXPECT_LT(t.energy.largest_error, 1e3 * tolerance) << t.method;
    }
}

// Swings of 9 ns in a run of 10 s came 200 times within a millionth of it, and were taken for fields that oppose each other.
TEST(Jumps, that_a_fast_swing_crosses_again_and_again_do_not_chatter) {
  const double quarter = std::sqrt(2 * 1e-9 / 1e8), off = 1000.5 * quarter;
  const Trajectory t = run(R"(model m
coordinate x = 1e-9 (nominal = 1e-9)
kinetic x'^2/2
parameter off = )" + fmt::format("{:.17g}", off) +
                               R"(
force (if t < off then -1e8*sign(x) else 0) on x
)",
                           10, Rk45Options{.tolerance = 1e-12});
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_GE(t.branch_changes, 500u);
  // energy: no faster than in the middle of a swing; then free, from a place within the swing
  const double v = last(t, "x'");
  EXPECT_LE(std::abs(v), std::sqrt(2 * 1e8 * 1e-9) * (1 + test::rounding(1000 * 40)));
  const double amplitude = 1e-9;
  EXPECT_NEAR(last(t, "x"), v * (10 - off), amplitude + test::rounding(1000, 10 * v));
}

// Velocities of an implicit step are rounded where the change was found: the next look must not be closer than that.
TEST(Jumps, of_squared_comparisons_do_not_chatter) {
  const std::string text = R"(model m
coordinate p = 0, q = 0.1
kinetic p'^2/2 + q'^2/2
force (if q^2 < 0.01 then sin(t) else -5*(abs(p) + p')) on p, -5*abs(p')*p' on q
constraint w: p = q
)";
  const double exact = last(run(text, 8, TaylorOptions{.tolerance = 1e-14}), "p");
  for (const double tolerance : {1e-8, 1e-9, 1e-10})
    for (const Method& method : adaptive(tolerance)) {
      const Trajectory t = run(text, 8, method);
      ASSERT_EQ(t.status, Status::completed) << t.method << " " << tolerance << ": " << t.reason;
      EXPECT_NEAR(last(t, "p"), exact, test::accumulated(tolerance, 1000, 10)) << t.method;
    }
}

TEST(BranchChanges, comparisons_of_time_stay_break_points) {
  const formulate::Problem problem =
      problem_of("model m\nvariable x = 0\nequation x' = if t < 1 then 1 else -1\n");
  EXPECT_FALSE(derive::hold_branches(*problem.dae));
  // an input is a function of time, too
  EXPECT_FALSE(derive::hold_branches(
      *problem_of("model m\nvariable x = 0\ninput u = sin(t)\nequation x' = abs(u)\n").dae));
}

}  // namespace
}  // namespace daedal::solve::testing
