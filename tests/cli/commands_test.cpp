#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <utility>

namespace daedal::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string pendulum =
    "model pendulum\nparameter m = 1 [kg], L = 1 [m], g = 9.81\ncoordinate x = L, y = 0\nkinetic "
    "m/2*(x'^2 + y'^2)\n"
    "potential m*g*y\nconstraint rod: x^2 + y^2 = L^2\noutput bob = [x, y]\nexperiment swing: "
    "simulate(until = 2)\n";

TEST(Simulate, csv_has_the_columns_of_the_manual) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const Answer answer = folder.run("simulate p.daedal --until 1 --every 0.25 --csv out.csv");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const std::string csv = folder.read("out.csv");
  EXPECT_THAT(csv, StartsWith("t,x,y,x',y',rod.force,bob[1],bob[2],rod.tension\n0,1,0,0,0,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);  // header, 0, 0.25, ..., 1
}

TEST(Simulate, the_same_input_gives_the_same_bits_on_every_back_end) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  for (const char* backend : {"automatic", "tape", "native", "automatic"})
    ASSERT_EQ(folder
                  .run(std::string("simulate p.daedal --until 20 --csv ") + backend +
                       ".csv --backend " + backend)
                  .code,
              0);
  EXPECT_EQ(folder.read("automatic.csv"), folder.read("tape.csv"));
  EXPECT_EQ(folder.read("native.csv"), folder.read("tape.csv"));
}

TEST(Simulate, a_csv_that_cannot_be_written_is_told_before_the_run) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  folder.write("out.csv", "earlier\n");
  // A run of hours: only a check before it answers within the minute that a program gets here.
  for (const char* command : {"simulate p.daedal --until 1e7 --csv nowhere/out.csv",
                              "run p.daedal --csv nowhere/out.csv"}) {
    const Answer answer = folder.run(command);
    EXPECT_EQ(answer.code, 1);
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr("cannot write 'nowhere/out.csv': No such file or directory"));
  }
  EXPECT_EQ(folder.run("simulate p.daedal --until 1e7 --csv .").code, 1);
  EXPECT_EQ(folder.run("simulate p.daedal --until -1 --csv out.csv").code, 2);
  EXPECT_EQ(folder.read("out.csv"), "earlier\n");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
    EXPECT_NE(entry.path().extension(), ".part");
}

TEST(Simulate, the_global_error_is_told_and_can_be_switched_off) {
  const Folder folder;
  folder.write("p.daedal", pendulum + "experiment fast: simulate(until = 1, global_error = off)\n");
  const Answer on = folder.run("simulate p.daedal --csv on.csv");
  EXPECT_THAT(on.out, HasSubstr("\n  error    position "));
  EXPECT_THAT(on.out, HasSubstr(" (rod.force), from rk45 with tolerance 3.1e-11, "));
  const Answer off = folder.run("simulate p.daedal --global-error off --csv off.csv");
  EXPECT_THAT(off.out, Not(HasSubstr("  error ")));
  EXPECT_EQ(folder.read("on.csv"), folder.read("off.csv"));  // the result is that of the first run
  EXPECT_THAT(folder.run("run p.daedal fast").out, Not(HasSubstr("  error ")));
  const auto json = nlohmann::json::parse(folder.run("simulate p.daedal --json").out);
  const auto& error = json.at("global_error");
  EXPECT_EQ(error.at("until"), 2);
  EXPECT_GT(error.at("columns").at("x").at("largest").get<double>(), 1e-12);
  EXPECT_LT(error.at("columns").at("x").at("largest").get<double>(), 1e-7);
  EXPECT_EQ(folder.run("simulate p.daedal --global-error perhaps").code, 2);
}

TEST(Simulate, the_global_error_of_springs_is_not_taken_for_that_of_the_mechanism) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const std::string springs = "simulate p.daedal --formulation 'penalty(stiffness = 1e4)'";
  EXPECT_THAT(folder.run(springs).out, HasSubstr("\n           of the motion with springs; "));
  EXPECT_THAT(folder.run("simulate p.daedal").out, Not(HasSubstr("springs")));
  const auto of = [&](const std::string& command) {
    return nlohmann::json::parse(folder.run(command + " --json").out).at("global_error").at("of");
  };
  EXPECT_EQ(of(springs), "springs");
  EXPECT_EQ(of("simulate p.daedal"), "mechanism");
}

TEST(Simulate, json_is_machine_readable) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const Answer answer = folder.run(
      "simulate p.daedal --json --formulation 'baumgarte(pole = 5)' --method 'radau5(tolerance = "
      "1e-8)'");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json.at("status"), "completed");
  EXPECT_EQ(json.at("until"), 2);  // of the first experiment
  EXPECT_EQ(json.at("method"), "radau5");
  EXPECT_EQ(json.at("index"), 3);
  EXPECT_LT(json.at("drift").at("position").at("largest").get<double>(), 1e-6);
}

