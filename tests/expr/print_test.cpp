// Text that means the expression it was written from, with few brackets; LaTeX as one would set it.
#include "daedal/expr/graph.hpp"
#include "random_expressions.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <limits>

namespace daedal::expr {
namespace {

const LeafName letter = [](Leaf leaf) {
  std::string name(1, static_cast<char>('a' + leaf.symbol));
  return name.append(leaf.order, '\'');
};

// A reader of the arithmetic of the model language that computes as it goes: the second way from
// text to value.
class Calculator {
 public:
  Calculator(std::string text, const testing::Point& point)
      : text_(std::move(text)), point_(point) {}

  testing::Real read() {
    const testing::Real value = expression();
    EXPECT_EQ(at_, text_.size()) << "unread: " << text_.substr(at_);
    return value;
  }

 private:
  using Real = testing::Real;

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(std::string_view token) {
    skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  Real expression() {
    if (accept("if ")) {
      const Real condition = expression();
      EXPECT_TRUE(accept("then "));
      const Real when_true = expression();
      EXPECT_TRUE(accept("else "));
      const Real when_false = expression();
      return condition != 0 ? when_true : when_false;
    }
    const Real left = sum();
    if (accept("<=")) return left <= sum();
    if (accept("<")) return left < sum();
    return left;
  }
  Real sum() {
    Real value = product();
    for (;;) {
      if (accept("+"))
        value += product();
      else if (accept("-"))
        value -= product();
      else
        return value;
    }
  }
  Real product() {
    Real value = sign();
    for (;;) {
      if (accept("*"))
        value *= sign();
      else if (accept("/"))
        value /= sign();
      else
        return value;
    }
  }
  Real sign() { return accept("-") ? -sign() : power(); }
  Real power() {
    const Real base = atom();
    return accept("^") ? std::pow(base, sign()) : base;
  }
  Real atom() {
    if (accept("(")) {
      const Real value = expression();
      EXPECT_TRUE(accept(")"));
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      std::size_t used = 0;
      const double value =
          std::stod(text_.substr(at_), &used);  // the language's numbers are doubles
      at_ += used;
      return value;
    }
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_]))))
      name += text_[at_++];
    if (accept("(")) return function(name);
    std::uint16_t order = 0;
    while (at_ < text_.size() && text_[at_] == '\'') ++at_, ++order;
    return point_.at({static_cast<SymbolId>(name[0] - 'a'), order});
  }
  Real function(const std::string& name) {
    const Real x = expression();
    const Real y = accept(",") ? expression() : 0;
    EXPECT_TRUE(accept(")"));
    if (name == "sqrt") return std::sqrt(x);
    if (name == "exp") return std::exp(x);
    if (name == "log") return std::log(x);
    if (name == "sin") return std::sin(x);
    if (name == "cos") return std::cos(x);
    if (name == "tan") return std::tan(x);
    if (name == "asin") return std::asin(x);
    if (name == "acos") return std::acos(x);
    if (name == "atan") return std::atan(x);
    if (name == "sinh") return std::sinh(x);
    if (name == "cosh") return std::cosh(x);
    if (name == "tanh") return std::tanh(x);
    if (name == "abs") return std::fabs(x);
    if (name == "atan2") return std::atan2(x, y);
    if (name == "min") return std::min(x, y);
    if (name == "max") return std::max(x, y);
    if (name == "mod") return x - y * std::floor(x / y);
    ADD_FAILURE() << "unknown function " << name;
    return 0;
  }

  std::string text_;
  const testing::Point& point_;
  std::size_t at_ = 0;
};

TEST(ToText, reads_back_to_the_same_value) {
  const testing::Point point{
      {{1, 0}, 0.7L}, {{2, 0}, 1.3L}, {{3, 0}, -0.4L}, {{3, 1}, 0.9L}, {{4, 2}, 2.1L}};
  int compared = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Graph g;
    testing::RandomExpressions random(g, point, seed);
    random.grow(30);
    for (const auto& known : random.all()) {
      const std::string text = to_text(g, known.e, letter);
      if (text.ends_with("...")) continue;
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << text);
      const auto expected = static_cast<double>(testing::reference_value(g, known.e, point));
      EXPECT_NEAR(static_cast<double>(Calculator(text, point).read()), expected,
                  test::rounding(30, 1 + std::fabs(expected)));
      ++compared;
    }
  }
  EXPECT_GT(compared, 1000);
}

