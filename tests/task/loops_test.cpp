// Loops of continuous controllers: margins, and the range of a gain.
#include "daedal/study/analyse.hpp"
#include "daedal/study/control.hpp"
#include "daedal/task/model.hpp"
#include "daedal/task/simulate.hpp"
#include "support/bounds.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

using testing::HasSubstr;

// Of a gain at its limit, relative: the requirement. It is located to 1e-13, on poles that are known to 1e-12.
constexpr double located = 1e-9;
// Of poles and frequency responses: digits of the recomputation.
constexpr double recomputed = 1e-9;

LoadOptions with(const std::string& controller) {
  LoadOptions options;
  options.controllers = {controller};
  return options;
}

const char* const cart =
    "model cart\nparameter m = 1, M = 0.5, L = 0.8, g = 9.81\ncoordinate x [m], theta [rad]\n"
    "let bob = [x + L*sin(theta), L*cos(theta)]\nkinetic m/2*x'^2 + M/2*dot(bob', bob')\n"
    "potential M*g*bob[2]\ninput u [N]\nforce u on x\n"
    "controller balance\ncommand u = lqr(Q = weights(x = 1, theta = 10, others = 0), R = 1)\n";

// One way opens an equation of the whole, the other a matrix of gains.
TEST(Loops, of_a_regulator_have_the_margins_that_its_design_states) {
  const Analysis loop = analyse(load_text(cart, "cart", with("balance")));
  const ControlDesign design =
      control(load_text(cart), {.state_weights = read_weights("q", "x=1,theta=10")});
  ASSERT_EQ(loop.margins.size(), 1u);
  const InputMargins &a = loop.margins[0], &b = design.margins[0];
  EXPECT_EQ(a.input, "u");
  const double gains = 1e-9;  // of the Riccati equation, in closed poles and margins
  EXPECT_NEAR(*a.lowest_gain, *b.lowest_gain, gains);
  EXPECT_FALSE(a.highest_gain || b.highest_gain);
  EXPECT_NEAR(*a.phase, *b.phase, 180 * gains);
  EXPECT_NEAR(*a.delay, *b.delay, gains);
  EXPECT_GE(*a.phase, 60);  // [Kalman1964]
  EXPECT_LE(*a.lowest_gain, 0.5);
  EXPECT_LE(a.sensitivity_peak, 1 + rounding(100));
  EXPECT_THAT(summary(loop), HasSubstr("loop at u       stable with its gain times"));
  EXPECT_THAT(to_json(loop), HasSubstr("\"margins\""));
  ASSERT_FALSE(report(loop).tables.empty());
}

const char* const lags =
    "model lags\nvariable a, b, y\ninput u\nequation a' = u - a\nequation b' = a - b\n"
    "equation y' = b - y\ncontroller c\nparameter k = 1\ncommand u = -k*y\n"
    "controller twice\nparameter k = 1\ncommand u = -k*(y - 1) - k\n";

// k/(1 + s)^3: real pole at 0 for k = -1, a pair at sqrt(3) for k = 8 (Routh)
TEST(Loops, are_stable_for_the_gains_that_routh_allows) {
  for (const char* controller : {"c", "twice"}) {
    LocusOptions options;
    options.over = {std::string(controller) + ".k", -3, 20, 24};
    const RootLocus found = locus(load_text(lags, "lags", with(controller)), options);
    ASSERT_EQ(found.stability.size(), 3u);
    EXPECT_EQ(found.stability[0].stability, "unstable");
    EXPECT_EQ(found.stability[1].stability, "asymptotically stable");
    EXPECT_NEAR(found.stability[1].from, -1, located);
    EXPECT_NEAR(found.stability[1].to, 8, 8 * located);
    EXPECT_EQ(found.stability[2].stability, "unstable");
    EXPECT_EQ(found.stability[2].to, 20);
    EXPECT_THAT(found.verdict, HasSubstr("asymptotically stable for"));
    EXPECT_THAT(to_json(found), HasSubstr("\"stability\""));
  }
}

// y'' = k y - u, u = k y: on the axis without friction, at 0 twice for k = 2
TEST(Loops, without_friction_are_marginal) {
  const char* const text =
      "model m\ncoordinate y\nkinetic y'^2/2\npotential -y^2\ninput u\nforce u on y\n"
      "controller c\nparameter k = 3\ncommand u = -k*y\n";
  LocusOptions options;
  options.over = {"c.k", 0, 5, 11};
  const RootLocus found = locus(load_text(text, "m", with("c")), options);
  ASSERT_EQ(found.stability.size(), 2u);
  EXPECT_EQ(found.stability[0].stability, "unstable");
  EXPECT_EQ(found.stability[1].stability, "marginal");
  EXPECT_NEAR(found.stability[1].from, 2, 2 * located);
}

