// sliding_mode against the numbers of [Druecker2022, (3.99) to (3.112)], recomputed independently (Python, mpmath), against the law
// written out by hand, and by what the law promises: sigma' = -kappa sat(sigma/width).
#include "daedal/task/check.hpp"
#include "daedal/task/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using testing::HasSubstr;

/// A crane in generalised coordinates, `ahead` seconds into its plan at t = 0.
std::string crane(const std::string& ahead, const std::string& added) {
  return "model crane\n"
         "parameter m = 12.9, g = 9.81, tau_T = 0.03, tau_L = 0.02, share = 1\n"
         "coordinate x_T = 15, L = 4, phi = 0\n"
         "let load = [x_T + L*sin(phi), L*cos(phi)]\n"
         "kinetic m/2*dot(load', load')\npotential -m*g*load[2]\ninput u_T, u_L\n"
         "let given = share*u_T\n"
         "drive x_T by given velocity(lag = tau_T)\ndrive L by u_L velocity(lag = tau_L)\n"
         "output z = load\n"
         "servo z = line([15, 4], [11, 7], rest_to_rest((t + " +
         ahead + ")/10, smoothness = 4))\n" + added;
}

const std::string surface = "Theta = [1, 0, 1.5; 0, 1, 0], Lambda = [0.5, 0, -5; 0, 0.5, 0]";

Simulation run_of(const std::string& text, const std::string& controller, double until,
                  const std::map<std::string, std::string>& starts,
                  const std::map<std::string, std::string>& plant = {}) {
  LoadOptions load;
  load.controllers = {controller};
  load.starts = starts;
  load.plant = plant;
  SimulateOptions options;
  options.until = until;
  options.tolerance = 1e-12;
  return simulate(load_text(text, "crane.daedal", load), options);
}

// At 2.5 s of the plan, in the state (15.2, 4.1, 0.05, -0.3, 0.2, 0.04).
TEST(SlidingMode, has_the_inputs_of_the_reference) {
  const std::string text = crane(
      "2.5", "controller c\ncommand [u_T, u_L] = sliding_mode(" + surface +
                 ", kappa = 1, width = 1)\n"
                 "output s1 = x_T' - path.x_T' + 0.5*(x_T - path.x_T) + 1.5*(phi' - path.phi') "
                 "- 5*(phi - path.phi)\n"
                 "output s2 = L' - path.L' + 0.5*(L - path.L)\n");
  const Simulation run = run_of(text, "c", 0.01,
                                {{"x_T", "15.2"},
                                 {"L", "4.1"},
                                 {"phi", "0.05"},
                                 {"x_T'", "-0.3"},
                                 {"L'", "0.2"},
                                 {"phi'", "0.04"}});
  const Table& table = *run.table();
  const double accurate = 1e-9;  // the reference has ten decimals and is computed to nine digits
  EXPECT_NEAR(table.column("u_T").front(), -0.3158023123, accurate);
  EXPECT_NEAR(table.column("u_L").front(), 0.2065205558, accurate);
  EXPECT_NEAR(table.column("c.s1").front(), 0.3109290584, accurate);
  EXPECT_NEAR(table.column("c.s2").front(), -0.0604339643, accurate);
}

// Masses couple a driven coordinate and a free one from both sides, where the printed (3.106) is wrong: a cart with a pendulum,
// pushed. Outside of its layer sigma falls with the rate kappa, inside it decays like e^(-kappa t/width).
TEST(SlidingMode, reaches_its_layer_when_the_law_says) {
  const std::string text =
      "model cart\nparameter m = 1, M = 2, l = 0.5, g = 9.81\ncoordinate x, theta = 0.2\n"
      "let bob = [x + l*sin(theta), -l*cos(theta)]\n"
      "kinetic M/2*x'^2 + m/2*dot(bob', bob')\npotential m*g*bob[2]\ninput u\nforce u on x\n"
      "controller c\n"
      "command u = sliding_mode(Theta = [1, 0.1], Lambda = [1, 0], kappa = 1, width = 0.01, "
      "reference = [0.5, 0, 0, 0])\n"
      "output sigma = x' + 0.1*theta' + x - 0.5\n";
  const Simulation run = run_of(text, "c", 1, {});
  const std::vector<double> sigma = run.table()->column("c.sigma"), t = run.table()->column("t");
  const double reached = 0.5 - 0.01;  // |sigma(0)| less the width, with the rate 1
  const double accurate = 1e-8;  // tolerance 1e-12 of steps, restarted at the edge of the layer
  for (std::size_t k = 0; k < t.size(); ++k) {
    const double wanted = t[k] < reached ? -0.5 + t[k] : -0.01 * std::exp(-(t[k] - reached) / 0.01);
    EXPECT_NEAR(sigma[k], wanted, accurate) << t[k];
  }
}