TEST(Simulate, parameters_and_inputs_come_from_the_command_line) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\nsize N = 2\nparameter k[1..N] = 0\ncoordinate x[1..N]\ninput u\n"
               "kinetic sum(i in 1..N: x[i]'^2/2)\nforce u + k[1] on x[1]\n");
  const Answer answer =
      folder.run("simulate m.daedal --until 1 -p N=3 -p 'k[1]=2' --input u='6*t' --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_NEAR(json.at("final").at("x[1]").get<double>(), 2.0, 1e-9);  // t^2 + t^3 at t = 1
  EXPECT_TRUE(json.at("final").contains("x[3]'"));
}

TEST(Json, values_have_their_units_beside_them) {
  const Folder folder;
  folder.write(
      "m.daedal",
      "model m\nparameter m = 2 [kg], k = 8 [N/m], l = 1 [m]\ncoordinate x = 0.1, a [rad]\n"
      "input u [N]\nkinetic m/2*x'^2 + m/2*l^2*a'^2\npotential k/2*(x - l*a)^2\n"
      "force u on x\noutput z = [x, l*a]\n");
  using nlohmann::json;
  const auto units = [&](const std::string& command) {
    const Answer answer = folder.run(command);
    EXPECT_EQ(answer.code, 0) << answer.err;
    return json::parse(answer.out);
  };
  EXPECT_EQ(units("simulate m.daedal --until 1 --json").at("units"), (json{{"t", "s"},
                                                                           {"x", "m"},
                                                                           {"a", "rad"},
                                                                           {"x'", "m/s"},
                                                                           {"a'", "rad/s"},
                                                                           {"u", "N"},
                                                                           {"z[1]", "m"},
                                                                           {"z[2]", "m"}}));
  EXPECT_EQ(units("analyse m.daedal --json").at("equilibrium").at("units"),
            (json{{"x", "m"}, {"a", "rad"}, {"u", "N"}}));
  EXPECT_EQ(units("control m.daedal --json").at("units"),
            (json{{"x", "m"}, {"a", "rad"}, {"x'", "m/s"}, {"a'", "rad/s"}, {"u", "N"}}));
}

TEST(Simulate, baumgarte_for_each_constraint_and_with_a_pole_of_its_own_choice) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const auto formulation = [&](const std::string& asked) {
    const Answer answer =
        folder.run("simulate p.daedal --json --until 1 --formulation '" + asked + "'");
    EXPECT_EQ(answer.code, 0) << answer.err;
    return nlohmann::json::parse(answer.out).at("formulation").get<std::string>();
  };
  EXPECT_EQ(formulation("baumgarte(rod = [10, 24])"), "baumgarte(a1 = 0, a0 = 0, rod = [10, 24])");
  // released at rest at the horizontal: omega = sqrt(a/(|q| + nominal)) = sqrt(9.81/1)
  EXPECT_EQ(formulation("baumgarte(auto)"), "baumgarte(a1 = 62.6418, a0 = 981)");
  EXPECT_EQ(formulation("nonlinear_stabiliser"), "nonlinear_stabiliser(rate = 3.13209)");
}

TEST(Compare, formulations_that_hold_constraints_in_other_ways) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const Answer answer = folder.run(
      "compare p.daedal --json --until 1 --methods rk45 bdf --formulations 'baumgarte(auto)' "
      "nonlinear_stabiliser 'augmented_lagrangian(stiffness = 1e7)' --tolerances 1e-9 --steps "
      "1e-3");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto cases = nlohmann::json::parse(answer.out).at("cases");
  ASSERT_EQ(cases.size(), 6u);
  EXPECT_LT(cases[0].at("position_error").get<double>(), 1e-6);
  EXPECT_LT(cases[2].at("position_error").get<double>(), 1e-6);
  EXPECT_LT(cases[2].at("drift").get<double>(), 1e-15);
  EXPECT_LT(cases[3].at("drift").get<double>(), 1e-15);
  EXPECT_THAT(cases[4].at("refused").get<std::string>(), HasSubstr("does not move multipliers"));
  EXPECT_LT(cases[5].at("drift").get<double>(), 1e-10);
}

TEST(Compare, every_case_is_measured_or_refused) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const Answer answer = folder.run(
      "compare p.daedal --json --until 1 --methods rk45 rk4 taylor --formulations projection "
      "'baumgarte(pole = 5)' --tolerances 1e-8 --steps 1e-3");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto cases = nlohmann::json::parse(answer.out).at("cases");
  ASSERT_EQ(cases.size(), 6u);
  EXPECT_EQ(cases[1].at("accuracy"), "0.001 s");
  EXPECT_LT(cases[0].at("position_error").get<double>(), 1e-6);
  EXPECT_LT(cases[2].at("position_error").get<double>(), 1e-7);
  EXPECT_THAT(cases[5].at("refused").get<std::string>(), HasSubstr("has no use for baumgarte"));
}

TEST(Invert, inputs_are_told_with_their_peaks) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x\nkinetic x'^2\ninput u [N]\nforce u on x\n"
               "servo x = rest_to_rest(t, smoothness = 2)\n");
  const Answer answer = folder.run("invert m.daedal --json --csv u.csv");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json.at("index"), 3);
  EXPECT_EQ(json.at("degrees_of_freedom"), 0);
  EXPECT_EQ(json.at("until"), 1);  // the end of the motion
  // u = 2 x'', and x'' of s^3 (10 - 15 s + 6 s^2) is largest, 10/sqrt(3), at s = (1 - 1/sqrt(3))/2
  EXPECT_NEAR(json.at("inputs").at("u").at("largest").get<double>(), 20 / std::sqrt(3.0), 1e-4);
}