// The cart is not held: its two poles stay at 0, where that of the pendulum crosses for k = (m + M) g.
TEST(Loops, with_poles_that_stay_at_0_have_a_range_beside_them) {
  const char* const text =
      "model cart\nparameter m = 1, M = 2, l = 0.5, g = 9.81\ncoordinate x, theta\n"
      "let bob = [x + l*sin(theta), l*cos(theta)]\nkinetic M/2*x'^2 + m/2*dot(bob', bob')\n"
      "potential m*g*bob[2]\ninput u\nforce u on x\n"
      "controller c\nparameter k = 50\ncommand u = k*theta + 10*theta'\n";
  LocusOptions options;
  options.over = {"c.k", 10, 60, 8};
  const RootLocus found = locus(load_text(text, "m", with("c")), options);
  ASSERT_EQ(found.stability.size(), 2u);
  EXPECT_EQ(found.stability[0].stability, "unstable");
  EXPECT_EQ(found.stability[1].stability, "marginal");
  EXPECT_NEAR(found.stability[1].from, 3 * 9.81, 30 * located);
}

TEST(Loops, that_are_unstable_have_no_margins) {
  // a parameter of a controller is given as those of the model, which is designed for without it
  const Analysis loop =
      analyse(load_text(lags, "lags", with("c")).with_parameters({{"c.k", "9"}}, "-p"));
  EXPECT_TRUE(loop.margins.empty());
  EXPECT_EQ(loop.stability, "unstable");
}

// ---- loops of the library against an independent recomputation (SciPy, mpmath)

std::string library(const std::string& file) {
  return std::string(DAEDAL_SOURCE_DIR) + "/models/" + file;
}

// u = u_rest - K y about the level pose [Bortoff2018]: the symmetric motion is the unstable one.
TEST(Loops, of_the_delta_robot_have_a_lowest_stabilising_gain) {
  struct Case {
    const char* part;
    double lowest;
  };
  for (const Case& c :
       {Case{"delta_robot()", 0.6946345173},
        Case{"delta_robot(l0 = 0.25, l1 = 0.12, l2 = 0.49, lc1 = 0.048, lc2 = 0.245, "
             "m1 = 0.37, m2 = 0.053, m3 = 0.61, J1 = 0.0014, J2 = 0.053*0.49^2/12, "
             "d1 = 0.013, d2 = 0.14, d3 = 0.14)",
             0.2333169428}}) {
    const std::string robot = fmt::format("import \"{}\"\nmodel held\npart robot = {}\n",
                                          library("delta_robot/delta_robot.daedal"), c.part);
    const Analysis level = analyse(load_text(robot), {.free = {"all"}});
    double torque = 0;
    for (const NamedNumber& value : level.equilibrium)
      if (value.name == "robot.arm[1].u") torque = value.value;
    const std::string controller = fmt::format(
        "controller arms\nparameter K = 2\n"
        "command [robot.arm[1].u, robot.arm[2].u, robot.arm[3].u] = [{0:.17g}, {0:.17g}, {0:.17g}] "
        "- "
        "K*[robot.arm[1].q[1], robot.arm[2].q[1], robot.arm[3].q[1]]\n",
        torque);
    LocusOptions gain;
    gain.over = {"arms.K", 0.1, 2, 9};
    const RootLocus found = locus(load_text(robot + controller, "held", with("arms")), gain);
    ASSERT_EQ(found.stability.size(), 2u);
    EXPECT_EQ(found.stability[0].stability, "unstable");
    EXPECT_EQ(found.stability[1].stability, "asymptotically stable");
    EXPECT_NEAR(found.stability[1].from, c.lowest, printed(10) + located * c.lowest);
  }
}

class ElevatorLoop : public testing::Test {
 protected:
  static Model model(bool controlled) {
    LoadOptions options;
    if (controlled) options.controllers = {"lead"};
    options.model = "elevator_cable_servo";
    return load(library("elevator_cable/elevator_cable.daedal"), options);
  }
};