// Two inputs that push the same two masses: M_s is full, and Cramer's rule solves it.
TEST(SlidingMode, with_coupled_inputs_keeps_its_promise) {
  const std::string text =
      "model two\ncoordinate x = 0.3, y = -0.2\nkinetic x'^2 + x'*y' + y'^2\n"
      "potential sin(x)*y\ninput u, w\nforce u + w on x\nforce u - 2*w on y\n"
      "controller c\n"
      "command [u, w] = sliding_mode(Theta = [1, 0.5; 0.2, 1], Lambda = [1, 0; 0, 2], "
      "kappa = [1, 2], width = [0.1, 0.5], reference = [0, 0, 0, 0])\n"
      "output s1 = x' + 0.5*y' + x, s2 = 0.2*x' + y' + 2*y\n";
  const Simulation run = run_of(text, "c", 0.15, {});
  const std::vector<double> s1 = run.table()->column("c.s1"), s2 = run.table()->column("c.s2"),
                            t = run.table()->column("t");
  const double accurate = 1e-9;  // tolerance 1e-12 of steps
  for (std::size_t k = 0; k < t.size(); ++k) {
    EXPECT_NEAR(s1[k], 0.3 - t[k], accurate);  // outside of its layer until 0.2 s
    EXPECT_NEAR(s2[k], -0.4 * std::exp(-4 * t[k]), accurate);
  }
}

// An actuator that is 5 % weaker than the model says: the layer holds what it can, and its width is the error that stays.
TEST(SlidingMode, is_robust_only_outside_of_its_layer) {
  const auto largest = [](const std::string& width) {
    const std::string text =
        crane("0", "controller c\ncommand [u_T, u_L] = sliding_mode(" + surface +
                       ", kappa = 1, width = " + width +
                       ")\noutput s1 = x_T' - path.x_T' + 0.5*(x_T - path.x_T) + 1.5*(phi' - "
                       "path.phi') - 5*(phi - path.phi)\n");
    const Simulation run = run_of(text, "c", 10, {}, {{"share", "0.95"}});
    double most = 0;
    for (const double s : run.table()->column("c.s1")) most = std::max(most, std::abs(s));
    return most;
  };
  // sigma settles where the gain 1/width makes up for the missing force: in proportion to the width
  const double wide = largest("0.5"), narrow = largest("0.05");
  EXPECT_GT(wide / narrow, 5);
}

std::string fault_of(const std::string& law) {
  const std::string text =
      "model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential (x - y)^2\ninput u\n"
      "force u on x\ncontroller c\ncommand u = " +
      law + "\n";
  try {
    check(load_text(text, "model.daedal", {.controllers = {"c"}}));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(SlidingMode, refuses_what_is_no_surface) {
  EXPECT_THAT(fault_of("sliding_mode(Theta = [1, 0, 0], Lambda = [1, 0], kappa = 1, width = 1)"),
              HasSubstr("'Theta' of sliding_mode is a vector of 3, not a 1 x 2 matrix"));
  EXPECT_THAT(fault_of("sliding_mode(Theta = [0, 1], Lambda = [1, 0], kappa = 1, width = 1)"),
              HasSubstr("the inputs do not affect every row of the surface"));
  EXPECT_THAT(fault_of("sliding_mode(Theta = [1, 0], Lambda = [1, 0], kappa = [1, 1], width = 1)"),
              HasSubstr("'kappa' of sliding_mode has 2 entries for 1 inputs"));
  EXPECT_THAT(fault_of("sliding_mode(Theta = [1, 0], kappa = 1, width = 1)"),
              HasSubstr("sliding_mode needs 'Lambda'"));
}

// A rod on a cart, once with its angle alone and once with the positions of its centre and two constraints. Surface, law and motion
// are the same.
TEST(SlidingMode, is_the_same_in_redundant_coordinates) {
  const std::string head =
      "model m\nparameter m = 1, M = 2, l = 0.5, g = 9.81\ninput F\nforce F on x\n"
      "kinetic m*l^2/6*phi'^2\n";
  const std::string minimal = head +
                              "coordinate x, phi = 0.1\nlet p = [x + l*sin(phi), -l*cos(phi)]\n"
                              "kinetic M/2*x'^2 + m/2*dot(p', p')\npotential m*g*p[2]\n",
                    redundant = head +
                                "coordinate x, phi = 0.1, X = l*sin(0.1), Z = -l*cos(0.1)\n"
                                "kinetic M/2*x'^2 + m/2*(X'^2 + Z'^2)\npotential m*g*Z\n"
                                "constraint across: X = x + l*sin(phi)\n"
                                "constraint down: Z = -l*cos(phi)\n";
  const auto law = [](const std::string& zeros) {
    return "controller c\ncommand F = sliding_mode(Theta = [1, -0.2" + zeros +
           "], Lambda = [1, -1.5" + zeros + "], kappa = 2, width = 0.1, reference = rest(x = 1))\n";
  };
  const Simulation one = run_of(minimal + law(""), "c", 4, {}),
                   two = run_of(redundant + law(", 0, 0"), "c", 4, {});
  ASSERT_TRUE(one.holds) << one.reason;
  ASSERT_TRUE(two.holds) << two.reason;
  const double accurate = 1e-8;  // of runs with tolerance 1e-12 over 4 s
  for (const char* column : {"x", "phi", "F"}) {
    const std::vector<double> first = one.table()->column(column),
                              second = two.table()->column(column);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t k = 0; k < first.size(); ++k)
      EXPECT_NEAR(first[k], second[k], accurate) << column << ", row " << k;
  }
}

TEST(SlidingMode, refuses_a_coordinate_that_is_no_state) {
  try {
    load_text(
        "model m\ncoordinate x, phi = 0.1, X = 0.5*sin(0.1), Z = -0.5*cos(0.1)\n"
        "kinetic x'^2 + (X'^2 + Z'^2)/2\npotential 9.81*Z\ninput F\nforce F on x\n"
        "constraint across: X = x + 0.5*sin(phi)\nconstraint down: Z = -0.5*cos(phi)\n"
        "controller c\ncommand F = sliding_mode(Theta = [1, 0, 0, 0], Lambda = [1, 0, 0, 0], "
        "kappa = 2, width = 0.1)\n",
        "model.daedal", {.controllers = {"c"}});
    FAIL() << "an angle without mass";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("sliding_mode: 'phi' has neither a mass nor a drive, and is "
                          "no state of model 'm'"));
  }
}

