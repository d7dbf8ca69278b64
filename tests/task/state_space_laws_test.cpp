// pole_placement and lqi in controller blocks: poles of the loop, errors that vanish on a plant that is not the model.
#include "daedal/control/sampled.hpp"
#include "daedal/pencil/riccati.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/simulate.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using Complex = std::complex<double>;
using testing::HasSubstr;

const std::string cart =
    "model cart\nparameter m = 1, M = 2, l = 0.5, g = 9.81, friction = 0\n"
    "coordinate x, theta = 0.1\n"
    "let bob = [x + l*sin(theta), l*cos(theta)]\nkinetic M/2*x'^2 + m/2*dot(bob', bob')\n"
    "potential m*g*bob[2]\ninput u\nforce u - friction on x\noutput tip = bob[1]\n";

Model with(const std::string& law, const std::string& clock = "", const std::string& more = "") {
  return load_text(cart + "controller c" + clock + "\n" + more + "command u = " + law + "\n",
                   "model.daedal", {.controllers = {"c"}});
}

double distance(const std::vector<Complex>& poles, Complex from) {
  double least = INFINITY;
  for (const Complex p : poles) least = std::min(least, std::abs(p - from));
  return least;
}

// Simple poles, apart by more than 1, of a loop of order 1 to 10.
constexpr double rounding = 1e-11;

TEST(StateSpaceLaws, pole_placement_gives_the_poles_asked_for) {
  const Analysis found =
      analyse(with("pole_placement(poles = [-1, -2], pairs = [-3, 2], reference = rest(x = 1))"));
  std::vector<Complex> poles(found.poles.begin(), found.poles.end());
  ASSERT_EQ(poles.size(), 4u);
  for (const Complex pole : {Complex(-1), Complex(-2), Complex(-3, 2), Complex(-3, -2)})
    EXPECT_LE(distance(poles, pole), rounding) << pole;
}

// The upright pole moves as the linear loop near rest: with a clock, by powers of exp(s T).
TEST(StateSpaceLaws, pole_placement_with_a_clock_decays_as_asked) {
  SimulateOptions options;
  options.until = 20;
  options.tolerance = 1e-11;
  const Simulation run =
      simulate(with("pole_placement(poles = [-1, -2, -3, -4])", " every 20 ms"), options);
  const std::vector<double> x = run.table()->column("x"), times = run.table()->column("t");
  std::vector<double> at;
  for (const double t : {16.0, 18.0})
    for (std::size_t r = 0; r < times.size(); ++r)
      if (std::abs(times[r] - t) < 1e-9) {
        at.push_back(x[r]);
        break;
      }
  ASSERT_EQ(at.size(), 2u);
  EXPECT_NEAR(std::log(at[0] / at[1]) / 2, 1,
              1e-5);  // the mode -2 is e^-16 of it, x is known to 1e-12 of 1e-7
}

// A force that the model does not know, and a heavier bob: u_rest - F x leaves an error, its integral does not.
TEST(StateSpaceLaws, lqi_leaves_no_error_on_another_plant) {
  const std::string weights = "Q = 1, R = 1, reference = rest(x = 1)";
  const auto end_of = [&](const std::string& law, const std::string& clock, const char* column) {
    LoadOptions load;
    load.controllers = {"c"};
    load.plant = {{"m", "1.3"}, {"friction", "2"}};
    SimulateOptions options;
    options.until = 80;
    options.tolerance = 1e-11;
    const Simulation run =
        simulate(load_text(cart + "controller c" + clock + "\ncommand u = " + law + "\n",
                           "model.daedal", load),
                 options);
    EXPECT_TRUE(run.holds) << run.reason;
    return run.table()->column(column).back();
  };
  for (const std::string clock : {"", " every 20 ms"}) {
    EXPECT_GT(std::abs(end_of("lqr(" + weights + ")", clock, "x") - 1), 0.1);
    // e^(-0.4 80) of the start remains, and the tolerance of the run
    EXPECT_NEAR(end_of("lqi(" + weights + ", integral = 5, of = x)", clock, "x"), 1, 1e-9);
    EXPECT_NEAR(end_of("lqi(" + weights + ", integral = 5, of = tip)", clock, "tip"), 1, 1e-9);
    EXPECT_NEAR(end_of("lqi(" + weights + ", integral = 5, of = x, to = 1.2)", clock, "x"), 1.2,
                1e-9);
  }
}

