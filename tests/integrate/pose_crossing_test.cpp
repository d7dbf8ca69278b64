// Steps across singular poses: the motion continues along its branch, with every method at every tolerance.

#include "daedal/integrate/pose_crossing.hpp"

#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/problems.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

/// Two windows of parallel four-bars: all links lie in a line twice a turn, and each window could turn over there. Links stay
/// parallel, so that the whole is a pendulum: I phi'' = P sin(phi), I = 3/3 + 2, P = 9.81 (3/2 + 2).
constexpr const char* windows_text = R"(model windows
size N = 2
coordinate x[1..N+1], y[1..N+1] = 1
let rod(u, v) = (dot(u, u) + dot(u, v) + dot(v, v))/6
for i in 1..N+1: initial x[i] = i - 1, x[i]' = 1
kinetic sum(i in 1..N+1: rod([0, 0], [x[i], y[i]]')) + sum(i in 1..N: rod([x[i], y[i]]', [x[i+1], y[i+1]]'))
potential sum(i in 1..N+1: 9.81*y[i]/2) + sum(i in 1..N: 9.81*(y[i] + y[i+1])/2)
constraint up[i in 1..N+1]: (x[i] - (i - 1))^2 + y[i]^2 = 1
constraint across[i in 1..N]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1
)";
constexpr const char* pendulum_of_windows = R"(model pendulum
coordinate phi = 0
initial phi' = 1
kinetic 3*phi'^2/2
potential 9.81*3.5*cos(phi)
)";

Trajectory run(const std::string& text, Kind kind, const Method& method, double until) {
  const formulate::Problem problem = problem_of(text, {.kind = kind});
  SimulateOptions options;
  options.method = method;
  options.until = until;
  options.global_error = false;
  return simulate(problem, consistent_point(problem), options);
}
double at_end(const Trajectory& t, const char* name) {
  return t.table.at(t.table.rows() - 1, *t.table.find(name));
}
Method method_of(const char* name, double tolerance) {
  return make_method(name, {{"tolerance", tolerance}});
}

constexpr double three_poses = 2;  // [s]; flat at 0.714, 1.228 and 1.943 s

// The error of a run is that of thousands of steps, each of the size of the tolerance, times the growth along the motion, about
// ten here: 1e5 times the tolerance, and nothing of the order of 1, as on another branch.
constexpr double another_branch = 0.1;
TEST(PoseCrossing, every_method_follows_the_pendulum_through_flat_poses_at_every_tolerance) {
  const double phi = at_end(
      run(pendulum_of_windows, Kind::projection, method_of("dop853", 1e-13), three_poses), "phi");
  for (const Kind kind : {Kind::projection, Kind::null_space, Kind::minimal})
    for (const char* name : {"rk45", "dop853", "taylor", "radau5", "ida"})
      for (const double tolerance : {1e-5, 1e-7, 1e-10, 1e-11, 1e-12}) {
        if (kind != Kind::projection && std::string(name) == "taylor") continue;  // know no series
        const Trajectory t = run(windows_text, kind, method_of(name, tolerance), three_poses);
        const std::string which =
            std::string(formulate::name(kind)) + " " + name + " " + std::to_string(tolerance);
        ASSERT_EQ(t.status, Status::completed) << which << t.reason;
        EXPECT_NEAR(at_end(t, "x[1]"), std::sin(phi),
                    std::min(another_branch, test::accumulated(tolerance, 1e4, 10)))
            << which;
        EXPECT_NEAR(at_end(t, "y[3]"), std::cos(phi),
                    std::min(another_branch, test::accumulated(tolerance, 1e4, 10)))
            << which;
        EXPECT_LT(t.energy.largest_error, 1e5 * tolerance * t.energy.scale) << which;
      }
}