TEST(Invert, a_rope_that_carries_a_weight_has_its_tension_as_force) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x = 0, y = -1\nkinetic x'^2 + y'^2\npotential 2*9.81*y\n"
               "constraint rope: norm([x, y]) = 1\ninput u\nforce u on x\n"
               "servo x = 0.6*rest_to_rest(t, smoothness = 2)\n");
  const Answer answer = folder.run("invert m.daedal --until 2 --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json rope = nlohmann::json::parse(answer.out)["forces"]["rope.force"];
  EXPECT_LE(rope["smallest"], 2 * 9.81 + 1e-9);       // at rest it hangs: m g
  EXPECT_GE(rope["largest"], 2 * 9.81 / 0.8 - 1e-9);  // held aside by u: m g/cos
}

// The damped rope's equations are combined by factors that must not vanish where it hangs: its damping alone would give such ones.
TEST(Invert, a_load_on_a_damped_elastic_rope_needs_the_same_force_in_all_coordinates) {
  const std::string common =
      "parameter M = 50, m = 20, k = 5000, d = 40, rest = 2, g = 9.81\ninput F, w\n"
      "kinetic M/2*x'^2 + m/2*dot(load', load')\n"
      "potential m*g*load[2] + k/2*(rope - rest - w)^2\ndissipation d/2*rope'^2\nforce F on x\n"
      "servo load = line([0, -2.04], [3, -1.5], rest_to_rest(t/4, smoothness = 4))\n";
  const auto force = [&](const std::string& coordinates) {
    const Folder folder;
    folder.write("m.daedal", "model m\n" + coordinates + common);
    const Answer answer = folder.run("invert m.daedal --json");
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.code == 0
               ? nlohmann::json::parse(answer.out)["inputs"]["F"]["largest"].get<double>()
               : 0.0;
  };
  const double polar = force(
      "coordinate x = 0, phi = 0, rope = 2.04\nlet load = [x + rope*sin(phi), -rope*cos(phi)]\n");
  EXPECT_GT(std::abs(polar), 1);
  const std::string cartesian = "let load = [px, py]\nlet rope = norm([px - x, py])\n";
  // the same inversion in other coordinates: the tolerance of its states
  EXPECT_NEAR(force("coordinate x = 0, px = 0, py = -2.04\n" + cartesian), polar, 1e-8);
  EXPECT_NEAR(force("coordinate x = 0, px = 0.01, py = -2.04\n" + cartesian), polar,
              1e-8);  // likewise
}

TEST(Invert, proves_its_rows_unless_told_not_to) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\n"
               "limit u in [-5, 5]\nservo x = rest_to_rest(t, smoothness = 4)\n");
  const Answer answer = folder.run("invert m.daedal --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("is violated first at t = "));
  const auto proof = nlohmann::json::parse(answer.out).at("verification");
  EXPECT_LE(proof.at("defect").at("relative").get<double>(), 1e-8);
  EXPECT_LE(proof.at("forward").at("tracking").at("servo1").at("largest").get<double>(), 1e-11);
  const Answer quiet = folder.run("invert m.daedal --json --verify off");
  EXPECT_FALSE(nlohmann::json::parse(quiet.out).contains("verification"));
  const Answer wrong = folder.run("invert m.daedal --verify maybe");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'verify' is on or off, not 'maybe'"));
}

TEST(Invert, steps_with_classical_methods_and_tells_their_times) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x\nkinetic x'^2\ninput u [N]\nforce u on x\n"
               "servo x = rest_to_rest(t, smoothness = 4)\n");
  const Answer answer = folder.run("invert m.daedal --json --method 'bdf(order = 3)' --step 1e-3");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json.at("method"), "bdf3");
  EXPECT_EQ(json.at("step"), 1e-3);
  EXPECT_EQ(json.at("statistics").at("accepted"), 1000);
  EXPECT_LE(json.at("steps").at("median").get<double>(),
            json.at("steps").at("worst").get<double>());
  EXPECT_LE(json.at("verification").at("forward").at("tracking").at("servo1").at("largest"), 1e-5);
  const Answer wrong = folder.run("invert m.daedal --method rk45 --step 1e-3");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("method rk45 has no implicit step of fixed length"));
}