// x'' = u + (F_s = 0), sigma = x' + 2 (x - 1): u = -2 x' - kappa sign(sigma), and a sample of 10 ms moves sigma by kappa T = 0.03.
TEST(SlidingMode, that_switches_stays_within_what_a_sample_does) {
  const std::string mass =
      "model m\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\ncontroller c every 10 ms\n"
      "output sigma = x' + 2*(x - 1)\ncommand u = sliding_mode(Theta = [1], Lambda = [2], "
      "kappa = 3, reference = rest(x = 1), width = ";
  const auto switches = [&](const std::string& width, double& largest) {
    const Simulation run = run_of(mass + width + ")\n", "c", 4, {});
    EXPECT_TRUE(run.holds) << run.reason;
    const std::vector<double> t = run.table()->column("t"), sigma = run.table()->column("c.sigma"),
                              u = run.table()->column("u");
    int count = 0;
    largest = 0;
    for (std::size_t k = 1; k < t.size(); ++k) {
      if (t[k] < 1) continue;  // |sigma(0)| = 2 takes 2/3 s
      largest = std::max(largest, std::abs(sigma[k]));
      if (std::abs(u[k] - u[k - 1]) > 3) ++count;
    }
    return count;
  };
  double largest = 0;
  const double sample = 0.03;
  EXPECT_GE(switches("0", largest), 250);  // of 300 samples
  EXPECT_LE(largest, 1.1 * sample);        // and what x' changes within a sample: 2 T of it
  EXPECT_EQ(switches("0.03", largest), 0);
  EXPECT_LE(largest, 0.1 * sample);
}

TEST(SlidingMode, proposes_a_boundary_layer_where_it_switches) {
  const auto text_of = [](const std::string& clock, const std::string& width) {
    return "model m\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\ncontroller c" + clock +
           "\ncommand u = sliding_mode(Theta = [1], Lambda = [2], kappa = 3, width = " + width +
           ")\n";
  };
  const auto warnings = [&](const std::string& width) {
    return load_text(text_of(" every 10 ms", width), "model.daedal", {.controllers = {"c"}})
        .warnings();
  };
  ASSERT_EQ(warnings("0.01").size(), 1u);
  EXPECT_EQ(warnings("0.01")[0].message,
            "sliding_mode: a sample of 0.01 s moves sigma by 0.03, and the boundary layer is 0.01 "
            "wide: the command switches to and fro, and sigma stays between -0.03 and 0.03");
  EXPECT_EQ(warnings("0.01")[0].help,
            "write  width = 0.03  or more, which no sample jumps over, or a shorter period");
  EXPECT_TRUE(warnings("0.03").empty());
  try {
    load_text(text_of("", "0"), "model.daedal", {.controllers = {"c"}});
    FAIL() << "a continuous command that switches";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("sliding_mode with width = 0 switches, and without a clock its command "
                          "has no value on the surface"));
  }
}

}  // namespace
}  // namespace task
}  // namespace daedal
