// Controllers that cannot work: the whole text of what is said, one small faulty model each.
#include "daedal/task/check.hpp"
#include "daedal/task/simulate.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace daedal {
inline namespace task {
namespace {

const std::string mass = "model m\ncoordinate x\nkinetic x'^2\ninput u\nforce u on x\n";

std::string said_about(const std::string& text,
                       const std::map<std::string, std::string>& plant = {}) {
  try {
    LoadOptions load;
    load.controllers = {"c"};
    load.plant = plant;
    const Model model = load_text(text, "model.daedal", load);
    if (!model.warnings().empty()) return render(model.warnings().front());
    SimulateOptions options;
    options.until = 10;
    return simulate(model, options).reason;
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(BadControllers, clock_that_is_faster_than_a_run_can_step) {
  EXPECT_EQ(said_about(mass + "controller c every 0.001 us\ncommand u = -x\n"),
            "model.daedal:6:12: error: controller 'c' has 1e+10 samples in 10 s\n"
            "    controller c every 0.001 us\n"
            "               ^\n"
            "  help: choose a longer period; 1e8 samples are the most");
}

TEST(BadControllers, state_that_the_plant_does_not_have) {
  EXPECT_EQ(said_about("model m\nsize N = 2\ncoordinate x[1..N]\nkinetic sum(k in 1..N: x[k]'^2)\n"
                       "potential sum(k in 2..N: (x[k] - x[k-1])^2)\ninput u\nforce u on x[1]\n"
                       "controller c\ncommand u = lqr(Q = 1, R = 1)\n",
                       {{"N", "1"}}),
            "model.daedal:9:13: error: the plant has no 'x[2]'\n"
            "    command u = lqr(Q = 1, R = 1)\n"
            "                ^~~~~~~~~~~~~~~~~");
}

TEST(BadControllers, measurement_that_is_not_a_number) {
  EXPECT_EQ(said_about(mass + "controller c every 100 ms\nmeasure s = sqrt(0.25 - t)\n"
                              "command u = s\n"),
            "stopped at t = 0.3 s: controller 'c': the measurement 's' is not a number at its "
            "sample 3");
}

TEST(BadControllers, weights_of_commands_that_are_singular) {
  EXPECT_EQ(said_about(mass + "controller c\ncommand u = lqr(Q = 1, R = 0)\n"),
            "model.daedal:7:13: error: lqr: `R` has the eigenvalue 0: the cost has no minimum\n"
            "    command u = lqr(Q = 1, R = 0)\n"
            "                ^~~~~~~~~~~~~~~~~\n"
            "  help: weights of inputs and of integrals are positive definite");
}

TEST(BadControllers, weights_of_states_that_are_negative) {
  EXPECT_EQ(said_about(mass + "controller c\ncommand u = lqr(Q = [1, -2], R = 1)\n"),
            "model.daedal:7:13: error: lqr: `Q` has the eigenvalue -2: the cost has no minimum\n"
            "    command u = lqr(Q = [1, -2], R = 1)\n"
            "                ^~~~~~~~~~~~~~~~~~~~~~~\n"
            "  help: weights of states are positive semidefinite");
}

TEST(BadControllers, pair_that_no_feedback_stabilises) {
  EXPECT_EQ(
      said_about("model m\ncoordinate x, y\nkinetic x'^2 + y'^2/2\npotential -2*y^2\ninput u\n"
                 "force u on x\ncontroller c\ncommand u = lqr(Q = 1, R = 1)\n"),
      "model.daedal:8:13: error: lqr: model 'm': u does not affect the mode 2 1/s, in which "
      "y moves: no feedback stabilises it\n"
      "    command u = lqr(Q = 1, R = 1)\n"
      "                ^~~~~~~~~~~~~~~~~\n"
      "  help: command more inputs, damp that motion, or leave it out of the model");
}

TEST(BadControllers, measurement_that_depends_on_the_command_without_delay) {
  EXPECT_EQ(said_about(mass + "controller c\nmeasure x, x', x''\ncommand u = -x - x' - 3*x''\n"),
            "model.daedal:8:13: warning: controller 'c': its command 'u' depends without delay on "
            "'x''', and that on the command: an algebraic loop\n"
            "    command u = -x - x' - 3*x''\n"
            "                ^~~~~~~~~~~~~~~\n"
            "  help: a filter or a clock breaks it:  measure lowpass(..., 0.01)");
}

// Two outputs are prescribed by one input: there is no inverse motion, and a law that holds a rest needs none.
TEST(BadControllers, law_about_a_motion_that_does_not_exist) {
  EXPECT_EQ(said_about("model m\ncoordinate x, y\nkinetic x'^2 + y'^2\npotential (x - y)^2\n"
                       "input u\nforce u on x\nservo x = rest_to_rest(t, smoothness = 4)\n"
                       "servo y = rest_to_rest(t, smoothness = 4)\n"
                       "controller c\ncommand u = lqr(Q = 1, R = 1)\n"),
            "model.daedal:10:13: error: path: model 'm' has 2 servo-constraints for 1 input, so it "
            "cannot be inverted\n"
            "    command u = lqr(Q = 1, R = 1)\n"
            "                ^~~~~~~~~~~~~~~~~\n"
            "  servo-constraints: servo1, servo2\n"
            "  inputs: u\n"
            "  help: every entry of a servo is one servo-constraint: drop one, or add an input; a "
            "law that holds a rest needs no path:  reference = rest(...)");
}

}  // namespace
}  // namespace task
}  // namespace daedal