TEST(Export, writes_a_file_and_its_header) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x\nkinetic x'^2\ninput u [N]\nforce u on x\noutput y = x\n"
               "servo y = rest_to_rest(t, smoothness = 4)\n");
  const Answer inverse = folder.run("export c m.daedal --inverse --method radau5 --step 1e-3");
  ASSERT_EQ(inverse.code, 0) << inverse.err;
  EXPECT_THAT(inverse.out, HasSubstr("m_inverse: radau5 with a step of 0.001 s"));
  EXPECT_THAT(inverse.out, HasSubstr("signals  desired y\n  results  u\n"));
  const Answer forward = folder.run("export c m.daedal --forward --step 1e-3 --json");
  ASSERT_EQ(forward.code, 0) << forward.err;
  EXPECT_EQ(nlohmann::json::parse(forward.out).at("method"), "bdf2");
  const Answer neither = folder.run("export c m.daedal --step 1e-3");
  EXPECT_EQ(neither.code, 2);
  EXPECT_THAT(neither.err, HasSubstr("which model is to be exported?"));
  const Answer no_step = folder.run("export c m.daedal --inverse");
  EXPECT_EQ(no_step.code, 2);
  EXPECT_THAT(no_step.err, HasSubstr("the length of a step is required"));
  const Answer horizon = folder.run("export c m.daedal --inverse --receding");
  EXPECT_EQ(horizon.code, 2);  // nothing grows: the inputs follow from the motion alone
  EXPECT_THAT(horizon.err, HasSubstr("no preview is needed"));
}

// A stepper that leaves an event out lets the ball fall through the floor and says that all is well.
TEST(Export, refuses_events_and_warns_of_branches_of_time) {
  const Folder folder;
  folder.write("ball.daedal",
               "model ball\ncoordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\n"
               "constraint floor: y = 0\nevent hit: when y <= 0 then attach floor\n");
  const Answer ball = folder.run("export c ball.daedal --forward --step 1e-2");
  EXPECT_EQ(ball.code, 2);
  EXPECT_THAT(ball.err,
              HasSubstr("ball.daedal:6:7: error: model 'ball': event 'hit' cannot be exported: a "
                        "stepper of equal steps has no events\n"));
  EXPECT_THAT(ball.err, HasSubstr("help: export a model without events, one for each mode"));
  folder.write("m.daedal", "model m\nvariable x = 0\nequation x' = if t < 0.5 then 1 else -1\n");
  const Answer switching = folder.run("export c m.daedal --forward --step 1e-2");
  EXPECT_EQ(switching.code, 0) << switching.err;
  EXPECT_THAT(switching.err,
              HasSubstr("warning: model 'm': the stepper passes 't < 0.5' with equal steps: a step "
                        "in which it switches takes the branch at its end, an error of first order "
                        "in the step\n"));
  const Answer json = folder.run("export c m.daedal --forward --step 1e-2 --json");
  EXPECT_THAT(nlohmann::json::parse(json.out).at("warnings").at(0).get<std::string>(),
              HasSubstr("the stepper passes 't < 0.5' with equal steps"));
  folder.write("smooth.daedal", "model s\nvariable x = 0\nequation x' = sin(t)\n");
  EXPECT_EQ(folder.run("export c smooth.daedal --forward --step 1e-2").err, "");
}

TEST(Run, experiments_may_invert) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x\nkinetic x'^2\ninput u [N]\nforce u on x\n"
               "servo x = rest_to_rest(t, smoothness = 2)\nexperiment back: invert(every = 0.1)\n");
  const Answer answer = folder.run("run m.daedal --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(nlohmann::json::parse(answer.out)[0].at("rows"), 11);
}

const char* const balanced_car =
    "model m\ncoordinate x, a\nlet P = [x + sin(a), cos(a)]\n"
    "kinetic x'^2/2 + dot(P', P')/2\npotential 4*P[2]\ninput u\nforce u on x\n"
    "servo x = rest_to_rest(t, smoothness = 4)\n";

TEST(Invert, unstable_internal_dynamics_get_their_bounded_solution) {
  const Folder folder;
  folder.write("m.daedal", balanced_car);
  const Answer answer = folder.run("invert m.daedal --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  const auto& stable = json.at("stable_inversion");
  EXPECT_EQ(stable.at("modes").at("left").at("unstable"), 1);
  EXPECT_NEAR(stable.at("slowest_growth"), 2, 1e-5);          // difference quotients at rest
  EXPECT_NEAR(stable.at("begin"), -std::log(1e8) / 2, 1e-3);  // with the same rate, over 9 s
  EXPECT_LE(json.at("verification").at("forward").at("tracking").at("servo1").at("largest"), 1e-5);
}

TEST(Invert, a_receding_horizon_tracks_and_tells_its_times) {
  const Folder folder;
  folder.write("m.daedal", balanced_car);
  const Answer answer =
      folder.run("invert m.daedal --receding --period 0.01 --preview 8 --after 2 --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_NEAR(json.at("receding").at("truncation"), std::exp(-16),
              1e-9);  // the rate to 1e-3, of 1e-7
  EXPECT_GT(json.at("receding").at("median"), 0);
  EXPECT_LE(json.at("verification").at("forward").at("tracking").at("servo1").at("largest"), 1e-2);
  EXPECT_EQ(folder.run("invert m.daedal --receding --period 0").code, 2);
}

TEST(Invert, integrating_unstable_internal_dynamics_forwards_is_refused) {
  const Folder folder;
  folder.write("m.daedal", balanced_car);
  const Answer answer = folder.run("invert m.daedal --method radau5 --step 0.01");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("non-minimum phase: unstable zero 2 1/s"));
  EXPECT_THAT(answer.err, HasSubstr("leave the method out"));
}

