// Families represent the expressions they were gathered from, and their calculus is that of those
// expressions.
#include "daedal/expr/graph.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>

namespace daedal::expr {
namespace {

// A row of disks: inertia and torsion springs between neighbours, one odd term, one driven by time.
// Symbols: 0 time, 1 I, 2 k, 10 + i the parameter d[i], 1000 + i the angle phi[i].
class DiskRow : public ::testing::Test {
 protected:
  static constexpr std::uint32_t disks = 20, symbols = 2000;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<Term> terms;
  const VariesInTime varies = [](SymbolId s) { return s >= 1000; };

  static Leaf angle(std::uint32_t i, std::uint16_t order = 0) { return {1000 + i, order}; }

  DiskRow() {
    Graph& g = *graph;
    const Expr inertia = g.leaf({1, 0}), stiffness = g.leaf({2, 0}), half = g.constant(0.5);
    const Expr t = g.leaf({time_symbol, 0});
    for (std::uint32_t i = 0; i < disks; ++i) {
      terms.push_back({g.mul(g.mul(half, inertia), g.powi(g.leaf(angle(i, 1)), 2)), i});
      if (i + 1 < disks) {
        const Expr twist = g.sub(g.leaf(angle(i + 1)), g.leaf(angle(i)));
        terms.push_back({g.mul(g.mul(half, stiffness), g.powi(twist, 2)), i});
        terms.push_back({g.mul(g.leaf({10 + i, 0}), g.unary(Op::sin, g.mul(twist, t))), i + 1});
      }
    }
    terms.push_back({g.unary(Op::cos, g.leaf(angle(3))), 0});
    terms.push_back({g.mul(g.unary(Op::cos, g.leaf(angle(3))), g.leaf(angle(4))), disks - 1});
  }

  Function gathered() const { return gather(graph, terms, disks, symbols, varies); }