// A crank and a rod of equal lengths, x = 2 cos(p): folded, with x = 0, the slider could rest while the crank turns.
TEST(PoseCrossing, a_folding_slider_crank_keeps_its_energy_with_the_default_method) {
  const Trajectory t = run(R"(model slider_crank
coordinate p = 1.0471975511965976, x = 1
kinetic p'^2/2 + x'^2/2
constraint rod: (x - cos(p))^2 + sin(p)^2 = 1
initial p' = 2
)",
                           Kind::projection, Rk45Options{}, 10);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_TRUE(t.warnings.empty());
  for (std::size_t r = 0; r < t.table.rows(); ++r)
    ASSERT_NEAR(t.table.at(r, *t.table.find("x")), 2 * std::cos(t.table.at(r, *t.table.find("p"))),
                1e-8)  // rows near the pose are interpolated, to the tolerance
        << t.table.at(r, 0);
  EXPECT_LT(t.energy.largest_error, 1e-5 * t.energy.scale);  // some hundred steps of 1e-8
}

// The simplest pose: a bead on two crossing lines goes straight on.
TEST(PoseCrossing, a_bead_goes_straight_on_where_lines_cross) {
  for (const char* name : {"rk45", "dop853", "taylor", "radau5", "ida"}) {
    const Trajectory t =
        run("model cross\ncoordinate x = -1, y = 0\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1\n"
            "constraint lines: x*y = 0\n",
            Kind::projection, method_of(name, 1e-9), 2.5);
    ASSERT_EQ(t.status, Status::completed) << name << t.reason;
    EXPECT_NEAR(at_end(t, "x"), 1.5, test::rounding(1000, 1.5)) << name;
    EXPECT_NEAR(at_end(t, "y"), 0, test::rounding(1000)) << name;
  }
}

// Where the lines do not meet, a hyperbola joins them, and the bead turns the corner: no bridge may cross.
TEST(PoseCrossing, no_bridge_leads_over_a_near_miss) {
  for (const double mu : {1e-2, 1e-4, 1e-6})
    for (const char* name : {"rk45", "radau5"}) {
      const std::string text = "model miss\nparameter mu = " + std::to_string(mu) +
                               "\ncoordinate x = -1, y = -mu\nkinetic (x'^2 + y'^2)/2\n"
                               "initial x' = 1\nconstraint curve: x*y = mu\n";
      const Trajectory t = run(text, Kind::projection, method_of(name, 1e-9), 2.5);
      ASSERT_EQ(t.status, Status::completed) << name << mu << t.reason;
      for (std::size_t r = 0; r < t.table.rows(); ++r)
        ASSERT_LT(t.table.at(r, *t.table.find("x")), 0) << name << mu;
      // the speed is 1, and the way round the corner shorter by about 1.7 sqrt(mu)
      EXPECT_NEAR(at_end(t, "y"), -1.5, 2 * std::sqrt(mu)) << name << mu;
      EXPECT_LT(t.energy.largest_error, 1e-5 * t.energy.scale) << name << mu;
    }
}

// Rows in the middle of a pose, the accelerations of which nothing determines but the motion before and after it.
TEST(PoseCrossing, rows_near_a_pose_belong_to_the_motion) {
  const formulate::Problem problem = problem_of(windows_text, {.kind = Kind::projection});
  SimulateOptions options;
  options.method = method_of("dop853", 1e-10);
  options.until = 0.75;
  options.every = 1e-5;
  options.global_error = false;
  const Trajectory t = simulate(problem, consistent_point(problem), options);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  const std::size_t y = *t.table.find("y[1]"), v = *t.table.find("y[1]'");
  for (std::size_t r = 1; r < t.table.rows(); ++r) {
    const double mean = (t.table.at(r, y) - t.table.at(r - 1, y)) / options.every;
    const double between = (t.table.at(r, v) + t.table.at(r - 1, v)) / 2;
    // The trapezoidal rule is off by h^2/12 times the third derivative, 1e-9 m/s, rounding of positions by 1e-16 m over h;
    // dense output is continuous to the tolerance, 1e-10 m within steps above 1e-4 s.
    ASSERT_NEAR(mean, between, 1e-10 / 1e-4) << t.table.at(r, 0);
  }
  EXPECT_LT(t.energy.largest_error, 1e-8 * t.energy.scale);
}

}  // namespace
}  // namespace daedal::solve::testing