TEST(Invert, options_of_stable_inversion_are_checked) {
  const Folder folder;
  folder.write("m.daedal", balanced_car);
  const std::pair<const char*, const char*> faults[] = {
      {"--until 0.5", "until = 0.5 s lies before the end of the motion at t = 1 s"},
      {"--ends sideways", "ends can be automatic or eigenspace or positions, not 'sideways'"},
      {"--before=-1", "before = -1 s is no length of time"},
      {"--method 'collocation(order = 5)'", "order = 5 is not supported"},
      {"--method 'collocation(steps = 5)'", "method collocation has no option 'steps = 5'"},
      {"--tolerance 1e-15", "tolerance = 1e-15 is not in [1e-13, 0.1]"}};
  for (const auto& [options, message] : faults) {
    const Answer answer = folder.run(std::string("invert m.daedal ") + options);
    EXPECT_EQ(answer.code, 2) << options;
    EXPECT_THAT(answer.err, HasSubstr(message)) << options;
  }
}

TEST(Run, experiments_give_parameters_and_keep_a_start_off_the_constraints) {
  const Folder folder;
  folder.write(
      "m.daedal",
      "model m\nparameter off = 0\ncoordinate x = 1 + off, y = 0\nkinetic x'^2/2 + y'^2/2\n"
      "constraint rod: x^2 + y^2 = 1\n"
      "experiment a: simulate(until = 1, off = 0.5, start = as_given, formulation = index1)\n"
      "experiment b: simulate(until = 1, off = 0.5)\n");
  const auto json = nlohmann::json::parse(folder.run("run m.daedal --json").out);
  EXPECT_DOUBLE_EQ(json.at(0).at("start_violations").at("rod"), 1.25);
  EXPECT_DOUBLE_EQ(json.at(0).at("final").at("x"), 1.5);  // at rest, no force: it stays there
  EXPECT_FALSE(json.at(1).contains("start_violations"));
  EXPECT_DOUBLE_EQ(json.at(1).at("final").at("x"), 1);
}
TEST(Run, experiments_run_by_name_with_their_inputs) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x\ninput u\nkinetic x'^2/2\nforce u on x\n"
               "experiment push: simulate(until = 2, u = 1)\nexperiment pull: simulate(until = 2, "
               "u = -1, every = 1)\n");
  const Answer answer = folder.run("run m.daedal --csv out.csv");
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(std::filesystem::exists(folder.path("out-push.csv")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("out-pull.csv")));
  const auto json = nlohmann::json::parse(folder.run("run m.daedal --json").out);
  EXPECT_NEAR(json.at(0).at("final").at("x").get<double>(), 2.0, 1e-12);   // u t^2/2
  EXPECT_NEAR(json.at(1).at("final").at("x").get<double>(), -2.0, 1e-12);  // likewise
  EXPECT_THAT(folder.run("run m.daedal pusch").err, HasSubstr("did you mean 'push'?"));
}

TEST(Simulate, lifted_positions_are_counted_and_stay_out_of_the_table) {
  const Folder folder;
  folder.write("chain.daedal",
               "model chain\nsize N = 20\ncoordinate q[1..N] = 0.1\nlet P[0] = [0, 0]\n"
               "let P[k in 1..N] = P[k-1] + [sin(q[k]), cos(q[k])]\n"
               "kinetic sum(k in 1..N: dot(P[k]', P[k]')/2)\npotential sum(k in 1..N: -P[k][2])\n");
  EXPECT_THAT(folder.run("check chain.daedal").out,
              HasSubstr("20 coordinates, 40 lifted positions;"));
  EXPECT_THAT(folder.run("check chain.daedal --lifting never").out, HasSubstr("20 coordinates;"));
  EXPECT_THAT(folder.run("check chain.daedal -p N=19").out, HasSubstr("19 coordinates;"));
  EXPECT_THAT(folder.run("explain chain.daedal").out,
              HasSubstr("positions of recursive lets are lifted, P[1][1] to P[20][2]"));
  const std::string run = "simulate chain.daedal --until 0.1 --every 0.05 --csv ";
  ASSERT_EQ(folder.run(run + "lifted.csv").code, 0);
  ASSERT_EQ(folder.run(run + "dense.csv --lifting never").code, 0);
  const auto header = [&](const char* name) {
    const std::string csv = folder.read(name);
    return csv.substr(0, csv.find('\n'));
  };
  EXPECT_EQ(header("lifted.csv"), header("dense.csv"));
}

TEST(Check, printed_models_parse_to_the_same_model) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const Answer first = folder.run("check p.daedal --print");
  ASSERT_EQ(first.code, 0) << first.err;
  folder.write("q.daedal", first.out);
  EXPECT_EQ(folder.run("check q.daedal --print").out, first.out);
}

TEST(Explain, equations_and_hidden_constraints_are_written_out) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const Answer answer = folder.run("explain p.daedal");
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("rod, differentiated once:"));
  EXPECT_THAT(answer.out, HasSubstr("rod, differentiated twice:"));
  EXPECT_THAT(folder.run("explain p.daedal --latex").out, HasSubstr("\\ddot{x}"));
  EXPECT_EQ(nlohmann::json::parse(folder.run("explain p.daedal --json").out).at("equations").size(),
            3u);
}

