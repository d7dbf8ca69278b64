// disturbance_observer: estimates of a constant disturbance follow 1 - e^(-w t), however the mechanism moves.
#include "daedal/task/check.hpp"
#include "daedal/task/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using testing::HasSubstr;

constexpr double accurate = 1e-9;  // runs with a tolerance of 1e-12 of a step

Simulation run_of(const std::string& text, double until,
                  const std::map<std::string, std::string>& plant) {
  LoadOptions load;
  load.controllers = {"c"};
  load.plant = plant;
  SimulateOptions options;
  options.until = until;
  options.tolerance = 1e-12;
  return simulate(load_text(text, "model.daedal", load), options);
}

const std::string crane =
    "model crane\nparameter m = 1, M = 2, l = 0.5, g = 9.81, load = 0\n"
    "coordinate x, theta = 0.5\nlet bob = [x + l*sin(theta), -l*cos(theta)]\n"
    "kinetic M/2*x'^2 + m/2*dot(bob', bob')\npotential m*g*bob[2]\ndissipation 0.1*x'^2\n"
    "input u\nforce u + load on x\n";

// The bob swings, the masses couple both coordinates: the estimate of a load of 2 N does not see it.
TEST(DisturbanceObserver, of_a_swinging_mechanism_is_a_first_order_lag) {
  const std::string text = crane +
                           "controller c\nlet d = disturbance_observer(bandwidth = 5)\n"
                           "command u = sin(7*t) - x\noutput seen = d\n";
  const Simulation run = run_of(text, 2, {{"load", "2"}});
  const std::vector<double> t = run.table()->column("t"), seen = run.table()->column("c.seen");
  for (std::size_t k = 0; k < t.size(); ++k)
    EXPECT_NEAR(seen[k], 2 * (1 - std::exp(-5 * t[k])), accurate) << t[k];
}

// Two inputs that both push both coordinates.
TEST(DisturbanceObserver, tells_inputs_apart) {
  const std::string text =
      "model two\nparameter p = 0, q = 0\ncoordinate x = 0.3, y = -0.2\n"
      "kinetic (1 + x^2)*x'^2 + x'*y' + y'^2\npotential sin(x)*y\ninput u, w\n"
      "force u + p + w + q on x\nforce u + p - 2*(w + q) on y\n"
      "controller c\nlet d = disturbance_observer(bandwidth = 3)\n"
      "command [u, w] = [-x, y] - d\noutput of_u = d[1], of_w = d[2]\n";
  const Simulation run = run_of(text, 2, {{"p", "0.5"}, {"q", "-0.25"}});
  const std::vector<double> t = run.table()->column("t"), u = run.table()->column("c.of_u"),
                            w = run.table()->column("c.of_w");
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double share = 1 - std::exp(-3 * t[k]);
    EXPECT_NEAR(u[k], 0.5 * share, accurate) << t[k];
    EXPECT_NEAR(w[k], -0.25 * share, accurate) << t[k];
  }
}

// With a clock rates are taken at samples: of order 1 on the way, exact at rest.
TEST(DisturbanceObserver, with_a_clock_is_exact_at_rest) {
  const std::string text = crane +
                           "controller c every 10 ms\nlet d = disturbance_observer(bandwidth = 5)\n"
                           "command u = lqr(Q = 1, R = 1, at = rest(x = 0, theta = 0)) - d\n";
  const Simulation run = run_of(text, 60, {{"load", "2"}});
  ASSERT_TRUE(run.holds) << run.reason;
  const double remains = 1e-6;  // of the start: the slowest mode, 0.25 1/s, has decayed to e^-15
  EXPECT_NEAR(run.table()->column("x").back(), 0, remains);
  EXPECT_NEAR(run.table()->column("u").back(), -2, remains);
}

// A load on a cart, once with the angle and once with a constraint, while it swings: the estimate of a constant force is that of the
// law, whatever the coordinates, and without a reaction in it.
TEST(DisturbanceObserver, is_the_same_in_redundant_coordinates) {
  const std::string head =
                        "model m\nparameter m = 1, M = 2, l = 0.5, g = 9.81, load = 0\ninput "
                        "u\nforce u + load on x\n",
                    law =
                        "controller c\nlet d = disturbance_observer(bandwidth = 3)\n"
                        "output estimate = d\ncommand u = 0.4*sin(3*t)\n";
  const std::string minimal = head +
                              "coordinate x, phi = 0.8\nlet p = [x + l*sin(phi), -l*cos(phi)]\n"
                              "kinetic M/2*x'^2 + m/2*dot(p', p')\npotential m*g*p[2]\n" +
                              law,
                    redundant = head +
                                "coordinate x, X = l*sin(0.8), Z = -l*cos(0.8)\n"
                                "kinetic M/2*x'^2 + m/2*(X'^2 + Z'^2)\npotential m*g*Z\n"
                                "constraint rod: (X - x)^2 + Z^2 = l^2\n" +
                                law;
  const double accurate = 1e-8;  // of runs with tolerance 1e-11 over a few swings
  std::vector<double> first;
  for (const std::string& text : {minimal, redundant}) {
    const Simulation run = run_of(text, 4, {{"load", "2"}});
    ASSERT_TRUE(run.holds) << run.reason;
    const std::vector<double> t = run.table()->column("t"),
                              estimate = run.table()->column("c.estimate");
    for (std::size_t k = 0; k < t.size(); ++k)
      EXPECT_NEAR(estimate[k], 2 * (1 - std::exp(-3 * t[k])), accurate) << t[k];
  }
}

TEST(DisturbanceObserver, refuses_inputs_that_it_cannot_tell_apart) {
  const auto fault = [](const std::string& model) {
    try {
      check(load_text(model, "model.daedal", {.controllers = {"c"}}));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  EXPECT_THAT(fault("model m\ncoordinate x\nkinetic x'^2/2\ninput u, w\nforce u + w on x\n"
                    "controller c\ncommand [u, w] = -disturbance_observer(bandwidth = 1)\n"),
              HasSubstr("two inputs act in the same way"));
  EXPECT_THAT(fault("model m\ncoordinate x = 0, y = -1\nkinetic x'^2 + y'^2\nvariable q\n"
                    "equation q' = x\ninput u\nforce u on x\ncontroller c\n"
                    "command u = -disturbance_observer(bandwidth = 1)\n"),
              HasSubstr("this law needs a model without variables, and model 'm' has 'q'"));
  EXPECT_THAT(fault("model m\ncoordinate x = 0, y = 0\nkinetic x'^2 + y'^2\n"
                    "constraint wheel: x'*cos(t) + y'*sin(t) = 0\ninput u\nforce u on x\n"
                    "controller c\ncommand u = -disturbance_observer(bandwidth = 1)\n"),
              HasSubstr("this law needs constraints of positions, and 'wheel' of model 'm' "
                        "contains 'x''"));
}

}  // namespace
}  // namespace task
}  // namespace daedal
