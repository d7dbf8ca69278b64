// Vectors, matrices, let-arrays and sums, against closed forms.
#include "elaborated.hpp"
#include "support/bounds.hpp"

#include <cmath>

namespace daedal::model {
namespace {

const std::string head = "model m\nvariable x, y, z\n";
const Elaborated::Values point{{"x", 0.7}, {"y", -1.3}, {"z", 2.1}};
constexpr double x = 0.7, y = -1.3, z = 2.1;

double at_point(const std::string& expression) {
  return Elaborated(head + "output e = " + expression + "\n")("e", point);
}

TEST(Vectors, add_scale_and_divide_entry_by_entry) {
  const Elaborated m(head + "output v = (2*[x, y, z] - [y, z, x]*3 + [1, 1, 1])/4\n");
  EXPECT_DOUBLE_EQ(m("v[1]", point), (2 * x - 3 * y + 1) / 4);
  EXPECT_DOUBLE_EQ(m("v[2]", point), (2 * y - 3 * z + 1) / 4);
  EXPECT_DOUBLE_EQ(m("v[3]", point), (2 * z - 3 * x + 1) / 4);
}

TEST(Vectors, dot_cross_and_norm) {
  EXPECT_DOUBLE_EQ(at_point("dot([x, y, z], [1, 2, 3])"), x + 2 * y + 3 * z);
  EXPECT_DOUBLE_EQ(at_point("cross([x, y, z], [1, 2, 3])[1]"), y * 3 - z * 2);
  EXPECT_DOUBLE_EQ(at_point("cross([x, y, z], [1, 2, 3])[2]"), z * 1 - x * 3);
  EXPECT_DOUBLE_EQ(at_point("cross([x, y, z], [1, 2, 3])[3]"), x * 2 - y * 1);
  EXPECT_DOUBLE_EQ(at_point("norm([x, y, z])"), std::sqrt(x * x + y * y + z * z));
}

// A sum without terms is the zero of its terms, as where a chain has one link.
TEST(Vectors, an_empty_sum_of_vectors_is_the_zero_vector) {
  const Elaborated m(head + "size N = 0\noutput v = [x, y] + sum(i in 1..N: [i, z])\n");
  EXPECT_EQ(m("v[1]", point), x);
  EXPECT_EQ(m("v[2]", point), y);
  EXPECT_EQ(at_point("sum(i in 1..0: x) + y"), y);
}

TEST(Vectors, entries_slices_and_cat) {
  const Elaborated m(head +
                     "let v = cat(x, [y, z], 4)\noutput s = v[2..3], n = v[4], e = [x, y][1]\n");
  EXPECT_EQ(m->outputs.size(), 4u);
  EXPECT_EQ(m("s[1]", point), y);
  EXPECT_EQ(m("s[2]", point), z);
  EXPECT_EQ(m("n", point), 4);
  EXPECT_EQ(m("e", point), x);
}

TEST(Matrices, rows_entries_and_blocks) {
  const Elaborated m(
      head +
      "let A = [x, y, z; 1, 2, 3]\n"
      "output row = A[2], entry = A[1, 3], column = A[1..2, 2], block = A[1..2, 2..3], "
      "rows = A[2..2]\n");
  EXPECT_EQ(m("row[3]"), 3);
  EXPECT_EQ(m("entry", point), z);
  EXPECT_EQ(m("column[1]", point), y);
  EXPECT_EQ(m("column[2]"), 2);
  EXPECT_EQ(m("block[1,2]", point), z);
  EXPECT_EQ(m("block[2,1]"), 2);
  EXPECT_EQ(m("rows[1,1]"), 1);
}

TEST(Matrices, products_follow_linear_algebra) {
  EXPECT_DOUBLE_EQ(at_point("([1, 2; 3, 4]*[x, y])[2]"), 3 * x + 4 * y);
  EXPECT_DOUBLE_EQ(at_point("([1, 2; 3, 4]*[x, y; z, 1])[1, 2]"), y + 2);
  EXPECT_DOUBLE_EQ(at_point("(transpose([1, 2; 3, 4])*[x, y])[2]"), 2 * x + 4 * y);
  EXPECT_DOUBLE_EQ(at_point("([x, y]*transpose([z, 5]))[2, 1]"), y * z);  // outer product
  EXPECT_DOUBLE_EQ(at_point("(transpose([x, y])*[z, 5])[1]"), x * z + 5 * y);
}

// A rotation keeps its axis, turns the next axis into the one after, and is orthogonal.
TEST(Matrices, rotations_turn_right_handed) {
  const double angle = 0.4, c = std::cos(angle), s = std::sin(angle);
  const char* names[] = {"rotx", "roty", "rotz"};
  for (int axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE(names[axis]);
    const Elaborated m(head + "let R = " + names[axis] +
                       "(0.4)\noutput R_ = R, I = transpose(R)*R\n");
    const auto entry = [&](const char* name, int i, int j) {
      return m(std::string(name) + "[" + std::to_string(i % 3 + 1) + "," +
               std::to_string(j % 3 + 1) + "]");
    };
    EXPECT_EQ(entry("R_", axis, axis), 1);
    EXPECT_DOUBLE_EQ(entry("R_", axis + 1, axis + 1), c);
    EXPECT_DOUBLE_EQ(entry("R_", axis + 2, axis + 1), s);
    EXPECT_DOUBLE_EQ(entry("R_", axis + 1, axis + 2), -s);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(entry("I", i, j), i == j ? 1 : 0, test::rounding(1));
  }
}

TEST(Derivatives, of_expressions_and_vectors_are_total) {
  const Elaborated m(
      "model m\nparameter a = 3\nvariable x, y\nlet P = [a*sin(x), x*y + t^2]\n"
      "output v = P', w = der(P, 2), same = der(P, 0), first = der(P)\n");
  const Elaborated::Values at{{"x", 0.3},   {"y", 0.8},   {"x'", 1.1}, {"y'", -0.4},
                              {"x''", 0.6}, {"y''", 0.2}, {"t", 2.5}};
  EXPECT_DOUBLE_EQ(m("v[1]", at), 3 * std::cos(0.3) * 1.1);
  EXPECT_DOUBLE_EQ(m("v[2]", at), 1.1 * 0.8 + 0.3 * -0.4 + 2 * 2.5);
  EXPECT_DOUBLE_EQ(m("w[1]", at), 3 * (std::cos(0.3) * 0.6 - std::sin(0.3) * 1.1 * 1.1));
  EXPECT_DOUBLE_EQ(m("w[2]", at), 0.6 * 0.8 + 2 * 1.1 * -0.4 + 0.3 * 0.2 + 2);
  EXPECT_DOUBLE_EQ(m("same[1]", at), 3 * std::sin(0.3));
  EXPECT_EQ(m("first[2]", at), m("v[2]", at));
}

TEST(LetArrays, start_anywhere_and_refer_to_earlier_entries) {
  const Elaborated m(
      "model m\nsize N = 10\nvariable x\n"
      "let F[-1] = 1, F[0] = 1\nlet F[k in 1..N] = F[k-1] + F[k-2]\n"  // Fibonacci
      "let P[k in 5..7] = [k, x^k]\noutput f = F[N], p = P[6], e = P[7][2]\n");
  EXPECT_EQ(m("f"), 144);
  EXPECT_EQ(m("p[1]"), 6);
  EXPECT_DOUBLE_EQ(m("p[2]", {{"x", 1.5}}), std::pow(1.5, 6));
  EXPECT_DOUBLE_EQ(m("e", {{"x", 1.5}}), std::pow(1.5, 7));
}

TEST(LetArrays, a_choice_by_index_does_not_touch_the_other_branch) {
  const Elaborated m(
      "model m\nlet P[k in 1..5] = if k == 1 then 1 else 2*P[k-1]\noutput p = P[5]\n");
  EXPECT_EQ(m("p"), 16);
}

TEST(Sums, add_numbers_vectors_and_nested_terms) {
  EXPECT_EQ(at_point("sum(i in 1..100: i)"), 5050);
  EXPECT_DOUBLE_EQ(at_point("sum(i in -2..2: [i, x^2])[2]"), 5 * x * x);
  EXPECT_EQ(at_point("sum(i in 1..4: sum(j in i+1..4: 10*i + j))"),  // six pairs
            12 + 13 + 14 + 23 + 24 + 34);
  EXPECT_EQ(at_point("sum(i in 1..2: sum(i in 3..4: i))"), 14);  // the inner index hides the outer
}

// With N = 0 and N = 1 the same text is an empty and a single mechanism.
TEST(EmptyRanges, are_empty_sums_vectors_and_families) {
  const std::string text =
      "model m\nsize N = 0\nparameter d[1..N-1] = 2, e[1..N, 1..3] = 1\ncoordinate q[1..N]\n"
      "input u[1..N]\nkinetic sum(i in 1..N: q[i]'^2)\nforce u on q\n"
      "let P[k in 1..N] = q[k]\nconstraint c[k in 1..N]: q[k] = 0\nconstraint v: q = q'*0 + u\n"
      "initial q = 1\noutput n = norm(q), s = dot(q, q), z = sum(i in 1..N: q[i]), c0 = cat(q, q), "
      "d0 = q', A = transpose(e)*e, B = e*transpose(e), w = e*[1, 2, 3], p = q[2..N]\n"
      "for k in 1..N: limit q[k] in [0, 1]\n";
  const Elaborated empty(text);
  EXPECT_TRUE(empty.names(SymbolKind::coordinate).empty());
  EXPECT_TRUE(empty->constraints.empty());
  EXPECT_TRUE(empty->starts.empty());
  EXPECT_EQ(empty("n"), 0);
  EXPECT_EQ(empty("s"), 0);
  EXPECT_EQ(empty("z"), 0);
  EXPECT_EQ(empty("A[3,3]"), 0);  // the empty sum
  EXPECT_EQ(empty->outputs.size(), 3u + 9u);
  const Elaborated one(text, {{{"N", "1"}}, {}, {}});
  EXPECT_EQ(one.names(SymbolKind::coordinate), std::vector<std::string>{"q[1]"});
  EXPECT_EQ(one->constraints.size(), 2u);
  EXPECT_EQ(one("w[1]"), 6);
}

TEST(Choices, follow_their_condition_entry_by_entry) {
  const Elaborated m(head +
                     "output v = if x > y and not z < 0 then [x, 1] else [y, 2], "
                     "w = (if x == 0.7 then 1 else 0) + (if x != 0.7 or y >= z then 10 else 20)\n");
  EXPECT_EQ(m("v[1]", point), x);
  EXPECT_EQ(m("v[2]", {{"x", 1}, {"y", 2}, {"z", 0}}), 2);
  EXPECT_EQ(m("w", point), 21);
  EXPECT_EQ(m("w", {{"x", 1}, {"y", 2}, {"z", 2}}), 10);
}

TEST(Choices, made_by_sizes_leave_the_other_branch_alone) {
  const Elaborated m("model m\nsize N = 1\noutput h = if N > 1 then 1/(N - 1) else 5\n");
  EXPECT_EQ(m("h"), 5);
}

}  // namespace
}  // namespace daedal::model