TEST(Explain, the_structure_of_the_inverse_model_is_told) {
  const Folder folder;
  folder.write(
      "two.daedal",
      "model two\nparameter m = 1, k = 10, d = 0\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\n"
      "potential k/2*(y - x)^2\ndissipation d/2*(y' - x')^2\ninput u\nforce u on x\n"
      "servo path: y = sin(t)\n");
  const Answer answer = folder.run("explain --inverse two.daedal");
  ASSERT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out,
              HasSubstr("inverse model: 2 coordinates, 1 input; index 5, 0 free initial values\n"
                        "  parameter d = 0 is left out of the equations\n"));
  EXPECT_THAT(answer.out, HasSubstr("               x    y   u   c\n"
                                    "  motion of x  2   (0)  0*  0\n"
                                    "  motion of y  0*   2   .   2\n"
                                    "  path         .    0*  .   4\n"
                                    "  d            2    4   0\n"));
  EXPECT_THAT(answer.out, HasSubstr("  path (4) -> der(y, 4)\n"
                                    "  motion of y (2) -> x''\n"
                                    "  motion of x -> u\n"));
  const auto json = nlohmann::json::parse(folder.run("explain --inverse two.daedal --json").out);
  EXPECT_EQ(json.at("index"), 5);
  EXPECT_EQ(json.at("inverse"), true);
  EXPECT_EQ(json.at("free_initial_values"), 0);
  EXPECT_EQ(json.at("folded_parameters"), nlohmann::json({"d"}));
  EXPECT_EQ(json.at("structure").at("basis"), "offsets");
  EXPECT_EQ(json.at("structure").at("blocks").at(0).at("equations").at(0), "path");
  EXPECT_EQ(json.at("structure").at("equations").at(2).at("c"), 4);
  // With the damper each spring hands on one derivative less.
  const auto damped =
      nlohmann::json::parse(folder.run("explain --inverse two.daedal -p d=0.1 --json").out);
  EXPECT_EQ(damped.at("index"), 4);
  EXPECT_EQ(damped.at("free_initial_values"), 1);
}

TEST(Explain, a_model_without_servo_constraints_has_no_inverse) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  const Answer answer = folder.run("explain p.daedal --inverse");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("so it cannot be inverted"));
}

TEST(Lifting, formulations_that_do_not_know_it_write_the_model_out_and_say_so) {
  const Folder folder;
  const std::string chain = "simulate " DAEDAL_SOURCE_DIR
                            "/models/elevator_cable/elevator_cable.daedal -p N=20 "
                            "--until 0.1 --every 0.1 --csv ";
  const Answer lifted = folder.run(chain + "lifted.csv");
  EXPECT_EQ(lifted.code, 0) << lifted.err;
  EXPECT_THAT(lifted.err, Not(HasSubstr("lifted")));
  const Answer written_out = folder.run(chain + "minimal.csv --formulation minimal");
  EXPECT_EQ(written_out.code, 0) << written_out.err;
  EXPECT_THAT(written_out.err, HasSubstr("since the formulation minimal does not support lifted"));
  EXPECT_THAT(folder.run(chain + "minimal.csv --formulation minimal --lifting never").err,
              Not(HasSubstr("lifted")));
  EXPECT_EQ(folder.run(chain + "minimal.csv --formulation minimal --lifting always").code, 2);
}

TEST(Docs, the_site_that_is_installed_with_the_program_is_named) {
  const Folder folder;
  const auto shell = [&](const std::string& command) {
    return WEXITSTATUS(std::system(("cd '" + folder.path("") + "' && " + command).c_str()));
  };
  ASSERT_EQ(shell("mkdir -p bin share/doc/daedal/site && cp '" + std::string(tested_program) +
                  "' bin/daedal"),
            0);
  EXPECT_EQ(shell("bin/daedal docs > out 2> err"), 2);
  EXPECT_EQ(folder.read("out"), "");
  EXPECT_EQ(folder.read("err"),
            "error: the documentation is not installed on this machine\n"
            "  help: build it:  cmake --build --preset release --target site\n");
  folder.write("share/doc/daedal/site/index.html", "<!doctype html>");
  EXPECT_EQ(shell("bin/daedal docs > out 2> err"), 0);
  EXPECT_THAT(folder.read("out"), testing::EndsWith("/share/doc/daedal/site/index.html\n"));
  EXPECT_EQ(folder.read("err"), "");

  // A browser opens it for who sits at a terminal with a display, and for no one else.
  folder.write("bin/xdg-open", "#!/bin/sh\necho \"$1\" > opened.part && mv opened.part opened\n");
  const std::string terminal = "chmod +x bin/xdg-open && PATH=$PWD/bin:$PATH WAYLAND_DISPLAY= ";
  EXPECT_EQ(shell(terminal + "DISPLAY=:7 bin/daedal docs > out"), 0);
  EXPECT_EQ(shell(terminal + "env -u DISPLAY -u WAYLAND_DISPLAY script -qefc 'bin/daedal docs' "
                             "/dev/null > out < /dev/null"),
            0);
  EXPECT_EQ(shell("test -e opened"), 1);
  EXPECT_EQ(shell(terminal + "DISPLAY=:7 script -qefc 'bin/daedal docs; sleep 1' /dev/null > out < "
                             "/dev/null; for k in 1 2 3 4 5 6 7 8 9; do test -e opened && exit 0; "
                             "sleep 1; done; exit 1"),
            0);
  EXPECT_THAT(folder.read("opened"), testing::EndsWith("/share/doc/daedal/site/index.html\n"));
}

