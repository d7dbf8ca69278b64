// What the parser says about faulty text, in full: one small fault each.
#include "language/tree_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace daedal::model {
namespace {

using test::source;
using testing::HasSubstr;

std::string faults_of_file(std::string text) {
  Diagnostics diagnostics;
  parse(source(std::move(text)), diagnostics);
  return render(diagnostics.list());
}

struct Fault {
  std::string title;
  std::string line;  // the second line of a file that starts with `model m`
  std::string expected;
};

class ParseError : public testing::TestWithParam<Fault> {};

TEST_P(ParseError, reads_as_documented) {
  EXPECT_EQ(faults_of_file("model m\n" + GetParam().line), GetParam().expected);
}

// clang-format off
const Fault faults[] = {
    {"unknown_statement", "coordinat x",
     "a.daedal:2:1: error: unknown statement 'coordinat'\n"
     "    coordinat x\n"
     "    ^~~~~~~~~\n"
     "  help: did you mean 'coordinate'?"},
    {"statement_of_no_known_kind", "sprocket x",
     "a.daedal:2:1: error: unknown statement 'sprocket'\n"
     "    sprocket x\n"
     "    ^~~~~~~~\n"
     "  help: a statement starts with a word such as parameter, coordinate, kinetic or constraint"},
    {"part_without_its_word", "spring s(stiffness = 3)",
     "a.daedal:2:1: error: unknown statement 'spring'\n"
     "    spring s(stiffness = 3)\n"
     "    ^~~~~~\n"
     "  help: a part is made with  part s = spring(...)"},
    {"definition_without_its_word", "x = 3",
     "a.daedal:2:1: error: unknown statement 'x'\n"
     "    x = 3\n"
     "    ^\n"
     "  help: a definition starts with a word: let x = ... or parameter x = ..."},
    {"operator_on_the_next_line", "kinetic a\n + b",
     "a.daedal:3:2: error: expected a statement, found '+'\n"
     "     + b\n"
     "     ^\n"
     "  help: to go on from the line above, end that line with the operator"},
    {"else_on_the_next_line", "let a = if b then c\nelse d",
     "a.daedal:2:20: error: expected 'else', found the end of the statement\n"
     "    let a = if b then c\n"
     "                       ^\n"
     "  help: a choice has both branches: if condition then a else b\n"
     "a.daedal:3:1: error: unknown statement 'else'\n"
     "    else d\n"
     "    ^~~~\n"
     "  help: to go on from the line above, end that line with 'else'"},
    {"missing_operand", "kinetic m/2*",
     "a.daedal:2:13: error: expected an operand, found the end of the statement\n"
     "    kinetic m/2*\n"
     "                ^"},
    {"missing_operand_before_a_statement", "kinetic m*\npotential g",
     "a.daedal:2:11: error: expected an operand, found the end of the statement\n"
     "    kinetic m*\n"
     "              ^"},
    {"missing_product_sign", "kinetic m (x + y)",
     "a.daedal:2:11: error: expected an operator or the end of the statement, found '('\n"
     "    kinetic m (x + y)\n"
     "              ^\n"
     "  help: a product needs its '*':  kinetic m*(x + y)"},
    {"two_names_in_a_row", "kinetic m x",
     "a.daedal:2:11: error: expected an operator or the end of the statement, found 'x'\n"
     "    kinetic m x\n"
     "              ^\n"
     "  help: a product needs its '*':  kinetic m*x"},
    {"number_with_letters", "kinetic 2x",
     "a.daedal:2:9: error: '2x' is neither a number nor a name\n"
     "    kinetic 2x\n"
     "            ^~\n"
     "  help: a product needs its '*':  kinetic 2*x"},
    {"number_too_large", "let a = 1e999",
     "a.daedal:2:9: error: the number is outside the range of double precision\n"
     "    let a = 1e999\n"
     "            ^~~~~\n"
     "  help: magnitudes lie between 1e-308 and 1e308, or are 0"},
    {"unit_that_touches_its_number", "parameter m = 1[kg]",
     "a.daedal:2:16: error: a number has no index\n"
     "    parameter m = 1[kg]\n"
     "                   ^\n"
     "  help: a blank comes before a unit: 1 [kg]"},
    {"index_after_a_blank", "coordinate q [1..3]",
     "a.daedal:2:14: error: a bracket after a blank is a unit, and this is not one\n"
     "    coordinate q [1..3]\n"
     "                 ^~~~~~\n"
     "  help: an index bracket touches its name: q[1..3]"},
    {"index_after_a_blank_in_a_formula", "kinetic q [1]",
     "a.daedal:2:11: error: expected an operator or the end of the statement, found '['\n"
     "    kinetic q [1]\n"
     "              ^\n"
     "  help: an index bracket touches its name: q[2]"},
    {"empty_unit", "parameter m = 1 []",
     "a.daedal:2:17: error: the unit is empty\n"
     "    parameter m = 1 []\n"
     "                    ^~\n"
     "  help: a dimensionless quantity has no unit, or [1]"},
    {"unit_given_twice", "parameter m = 1 [kg] [g]",
     "a.daedal:2:22: error: the unit is given twice\n"
     "    parameter m = 1 [kg] [g]\n"
     "                         ^"},
    {"value_given_twice", "parameter m = 1 = 2",
     "a.daedal:2:17: error: the value is given twice\n"
     "    parameter m = 1 = 2\n"
     "                    ^"},
    {"bracket_never_closed", "kinetic (a + b",
     "a.daedal:2:9: error: '(' is never closed\n"
     "    kinetic (a + b\n"
     "            ^\n"
     "  help: ')' was expected before the statement ends"},
    {"bracket_never_closed_before_a_statement", "kinetic [a, b\npotential c",
     "a.daedal:2:9: error: '[' is never closed\n"
     "    kinetic [a, b\n"
     "            ^\n"
     "  help: ']' was expected before the statement ends"},
    {"wrong_closing_bracket", "kinetic (a + b]",
     "a.daedal:2:15: error: expected ',' or ')', found ']'\n"
     "    kinetic (a + b]\n"
     "                  ^"},
    {"entries_without_comma", "let a = [1 2]",
     "a.daedal:2:12: error: the entries of a vector are separated by commas\n"
     "    let a = [1 2]\n"
     "               ^\n"
     "  help: write  let a = [1, 2]"},
    {"closing_bracket_too_many", "kinetic a)",
     "a.daedal:2:10: error: expected an operator or the end of the statement, found ')'\n"
     "    kinetic a)\n"
     "             ^"},
    {"chained_comparison", "let a = 1 < x < 2",
     "a.daedal:2:15: error: comparisons do not chain\n"
     "    let a = 1 < x < 2\n"
     "                  ^\n"
     "  help: write  a < b and b < c"},
    {"choice_as_operand", "kinetic 1 + if a then b else c",
     "a.daedal:2:13: error: a choice inside a formula needs brackets\n"
     "    kinetic 1 + if a then b else c\n"
     "                ^~\n"
     "  help: write  (if c then a else b)"},
    {"assignment_as_comparison", "let a = if x = 1 then b else c",
     "a.daedal:2:14: error: expected 'then', found '='\n"
     "    let a = if x = 1 then b else c\n"
     "                 ^\n"
     "  help: a choice is written  if condition then a else b"},
    {"text_in_a_formula", "let a = 1 + \"x\"",
     "a.daedal:2:13: error: a text cannot be part of a formula\n"
     "    let a = 1 + \"x\"\n"
     "                ^~~"},
    {"text_not_closed", "coordinate x \"the way",
     "a.daedal:2:14: error: the text is not closed: '\"' is missing before the end of the line\n"
     "    coordinate x \"the way\n"
     "                 ^~~~~~~~"},
    {"keyword_as_name", "coordinate force",
     "a.daedal:2:12: error: 'force' cannot be a name: it is a word of the language\n"
     "    coordinate force\n"
     "               ^~~~~\n"
     "  help: choose another name, such as 'force_'"},
    {"keyword_as_operand", "kinetic m*input",
     "a.daedal:2:11: error: expected an operand, found 'input'\n"
     "    kinetic m*input\n"
     "              ^~~~~\n"
     "  help: 'input' is a word of the language and cannot be a name"},
    {"doubled_star", "kinetic m*x**2",
     "a.daedal:2:12: error: '**' is no operator\n"
     "    kinetic m*x**2\n"
     "               ^~\n"
     "  help: write  kinetic m*x^2"},
    {"foreign_comment", "kinetic m // mass",
     "a.daedal:2:11: error: '//' starts no comment\n"
     "    kinetic m // mass\n"
     "              ^~\n"
     "  help: comments start with '#':  kinetic m  # mass"},
    {"typographic_minus", "kinetic a \u2212 b",
     "a.daedal:2:11: error: unexpected character '\u2212'\n"
     "    kinetic a \u2212 b\n"
     "              ^\n"
     "  help: use the plain minus sign '-':  kinetic a - b"},
    {"control_character", "kinetic a\x01",
     "a.daedal:2:10: error: unexpected character '\\x01'\n"
     "    kinetic a\u2401\n"
     "             ^"},
    {"byte_that_is_no_utf8", "kinetic \xFF",
     "a.daedal:2:9: error: unexpected character '\\xff'\n"
     "    kinetic \uFFFD\n"
     "            ^"},
    {"hidden_character", "kinetic a\u202E",
     "a.daedal:2:10: error: unexpected character '\\u{202e}'\n"
     "    kinetic a\uFFFD\n"
     "             ^"},
    {"control_character_in_a_text", "coordinate x \"a\t\x02\"",
     "a.daedal:2:17: error: unexpected character '\\x02'\n"
     "    coordinate x \"a \u2402\"\n"
     "                    ^"},
    {"foreign_and", "let a = b && c",
     "a.daedal:2:11: error: unexpected character '&'\n"
     "    let a = b && c\n"
     "              ^\n"
     "  help: write  let a = b and c"},
    {"argument_given_twice", "let a = f(x = 1, x = 2)",
     "a.daedal:2:18: error: argument 'x' is given twice\n"
     "    let a = f(x = 1, x = 2)\n"
     "                     ^"},
    {"unnamed_argument_last", "let a = f(x = 1, 2)",
     "a.daedal:2:18: error: an argument without a name comes after one with a name\n"
     "    let a = f(x = 1, 2)\n"
     "                     ^\n"
     "  help: arguments without names come first"},
    {"formula_as_argument_name", "let a = f(x + 1 = 2)",
     "a.daedal:2:11: error: an argument's name was expected before '='\n"
     "    let a = f(x + 1 = 2)\n"
     "              ^~~~~\n"
     "  help: equality is tested by '=='"},
    {"sum_without_range", "kinetic sum(k in N: x)",
     "a.daedal:2:19: error: expected '..', found ':'\n"
     "    kinetic sum(k in N: x)\n"
     "                      ^\n"
     "  help: a range is written  k in 1..N"},
    {"sum_without_body", "kinetic sum(k in 1..N)",
     "a.daedal:2:22: error: expected ':', found ')'\n"
     "    kinetic sum(k in 1..N)\n"
     "                         ^\n"
     "  help: a sum is written  sum(k in 1..N: term)"},
    {"let_without_value", "let a",
     "a.daedal:2:6: error: expected '=', found the end of the statement\n"
     "    let a\n"
     "         ^\n"
     "  help: write  let a = ..."},
    {"let_over_a_bare_range", "let P[1..3] = 0",
     "a.daedal:2:6: error: 'P' is defined entry by entry, by one index\n"
     "    let P[1..3] = 0\n"
     "         ^~~~~~\n"
     "  help: write  let P[k in 1..N] = ...  or  let P[0] = ..."},
    {"function_argument_twice", "let f(a, a) = 1",
     "a.daedal:2:10: error: argument 'a' is named twice\n"
     "    let f(a, a) = 1\n"
     "             ^"},
    {"force_without_target", "force u",
     "a.daedal:2:8: error: expected 'on' or 'at', found the end of the statement\n"
     "    force u\n"
     "           ^\n"
     "  help: write  force F on coordinate  or  force F at point"},
    {"torque_on", "torque u on phi",
     "a.daedal:2:10: error: expected 'about', found 'on'\n"
     "    torque u on phi\n"
     "             ^~\n"
     "  help: write  torque tau about angle"},
    {"relation_without_right_side", "constraint rod: x^2",
     "a.daedal:2:20: error: expected '=', found the end of the statement\n"
     "    constraint rod: x^2\n"
     "                       ^\n"
     "  help: a relation has two sides: left = right"},
    {"relation_with_two_names", "constraint rod one: x = y",
     "a.daedal:2:16: error: expected ':', found 'one'\n"
     "    constraint rod one: x = y\n"
     "                   ^~~"},
    {"relation_with_a_bare_index", "constraint c[1]: x = y",
     "a.daedal:2:13: error: an index and its range were expected after 'c'\n"
     "    constraint c[1]: x = y\n"
     "                ^\n"
     "  help: write  c[k in 1..N]: left = right"},
    {"list_of_constraints", "constraint x = 1, y = 2",
     "a.daedal:2:17: error: expected the end of the statement, found ','\n"
     "    constraint x = 1, y = 2\n"
     "                    ^\n"
     "  help: write a second statement"},
    {"output_without_value", "output z",
     "a.daedal:2:9: error: expected '=', found the end of the statement\n"
     "    output z\n"
     "            ^\n"
     "  help: write  output z = ...; a vector is [a, b]"},
    {"drive_without_input", "drive x velocity()",
     "a.daedal:2:9: error: expected 'by', found 'velocity'\n"
     "    drive x velocity()\n"
     "            ^~~~~~~~\n"
     "  help: write  drive x by u velocity(lag = 0.1)"},
    {"drive_without_law", "drive x by u",
     "a.daedal:2:13: error: expected 'velocity' or 'position', found the end of the statement\n"
     "    drive x by u\n"
     "                ^\n"
     "  help: write  drive x by u velocity(lag = 0.1)"},
    {"initial_without_value", "initial x fixed",
     "a.daedal:2:11: error: expected '=', found 'fixed'\n"
     "    initial x fixed\n"
     "              ^~~~~\n"
     "  help: write  initial x = 1  or  initial x' = 0 fixed"},
    {"limit_without_range", "limit x < 3",
     "a.daedal:2:12: error: expected 'in', found the end of the statement\n"
     "    limit x < 3\n"
     "               ^\n"
     "  help: write  limit x in [low, high]"},
    {"event_without_condition", "event snap: release rod",
     "a.daedal:2:13: error: expected 'when', found 'release'\n"
     "    event snap: release rod\n"
     "                ^~~~~~~\n"
     "  help: write  event snap: when condition then action"},
    {"event_with_unknown_action", "event snap: when x > 1 then relese rod",
     "a.daedal:2:29: error: expected 'release', 'attach' or 'set', found 'relese'\n"
     "    event snap: when x > 1 then relese rod\n"
     "                                ^~~~~~\n"
     "  help: did you mean 'release'?"},
    {"event_actions_joined_by_and", "event snap: when x > 1 then release a and release b",
     "a.daedal:2:39: error: expected ',', found 'and'\n"
     "    event snap: when x > 1 then release a and release b\n"
     "                                          ^~~\n"
     "  help: actions are separated by commas"},
    {"draw_without_point", "draw disc",
     "a.daedal:2:10: error: expected a point, found the end of the statement\n"
     "    draw disc\n"
     "             ^\n"
     "  help: write  draw line [0, 0] -> tip, disc tip radius 0.1"},
    {"draw_points_without_arrow", "draw line base elbow",
     "a.daedal:2:16: error: 'elbow' is read as an option and has no value\n"
     "    draw line base elbow\n"
     "                   ^~~~~\n"
     "  help: points are joined by ->, as in  line ... -> elbow; options have values: radius 0.1"},
    {"experiment_without_call", "experiment e: simulate",
     "a.daedal:2:23: error: expected '(', found the end of the statement\n"
     "    experiment e: simulate\n"
     "                          ^\n"
     "  help: write  simulate(...)"},
    {"part_without_model", "part arm",
     "a.daedal:2:9: error: expected '=', found the end of the statement\n"
     "    part arm\n"
     "            ^\n"
     "  help: write  part arm = some_model(...)"},
    {"declaration_in_a_loop", "for k in 1..3: coordinate q",
     "a.daedal:2:16: error: 'coordinate' is not allowed in a 'for'\n"
     "    for k in 1..3: coordinate q\n"
     "                   ^~~~~~~~~~\n"
     "  help: a declaration takes a range: q[1..N]"},
    {"model_in_a_loop", "for k in 1..3: model b",
     "a.daedal:2:16: error: 'model' is not allowed in a 'for'\n"
     "    for k in 1..3: model b\n"
     "                   ^~~~~\n"
     "  help: write it outside the loop"},
    {"import_without_quotes", "import arm.daedal",
     "a.daedal:2:8: error: expected a file name in double quotes, found 'arm'\n"
     "    import arm.daedal\n"
     "           ^~~\n"
     "  help: write  import \"arm.daedal\""},
    {"model_without_name", "model",
     "a.daedal:2:6: error: expected the name of the model, found the end of the statement\n"
     "    model\n"
     "         ^"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Faults, ParseError, testing::ValuesIn(faults),
                         [](const auto& fault) { return fault.param.title; });

TEST(ParseErrors, all_faulty_statements_are_reported_in_one_go) {
  const std::string text =
      faults_of_file("model m\nkinetic\ncoordinate x\npotential (\nlet 3 = a\nforce u");
  EXPECT_THAT(text, HasSubstr("a.daedal:2:8: error:"));
  EXPECT_THAT(text, HasSubstr("a.daedal:4:12: error:"));
  EXPECT_THAT(text, HasSubstr("a.daedal:5:5: error:"));
  EXPECT_THAT(text, HasSubstr("a.daedal:6:8: error:"));
}

TEST(ParseErrors, sound_statements_around_a_fault_are_kept) {
  Diagnostics diagnostics;
  const auto file = parse(source("model m\ncoordinate x\nkinetic (\npotential x"), diagnostics);
  EXPECT_EQ(diagnostics.errors(), 1u);
  EXPECT_THAT(file.models.at(0).statements, testing::SizeIs(2));
}

TEST(ParseErrors, statements_before_any_model_are_one_fault) {
  EXPECT_EQ(faults_of_file("coordinate x\ncoordinate y\n"),
            "a.daedal:1:1: error: a statement before any 'model' line\n"
            "    coordinate x\n"
            "    ^~~~~~~~~~\n"
            "  help: start the model with a line such as  model pendulum");
}

TEST(ParseErrors, a_misspelt_model_line_is_one_fault) {
  EXPECT_EQ(faults_of_file("modle crane\ncoordinate x"),
            "a.daedal:1:1: error: unknown statement 'modle'\n"
            "    modle crane\n"
            "    ^~~~~\n"
            "  help: did you mean 'model'?");
}

TEST(ParseErrors, a_flood_is_cut_and_counted) {
  std::string text = "model m\n";
  for (int i = 0; i < 1000; ++i) text += "kinetic\n";
  Diagnostics diagnostics;
  parse(source(text), diagnostics);
  EXPECT_EQ(diagnostics.errors(), 20u);
  EXPECT_EQ(render(diagnostics.list().back()), "a.daedal: note: 980 more errors are not shown");
}

TEST(ParseErrors, binary_junk_gets_a_located_answer) {
  std::string junk;
  unsigned state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 1664525u + 1013904223u;
    junk += static_cast<char>(state >> 24);
  }
  EXPECT_THAT(faults_of_file(junk), HasSubstr("a.daedal:1:1: error: "));
}

// ---- nesting: each kind must be refused, and at once; the time bound is generous, a quadratic or
// exponential answer would take minutes.

std::string repeated(const std::string& piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

class DeepNesting : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(DeepNesting, is_refused_at_once) {
  const auto& [piece, rest] = GetParam();
  const auto start = std::chrono::steady_clock::now();
  const std::string text = faults_of_file("model m\nlet a = " + repeated(piece, 100000) + rest);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_THAT(text, HasSubstr(": error: nested deeper than 200 levels\n"));
  EXPECT_THAT(text, HasSubstr("\n  help: name the inner parts with 'let'"));
  EXPECT_LT(text.size(), 600u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeepNesting,
                         testing::Values(std::pair{"(", ""}, std::pair{"[", ""},
                                         std::pair{"f(", "x"}, std::pair{"q[", "1"},
                                         std::pair{"-", "x"}, std::pair{"not ", "x"},
                                         std::pair{"x^", "x"}, std::pair{"if a then b else ", "c"},
                                         std::pair{"if ", "c"}, std::pair{"sum(k in 1..2: ", "x"},
                                         std::pair{"(1 + ", "x"}));

TEST(DeepNesting, attachments_count_as_well) {
  for (const std::string piece : {"[1]", "'", ".a"}) {
    EXPECT_THAT(faults_of_file("model m\nlet a = x" + repeated(piece, 100000)),
                HasSubstr("nested deeper than 200 levels"));
  }
  // Brackets and indices in turn: neither alone is too deep.
  EXPECT_THAT(
      faults_of_file("model m\nlet a = " + repeated("(", 150) + "x" + repeated(")[1][1]", 150)),
      HasSubstr("nested deeper than 200 levels"));
}

TEST(DeepNesting, loops_count_as_well) {
  EXPECT_THAT(faults_of_file("model m\n" + repeated("for k in 1..2: ", 100000) + "kinetic x"),
              HasSubstr("nested deeper than 200 levels"));
}

TEST(DeepNesting, the_next_statement_is_read_all_the_same) {
  Diagnostics diagnostics;
  const auto file =
      parse(source("model m\nkinetic " + repeated("(", 100000) + "\ncoordinate x"), diagnostics);
  EXPECT_EQ(diagnostics.errors(), 1u);
  EXPECT_THAT(file.models.at(0).statements, testing::SizeIs(1));
}

TEST(ParseErrors, a_statement_of_a_million_words_is_refused) {
  EXPECT_EQ(faults_of_file("model m\nkinetic " + repeated("x+\n", 600000) + "x"),
            "a.daedal:2:1: error: the statement is longer than a million words\n"
            "    kinetic x+\n"
            "    ^~~~~~~\n"
            "  help: is a closing bracket missing?");
}

// ---- single expressions, as the command line gives them

TEST(ParseExpressionErrors, point_into_the_expression) {
  EXPECT_EQ(test::tree("0.5*sin(t"),
            "a.daedal:1:8: error: '(' is never closed\n"
            "    0.5*sin(t\n"
            "           ^\n"
            "  help: ')' was expected before the statement ends");
  EXPECT_EQ(test::tree(""), "a.daedal:1:1: error: the expression is empty\n    \n    ^");
  EXPECT_EQ(test::tree("1; 2"),
            "a.daedal:1:4: error: expected a single expression, found '2'\n"
            "    1; 2\n"
            "       ^");
  EXPECT_EQ(test::tree("1 [m]"),
            "a.daedal:1:3: error: expected an operator or the end of the expression, found '['\n"
            "    1 [m]\n"
            "      ^");
}

}  // namespace
}  // namespace daedal::model