// A load on a cable that becomes five times as long while it travels, begun a little beside the plan: no constant gains cost less
// than those along the motion.
const std::string crane =
    "model crane\nparameter m = 10, g = 9.81, tau = 0.1, tf = 6, L1 = 6\n"
    "coordinate x = 0, L = 1.2, phi = 0\n"
    "let load = [x + L*sin(phi), L*cos(phi)]\nkinetic m/2*dot(load', load')\n"
    "potential -m*g*load[2]\ninput u_x, u_L\ndrive x by u_x velocity(lag = tau)\n"
    "drive L by u_L velocity(lag = tau)\noutput z = load\n"
    "servo z = line([0, 1.2], [4, L1], rest_to_rest(t/tf, smoothness = 5))\n";

/// int |x - x_d|^2 weighted + |u - u_d|^2 weighted dt
double cost_of(const std::string& law, const std::string& clock = "") {
  const std::string text =
      crane + "controller c" + clock + "\ncommand [u_x, u_L] = path.u + " + law +
      "\noutput dx = x - path.x_DES, dp = phi - path.phi, dL = L - path.L\n"
      "output vx = x' - path.x_DES', vp = phi' - path.phi', vL = L' - path.L'\n"
      "output ux = u_x - path.u_x, uL = u_L - path.u_L\n";
  std::string own = text;
  for (std::size_t at = own.find("x_DES"); at != std::string::npos; at = own.find("x_DES"))
    own.replace(at, 5, "x");
  LoadOptions load;
  load.controllers = {"c"};
  load.starts = {{"x", "0.01"}};
  SimulateOptions options;
  options.until = 12;
  options.tolerance = 1e-10;
  options.every = 0.005;
  const Simulation run = simulate(load_text(own, "model.daedal", load), options);
  EXPECT_TRUE(run.holds) << run.reason;
  const Table& table = *run.table();
  double sum = 0;
  const std::pair<const char*, double> weights[] = {{"dx", 10}, {"dp", 10}, {"dL", 10}, {"vx", 1},
                                                    {"vp", 1},  {"vL", 1},  {"ux", 2},  {"uL", 2}};
  for (const auto& [name, weight] : weights) {
    const std::vector<double> values = table.column(std::string("c.") + name);
    for (std::size_t k = 0; k + 1 < values.size(); ++k)
      sum += weight * 0.5 * 0.005 * (values[k] * values[k] + values[k + 1] * values[k + 1]);
  }
  return sum;
}

TEST(StateSpaceLaws, gains_along_a_motion_cost_less_than_constant_ones) {
  const std::string weights = "Q = [10, 10, 10, 1, 1, 1], R = 2";
  const double along = cost_of("lqr(" + weights + ", along = path)"),
               of_start = cost_of("lqr(" + weights + ", at = rest(x = 0, L = 1.2))"),
               of_end = cost_of("lqr(" + weights + ", at = rest(x = 4, L = L1))");
  EXPECT_GT(along, 0);
  EXPECT_LT(along, of_start);
  EXPECT_LT(along, of_end);
}

// At the end, and on a motion that stands still, they are those of the rest.
TEST(StateSpaceLaws, gains_along_a_motion_that_stands_still_are_constant) {
  const auto still = [](const std::string& law) {
    std::string own = crane;
    const std::string moves = "line([0, 1.2], [4, L1], rest_to_rest(t/tf, smoothness = 5))";
    own.replace(own.find(moves), moves.size(), "[0, 1.2]");
    LoadOptions load;
    load.controllers = {"c"};
    load.starts = {{"x", "0.1"}};
    SimulateOptions options;
    options.until = 2;
    options.tolerance = 1e-11;
    return simulate(load_text(own + "controller c\ncommand [u_x, u_L] = path.u + " + law + "\n",
                              "model.daedal", load),
                    options)
        .table()
        ->column("phi");
  };
  const std::vector<double> along = still("lqr(Q = 1, R = 1, along = path)"),
                            rest = still("lqr(Q = 1, R = 1, at = rest(x = 0, L = 1.2))");
  ASSERT_GT(along.size(), 10u);
  EXPECT_NEAR(along.back(), rest.back(), 1e-9);  // two runs of tolerance 1e-11
}