TEST(Models, the_library_is_listed) {
  const Folder folder;
  const auto json = nlohmann::json::parse(folder.run("models --json").out);
  EXPECT_GE(json.at("models").size(), 14u);
}

TEST(Models, a_name_alone_is_the_librarys_unless_a_file_here_has_it) {
  const Folder folder;
  const Answer library = folder.run("check pendulum");
  EXPECT_EQ(library.code, 0) << library.err;
  EXPECT_EQ(library.out,
            folder.run("check " DAEDAL_SOURCE_DIR "/models/pendulum/pendulum.daedal").out);
  folder.write("pendulum", "model own\ncoordinate x = 1\nkinetic x'^2/2\n");
  EXPECT_THAT(folder.run("check pendulum").out, HasSubstr("own"));
  const Answer misspelt = folder.run("check pendulums");
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("cannot read 'pendulums': there is no such file here, nor"));
  EXPECT_THAT(misspelt.err, HasSubstr("help: did you mean 'pendulum'?"));
  EXPECT_THAT(folder.run("check wuthering").err, HasSubstr("help: daedal models"));
}

/// The program at work in the folder, in a process of its own.
pid_t started(const Folder& folder, const std::string& arguments,
              const std::string& output = ".out") {
  const pid_t child = fork();
  if (child == 0) {
    const std::string command = "cd '" + folder.path("") + "' && exec '" + tested_program + "' " +
                                arguments + " > " + output + " 2> .err";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  return child;
}

/// [s] of the processor: on a busy machine time passes while nothing is done.
double time_at_work(pid_t process) {
  clockid_t clock = 0;
  timespec time = {};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 1e9;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Sends a signal to a run that would take minutes or hours, when it has been at it for a second and a half.
int interrupted(const Folder& folder, int signal, const std::string& arguments) {
  const pid_t child = started(folder, arguments);
  int status = 0;
  pid_t ended = 0;
  while (ended == 0 && time_at_work(child) < 1.5) {
    usleep(20000);
    ended = waitpid(child, &status, WNOHANG);
  }
  if (ended == 0) {
    kill(child, signal);
    waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Interrupt, leaves_the_rows_computed_so_far_and_says_so) {
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    const Folder folder;
    folder.write("p.daedal", pendulum);
    folder.write("out.csv", "earlier\n");
    EXPECT_EQ(interrupted(folder, signal, "simulate p.daedal --until 1e6 --every 1 --csv out.csv"),
              code);
    EXPECT_THAT(folder.read(".err"), HasSubstr("pendulum: interrupted at t = "));
    EXPECT_THAT(folder.read(".err"), HasSubstr("; 'out.csv' holds the "));
    const std::string csv = folder.read("out.csv");
    EXPECT_THAT(csv, StartsWith("t,x,y,x',y',rod.force,bob[1],bob[2],rod.tension\n0,1,0,0,0,"));
    EXPECT_TRUE(csv.ends_with('\n'));
    const auto rows = std::count(csv.begin(), csv.end(), '\n') - 1;
    EXPECT_GE(rows, 1);
    EXPECT_THAT(folder.read(".err"), HasSubstr(std::to_string(rows) + " rows until then"));
    EXPECT_THAT(csv, HasSubstr("\n" + std::to_string(rows - 1) + ","));  // the last row: no gap
  }
}

TEST(Interrupt, ends_a_series_of_experiments) {
  const Folder folder;
  folder.write("p.daedal", pendulum +
                               "experiment long: simulate(until = 1e6, every = 1)\n"
                               "experiment behind: simulate(until = 1)\n");
  EXPECT_EQ(interrupted(folder, SIGINT, "run p.daedal --csv out.csv"), 130);
  EXPECT_TRUE(std::filesystem::exists(folder.path("out-swing.csv")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("out-long.csv")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out-behind.csv")));
}

TEST(Interrupt, leaves_the_cases_that_are_done) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  EXPECT_EQ(interrupted(folder, SIGINT,
                        "compare p.daedal --until 1 --formulations projection --methods rk45 euler "
                        "--steps 1e-8 --tolerances 1e-6"),
            130);
  EXPECT_THAT(folder.read(".err"), HasSubstr("interrupted: 1 of 2 cases are done"));
  EXPECT_THAT(folder.read(".out"), HasSubstr("projection             rk45 "));
  EXPECT_THAT(folder.read(".out"), Not(HasSubstr("euler")));
}

/// Whether signals have been sent to the process that it has not taken yet.
bool has_signals(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("ShdPnd:")) return line.find_first_of("123456789abcdef", 7) != line.npos;
  return false;
}

/// Waits until a process does not work any more: it has ended, or waits for somebody.
void until_idle(pid_t process) {
  for (double before = -1, now = time_at_work(process); now > before && now < 1e9;
       before = std::exchange(now, time_at_work(process)))
    usleep(500000);
}

/// Two signals, the second one as soon as the first one is taken; how long that took [s].
double interrupt_twice(pid_t process) {
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 2; ++k) {
    kill(process, SIGINT);
    while (has_signals(process)) {
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A signal that came while the reader of the output was busy used to end the output there: 'Interrupted system call'. And
// `timeout` sends it to its child and then to the child's group: the second one used to end the program before it had printed
// anything, whenever it came after the first one was taken.
TEST(Interrupt, cuts_no_output_on_its_way_to_a_slow_reader_and_may_come_twice_at_a_time) {
  for (double apart = 1; apart > 0.5;) {  // again where the machine was too busy
    const Folder folder;
    folder.write("p.daedal", pendulum);
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
    const pid_t child =
        started(folder, "simulate p.daedal --until 5 --every 0.001 --csv -", "pipe");
    std::ifstream reader(folder.path("pipe"));
    until_idle(child);
    apart = interrupt_twice(child);
    const std::string csv(std::istreambuf_iterator<char>(reader), {});
    int status = 0;
    waitpid(child, &status, 0);
    if (apart > 0.5) continue;
    ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
    EXPECT_THAT(WEXITSTATUS(status), testing::AnyOf(0, 130));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5002);  // header, 0, 0.001, ..., 5
    EXPECT_TRUE(csv.ends_with('\n'));
  }
}

TEST(Interrupt, that_comes_again_later_ends_the_program_at_once) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
  const pid_t child = started(folder, "simulate p.daedal --until 5 --every 0.001 --csv -", "pipe");
  const std::ifstream reader(folder.path("pipe"));  // who never reads
  until_idle(child);
  kill(child, SIGINT);
  usleep(1500000);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

/// The largest memory of a run, in kB.
long memory_of(const Folder& folder, const std::string& arguments) {
  int status = 0;
  struct rusage usage = {};
  wait4(started(folder, arguments), &status, 0, &usage);
  EXPECT_EQ(WEXITSTATUS(status), 0) << folder.read(".err");
  return usage.ru_maxrss;
}

/// Slow, since only the plain build shows it: a sanitizer keeps freed memory back to find uses of it.
TEST(SlowMemory, does_not_grow_with_the_number_of_steps) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  for (const char* const method : {"euler", "rk4", "bdf"}) {
    const auto run = [&](const std::string& step) {
      return memory_of(folder, "simulate p.daedal --until 1 --backend tape --method '" +
                                   std::string(method) + "(step = " + step + ")'");
    };
    const long few = run("1e-3"), many = run("1e-6");  // 1000 and a million steps, 1000 rows each
    EXPECT_LT(many, few + 2000) << method;             // a million states would be 40000 kB
  }
}

TEST(Files, a_full_disk_leaves_the_earlier_result) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  folder.write("out.csv", "earlier\n");
  // The shell's limit on the size of files simulates a full disk: writing fails half way.
  const int status =
      std::system(("cd '" + folder.path("") + "' && trap '' XFSZ && ulimit -f 8 && '" +
                   tested_program + "' simulate p.daedal --csv out.csv > .out 2> .err")
                      .c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(folder.read(".err"), HasSubstr("cannot write 'out.csv': File too large"));
  EXPECT_EQ(folder.read("out.csv"), "earlier\n");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
    EXPECT_NE(entry.path().extension(), ".part");
}

TEST(Files, nothing_is_written_over_by_a_failed_run) {
  const Folder folder;
  folder.write("bad.daedal", "model m\ncoordinate x\nkinetic y'^2\n");
  folder.write("out.csv", "precious\n");
  EXPECT_EQ(folder.run("simulate bad.daedal --csv out.csv").code, 2);
  EXPECT_EQ(folder.read("out.csv"), "precious\n");
  folder.write("p.daedal", pendulum);
  const Answer answer = folder.run("simulate p.daedal --csv nowhere/out.csv");
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.err, HasSubstr("cannot write 'nowhere/out.csv': No such file or directory"));
  const Answer full = folder.run("simulate p.daedal --csv /dev/full");
  EXPECT_EQ(full.code, 1);
  EXPECT_THAT(full.err, HasSubstr("cannot write '/dev/full': No space left on device"));
}

// A summary that could not be written was reported as success.
TEST(Files, a_standard_output_that_takes_nothing_is_told) {
  const Folder folder;
  folder.write("p.daedal", pendulum);
  for (const std::string arguments :
       {"simulate p.daedal", "simulate p.daedal --json", "simulate p.daedal --csv -",
        "compare p.daedal --until 0.1 --methods rk45 --formulations projection", "check p.daedal",
        "models", "manual", "simulate --help"}) {
    const int status =
        std::system(("cd '" + folder.path("") + "' && '" + std::string(tested_program) + "' " +
                     arguments + " > /dev/full 2> .err")
                        .c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << arguments;
    EXPECT_EQ(folder.read(".err"),
              "error: cannot write to standard output: No space left on device\n")
        << arguments;
  }
  EXPECT_EQ(folder.run("simulate p.daedal --quiet").code, 0);
}

}  // namespace
}  // namespace daedal::test
