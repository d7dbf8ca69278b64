// Bad input: a clear located message, exit code 2, at once.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::test {
namespace {

using testing::HasSubstr;

const std::string good =
    "model m\nparameter L = 1\ncoordinate x = L, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
    "constraint rod: x^2 + y^2 = L^2\n";

void expect_refused(const std::string& text, const std::string& message) {
  const Folder folder;
  folder.write("bad.daedal", text);
  const Answer answer = folder.run("simulate bad.daedal --until 1 --csv out.csv");
  EXPECT_EQ(answer.code, 2) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("error: "));
  EXPECT_THAT(answer.err, HasSubstr(message));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out.csv")));
  EXPECT_LT(answer.err.size(), 20000u);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(BadInput, unknown_name) {
  expect_refused(replaced(good, "9.81*y", "9.81*yy"),
                 "bad.daedal:5:16: error: unknown name 'yy' in the potential energy");
}
TEST(BadInput, wrong_shape) {
  expect_refused(replaced(good, "x^2 + y^2 = L^2", "[x, y] = L"),
                 "the sides of constraint 'rod' differ: a vector of 2 and a number");
}
TEST(BadInput, missing_equation) {
  expect_refused("model m\nvariable a, b\nequation a + b = 1\n",
                 "2 unknowns ('a', 'b') occur in 1 equation only ('equation1')");
}
TEST(BadInput, doubled_equation) {
  expect_refused("model m\nvariable a\nequation one: a = 1\nequation two: a = 1\n",
                 "2 equations ('one', 'two') contain 1 unknown only ('a')");
}
TEST(BadInput, constraints_that_cannot_be_met) {
  expect_refused("model m\ncoordinate x = 1\nkinetic x'^2/2\nconstraint far: x^2 + 1 = 0\n",
                 "'far'");
}
TEST(BadInput, contradicting_constraints) {
  expect_refused(good + "constraint far: x^2 + y^2 = 4\n", "'far'");
}
TEST(BadInput, redundant_constraints) {
  expect_refused(good + "constraint again: 2*x^2 + 2*y^2 = 2*L^2\n",
                 "help: remove 'again', or keep it with  redundant_constraints = least_norm");
}
TEST(BadInput, unknown_way_to_treat_redundant_constraints) {
  const Folder folder;
  folder.write("bad.daedal", good + "experiment e: simulate(redundant_constraints = least_nrm)\n");
  const Answer near = folder.run("run bad.daedal");
  EXPECT_EQ(near.code, 2);
  EXPECT_EQ(near.err,
            "bad.daedal:7:48: error: redundant_constraints can be error or least_norm, not "
            "'least_nrm'\n"
            "    experiment e: simulate(redundant_constraints = least_nrm)\n"
            "                                                   ^~~~~~~~~\n"
            "  help: did you mean 'least_norm'?\n");
  const Answer far = folder.run("simulate bad.daedal --redundant foo");
  EXPECT_EQ(far.code, 2);
  EXPECT_THAT(far.err, HasSubstr("redundant_constraints can be error or least_norm, not 'foo'"));
  EXPECT_THAT(far.err, HasSubstr("help: error names them and stops, least_norm leaves them out"));
}
TEST(BadInput, a_start_off_the_constraints_in_a_formulation_that_would_not_keep_it) {
  const Folder folder;
  folder.write("bad.daedal", good + "experiment e: simulate(start = as_givn)\n");
  EXPECT_THAT(
      folder.run("run bad.daedal").err,
      HasSubstr("start can be consistent or as_given or rest or equilibrium, not 'as_givn'"));
  const Answer answer = folder.run("simulate bad.daedal --start as_given");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(
      answer.err,
      HasSubstr("a start off the constraints would be lost in the first step of projection"));
  EXPECT_THAT(answer.err, HasSubstr("help: take index1, baumgarte(...)"));
}
/// What a formulation is refused with.
std::string said(const std::string& formulation) {
  const Folder folder;
  folder.write("good.daedal", good);
  const Answer answer = folder.run("simulate good.daedal --formulation '" + formulation + "'");
  EXPECT_EQ(answer.code, 2) << formulation;
  return answer.err;
}
TEST(BadInput, options_of_formulations) {
  EXPECT_THAT(said("baumgarte(foo)"), HasSubstr("baumgarte does not know what 'foo' is"));
  EXPECT_THAT(said("baumgarte"), HasSubstr("help: write  baumgarte(auto)"));
  EXPECT_THAT(said("augmented_lagrangian"), HasSubstr("augmented_lagrangian needs a stiffness"));
  EXPECT_THAT(said("augmented_lagrangian(damping = 1)"),
              HasSubstr("augmented_lagrangian has no option 'damping'"));
  EXPECT_THAT(said("nonlinear_stabiliser(rate = -1)"),
              HasSubstr("'rate' is -1, it must be above 0"));
}
// Taken as they came, they let violations grow until the motion had nothing to do with the model.
TEST(BadInput, coefficients_of_baumgarte_that_let_violations_grow) {
  EXPECT_EQ(said("baumgarte(pole = -5)"),
            "--formulation:1:18: error: 'pole' has -5: c'' + a1 c' + a0 c = 0 would let violations "
            "grow\n    baumgarte(pole = -5)\n                     ^~\n  help: coefficients and "
            "poles are 0 or more, as in  baumgarte(pole = 5)\n");
  EXPECT_THAT(said("baumgarte(a1 = -10, a0 = 25)"), HasSubstr("error: 'a1' has -10: "));
  EXPECT_THAT(said("baumgarte(a1 = 10, a0 = -25)"), HasSubstr("error: 'a0' has -25: "));
  EXPECT_THAT(said("baumgarte(rod = [-1, 25])"), HasSubstr("error: 'rod' has -1: "));
  EXPECT_THAT(said("baumgarte(rod = [1, -25])"), HasSubstr("error: 'rod' has -25: "));
  EXPECT_THAT(said("baumgarte(pole = 1e200)"), HasSubstr("'pole' has 1e+200, which is too large"));
  const Folder folder;
  folder.write("good.daedal", good);
  EXPECT_EQ(folder.run("simulate good.daedal --until 0.1 --formulation 'baumgarte(pole = 0)'").code,
            0);
}
// A step of 0 was taken for the one that the matrices had been factored for, and they had not been.
TEST(BadInput, a_slope_beyond_the_range_of_numbers_stops_the_run) {
  const Folder folder;
  folder.write("steep.daedal", "model m\ncoordinate x = 1\nkinetic x'^2/2\npotential 1e150*x^2\n");
  for (const char* formulation : {"projection", "index1"}) {
    const Answer answer =
        folder.run(std::string("simulate steep.daedal --until 1 --method radau5 --formulation ") +
                   formulation);
    EXPECT_EQ(answer.code, 1) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("m: stopped at t = 0 s: "));
  }
}
TEST(BadInput, a_time_constant_of_almost_0_ends_in_words) {
  const Folder folder;
  const Answer answer = folder.run("invert cable_robot -p tau_T=1e-200");
  EXPECT_EQ(answer.code, 1) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("the forward run ended early: stopped at t = 0 s: "));
}
// The factorisation of an empty matrix crashed.
TEST(BadInput, a_normal_form_needs_inputs_and_outputs) {
  const Folder folder;
  folder.write("good.daedal", good);
  const Answer answer = folder.run("analyse good.daedal --normal-form none");
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.err,
            "error: --normal-form: the model has no input, or no output\n  help: declare them:  "
            "input u, output y = ...\n");
}
TEST(BadInput, redundant_constraints_are_a_warning_when_allowed) {
  const Folder folder;
  folder.write("twice.daedal",
               good +
                   "constraint again: 2*x^2 + 2*y^2 = 2*L^2\n"
                   "experiment e: simulate(until = 1, redundant_constraints = least_norm)\n");
  for (const char* command :
       {"run twice.daedal e", "simulate twice.daedal --redundant least_norm"}) {
    const Answer answer = folder.run(command);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("warning: model 'm': constraint 'again' is redundant"));
    EXPECT_THAT(answer.out, HasSubstr("t = 1 s: x = "));
  }
}
TEST(BadInput, non_finite_parameter) {
  expect_refused(replaced(good, "L = 1", "L = 0/0"), "bad.daedal:2:17: error: division by zero");
}
TEST(BadInput, sizes_that_do_not_fit) {
  expect_refused(
      "model m\nsize N = 1000000000\ncoordinate q[1..N]\nkinetic sum(i in 1..N: q[i]'^2)\n",
      "1000000000");
}
TEST(BadInput, nesting) {
  expect_refused(
      "model m\nparameter a = " + std::string(100000, '(') + "1" + std::string(100000, ')'),
      "nested deeper");
}
TEST(BadInput, binary_junk) {
  expect_refused(std::string("\0\xff\xfe model \x01\x02", 12), "unexpected character");
}
TEST(BadInput, empty_file) { expect_refused("", "there is no model in this file"); }
TEST(BadInput, nothing_to_simulate) { expect_refused("model m\nparameter a = 1\n", "no unknowns"); }
TEST(BadInput, missing_import) {
  expect_refused("import \"nowhere.daedal\"\n" + good, "nowhere.daedal");
}
TEST(BadInput, import_cycle) {
  const Folder folder;
  folder.write("a.daedal", "import \"b.daedal\"\n" + good);
  folder.write("b.daedal", "import \"a.daedal\"\nmodel other\ncoordinate z\nkinetic z'^2\n");
  const Answer answer = folder.run("check a.daedal");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("cycle"));
}
TEST(BadInput, command_line) {
  const Folder folder;
  folder.write("p.daedal", good);
  EXPECT_EQ(folder.run("simulate nowhere.daedal").code, 2);
  EXPECT_EQ(folder.run("simulate p.daedal --until -1").code, 2);
  EXPECT_EQ(folder.run("simulate p.daedal --every 0/0").code, 2);
  EXPECT_EQ(folder.run("simulate p.daedal --tolerance 7").code, 2);
  EXPECT_EQ(folder.run("simulate p.daedal --nonsense").code, 2);
  EXPECT_EQ(folder.run("frobnicate p.daedal").code, 2);
  EXPECT_THAT(folder.run("simulate p.daedal -p l=2").err, HasSubstr("did you mean 'L'?"));
  EXPECT_THAT(folder.run("simulate p.daedal --method rk46").err, HasSubstr("did you mean 'rk45'?"));
  EXPECT_THAT(folder.run("simulate p.daedal --formulation ggl").err,
              HasSubstr("method rk45 solves the equations for accelerations and multipliers"));
  EXPECT_THAT(folder.run("simulate p.daedal --formulation 'baumgarte(rot = [1, 2])'").err,
              HasSubstr("did you mean 'rod'?"));
  EXPECT_THAT(folder.run("simulate p.daedal --input u=1").err, HasSubstr("no input 'u'"));
  EXPECT_EQ(folder.run("simulate p.daedal --model q").code, 2);
}
TEST(BadInput, command_lines_are_answered_like_models) {
  const Folder folder;
  folder.write("p.daedal", good);
  const auto refused = [&](const std::string& arguments, const std::string& said) {
    const Answer answer = folder.run(arguments);
    EXPECT_EQ(answer.code, 2) << arguments;
    EXPECT_EQ(answer.err, "error: " + said + "\n") << arguments;
    EXPECT_EQ(answer.out, "") << arguments;
  };
  refused("simulte p.daedal", "there is no command 'simulte'\n  help: did you mean 'simulate'?");
  refused("simulate", "a model file is missing\n  help: write  daedal simulate model.daedal");
  refused("simulate p.daedal --untill 3",
          "simulate has no option '--untill'\n  help: did you mean '--until'?");
  refused("simulate p.daedal --untill=3",
          "simulate has no option '--untill'\n  help: did you mean '--until'?");
  refused("simulate p.daedal q.daedal",
          "simulate takes no 'q.daedal'\n  help: daedal simulate --help lists the options");
  refused("simulate p.daedal --until 3s",
          "--until 3s: not a number\n  help: numbers have no unit, as in 3 or 1e-9");
  refused("simulate p.daedal --until",
          "--until needs a value\n  help: daedal simulate --help lists the options");
  for (const char* option : {"--until", "--csv", "--method", "--model", "-p", "--input"})
    refused(
        std::string("simulate p.daedal ") + option + " ''",
        std::string(option) + " needs a value\n  help: daedal simulate --help lists the options");
  refused("simulate p.daedal --until=",
          "--until needs a value\n  help: daedal simulate --help lists the options");
  refused("simulate ''", "a model file is missing\n  help: write  daedal simulate model.daedal");
  refused("simulate p.daedal --backend nativ",
          "--backend can be automatic, tape, native, not 'nativ'\n  help: did you mean 'native'?");
  refused("simulate p.daedal --every 0",
          "every = 0 s: rows need time between them\n  help: leave it out for 1000 rows");
  refused("compare p.daedal --methods rk45,radau5",
          "--methods rk45,radau5: separate the words by blanks, not commas\n"
          "  help: write  --methods rk45 radau5");
  refused("export p.daedal",
          "export writes c, not 'p.daedal'\n  help: write  daedal export c model.daedal --inverse");
  refused("invert p.daedal --weight 0.5",
          "--weight belongs to --redefine\n  help: add  --redefine OUTPUT:RIGID,  or leave it out");
}
TEST(BadInput, misspelt_names_of_options_are_pointed_at) {
  const Folder folder;
  const auto refused = [&](const std::string& experiment, const std::string& said) {
    folder.write("p.daedal", good + experiment + "\n");
    const Answer answer = folder.run("run p.daedal");
    EXPECT_EQ(answer.code, 2) << experiment;
    EXPECT_THAT(answer.err, HasSubstr(said)) << experiment;
  };
  refused("experiment e: simulate(untill = 1)",
          "p.daedal:7:24: error: experiment 'e': simulate has no option and the model no input or "
          "parameter 'untill'");
  refused("experiment e: invert(untill = 1)", "experiment 'e': invert has no option");
  refused("experiment e: simulate(until = 1, formulation = penalty(stifness = 1))",
          "p.daedal:7:57: error: penalty has no option 'stifness'");
  refused("experiment e: simulate(until = 1, formulation = baumgarte(ple = 1))",
          "p.daedal:7:59: error: baumgarte has no option 'ple'");
}
TEST(BadInput, an_experiment_that_is_neither_a_simulation_nor_an_inversion) {
  const Folder folder;
  folder.write("p.daedal", good + "experiment swing: simulation(until = 1)\n");
  const Answer answer = folder.run("run p.daedal");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err,
              HasSubstr("experiment 'swing' can be simulate or invert, not 'simulation'"));
}

}  // namespace
}  // namespace daedal::test