// A regulator on Kalman's estimate: the factors of the whole loop, from states and estimates at samples, are those of the
// regulator and those of the filter. A force that neither knows excites both until 6 s; the filter's gain has settled then.
TEST(StateSpaceLaws, separation_of_regulator_and_filter) {
  const std::string text =
      "model unstable\ncoordinate x\nkinetic x'^2/2\npotential -x^2/2\ninput u, w\n"
      "force u on x\nforce w on x\n"
      "controller c every 100 ms\nmeasure x\n"
      "observe kalman(process = [0.05, 0.3], start = 0.1, noise = 0.2)\n"
      "command u = lqr(Q = [3, 1], R = 0.5)\n";
  SimulateOptions options;
  options.until = 8;
  options.tolerance = 1e-12;
  options.every = 0.1;
  LoadOptions load;
  load.controllers = {"c"};
  load.inputs = {{"w", "if t < 6 then 3*sin(7*t) + 2*sin(4*t) else 0"}};
  const Simulation run = simulate(load_text(text, "model.daedal", load), options);
  ASSERT_TRUE(run.holds) << run.reason;
  const Table& table = *run.table();
  const std::vector<double> times = table.column("t");
  const char* columns[] = {"x", "x'", "c.x.estimate", "c.x'.estimate"};
  Eigen::Matrix<double, 4, 5> states;
  for (int k = 0; k < 5; ++k)
    for (std::size_t r = 0; r < times.size(); ++r)
      if (std::abs(times[r] - (6.1 + 0.1 * k)) < 1e-9)
        for (int i = 0; i < 4; ++i) states(i, k) = table.column(columns[i])[r];
  const Eigen::Matrix4d step = states.rightCols<4>() * states.leftCols<4>().inverse();
  const Eigen::Vector4cd found = step.eigenvalues();

  Eigen::MatrixXd f(2, 2), g(2, 1), h(2, 1);
  f << 0, 1, 1, 0;
  g << 0, 1;
  h << 1, 0;
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(2, 1),
                        weights = Eigen::Vector2d(3, 1).asDiagonal(),
                        process = Eigen::Vector2d(0.0025, 0.09).asDiagonal();
  const feedback::Sampled s =
      feedback::sampled(f, g, {weights, Eigen::MatrixXd::Constant(1, 1, 0.5), none}, 0.1);
  std::vector<Complex> wanted = analysis::discrete_riccati({s.a, s.b, s.q, s.r, s.s}).closed;
  const std::vector<Complex> filter =
      analysis::discrete_riccati(
          {s.a.transpose(), h, process, Eigen::MatrixXd::Constant(1, 1, 0.04)})
          .closed;
  wanted.insert(wanted.end(), filter.begin(), filter.end());
  ASSERT_EQ(wanted.size(), 4u);
  // states are known to 1e-11, and the matrix of four of them in a row is inverted
  const double bound = 1e-11 * states.leftCols<4>().inverse().norm() * 10;
  for (const Complex pole : wanted)
    EXPECT_LE((found.array() - pole).abs().minCoeff(), bound) << pole;
  EXPECT_LE(bound, 1e-5) << "the states of one motion tell the modes apart";
}

TEST(StateSpaceLaws, refuse_what_is_not_meant) {
  const auto fault = [](const std::string& law) {
    try {
      check(with(law));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  EXPECT_THAT(fault("pole_placement(at = rest(x = 1))"), HasSubstr("pole_placement needs 'poles'"));
  EXPECT_THAT(fault("pole_placement(pairs = [-1, 2, 3])"),
              HasSubstr("'pairs' of pole_placement is 3 x 1"));
  EXPECT_THAT(fault("lqi(Q = 1, R = 1, integral = 1)"), HasSubstr("lqi needs 'of'"));
  EXPECT_THAT(fault("lqi(Q = 1, R = 1, of = x)"), HasSubstr("lqi needs 'integral'"));
  EXPECT_THAT(fault("lqi(Q = 1, R = 1, integral = 1, of = x'')"),
              HasSubstr("'of' of lqi contains 'x''', which is no state"));
  EXPECT_THAT(fault("lqi(Q = 1, R = 1, integral = 0, of = x)"),
              HasSubstr("lqi: integral has the eigenvalue 0"));
  EXPECT_THAT(fault("lqi(Q = 1, R = 1, integral = 1, of = [x, theta])"),
              HasSubstr("no feedback stabilises it"));
}

}  // namespace
}  // namespace task
}  // namespace daedal