TEST_F(ElevatorLoop, has_the_poles_and_the_largest_gain_of_the_recomputation) {
  const Analysis loop = analyse(model(true));
  using C = std::complex<double>;
  for (const C pole :
       {C(-0.005372839102, 1.014852526), C(-0.002882827414, 1.715138483),
        C(-0.0118619653, 2.507091444), C(-0.5508470675, 0.5570566941), C(-5.005547672, 0)}) {
    double nearest = 1;
    for (const C found : loop.poles) nearest = std::min(nearest, std::abs(found - pole));
    EXPECT_LE(nearest, recomputed) << pole;
  }
  LocusOptions gain;
  gain.over = {"lead.gain", 0.1, 6, 6};
  const RootLocus found = locus(model(true), gain);
  ASSERT_EQ(found.stability.size(), 2u);
  EXPECT_NEAR(found.stability[0].to, 4.8097154054, printed(10) + located);
  ASSERT_EQ(loop.margins.size(), 1u);
  EXPECT_NEAR(0.19 * *loop.margins[0].highest_gain, 4.8097154054, printed(10) + located);
}

TEST_F(ElevatorLoop, acts_through_the_recomputed_frequency_response) {
  // car and sway against the command: sway/car is what the compensator was found from
  AnalyseOptions options;
  options.outputs = {"sway", "car_y"};
  struct Point {
    double w, real, imaginary;
  };
  for (const Point& p : {Point{0.8, 0.34701150708387685, 0.005154140599330402},
                         Point{1.0, 2.9494155385078717, -0.038509809516657965},
                         Point{1.2, -0.06951089637152041, -0.00134501220931376}}) {
    options.response = Grid{p.w, 2 * p.w, 2};
    const Analysis open = analyse(model(false), options);
    const auto at = [&](const char* part) { return open.response.column(part)[0]; };
    const std::complex<double> sway(at("Re sway/r"), at("Im sway/r")),
        car(at("Re car_y/r"), at("Im car_y/r")), g = sway / car;
    EXPECT_NEAR(g.real(), p.real, recomputed) << p.w;
    EXPECT_NEAR(g.imag(), p.imaginary, recomputed) << p.w;
  }
}

// From rest, the building shaken for 50 s, then the controller. DOP853 of the recomputation and rk45 here at 1e-9 in each of 1600 steps.
TEST_F(ElevatorLoop, moves_as_recomputed) {
  constexpr double rest = 2.171757157612684, tolerance = 1e-6;
  for (const bool controlled : {false, true}) {
    const char* const experiment = controlled ? "controlled" : "free";
    const Model loaded = model(false);
    const auto stated =
        std::ranges::find(loaded.experiments(), experiment, &model::Experiment::name);
    ASSERT_NE(stated, loaded.experiments().end());
    SimulateOptions options;
    options.until = 100;
    options.every = 10;
    options.start = solve::StartValues::equilibrium;  // as the experiments
    const Simulation run = simulate(loaded.in(*stated), options);
    const auto at = [&](const char* column, std::size_t row) {
      return run.table()->column(column)[row];
    };
    EXPECT_NEAR(at("sway", 5) - rest, -0.4167963070, tolerance);
    EXPECT_NEAR(at("sway", 6) - rest, controlled ? 0.1724074413 : 0.1676503371, tolerance);
    EXPECT_NEAR(at("sway", 10) - rest, controlled ? -0.2148712251 : -0.2604221639, tolerance);
    EXPECT_NEAR(at("car_y", 6), controlled ? 0.0488967338 : 0, tolerance);
  }
}

// Over the whole time that the source gives the compensator; half of peak to peak, printed to four digits, from rows 0.1 s apart.
TEST_F(ElevatorLoop, sways_three_quarters_less_Slow) {
  // Four digits are printed; between rows a sine of 1 rad/s is larger by (0.05)^2/2 of it.
  const auto four_digits = [](double value) { return 0.5e-4 + 2e-3 * value; };
  const auto sway = [&](const char* experiment) {
    const auto run = daedal::run(model(false), experiment);
    EXPECT_TRUE(run->holds) << run->reason;
    const std::vector<double> t = run->table()->column("t"), x = run->table()->column("sway");
    double low = x.back(), high = x.back();
    for (std::size_t k = 0; k < t.size(); ++k)
      if (t[k] >= 340) low = std::min(low, x[k]), high = std::max(high, x[k]);
    double car = 0;
    for (const double y : run->table()->column("car_y")) car = std::max(car, std::abs(y));
    return std::pair((high - low) / 2, car);
  };
  const auto [freely, still] = sway("free");
  const auto [damped, moved] = sway("controlled");
  EXPECT_NEAR(freely, 0.4074, four_digits(0.4074));      // and between rows
  EXPECT_NEAR(damped, 0.0990, four_digits(0.0990));      // and between rows
  EXPECT_NEAR(100 * (1 - damped / freely), 75.7, 0.25);  // [%], of those bounds
  EXPECT_LT(still, 1e-9);                                // [m]: nothing moves the car
  EXPECT_NEAR(moved, 0.0621, four_digits(0.0621));       // and between rows
}

}  // namespace
}  // namespace daedal::test
