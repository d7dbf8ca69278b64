// The canonical text, and that it parses to the tree it was printed from.
#include "language/tree_text.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

namespace daedal::model {
namespace {

using namespace syntax;
using test::source;

File parsed(const std::string& text) {
  Diagnostics diagnostics;
  File file = parse(source(text), diagnostics);
  EXPECT_EQ(render(diagnostics.list()), "") << text;
  return file;
}

std::string printed_statement(const std::string& text) {
  const std::string out = print(parsed("model m\n" + text));
  return out.substr(std::string("model m\n").size());
}

void expect_canonical(const std::string& text) {
  EXPECT_EQ(printed_statement(text + "\n"), text + "\n");
}

TEST(Print, each_statement_has_one_spelling) {
  for (const std::string text : {
           "size N = 4, smooth = 2*N",
           "parameter I = 0.12 [kg*m^2], d[1..N-1] = 0 [N*m*s/rad], anchor = [6, 2] [m], l0",
           "coordinate x \"way\" = L [m] (nominal = 0.001) fixed, q[1..3]",
           "variable V = 1",
           "input u [N*m]",
           "signal car = spline(file = \"path.csv\", smoothness = 5)",
           "let l \"rod\" = length/N [m]",
           "let P[0] = car",
           "let P[k in 1..N] = P[k-1] + l*[sin(q[k]), cos(q[k])]",
           "let hyp(a, b) = sqrt(a^2 + b^2)",
           "kinetic sum(i in 1..N: I/2*phi[i]'^2)",
           "potential -m*g*z_P",
           "dissipation d/2*x'^2",
           "force [0, -F] at P[N]",
           "force u on phi[1]",
           "torque tau about a - b",
           "constraint rod: x^2 + y^2 = L^2",
           "constraint c[k in 1..N] \"links\": P[k] = Q[k] nonlinear",
           "equation u*x' + x = 0",
           "servo x_P'' = tan(delta)*(-g + z_P'')",
           "output bob \"tip\" = [x, y] [m]",
           "drive x_T by u_T velocity(lag = tau_T)",
           "initial x' = 0.3 fixed, y = -0.2",
           "limit x_T in [0, 20], x_T' in [-3, 3]",
           "limit x in [0, 3] [mm], y in [-1, 1]",
           "part b = box(mass = 250 [g], l = [1, 2] [mm])",
           "event snap: when rod.force > 10 then release rod, attach c (restitution = 0.5), set x' "
           "= -x'",
           "draw line [0, 0] -> bob, disc bob radius 0.05*L, text bob label \"tip\"",
           "experiment swing \"20 s\": simulate(until = 20, method = radau5(tolerance = 1e-08), "
           "u[2] = 0)",
           "part arm[i in 1..3] = delta_arm(l0 = 0.2, l1 = 0.25)",
           "for k in 2..N: initial q[k] = k*0.1",
       }) {
    expect_canonical(text);
  }
}

TEST(Print, other_spellings_become_the_canonical_one) {
  EXPECT_EQ(printed_statement("coordinate x [m] fixed (nominal=1e-3)=L \"way\""),
            "coordinate x \"way\" = L [m] (nominal = 0.001) fixed\n");
  EXPECT_EQ(printed_statement("let a=1,b = 2; let c=3"), "let a = 1\nlet b = 2\nlet c = 3\n");
  EXPECT_EQ(printed_statement("constraint roll (nonlinear):x'*y'=1"),
            "constraint roll: x'*y' = 1 nonlinear\n");
  EXPECT_EQ(printed_statement("event e: when x>1 then release a, b"),
            "event e: when x > 1 then release a, release b\n");
  EXPECT_EQ(printed_statement("kinetic ((m))/(2)*(x')^(2) # energy"), "kinetic m/2*x'^2\n");
}

TEST(Print, brackets_stand_where_the_grammar_needs_them) {
  for (const std::string text : {"(a + b)*c",
                                 "a - (b - c)",
                                 "(a - b) - c",
                                 "a/(b*c)",
                                 "(a/b)/c",
                                 "(a^b)^c",
                                 "a^b^c",
                                 "(-a)^2",
                                 "-a^2",
                                 "a^-b",
                                 "(a + b)'",
                                 "(x')'",
                                 "x''",
                                 "(3)'",
                                 "(a + b)[1]",
                                 "(if a then b else c) + 1",
                                 "not (a and b)",
                                 "not a < b",
                                 "(not a) < b",
                                 "(a < b) == c",
                                 "(a or b) and c",
                                 "a or b and c",
                                 "-(-a)*b",
                                 "(1).x",
                                 "sum(k in 1..2: x) + y",
                                 "if (if a then b else c) then d else e",
                                 "q[(if a then 1 else 2)..3]"}) {
    const std::string tree = test::tree(text);
    Diagnostics diagnostics;
    const auto e = parse_expression(source(text), diagnostics);
    ASSERT_TRUE(e) << tree;
    EXPECT_EQ(test::tree(print(*e)), tree) << print(*e);
  }
}

TEST(Print, numbers_have_the_fewest_digits_that_read_back) {
  EXPECT_EQ(printed_statement(
                "let a = [0.1, 1e3, 100000000000000000000000, 0.30000000000000004, 5e-324, 1.50]"),
            "let a = [0.1, 1000, 1e+23, 0.30000000000000004, 5e-324, 1.5]\n");
}

TEST(Print, imports_come_first_and_models_are_set_apart) {
  EXPECT_EQ(print(parsed("model a \"one\"; coordinate x\nimport \"b.daedal\"\nmodel c")),
            "import \"b.daedal\"\n\nmodel a \"one\"\ncoordinate x\n\nmodel c\n");
  EXPECT_EQ(print(parsed("")), "");
}

TEST(Print, long_lines_break_where_a_line_may_go_on) {
  std::string text = "model m\nkinetic x";
  for (int i = 0; i < 100; ++i) text += " + some_mass*velocity[1]'^2";
  const File file = parsed(text + "\nparameter a = f(" + std::string(120, 'b') + ")");
  const std::string out = print(file);
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.size() <= 100 || line.find("bbb") != std::string::npos) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_TRUE(same(file, parsed(out)));
}

TEST(Same, tells_trees_apart_by_everything_but_places) {
  EXPECT_TRUE(same(parsed("model m\nkinetic x"), parsed("\n\nmodel  m ; kinetic (x)")));
  const std::string base =
      "model m \"doc\"\ncoordinate x = 1 [m] (nominal = 2) fixed\nkinetic x'^2 + y\n";
  for (const std::string other :
       {"model m\ncoordinate x = 1 [m] (nominal = 2) fixed\nkinetic x'^2 + y\n",
        "model m \"doc\"\ncoordinate x = 2 [m] (nominal = 2) fixed\nkinetic x'^2 + y\n",
        "model m \"doc\"\ncoordinate x = 1 [s] (nominal = 2) fixed\nkinetic x'^2 + y\n",
        "model m \"doc\"\ncoordinate x = 1 [m] (nominal = 3) fixed\nkinetic x'^2 + y\n",
        "model m \"doc\"\ncoordinate x = 1 [m] (nominal = 2)\nkinetic x'^2 + y\n",
        "model m \"doc\"\nvariable x = 1 [m] (nominal = 2) fixed\nkinetic x'^2 + y\n",
        "model m \"doc\"\ncoordinate x = 1 [m] (nominal = 2) fixed\nkinetic x''^2 + y\n",
        "model m \"doc\"\ncoordinate x = 1 [m] (nominal = 2) fixed\nkinetic x'^2 - y\n",
        "model m \"doc\"\ncoordinate x = 1 [m] (nominal = 2) fixed\npotential x'^2 + y\n",
        "model m \"doc\"\ncoordinate x = 1 [m] (nominal = 2) fixed\n"}) {
    EXPECT_FALSE(same(parsed(base), parsed(other))) << other;
  }
}

// ---- random trees

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed) {}

  ExpressionPtr expression(int depth) {
    switch (depth <= 0 ? below(2) : below(16)) {
      case 0:
        return make(Number{below(3) == 0 ? 0.1 * below(100) : below(100)});
      case 1:
        return make(Name{name()});
      case 2:
        return make(Index{expression(depth - 1), {index(depth - 1), index(depth - 1)}});
      case 3:
        return make(Member{expression(depth - 1), name()});
      case 4:
        return make(Derivative{expression(depth - 1), 1 + below(2)});
      case 5:
        return make(Negate{expression(depth - 1)});
      case 6:
        return make(Not{expression(depth - 1)});
      case 7:
        return make(Power{expression(depth - 1), expression(depth - 1)});
      case 8:
        return make(Compare{static_cast<CompareOp>(below(6)), expression(depth - 1),
                            expression(depth - 1)});
      case 9:
        return make(
            Matrix{{{expression(depth - 1), expression(depth - 1)}, {expression(depth - 1)}}});
      case 10:
        return make(Call{
            name(), {}, {{{}, {}, expression(depth - 1)}, {name(), {}, expression(depth - 1)}}});
      case 11:
        return make(
            Sum{{name(), {}, expression(depth - 1), expression(depth - 1)}, expression(depth - 1)});
      case 12:
        return make(If{expression(depth - 1), expression(depth - 1), expression(depth - 1)});
      default:
        return chain(depth);
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string name() { return std::string(1, static_cast<char>('a' + below(26))) + "_"; }
  ExpressionPtr make(auto node) {
    return std::make_shared<const Expression>(Expression{{}, std::move(node)});
  }
  ExpressionPtr index(int depth) {
    if (below(2) == 0) return expression(depth);
    return make(Range{expression(depth), expression(depth)});
  }
  ExpressionPtr chain(int depth) {
    const int kind = below(4);  // sum, product, and, or
    const auto op = [&] {
      if (kind < 2) return static_cast<ChainOp>(2 * kind + below(2));
      return kind == 2 ? ChainOp::logical_and : ChainOp::logical_or;
    };
    Chain chain{expression(depth - 1), {}};
    for (int i = 0; i <= below(3); ++i) chain.rest.emplace_back(op(), expression(depth - 1));
    return make(std::move(chain));
  }

  std::mt19937 random_;
};

TEST(RoundTrip, random_trees_come_back_from_their_text) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const ExpressionPtr tree = RandomTree(seed).expression(4);
    const std::string text = print(*tree);
    EXPECT_EQ(test::tree(text), test::TreeText::of(tree)) << "seed " << seed << ": " << text;
  }
}

// ---- the models of the library

TEST(RoundTrip, every_model_of_the_library_comes_back_from_its_text) {
  const std::filesystem::path folder = DAEDAL_SOURCE_DIR "/models";
  int models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".daedal") continue;
    ++models;
    SCOPED_TRACE(entry.path().string());
    std::ifstream stream(entry.path());
    const File file = parsed(std::string(std::istreambuf_iterator<char>(stream), {}));
    const std::string text = print(file);
    const File again = parsed(text);
    EXPECT_TRUE(same(file, again));
    EXPECT_EQ(print(again), text);
  }
  EXPECT_GT(models, 20);
}

}  // namespace
}  // namespace daedal::model