  // The rows as one would write them, without families.
  std::vector<Expr> direct(Graph& child) const {
    std::vector<Expr> rows(disks, child.constant(0));
    for (const Term& term : terms) rows[term.row] = child.add(rows[term.row], term.value);
    return rows;
  }
};

double some_value(Leaf leaf) {
  std::mt19937 random(leaf.symbol * 8 + leaf.order + 1);
  return std::uniform_real_distribution<double>(0.2, 1.8)(random);
}

// Two orders of summation of n terms of the order of one differ by n ulp or so.
constexpr double summation_tolerance = 1e-13;

void expect_same_values(const Graph& a, std::span<const Expr> x, const Graph& b,
                        std::span<const Expr> y) {
  const std::vector<double> left = evaluate(a, x, some_value), right = evaluate(b, y, some_value);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_NEAR(left[i], right[i], summation_tolerance * (1 + std::fabs(right[i]))) << "row " << i;
  }
}

TEST_F(DiskRow, terms_of_one_shape_form_one_family) {
  const Function f = gathered();
  ASSERT_EQ(f.families.size(), 4u);
  EXPECT_EQ(f.families[0].instances, disks);
  EXPECT_EQ(f.families[1].instances, disks - 1);
  EXPECT_EQ(f.families[2].instances, disks - 1);
  EXPECT_TRUE(f.families[3].identity());
  EXPECT_EQ(f.families[3].outputs.size(), 2u);
  for (const Family& family : f.families) {
    if (!family.identity()) {
      EXPECT_EQ(family.symbol(0, time_symbol), time_symbol);
      EXPECT_LT(family.graph->size(), 12u);
    }
  }
}

TEST_F(DiskRow, expanded_families_are_the_direct_rows) {
  Graph out, child(graph);
  const std::vector<Expr> rows = expand(gathered(), out);
  expect_same_values(out, rows, child, direct(child));
}

TEST_F(DiskRow, expansion_maps_leaves) {
  Graph out, child(graph);
  const LeafMap freeze = [&](Leaf leaf) -> std::optional<Expr> {
    if (leaf.symbol >= 1000) return out.constant(some_value(leaf));
    return std::nullopt;
  };
  const std::vector<Expr> rows = expand(gathered(), out, freeze);
  for (const Leaf leaf : leaves(out, rows)) EXPECT_LT(leaf.symbol, 1000u);
  expect_same_values(out, rows, child, direct(child));
}

TEST_F(DiskRow, time_derivative_of_families_is_that_of_the_rows) {
  Function f = gathered();
  Graph child(graph);
  std::vector<Expr> rows = direct(child);
  for (int order = 1; order <= 3; ++order) {
    SCOPED_TRACE(order);
    f = time_derivative(f, varies);
    rows = time_derivative(child, rows, varies);
    Graph out;
    const std::vector<Expr> expanded = expand(f, out);
    expect_same_values(out, expanded, child, rows);
  }
}

TEST_F(DiskRow, jacobian_of_families_is_that_of_the_rows) {
  std::vector<Leaf> columns;
  for (std::uint32_t i = 0; i < disks; ++i) {
    if (i != 5)
      columns.push_back(
          angle(i));  // phi[5] is no variable: a slot that is one for some instances only
  }
  columns.push_back(angle(7, 1));
  const auto column_of = [&](Leaf leaf) {
    const auto found = std::find(columns.begin(), columns.end(), leaf);
    return found == columns.end() ? Family::no_row
                                  : static_cast<std::uint32_t>(found - columns.begin());
  };
  const auto count = static_cast<std::uint32_t>(columns.size());
  const SparseFunction sparse = jacobian(gathered(), count, column_of);
  ASSERT_EQ(sparse.rows, disks);
  ASSERT_EQ(sparse.columns, count);
  ASSERT_EQ(sparse.values.rows, sparse.column.size());
  Graph out;
  const std::vector<Expr> entries = expand(sparse.values, out);
  const std::vector<double> by_family = evaluate(out, entries, some_value);

  Graph child(graph);
  const std::vector<Expr> rows = direct(child);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> by_row;
  for (const JacobianEntry& entry : jacobian(child, rows, columns)) {
    by_row[{entry.row, entry.column}] = evaluate(child, std::span(&entry.value, 1), some_value)[0];
  }
  ASSERT_EQ(by_row.size(), sparse.column.size());
  for (std::uint32_t row = 0; row < sparse.rows; ++row) {
    for (std::uint32_t at = sparse.row_start[row]; at < sparse.row_start[row + 1]; ++at) {
      if (at > sparse.row_start[row]) {
        EXPECT_LT(sparse.column[at - 1], sparse.column[at]);
      }
      const auto found = by_row.find({row, sparse.column[at]});
      ASSERT_NE(found, by_row.end());
      EXPECT_NEAR(by_family[at], found->second,
                  summation_tolerance * (1 + std::fabs(found->second)));
    }
  }
}

TEST_F(DiskRow, occurrences_are_the_leaves_of_the_rows) {
  const std::vector<Occurrence> found = occurrences(gathered());
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  std::vector<Occurrence> expected;
  Graph child(graph);
  const std::vector<Expr> rows = direct(child);
  for (std::uint32_t row = 0; row < disks; ++row) {
    for (const Leaf leaf : leaves(child, std::span(&rows[row], 1))) expected.push_back({row, leaf});
  }
  EXPECT_EQ(found, expected);
}

TEST_F(DiskRow, selected_rows_keep_their_values_and_drop_the_rest) {
  const Function f = gathered();
  std::vector<std::uint32_t> new_row(disks, Family::no_row);
  new_row[0] = 1;
  new_row[7] = 0;
  const Function selected = select_rows(f, new_row, 2);
  EXPECT_LT(operation_count(selected), operation_count(f) / 4);
  Graph out, child(graph);
  const std::vector<Expr> rows = expand(selected, out);
  const std::vector<Expr> all = direct(child);
  expect_same_values(out, rows, child, std::vector<Expr>{all[7], all[0]});
  EXPECT_TRUE(
      select_rows(f, std::vector<std::uint32_t>(disks, Family::no_row), 0).families.empty());
  EXPECT_THROW(select_rows(f, std::vector<std::uint32_t>(3), 3), std::invalid_argument);
}

TEST_F(DiskRow, sums_add_row_by_row) {
  const Function f = gathered();
  const Function twice = sum(f, f);
  EXPECT_EQ(operation_count(twice), 2 * operation_count(f));
  Graph out, child(graph);
  const std::vector<Expr> rows = expand(twice, out);
  std::vector<Expr> doubled;
  for (const Expr row : direct(child)) doubled.push_back(child.mul(child.constant(2), row));
  expect_same_values(out, rows, child, doubled);
  EXPECT_THROW(sum(f, Function{disks + 1, {}}), std::invalid_argument);
}

TEST_F(DiskRow, operations_are_counted_per_instance) {
  // 0.5 I phi'^2: 0.5*I, the square, the product
  const std::vector<Term> kinetic{terms[0]};
  EXPECT_EQ(operation_count({disks, {identity_family(graph, kinetic)}}), 3u);
  const Function f = gather(graph, std::vector<Term>(10, terms[0]), disks, symbols, varies);
  EXPECT_EQ(operation_count(f), 30u);
}

TEST(Gather, tells_parameters_from_coordinates_and_time_from_both) {
  const auto graph = std::make_shared<Graph>();
  Graph& g = *graph;
  std::vector<Term> terms;
  for (std::uint32_t i = 0; i < 10; ++i) {
    terms.push_back({g.unary(Op::sin, g.leaf({1 + i, 0})), 0});    // parameters
    terms.push_back({g.unary(Op::sin, g.leaf({100 + i, 0})), 0});  // coordinates
    terms.push_back({g.unary(Op::sin, g.leaf({time_symbol, 0})), 0});
  }
  const VariesInTime varies = [](SymbolId s) { return s >= 100; };
  const Function f = gather(graph, terms, 1, 200, varies);
  EXPECT_EQ(f.families.size(), 3u);
  const Function rate = time_derivative(f, varies);
  ASSERT_EQ(rate.families.size(), 2u);
  const Function curvature = time_derivative(rate, varies);
  for (const Occurrence& o : occurrences(curvature))
    EXPECT_TRUE(o.leaf.symbol == time_symbol || o.leaf.symbol >= 100);
}

TEST(Gather, distinguishes_repeated_symbols_from_different_ones) {
  const auto graph = std::make_shared<Graph>();
  Graph& g = *graph;
  std::vector<Term> terms;
  for (std::uint32_t i = 1; i <= 10; ++i) {
    terms.push_back({g.mul(g.unary(Op::sin, g.leaf({i, 0})), g.leaf({i, 0})), 0});
    terms.push_back({g.mul(g.unary(Op::sin, g.leaf({i, 0})), g.leaf({i + 1, 0})), 0});
  }
  const Function f = gather(graph, terms, 1, 20, [](SymbolId) { return true; });
  ASSERT_EQ(f.families.size(), 2u);
  EXPECT_EQ(f.families[0].slots, 2u);
  EXPECT_EQ(f.families[1].slots, 3u);
}

TEST(Gather, refuses_symbols_it_was_not_told_of) {
  const auto graph = std::make_shared<Graph>();
  const std::vector<Term> terms{{graph->leaf({5, 0}), 0}};
  EXPECT_THROW(gather(graph, terms, 1, 5, [](SymbolId) { return true; }), std::invalid_argument);
}

// P[k] = P[k-1] + sin(q[k]): the k-th term has about 3k nodes, and none is worth a family.
TEST(Gather, a_long_nested_chain_stays_in_the_global_symbols) {
  const auto graph = std::make_shared<Graph>();
  constexpr std::uint32_t links = 3000;
  std::vector<Term> terms;
  Expr p = graph->constant(1);
  for (std::uint32_t k = 1; k <= links; ++k) {
    terms.push_back({p = graph->add(p, graph->unary(Op::sin, graph->leaf({k, 0}))), k});
  }
  const Function f = gather(graph, terms, links + 1, links + 1, [](SymbolId) { return true; });
  ASSERT_EQ(f.families.size(), 1u);
  EXPECT_EQ(f.families[0].graph, graph);
  EXPECT_EQ(f.families[0].outputs.size(), links);
}

TEST(Gather, leaves_zero_terms_out) {
  const auto graph = std::make_shared<Graph>();
  const std::vector<Term> terms(12, Term{graph->constant(0), 0});
  EXPECT_TRUE(gather(graph, terms, 1, 1, [](SymbolId) { return true; }).families.empty());
}

TEST(Gather, groups_thirty_thousand_terms_at_once) {
  const auto graph = std::make_shared<Graph>();
  Graph& g = *graph;
  constexpr std::uint32_t disks = 15000;
  std::vector<Term> terms;
  for (std::uint32_t i = 1; i <= disks; ++i) {
    const Expr twist = g.sub(g.leaf({i + 1, 0}), g.leaf({i, 0}));
    terms.push_back({g.mul(g.leaf({50000, 0}), g.powi(g.leaf({i, 1}), 2)), i});
    terms.push_back(
        {g.mul(g.leaf({50001, 0}), g.unary(Op::sin, g.mul(twist, g.add(twist, g.leaf({i, 1}))))),
         i});
  }
  const VariesInTime varies = [](SymbolId s) { return s < 50000; };
  const auto start = std::chrono::steady_clock::now();
  const Function f = gather(graph, terms, disks + 1, 50002, varies);
  const Function rate = time_derivative(f, varies);
  const SparseFunction matrix = jacobian(rate, disks + 2, [](Leaf leaf) {
    return leaf.order == 1 && leaf.symbol < 50000 ? leaf.symbol : Family::no_row;
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(f.families.size(), 2u);
  EXPECT_EQ(matrix.column.size(), 2 * disks);
  RecordProperty("milliseconds", static_cast<int>(1000 * elapsed.count()));
  // About 30 ms in a release build; the bound allows for sanitizers and a busy machine.
  EXPECT_LT(elapsed.count(), 1.5);
}

// ---- numbers that differ between terms of one shape

/// sum of k*sin(x[k] - 3)/7 and the like: the numbers differ, the shape does not.
class NumberedTerms : public testing::Test {
 protected:
  static constexpr std::uint32_t count = 20;
  Expr x(std::uint32_t i) { return graph->leaf({i, 0}); }
  Expr term(std::uint32_t i, double factor, double offset = 3) {
    const Expr shifted = graph->sub(x(i), graph->constant(offset));
    return graph->mul(graph->constant(factor), graph->unary(Op::sin, shifted));
  }
  std::vector<Expr> lifted(std::uint32_t min_instances = 8) {
    return lift_numbers(
        *graph, terms, count + 1, [](SymbolId) { return true; },
        [this](double value) {
          numbers.push_back(value);
          return static_cast<SymbolId>(count + numbers.size());
        },
        min_instances);
  }
  double value(Expr e) const {
    return evaluate(*graph, std::span(&e, 1), [&](Leaf leaf) {
      return leaf.symbol > count ? numbers[leaf.symbol - count - 1] : 0.1 * leaf.symbol;
    })[0];
  }
  std::size_t families(const std::vector<Expr>& values) const {
    std::vector<Term> list;
    for (const Expr e : values) list.push_back({e, 0});
    const auto symbols = static_cast<std::uint32_t>(count + numbers.size() + 1);
    return gather(graph, list, 1, symbols, [](SymbolId s) { return s <= count; }).families.size();
  }

  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::vector<Expr> terms;
  std::vector<double> numbers;
};

TEST_F(NumberedTerms, share_one_family_when_their_numbers_are_symbols) {
  for (std::uint32_t i = 1; i <= count; ++i) terms.push_back(term(i, 1.5 + i));
  const std::vector<Expr> result = lifted();
  EXPECT_EQ(families(terms), 1u);  // the rest, in the global symbols
  EXPECT_EQ(families(result), 1u);
  std::vector<Term> list;
  for (const Expr e : result) list.push_back({e, 0});
  const Function f = gather(graph, list, 1, 2 * count + 1, [](SymbolId s) { return s <= count; });
  EXPECT_EQ(f.families[0].instances, count);
  EXPECT_EQ(f.families[0].slots, 3u);  // time, x and the factor: the offset is equal everywhere
  EXPECT_EQ(numbers.size(), count);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(value(result[i]), value(terms[i]));
}

TEST_F(NumberedTerms, stay_when_they_are_few_or_share_their_shape_already) {
  for (std::uint32_t i = 1; i <= 12; ++i) terms.push_back(term(i, 2.5));
  for (std::uint32_t i = 13; i < count; ++i) terms.push_back(term(i, i));
  EXPECT_EQ(lifted(), terms);  // a family of 12, and 7 others
  EXPECT_TRUE(numbers.empty());
  const std::vector<Expr> result = lifted(7);
  EXPECT_EQ(numbers.size(), 7u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(result[i], terms[i]);
}

TEST_F(NumberedTerms, one_number_in_two_places_is_one_symbol) {
  for (std::uint32_t i = 1; i <= count; ++i) terms.push_back(term(i, 0.5 + i, 0.5 + i));
  const std::vector<Expr> result = lifted();
  EXPECT_EQ(numbers.size(), count);
  EXPECT_EQ(families(result), 1u);
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(value(result[i]), value(terms[i]));
}

}  // namespace
}  // namespace daedal::expr
