// Texts that ask for much: what is large and sound works, what runs away is refused at once.
#include "elaborated.hpp"

#include <chrono>
#include <functional>

namespace daedal::model {
namespace {

std::string lines(int count, const std::function<std::string(int)>& line) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += line(i) + "\n";
  return text;
}

std::string number(int i) { return std::to_string(i); }

/// The first line of what is wrong.
std::string fault_of(const std::string& text) {
  const std::string all = faults_of(text);
  return all.substr(0, all.find('\n'));
}

TEST(Large, definitions_in_a_row) {
  constexpr int n = 100'000;
  const auto text = [](const std::string& definitions) {
    return "model m\nlet a0 = 1\n" + definitions + "parameter p = a" + number(n) + "\noutput z = p\n";
  };
  const auto next = [](int i) { return "let a" + number(i) + " = a" + number(i - 1) + " + 1"; };
  EXPECT_EQ(Elaborated(text(lines(n, next)))("z"), n + 1);
  EXPECT_EQ(Elaborated(text(lines(n, [&](int i) { return next(n + 1 - i); })))("z"), n + 1);  // the last first
}

TEST(Large, a_fault_below_a_long_chain_of_definitions_is_told_once) {
  const std::string text =
      "model m\n" + lines(50'000, [](int i) { return "let a" + number(i) + " = a" + number(i + 1) + " + 1"; });
  EXPECT_EQ(faults_of(text),
            "model.daedal:50001:14: error: unknown name 'a50001' in let 'a50000'\n"
            "    let a50000 = a50001 + 1\n"
            "                 ^~~~~~\n"
            "  help: did you mean 'a5000' (let, line 5001)?");
}

TEST(Large, arrays_of_parts) {
  const Elaborated m(
      "model mass\nparameter m, k = 2*m\ncoordinate x\nkinetic m/2*x'^2\npotential k/2*x^2\n"
      "model row\nsize N = 10000\npart p[i in 1..N] = mass(m = i)\npotential sum(i in 2..N: (p[i].x - p[i-1].x)^2)\n");
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
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(fault_of("model m\n" + GetParam().text), GetParam().fault);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_LT(time.count(), 60) << "a bound for sanitizers on a busy machine; it is well under a second per 10^7 steps";
}

const std::string too_much =
    "error: the model takes more than 100000000 operations to write out";

INSTANTIATE_TEST_SUITE_P(
    Kinds, Runaways,
    testing::Values(
        Runaway{"nested_sums", "coordinate x\nkinetic sum(i in 1..1000000: sum(j in 1..1000000: x'^2))\n",
                "model.daedal:3:34: error: 1000000000000 passes of nested loops; at most 10000000 are accepted"},
        Runaway{"one_loop", "coordinate x\nfor k in 1..1e9: kinetic x'^2\n",
                "model.daedal:3:5: error: 1000000000 passes of a loop; at most 10000000 are accepted"},
        Runaway{"functions_that_call_twice",
                "let f0(a) = a\n" +
                    lines(60,
                          [](int i) {
                            const std::string f = "f" + number(i - 1);
                            return "let f" + number(i) + "(a) = " + f + "(a) + " + f + "(a)";
                          }) +
                    "output z = f60(1)\n",
                "model.daedal:2:13: " + too_much},
        Runaway{"vectors_that_double", "let P[0] = [1, 2]\nlet P[k in 1..60] = cat(P[k-1], P[k-1])\n",
                "model.daedal:3:21: error: a vector of 2097152 entries; at most 2000000 are accepted"},
        Runaway{"derivatives_without_end", "variable x, y\noutput z = der(sin(x*y)/exp(x - y^3), 60)\n",
                "model.daedal:3:12: " + too_much},
        Runaway{"too_many_entries", "coordinate q[1..2000, 1..2000]\n",
                "model.daedal:2:25: error: 'q' would have 4000000 entries; a model has at most 2000000"},
        Runaway{"names_in_a_circle",
                lines(5'000, [](int i) { return "let a" + number(i) + " = a" + number(i % 5'000 + 1); }),
                "model.daedal:300:12: error: formulas and functions are nested deeper than 600 levels"},
        Runaway{"functions_in_functions",
                "let f0(a) = a\n" +
                    lines(10'000, [](int i) { return "let f" + number(i) + "(a) = f" + number(i - 1) + "(a)"; }) +
                    "output z = f10000(1)\n",
                "model.daedal:9403:19: error: formulas and functions are nested deeper than 600 levels"}),
    [](const auto& info) { return std::string(info.param.name); });

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
  EXPECT_EQ(fault_of(text), "model.daedal:2:10: " + too_much);
}

TEST(Runaways, parts_nested_without_end) {
  const std::string text = "model m0\nvariable x\n" + lines(1000, [](int i) {
                             return "model m" + number(i) + "\npart a = m" + number(i - 1) + "()";
                           });
  EXPECT_EQ(fault_of(text), "model.daedal:1904:10: error: parts are nested deeper than 50 levels");
}

TEST(Limits, can_be_set_lower) {
  EXPECT_EQ(faults_of("model m\ncoordinate q[1..5]\n", {}, {.entries = 4, .passes = 10, .work = 1000}),
            "model.daedal:2:14: error: 'q' would have 5 entries; a model has at most 4\n"
            "    coordinate q[1..5]\n"
            "                 ^~~~");
}

TEST(Faults, are_told_twenty_at_once) {
  const std::string all = faults_of("model m\n" + lines(1000, [](int i) { return "let a" + number(i) + " = b"; }));
  std::size_t count = 0;
  for (std::size_t at = all.find("error:"); at != std::string::npos; at = all.find("error:", at + 1)) ++count;
  EXPECT_EQ(count, 20u);
}

}  // namespace
}  // namespace daedal::model