class Written : public ::testing::Test {
 protected:
  Graph g;
  Expr x = g.leaf({23, 0}), y = g.leaf({24, 0}), z = g.leaf({25, 0}), v = g.leaf({23, 1}),
       t = g.leaf({19, 0});
  Expr number(double value) { return g.constant(value); }
  std::string text(Expr e) { return to_text(g, e, letter); }
  std::string latex(Expr e) { return to_latex(g, e, letter); }
};

TEST_F(Written, text_has_the_brackets_it_needs_and_no_more) {
  EXPECT_EQ(text(g.add(x, g.add(y, z))), "x + y + z");
  EXPECT_EQ(text(g.sub(x, g.add(y, z))), "x - (y + z)");
  EXPECT_EQ(text(g.sub(g.sub(x, y), z)), "x - y - z");
  EXPECT_EQ(text(g.mul(g.add(x, y), z)), "(x + y)*z");
  EXPECT_EQ(text(g.mul(x, g.mul(y, z))), "x*y*z");
  EXPECT_EQ(text(g.div(x, g.mul(y, z))), "x/(y*z)");
  EXPECT_EQ(text(g.div(g.div(x, y), z)), "x/y/z");
  EXPECT_EQ(text(g.powi(g.add(x, y), 2)), "(x + y)^2");
  EXPECT_EQ(text(g.powi(v, 2)), "x'^2");
  EXPECT_EQ(text(g.powi(x, -2)), "x^-2");
  EXPECT_EQ(text(g.pow(x, g.pow(y, z))), "x^y^z");
  EXPECT_EQ(text(g.pow(g.pow(x, y), z)), "(x^y)^z");
  EXPECT_EQ(text(g.neg(g.mul(x, y))), "-x*y");
  EXPECT_EQ(text(g.neg(g.add(x, y))), "-(x + y)");
  EXPECT_EQ(text(g.pow(x, g.neg(y))), "x^-y");
  EXPECT_EQ(text(g.pow(x, g.neg(g.mul(y, z)))), "x^(-y*z)");
}

TEST_F(Written, text_takes_minus_signs_into_sums) {
  EXPECT_EQ(text(g.add(x, g.mul(number(-2), y))), "x - 2*y");
  EXPECT_EQ(text(g.sub(x, g.mul(number(-2), y))), "x + 2*y");
  EXPECT_EQ(text(g.add(x, number(-3))), "x - 3");
  EXPECT_EQ(text(g.add(x, g.div(number(-3), y))), "x - 3/y");
  EXPECT_EQ(text(g.mul(number(-2), y)), "-2*y");
  EXPECT_EQ(text(g.sub(x, g.mul(number(0.5), y))), "x - y/2");
  EXPECT_EQ(text(g.add(x, g.mul(number(-0.5), y))), "x - y/2");
}

TEST_F(Written, text_of_choices_and_comparisons) {
  const Expr condition = g.binary(Op::less, x, g.add(y, z));
  EXPECT_EQ(text(g.select(condition, x, y)), "if x < y + z then x else y");
  EXPECT_EQ(text(g.mul(number(3), g.select(condition, x, y))), "3*(if x < y + z then x else y)");
  EXPECT_EQ(text(g.binary(Op::logical_or, g.binary(Op::logical_and, condition, x), y)),
            "x < y + z and x or y");
  EXPECT_EQ(text(g.binary(Op::logical_and, g.binary(Op::logical_or, x, y), z)), "(x or y) and z");
  EXPECT_EQ(text(g.unary(Op::logical_not, condition)), "not x < y + z");
}

TEST_F(Written, numbers_have_their_shortest_exact_form) {
  EXPECT_EQ(text(number(0.1)), "0.1");
  EXPECT_EQ(text(number(100000)), "100000");
  EXPECT_EQ(text(number(1.0 / 3)), "0.3333333333333333");
  EXPECT_EQ(text(number(1e-300)), "1e-300");
  EXPECT_EQ(text(number(3.141592653589793)), "pi");
  EXPECT_EQ(text(number(std::numeric_limits<double>::infinity())), "1/0");
  EXPECT_EQ(text(number(std::numeric_limits<double>::quiet_NaN())), "0/0");
}

