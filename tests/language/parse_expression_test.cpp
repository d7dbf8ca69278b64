// What formulas mean: precedence, postfixes, brackets, numbers.
#include "language/tree_text.hpp"

#include <gtest/gtest.h>

namespace daedal::model {
namespace {

using test::source;
using test::tree;

TEST(ParseExpression, products_bind_tighter_than_sums_and_chains_are_flat) {
  EXPECT_EQ(tree("a + b*c - d/e*f"), "(a + (b * c) - (d / e * f))");
  EXPECT_EQ(tree("(a + b)*c"), "((a + b) * c)");
  EXPECT_EQ(tree("a - (b - c)"), "(a - (b - c))");
}

TEST(ParseExpression, a_long_chain_is_one_node) {
  std::string text = "x";
  for (int i = 0; i < 100000; ++i) text += " + x";
  Diagnostics diagnostics;
  const auto e = parse_expression(source(text), diagnostics);
  ASSERT_TRUE(e);
  EXPECT_EQ(std::get<syntax::Chain>(e->node).rest.size(), 100000u);
  EXPECT_EQ(e->levels, 0);
}

TEST(ParseExpression, powers_are_right_associative_and_bind_tighter_than_signs) {
  EXPECT_EQ(tree("a^b^c"), "(pow a (pow b c))");
  EXPECT_EQ(tree("-x^2"), "(neg (pow x 2))");
  EXPECT_EQ(tree("a^-b"), "(pow a (neg b))");
  EXPECT_EQ(tree("a^-b^c"), "(pow a (neg (pow b c)))");
  EXPECT_EQ(tree("2*-x"), "(2 * (neg x))");
  EXPECT_EQ(tree("+x - +y"), "(x - y)");
  EXPECT_EQ(tree("--x"), "(neg (neg x))");
}

TEST(ParseExpression, derivatives_bind_tighter_than_powers) {
  EXPECT_EQ(tree("x'"), "(der x 1)");
  EXPECT_EQ(tree("x''"), "(der x 2)");
  EXPECT_EQ(tree("x'^2"), "(pow (der x 1) 2)");
  EXPECT_EQ(tree("(a + b)'"), "(der (a + b) 1)");
  EXPECT_EQ(tree("phi[2]'"), "(der (at phi 2) 1)");
  EXPECT_EQ(tree("arm[1].q[2]'"), "(der (at (member (at arm 1) q) 2) 1)");
  EXPECT_EQ(tree("der(x, 2)"), "(der! x 2)");
  EXPECT_EQ(tree("dot(c1', c1')"), "(dot! (der c1 1) (der c1 1))");
}

TEST(ParseExpression, indices_and_members_follow_what_they_touch) {
  EXPECT_EQ(tree("C[k][2]"), "(at (at C k) 2)");
  EXPECT_EQ(tree("A[1, j+1]"), "(at A 1 (j + 1))");
  EXPECT_EQ(tree("q[1..N-1]"), "(at q (range 1 (N - 1)))");
  EXPECT_EQ(tree("[1, 2][k]"), "(at (matrix 1 2) k)");
  EXPECT_EQ(tree("f(x)[1]"), "(at (f! x) 1)");
  EXPECT_EQ(tree("beam.node[N+1].r[2]"), "(at (member (at (member beam node) (N + 1)) r) 2)");
}

TEST(ParseExpression, a_member_may_be_called_like_a_word_of_the_language) {
  EXPECT_EQ(tree("rod.force > 10"), "(> (member rod force) 10)");
  EXPECT_EQ(tree("arm[1].input"), "(member (at arm 1) input)");
}

TEST(ParseExpression, vectors_and_matrices) {
  EXPECT_EQ(tree("[a, b]"), "(matrix a b)");
  EXPECT_EQ(tree("[a, b; c, d]"), "(matrix a b ; c d)");
  EXPECT_EQ(tree("[[1, 2], [3]]"), "(matrix (matrix 1 2) (matrix 3))");
  EXPECT_EQ(tree("[1; 2]"), "(matrix 1 ; 2)");
}

TEST(ParseExpression, comparisons_and_logic) {
  EXPECT_EQ(tree("a < b and not c >= d or e == f"), "(((< a b) and (not (>= c d))) or (== e f))");
  EXPECT_EQ(tree("a + 1 != b*2"), "(!= (a + 1) (b * 2))");
  EXPECT_EQ(tree("not not a"), "(not (not a))");
}

TEST(ParseExpression, a_choice_binds_loosest) {
  EXPECT_EQ(tree("if x > 0 then a + 1 else b + 1"), "(if (> x 0) (a + 1) (b + 1))");
  EXPECT_EQ(tree("if a then b else if c then d else e"), "(if a b (if c d e))");
  EXPECT_EQ(tree("1 + (if a then b else c)"), "(1 + (if a b c))");
}

TEST(ParseExpression, sums_bind_an_index) {
  EXPECT_EQ(tree("sum(k in 1..N-1: q[k]^2)"), "(sum k in 1..(N - 1): (pow (at q k) 2))");
  EXPECT_EQ(tree("sum(v)"), "(sum! v)");
  EXPECT_EQ(tree("sum(in)"), "(sum! in)");
  EXPECT_EQ(tree("sum(i in 1..2: sum(j in i..3: 1))"), "(sum i in 1..2: (sum j in i..3: 1))");
}

TEST(ParseExpression, arguments_may_be_named_words_texts_calls_or_indexed) {
  EXPECT_EQ(tree("rest_to_rest(t/6, smoothness = 4)"), "(rest_to_rest! (t / 6) smoothness=4)");
  EXPECT_EQ(tree("spline(file = \"path.csv\")"), "(spline! file=\"path.csv\")");
  EXPECT_EQ(tree("simulate(method = radau5(tolerance = 1e-8), u[2] = sin(t))"),
            "(simulate! method=(radau5! tolerance=1e-08) u[2]=(sin! t))");
  EXPECT_EQ(tree("simulate(arm[1].u = 0)"), "(simulate! arm[1].u=0)");
  EXPECT_EQ(tree("box(size = 2)"), "(box! size=2)");
  EXPECT_EQ(tree("f()"), "(f!)");
}

TEST(ParseExpression, numbers) {
  EXPECT_EQ(tree("1 + 1.5 + .5 + 2. + 1e3 + 1.5E-3 + 2.e+1"),
            "(1 + 1.5 + 0.5 + 2 + 1000 + 0.0015 + 20)");
  EXPECT_EQ(tree("a[1..3]"), "(at a (range 1 3))");
  EXPECT_EQ(tree("a[1.5..3]"), "(at a (range 1.5 3))");
  EXPECT_EQ(tree("4.9406564584124654e-324"), "5e-324");
}

TEST(ParseExpression, words_that_are_special_elsewhere_are_names) {
  EXPECT_EQ(tree("on + at*by - about/in + when^fixed + radius + nominal + set"),
            "(on + (at * by) - (about / in) + (pow when fixed) + radius + nominal + set)");
}

TEST(ParseExpression, letters_of_other_alphabets_make_names) {
  EXPECT_EQ(tree("\u03B8_1' + \u03C9\u2080*\u00E4"),
            "((der \u03B8_1 1) + (\u03C9\u2080 * \u00E4))");
}

TEST(ParseExpression, line_ends_count_for_nothing_in_brackets_and_after_operators) {
  EXPECT_EQ(tree("(a\n\n# comment\n + b)*\n  c"), "((a + b) * c)");
  EXPECT_EQ(tree("if a then\n b else\n c"), "(if a b c)");
}

TEST(ParseExpression, places_cover_the_expression_on_its_line) {
  Diagnostics diagnostics;
  const auto file = source("  \u03B1*x' + f(y,\n   z)");
  const auto sum = parse_expression(file, diagnostics);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->place.text(), "a.daedal:1:3");
  EXPECT_EQ(sum->place.length, 11u);  // to the comma that ends the line
  const auto& product = *std::get<syntax::Chain>(sum->node).first;
  EXPECT_EQ(product.place.column, 3u);
  EXPECT_EQ(product.place.length, 4u);
  const auto& derivative = *std::get<syntax::Chain>(product.node).rest[0].second;
  EXPECT_EQ(derivative.place.column, 5u);
  EXPECT_EQ(derivative.place.length, 2u);
}

TEST(ParseExpression, two_hundred_levels_are_accepted) {
  const std::string open(200, '('), close(200, ')');
  EXPECT_EQ(tree(open + "x" + close), "x");
  std::string calls = "x", signs = "x";
  for (int i = 0; i < 200; ++i) {
    calls = "f(" + calls + ")";
    signs = "-" + signs;
  }
  EXPECT_EQ(tree(calls).substr(0, 6), "(f! (f");
  EXPECT_EQ(tree(signs).substr(0, 10), "(neg (neg ");
}

}  // namespace
}  // namespace daedal::model
