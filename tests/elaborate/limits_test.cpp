// Texts that ask for much: what is large and sound works, what runs away is refused at once.
#include "elaborated.hpp"

#include <functional>

namespace daedal::model {
namespace {

std::string lines(int count, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += line(i) + "\n";
  return text;
}

std::string number(int i) { return std::to_string(i); }

/// Low enough to be reached at once, and far above what the texts below need when they are sound.
constexpr Limits low{.entries = 100'000, .passes = 10'000'000, .work = 1'000'000};

/// The first message, without its place: where the work runs out is of no interest.
std::string fault_of(const std::string& text) {
  const std::string all = faults_of(text, {}, low);
  const std::size_t first = all.find("error: ");
  return all.substr(first, all.find('\n') - first);
}

TEST(Large, definitions_in_a_row) {
  constexpr int n = 100'000;
  const auto text = [](const std::string& definitions) {
    return "model m\nlet a0 = 1\n" + definitions + "parameter p = a" + number(n) +
           "\noutput z = p\n";
  };
  const auto next = [](int i) { return "let a" + number(i) + " = a" + number(i - 1) + " + 1"; };
  EXPECT_EQ(Elaborated(text(lines(n, next)))("z"), n + 1);
  EXPECT_EQ(Elaborated(text(lines(n, [&](int i) { return next(n + 1 - i); })))("z"),
            n + 1);  // the last first
}

TEST(Large, a_fault_below_a_long_chain_of_definitions_is_told_once) {
  const std::string text =
      "model m\n" +
      lines(50'000, [](int i) { return "let a" + number(i) + " = a" + number(i + 1) + " + 1"; }) +
      "let a50001 = mystery\n";
  EXPECT_EQ(
      faults_of(text),
      "model.daedal:50002:14: error: unknown name 'mystery' in let 'a50001'\n"
      "    let a50001 = mystery\n"
      "                 ^~~~~~~\n"
      "  help: declare it:  parameter mystery = ..., coordinate mystery  or  let mystery = ...");
}

TEST(Large, arrays_of_parts) {
  const Elaborated m(
      "model mass\nparameter m, k = 2*m\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\n"
      "model row\nsize N = 10000\npart p[i in 1..N] = mass(m = i)\npotential sum(i in 2..N: "
      "(p[i].x - p[i-1].x)^2)\n");
  EXPECT_EQ(m.names(SymbolKind::coordinate).size(), 10'000u);
  EXPECT_EQ(m->potential.size(), 10'000u + 9'999u);
  EXPECT_EQ(m.symbol("p[10000].k").value, 20'000);
}

struct Runaway {
  const char* name;
  std::string text;
  std::string fault;
};
class Runaways : public testing::TestWithParam<Runaway> {};

TEST_P(Runaways, are_refused_at_once) {
  EXPECT_EQ(fault_of("model m\n" + GetParam().text), GetParam().fault);
}

const std::string too_much = "error: the model needs more than 1000000 operations to write out";

INSTANTIATE_TEST_SUITE_P(
    Kinds, Runaways,
    testing::Values(
        Runaway{"nested_sums",
                "coordinate x\nkinetic sum(i in 1..1000000: sum(j in 1..1000000: x'^2))\n",
                "error: 1000000000000 passes of nested loops; at most 10000000 are accepted"},
        Runaway{"one_loop", "coordinate x\nfor k in 1..1e9: kinetic x'^2\n",
                "error: 1000000000 passes of a loop; at most 10000000 are accepted"},
        Runaway{"functions_that_call_twice",
                "let f0(a) = a\n" +
                    lines(60,
                          [](int i) {
                            const std::string f = "f" + number(i - 1);
                            return "let f" + number(i) + "(a) = " + f + "(a) + " + f + "(a)";
                          }) +
                    "output z = f60(1)\n",
                too_much},
        Runaway{"vectors_that_double",
                "let P[0] = [1, 2]\nlet P[k in 1..60] = cat(P[k-1], P[k-1])\n",
                "error: a vector of 131072 entries; at most 100000 are accepted"},
        Runaway{"derivatives_without_end",
                "variable x, y\noutput z = der(sin(x*y)/exp(x - y^3), 60)\n", too_much},
        Runaway{
            "derivatives_of_derivatives",
            "variable x\nlet a = sin(x)\nlet b = der(a, 60)\nlet c = der(b, 60)\nlet d = der(c, "
            "60)\noutput z = der(d, 60)\n",
            too_much},
        Runaway{"too_many_entries", "coordinate q[1..2000, 1..2000]\n",
                "error: 'q' would have 4000000 entries; a model has at most 100000"},
        Runaway{"names_in_a_circle",
                lines(5'000,
                      [](int i) { return "let a" + number(i) + " = a" + number(i % 5'000 + 1); }),
                "error: formulas and functions are nested deeper than 400 levels"},
        Runaway{"functions_in_functions",
                "let f0(a) = a\n" +
                    lines(10'000,
                          [](int i) {
                            return "let f" + number(i) + "(a) = f" + number(i - 1) + "(a)";
                          }) +
                    "output z = f10000(1)\n",
                "error: formulas and functions are nested deeper than 400 levels"}),
    [](const auto& kind) { return std::string(kind.param.name); });

TEST(Runaways, parts_that_contain_each_other) {
  EXPECT_EQ(faults_of("model a\npart x = b()\nmodel b\npart y = a()\n"),
            "model.daedal:2:10: error: model 'b' contains itself\n"
            "    part x = b()\n"
            "             ^");
}

TEST(Runaways, parts_that_double_in_every_model) {
  const std::string text = "model m0\nvariable x\n" + lines(40, [](int i) {
                             const std::string part = " = m" + number(i - 1) + "()";
                             return "model m" + number(i) + "\npart a" + part + "\npart b" + part;
                           });
  EXPECT_EQ(fault_of(text), too_much);
}

TEST(Runaways, parts_nested_without_end) {
  const std::string text = "model m0\nvariable x\n" + lines(1000, [](int i) {
                             return "model m" + number(i) + "\npart a = m" + number(i - 1) + "()";
                           });
  EXPECT_EQ(fault_of(text), "error: parts are nested deeper than 50 levels");
}

TEST(Limits, can_be_set_lower) {
  EXPECT_EQ(
      faults_of("model m\ncoordinate q[1..5]\n", {}, {.entries = 4, .passes = 10, .work = 1000}),
      "model.daedal:2:14: error: 'q' would have 5 entries; a model has at most 4\n"
      "    coordinate q[1..5]\n"
      "                 ^~~~");
}

TEST(Faults, are_told_twenty_at_once) {
  const std::string all =
      faults_of("model m\n" + lines(1000, [](int i) { return "let a" + number(i) + " = b"; }));
  std::size_t count = 0;
  for (std::size_t at = all.find("error:"); at != std::string::npos;
       at = all.find("error:", at + 1))
    ++count;
  EXPECT_EQ(count, 20u);
}

}  // namespace
}  // namespace daedal::model