TEST_F(Written, trajectories_name_their_options) {
  const Expr s = g.div(t, number(6));
  EXPECT_EQ(text(g.rest_to_rest(s, 4)), "rest_to_rest(t/6, smoothness = 4)");
  EXPECT_EQ(text(g.rest_to_rest(s, 4, 2)), "rest_to_rest(t/6, smoothness = 4, derivative = 2)");
}

TEST_F(Written, a_large_expression_is_cut_at_the_limit) {
  Expr e = x;
  for (int i = 0; i < 100; ++i)
    e = g.mul(g.add(e, y), g.add(e, z));  // 2^100 characters when written out
  const std::string cut = to_text(g, e, letter, 1000);
  EXPECT_LE(cut.size(), 1003u);
  EXPECT_TRUE(cut.ends_with("..."));
  EXPECT_LE(to_latex(g, e, letter, 1000).size(), 1003u);
}

TEST_F(Written, a_chain_of_1e5_nodes_is_written_without_recursion) {
  Expr e = x;
  for (std::uint32_t i = 0; i < 100000; ++i) e = g.sub(g.unary(Op::sin, e), g.leaf({i % 20, 0}));
  EXPECT_TRUE(to_text(g, e, letter).ends_with("..."));
}

TEST_F(Written, latex_looks_as_one_would_set_it) {
  EXPECT_EQ(latex(g.div(x, y)), "\\frac{x}{y}");
  EXPECT_EQ(latex(g.mul(g.div(x, number(2)), g.powi(v, 2))), "\\frac{x}{2}\\,\\dot{x}^{2}");
  EXPECT_EQ(latex(g.powi(g.unary(Op::sin, x), 2)), "\\sin^{2}\\left(x\\right)");
  EXPECT_EQ(latex(g.unary(Op::sqrt, g.add(x, y))), "\\sqrt{x + y}");
  EXPECT_EQ(latex(g.powi(g.div(x, y), 2)), "\\left(\\frac{x}{y}\\right)^{2}");
  EXPECT_EQ(latex(g.mul(number(1.5e-7), x)), "1.5 \\cdot 10^{-7}\\,x");
  EXPECT_EQ(latex(g.mul(x, g.mul(number(3), y))), "x \\cdot 3\\,y");
  EXPECT_EQ(latex(g.add(x, g.div(number(-3), y))), "x - \\frac{3}{y}");
  EXPECT_EQ(latex(g.div(number(-3), y)), "-\\frac{3}{y}");
  EXPECT_EQ(latex(g.rest_to_rest(t, 4, 1)), "s_{4}^{(1)}\\left(t\\right)");
  EXPECT_EQ(latex(g.powi(g.leaf({23, 4}), 2)), "\\left(x^{(4)}\\right)^{2}");
  EXPECT_EQ(latex(g.select(g.binary(Op::less_equal, x, y), x, y)),
            "\\begin{cases} x & \\text{if } x \\le y \\\\ y & \\text{otherwise} \\end{cases}");
}

TEST(LatexName, sets_greek_letters_subscripts_and_dots) {
  EXPECT_EQ(latex_name("x", 0), "x");
  EXPECT_EQ(latex_name("x_T", 0), "x_{T}");
  EXPECT_EQ(latex_name("x_T", 2), "\\ddot{x}_{T}");
  EXPECT_EQ(latex_name("phi[2]", 1), "\\dot{\\varphi}_{2}");
  EXPECT_EQ(latex_name("tau_L", 0), "\\tau_{L}");
  EXPECT_EQ(latex_name("m1", 0), "m_{1}");
  EXPECT_EQ(latex_name("length", 0), "\\mathrm{length}");
  EXPECT_EQ(latex_name("A[1,2]", 0), "A_{1,2}");
  EXPECT_EQ(latex_name("u_max[3]", 0), "u_{\\mathrm{max},3}");
  EXPECT_EQ(latex_name("arm[2].q[1]", 1), "\\mathrm{arm}_{2}.\\dot{q}_{1}");
  EXPECT_EQ(latex_name("q", 5), "q^{(5)}");
  EXPECT_EQ(latex_name("Omega", 3), "\\dddot{\\Omega}");
}

}  // namespace
}  // namespace daedal::expr
