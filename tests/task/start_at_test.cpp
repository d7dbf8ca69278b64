// Motions that start at rest or at an equilibrium, whatever velocities the model states.
#include "daedal/task/model.hpp"
#include "daedal/task/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace daedal {
inline namespace task {
namespace {

const std::string pendulum = R"(model pendulum
parameter m = 1 [kg], L = 2 [m], g = 9.81 [m/s^2]
coordinate phi = 0.5 [rad]
initial phi' = 3 fixed
input u [N*m]
torque u about phi
kinetic m*L^2/2*phi'^2
potential -m*g*L*cos(phi)
experiment still: simulate(until = 1, start = rest)
experiment hanging: simulate(until = 1, start = equilibrium)
)";

double value(const Simulation& run, std::size_t row, const std::string& column) {
  return run.trajectory.table.at(row, run.trajectory.table.find(column).value());
}

/// The largest acceleration that the equations give at the start.
double largest_top(const Simulation& run) {
  double largest = 0;
  for (std::uint32_t i = 0; i < run.problem.tops; ++i) {
    const expr::Leaf leaf = run.problem.layout.leaf(run.problem.top_position(i));
    if (leaf.order == 2) largest = std::max(largest, std::abs(run.start.tops[i]));
  }
  return largest;
}

TEST(StartAt, rest_keeps_the_position_and_forgets_the_velocity) {
  const auto answer = run(load_text(pendulum), "still");
  const auto& still = dynamic_cast<const Simulation&>(*answer);
  EXPECT_EQ(value(still, 0, "phi"), 0.5);
  EXPECT_EQ(value(still, 0, "phi'"), 0.0);
  EXPECT_EQ(still.facts()[1].text, "at rest: velocities are 0, as far as the constraints allow");
}

// It hangs, and stays: cos and sin of 0 are exact.
TEST(StartAt, equilibrium_of_a_pendulum_is_where_it_hangs) {
  const auto answer = run(load_text(pendulum), "hanging");
  const auto& hanging = dynamic_cast<const Simulation&>(*answer);
  constexpr double rounding = 1e-12;  // of Newton's last step on sin(phi) = 0
  for (std::size_t row = 0; row < hanging.trajectory.table.rows(); ++row) {
    EXPECT_NEAR(value(hanging, row, "phi"), 0, rounding);
    EXPECT_NEAR(value(hanging, row, "phi'"), 0, rounding * std::sqrt(9.81 / 2));
  }
  ASSERT_EQ(hanging.start.moves.size(), 1u);
  EXPECT_EQ(hanging.start.moves[0].name, "phi");
  EXPECT_EQ(hanging.start.moves[0].from, 0.5);
  EXPECT_TRUE(hanging.facts()[1].text.starts_with(
      "1 value moved to the nearest equilibrium:\n  phi 0.5 -> "))
      << hanging.facts()[1].text;
}

// Under a constant torque u it hangs at sin(phi) = u/(m g L); the input keeps its signal in the run.
TEST(StartAt, equilibrium_is_that_of_the_inputs_at_the_start) {
  const Model model = load_text(pendulum).with({.inputs = {{"u", "3 + max(t - 10, 0)"}}});
  const Simulation held = simulate(model, {.until = 1, .start = solve::StartValues::equilibrium});
  constexpr double rounding = 1e-12;
  EXPECT_NEAR(value(held, 0, "phi"), std::asin(3 / (9.81 * 2)), rounding);
  EXPECT_EQ(value(held, 0, "u"), 3.0);
}

TEST(StartAt, equilibrium_of_a_fourbar_has_no_accelerations) {
  const Model model = load(DAEDAL_SOURCE_DIR "/models/fourbar/fourbar.daedal");
  for (const std::string formulation : {"projection", "index1", "hamilton"}) {
    const Simulation still = simulate(model, {.until = 0.1,
                                              .formulation = formulation,
                                              .start = solve::StartValues::equilibrium,
                                              .global_error = false});
    // accelerations of g = 9.81 m/s^2 that cancel, over condition numbers of some 10
    constexpr double rounding = 1e-12;
    EXPECT_LE(largest_top(still), rounding) << formulation;
    EXPECT_LE(still.trajectory.constraints.largest, rounding) << formulation;
  }
}

// p = 1/(1 - t): 10 s are never reached, and a pressure is no position.
TEST(Summary, of_a_run_that_stopped_says_the_time_it_reached) {
  const Simulation run =
      simulate(load_text("model blow\nvariable p = 1\nequation p' = p^2\n"), {.until = 10});
  EXPECT_FALSE(run.holds);
  std::string method, error;
  for (const Fact& fact : run.facts()) {
    if (fact.name == "method") method = fact.text;
    if (fact.name == "error") error = fact.text;
  }
  EXPECT_TRUE(method.starts_with("rk45 with projection, tolerance 1e-09: 0.99 of 10 s in "))
      << method;
  EXPECT_TRUE(error.starts_with("variable ")) << error;
}

TEST(StartAt, a_model_without_equilibrium_says_so) {
  const Model falls =
      load_text("model falls\ncoordinate y\nkinetic y'^2/2\npotential 9.81*y\n", "falls");
  try {
    simulate(falls, {.until = 1, .start = solve::StartValues::equilibrium});
    FAIL() << "an equilibrium was found";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.diagnostics().front().message,
              "model 'falls': no equilibrium near the start values");
  }
}

}  // namespace
}  // namespace task
}  // namespace daedal
