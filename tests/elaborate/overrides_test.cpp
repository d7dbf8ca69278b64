// What the command line gives: -p and --input.
#include "elaborated.hpp"

namespace daedal::model {
namespace {

const std::string text =
    "model part_\nparameter a = 1, b[1..2] = [3, 4]\ninput u\nvariable x\nequation x = a*u\n"
    "model m\nsize N = 2, M = 2*N\nparameter k = 10, h = k/2, d[1..N] = 0.5, anchor = [6, 2]\n"
    "variable y[1..N]\ninput v, w[1..2]\npart p = part_()\n"
    "output z = [k, h, d[1], anchor[2], v, w[1], w[2], p.a, p.b[1]]\n";

double with(std::map<std::string, std::string> parameters, const std::string& output,
            std::map<std::string, std::string> inputs = {}) {
  return Elaborated(text, {std::move(parameters), std::move(inputs), {}})(output, {{"t", 2}});
}

TEST(Overrides, reach_parameters_and_what_depends_on_them) {
  EXPECT_EQ(with({{"k", "30"}}, "z[1]"), 30);
  EXPECT_EQ(with({{"k", "30"}}, "z[2]"), 15);
  EXPECT_EQ(with({{"h", "2*k + 1"}}, "z[2]"), 21);
  EXPECT_EQ(with({{"d[1]", "0.1"}}, "z[3]"), 0.1);
  EXPECT_EQ(with({{"d", "[7, 8]"}}, "z[3]"), 7);
  EXPECT_EQ(with({{"anchor[2]", "-1e-3"}}, "z[4]"), -1e-3);
  EXPECT_EQ(with({{"p.a", "9"}, {"p.b[1]", "5"}}, "z[8]"), 9);
  EXPECT_EQ(with({{"p.a", "9"}, {"p.b[1]", "5"}}, "z[9]"), 5);
}

TEST(Overrides, reach_sizes) {
  const Elaborated m(text, {{{"N", "5"}}, {}, {}});
  EXPECT_EQ(m->sizes.at("M"), 10);
  EXPECT_EQ(m.names(SymbolKind::variable).size(), 6u);
}

TEST(Overrides, give_inputs_as_formulas_in_the_names_of_the_model) {
  EXPECT_EQ(with({}, "z[5]", {{"v", "k*t"}}), 20);
  EXPECT_EQ(with({}, "z[6]", {{"w", "t"}}), 2);
  EXPECT_EQ(with({}, "z[7]", {{"w", "[1, 4]"}}), 4);
  EXPECT_EQ(with({}, "z[7]", {{"w", "[1, 4]"}, {"w[2]", "5"}}), 5);
  const Elaborated m(text, {{}, {{"p.u", "3*k"}}, {}});
  EXPECT_EQ(m.value(m->equations[0].residual, {{"p.x", 0}}), -30);
}

std::string fault_with(std::map<std::string, std::string> parameters,
                       std::map<std::string, std::string> inputs = {}) {
  return faults_of(text, {std::move(parameters), std::move(inputs), {}});
}

TEST(Overrides, that_fit_nothing_are_refused) {
  EXPECT_EQ(
      fault_with({{"kk", "1"}}),
      "error: parameters kk: model 'm' has no parameter or size 'kk'\n  help: did you mean 'k'?");
  EXPECT_EQ(fault_with({{"d[3]", "1"}}),
            "error: parameters d[3]: model 'm' has no parameter or size 'd[3]'\n  help: did you "
            "mean 'd[1]'?");
  EXPECT_EQ(fault_with({}, {{"speed", "1"}}),
            "error: inputs speed: model 'm' has no input 'speed'\n"
            "  help: it has p.u, v, w[1], w[2]");
}

TEST(Overrides, made_of_junk_are_told_where_they_are_wrong) {
  EXPECT_EQ(fault_with({{"k", "3 +"}}),
            "parameters k:1:4: error: expected an operand, found the end of the statement\n    3 "
            "+\n       ^");
  EXPECT_EQ(fault_with({{"k", "abc"}}),
            "parameters k:1:1: error: unknown name 'abc' in parameter 'k'\n    abc\n    ^~~\n"
            "  help: declare it:  parameter abc = ..., coordinate abc  or  let abc = ...");
  EXPECT_EQ(fault_with({{"k", "t"}}),
            "parameters k:1:1: error: parameter 'k' must be made of numbers, sizes and parameters, "
            "not of "
            "time\n    t\n    ^");
  EXPECT_EQ(fault_with({{"N", "2.5"}}),
            "parameters N:1:1: error: size 'N' must be a whole number, not 2.5\n    2.5\n    ^~~");
  EXPECT_EQ(fault_with({{"N", "k"}}),
            "parameters N:1:1: error: size 'N' must be made of numbers and sizes\n    k\n    ^\n"
            "  help: declare what it is made of with  size  instead of  parameter");
  EXPECT_EQ(fault_with({{"N", "1e12"}}),
            "model.daedal:8:30: error: 'd' would have 1000000000000 entries; a model has at most "
            "2000000\n"
            "    parameter k = 10, h = k/2, d[1..N] = 0.5, anchor = [6, 2]\n"
            "                                 ^~~~\n"
            "model.daedal:9:12: error: 'y' would have 1000000000000 entries; a model has at most "
            "2000000\n"
            "    variable y[1..N]\n"
            "               ^~~~");
  EXPECT_EQ(fault_with({{"k", "0/0"}}),
            "parameters k:1:3: error: division by zero\n    0/0\n      ^");
  EXPECT_EQ(fault_with({{"d", "[1, 2, 3]"}}),
            "parameters d:1:1: error: parameter 'd' is a vector of 2, its value a vector of 3\n    "
            "[1, 2, "
            "3]\n    ^~~~~~~~~");
  EXPECT_EQ(fault_with({}, {{"v", "y[1]"}}),
            "inputs v:1:1: error: input 'v' must be made of t and parameters, not of the variable "
            "'y[1]'\n"
            "    y[1]\n"
            "    ^~~~\n"
            "  help: feedback is written as a force or an equation");
}

TEST(Overrides, choose_among_the_models_of_a_file) {
  EXPECT_EQ(faults_of(text, {.model = "pert_"}),
            "error: there is no model 'pert_'\n  help: did you mean 'part_'?");
  EXPECT_EQ(faults_of(text, {.model = "robot"}),
            "error: there is no model 'robot'\n  help: the models are m, part_");
}

}  // namespace
}  // namespace daedal::model
