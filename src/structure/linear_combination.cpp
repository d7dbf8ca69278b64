#include "linear_combination.hpp"

#include "cancellation.hpp"
#include "daedal/expr/print.hpp"
#include "daedal/structure/system_jacobian.hpp"
#include "numeric_jacobian.hpp"
#include "words.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace daedal::structure {

using expr::Expr;
using expr::Leaf;

namespace {

constexpr std::size_t size_limit = 300;  // unknowns up to which a dense null space is computed
constexpr std::size_t row_limit =
    10;  // equations in one combination: minors of more are too large to write

constexpr std::string_view combined =
    " (combined)";  // after the name of an equation that was replaced

std::vector<std::uint32_t> all(std::size_t n) {
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

/// Left null vectors of J with few entries: the basis is brought to reduced echelon form, so that every vector is alone in
/// its pivot row. Supports, smallest first.
std::vector<std::vector<std::uint32_t>> dependent_sets(const Eigen::MatrixXd& j) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(j, Eigen::ComputeFullU);
  const Eigen::VectorXd& values = svd.singularValues();
  const double zero = zero_singular_value * std::max(values[0], 1e-300);
  const Eigen::Index nullity = (values.array() <= zero).count();
  Eigen::MatrixXd basis = svd.matrixU().rightCols(nullity).transpose();  // one null vector a row
  for (Eigen::Index k = 0; k < nullity; ++k) {
    Eigen::Index row = 0, column = 0;
    basis.bottomRows(nullity - k).cwiseAbs().maxCoeff(&row, &column);
    basis.row(k).swap(basis.row(k + row));
    basis.row(k) /= basis(k, column);
    for (Eigen::Index other = 0; other < nullity; ++other)
      if (other != k) basis.row(other) -= basis(other, column) * basis.row(k);
  }
  std::vector<std::vector<std::uint32_t>> sets;
  for (Eigen::Index k = 0; k < nullity; ++k) {
    std::vector<std::uint32_t> set;
    for (Eigen::Index i = 0; i < basis.cols(); ++i)
      if (std::abs(basis(k, i)) > 1e-8) set.push_back(static_cast<std::uint32_t>(i));
    sets.push_back(std::move(set));
  }
  std::stable_sort(sets.begin(), sets.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return sets;
}

/// The entries of a few rows of J as expressions, and how much work each column is.
struct Rows {
  std::vector<std::uint32_t> equations;
  std::vector<std::vector<Expr>> entry;  // [row][unknown]
};

Rows rows_of(const expr::SparseFunction& jacobian, std::vector<std::uint32_t> equations,
             expr::Graph& graph) {
  std::vector<std::uint32_t> place(jacobian.column.size(), expr::Family::no_row);
  std::uint32_t count = 0;
  for (const std::uint32_t i : equations)
    for (std::uint32_t e = jacobian.row_start[i]; e < jacobian.row_start[i + 1]; ++e)
      place[e] = count++;
  const std::vector<Expr> values =
      expr::expand(expr::select_rows(jacobian.values, place, count), graph);
  Rows rows;
  for (const std::uint32_t i : equations) {
    std::vector<Expr> row(jacobian.columns, graph.constant(0));
    for (std::uint32_t e = jacobian.row_start[i]; e < jacobian.row_start[i + 1]; ++e)
      row[jacobian.column[e]] = values[place[e]];
    rows.entry.push_back(std::move(row));
  }
  rows.equations = std::move(equations);
  return rows;
}

/// As many independent columns as rows less one, those of the shortest expressions first: the minors stay readable.
std::vector<std::uint32_t> simple_columns(const Rows& rows, const Eigen::MatrixXd& values,
                                          const expr::Graph& graph) {
  std::vector<std::pair<std::size_t, std::uint32_t>> by_work;
  for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(values.cols()); ++c) {
    if (values.col(c).cwiseAbs().maxCoeff() == 0) continue;
    std::vector<Expr> column;
    for (const std::vector<Expr>& row : rows.entry) column.push_back(row[c]);
    by_work.emplace_back(expr::reachable(graph, column).size(), c);
  }
  std::sort(by_work.begin(), by_work.end());
  std::vector<std::uint32_t> chosen;
  Eigen::MatrixXd basis(values.rows(), values.rows());
  for (const auto& [work, c] : by_work) {
    const auto count = static_cast<Eigen::Index>(chosen.size());
    if (count == values.rows() - 1) break;
    Eigen::VectorXd rest = values.col(c).normalized();
    for (int pass = 0; pass < 2; ++pass)
      rest -= basis.leftCols(count) * (basis.leftCols(count).transpose() * rest);
    if (rest.norm() < 1e-4) continue;
    basis.col(count) = rest.normalized();
    chosen.push_back(c);
  }
  return chosen;
}

/// u_i = (-1)^i times the minor without row i (Cramer's rule): u^T A = 0 for the chosen columns A. Minors of the first
/// columns for every set of rows, each from those of one row less.
std::vector<Expr> cofactors(const Rows& rows, const std::vector<std::uint32_t>& columns,
                            expr::Graph& graph) {
  const std::size_t n = rows.equations.size();
  std::vector<Expr> minor(std::size_t{1} << n, graph.constant(0));
  minor[0] = graph.constant(1);
  for (std::size_t set = 1; set < minor.size(); ++set) {
    const auto size = static_cast<std::size_t>(std::popcount(set));
    if (size >= n) continue;
    bool negative = size % 2 == 0;  // sign of the first row in the last column's expansion
    for (std::size_t r = 0; r < n; ++r) {
      if (!(set >> r & 1)) continue;
      const Expr term =
          graph.mul(rows.entry[r][columns[size - 1]], minor[set & ~(std::size_t{1} << r)]);
      minor[set] = negative ? graph.sub(minor[set], term) : graph.add(minor[set], term);
      negative = !negative;
    }
  }
  std::vector<Expr> u;
  for (std::size_t r = 0; r < n; ++r) {
    const Expr m = minor[(minor.size() - 1) & ~(std::size_t{1} << r)];
    u.push_back(r % 2 == 0 ? m : graph.neg(m));
  }
  return u;
}

class Combiner {
 public:
  Combiner(const derive::Dae& dae, const Offsets& offsets)
      : dae_(dae), offsets_(offsets), jacobian_(system_jacobian(dae, offsets)) {
    for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) unknown_[dae.unknowns[j]] = j;
  }

  std::optional<Combination> run(std::string& reason) {
    if (dae_.unknowns.size() > size_limit) {
      reason = fmt::format("more than {} unknowns", size_limit);
      return std::nullopt;
    }
    random_ = at_random_points(dae_, jacobian_, 2);
    if (random_.size() < 2) {
      reason = "the equations have no finite values near the start values";
      return std::nullopt;
    }
    for (const std::vector<std::uint32_t>& set : dependent_sets(numeric(0, all(size()))))
      if (std::optional<Combination> result = combination_of(set, reason)) return result;
    return std::nullopt;
  }

 private:
  std::size_t size() const { return dae_.unknowns.size(); }
  Eigen::MatrixXd numeric(std::size_t point, const std::vector<std::uint32_t>& rows) const {
    return random_[point].jacobian.scaled_part(rows, all(size()));
  }

  std::optional<Combination> combination_of(const std::vector<std::uint32_t>& set,
                                            std::string& reason) {
    const std::string names = quoted(set);
    if (set.size() > row_limit) {
      reason = fmt::format("{} equations depend on each other, too many to combine", set.size());
      return std::nullopt;
    }
    graph_ = std::make_shared<expr::Graph>(dae_.model->graph);
    const Rows rows = rows_of(jacobian_, set, *graph_);
    const std::vector<std::uint32_t> columns = simple_columns(rows, numeric(0, set), *graph_);
    if (columns.size() + 1 != set.size()) {
      reason = fmt::format("the rank of {} is not clear", names);
      return std::nullopt;
    }
    const std::vector<Expr> u = cofactors(rows, columns, *graph_);
    theta_ = offsets_.c[set[0]];
    for (const std::uint32_t i : set) theta_ = std::min(theta_, offsets_.c[i]);
    if (!factors_are_low(u)) {
      reason = fmt::format(
          "the factors that combine {} contain derivatives as high as those to be eliminated",
          names);
      return std::nullopt;
    }
    return assemble(set, u, reason);
  }

  std::string quoted(const std::vector<std::uint32_t>& set) const {
    return quoted_list(set, [&](std::uint32_t i) { return dae_.equations[i].name; });
  }

  /// The highest derivative of x_j in u is below d_j - theta.
  bool factors_are_low(const std::vector<Expr>& u) const {
    for (const Leaf& leaf : expr::leaves(*graph_, u)) {
      const auto j = unknown_.find(leaf.symbol);
      if (j != unknown_.end() && leaf.order >= offsets_.d[j->second] - theta_) return false;
    }
    return true;
  }

  bool varies(Expr e) const {
    const std::vector<Leaf> leaves = expr::leaves(*graph_, std::span(&e, 1));
    return std::any_of(leaves.begin(), leaves.end(),
                       [&](const Leaf& leaf) { return dae_.model->varies(leaf.symbol); });
  }

  std::optional<Combination> assemble(const std::vector<std::uint32_t>& set, std::vector<Expr> u,
                                      std::string& reason) {
    if (graph_->node(u[0]).op == expr::Op::neg)
      for (Expr& factor : u) factor = graph_->neg(factor);
    Combination result;
    const expr::VariesInTime in_time = [&](expr::SymbolId s) { return dae_.model->varies(s); };
    const std::vector<Expr> written = written_rows(dae_, set, *graph_);
    Expr sum = graph_->constant(0);
    std::size_t leader =
        set.size();  // the equation to replace: one whose factor never vanishes where there is one
    for (std::size_t k = 0; k < set.size(); ++k) {
      const int times = offsets_.c[set[k]] - theta_;
      Expr f = written[k];
      for (int n = 0; n < times; ++n)
        f = expr::time_derivative(*graph_, std::span(&f, 1), in_time)[0];
      sum = graph_->add(sum, graph_->mul(u[k], f));
      result.ingredients.push_back({set[k], times});
      if (times == 0 && (leader == set.size() || (varies(u[leader]) && !varies(u[k])))) leader = k;
    }
    const Cleaned g =
        without_cancelled_leaves(*graph_, sum, dae_, {random_[0].point, random_[1].point});
    if (!eliminated(g.value)) {
      reason =
          fmt::format("the highest derivatives in {} do not cancel as they should", quoted(set));
      return std::nullopt;
    }
    result.replaced = set[leader];
    result.trivial = unknowns_in(g.value) == 0;
    if (varies(u[leader])) result.valid_where = text(u[leader]);
    result.dae = dae_;
    derive::Equation& equation = result.dae.equations[result.replaced];
    equation.kind = derive::EquationKind::equation;
    if (!equation.name.ends_with(combined)) equation.name += combined;
    replace_row(result.dae, result.replaced, graph_, g.value);
    return result;
  }

  std::size_t unknowns_in(Expr e) const {
    std::size_t count = 0;
    for (const Leaf& leaf : expr::leaves(*graph_, std::span(&e, 1)))
      count += unknown_.contains(leaf.symbol);
    return count;
  }
  bool eliminated(Expr g) const {
    for (const Leaf& leaf : expr::leaves(*graph_, std::span(&g, 1))) {
      const auto j = unknown_.find(leaf.symbol);
      if (j != unknown_.end() && leaf.order >= offsets_.d[j->second] - theta_) return false;
    }
    return true;
  }
  std::string text(Expr e) const {
    constexpr std::size_t readable = 200;
    return expr::to_text(
        *graph_, e,
        [&](Leaf leaf) { return model::name_of(dae_.model->symbols[leaf.symbol], leaf.order); },
        readable);
  }

  const derive::Dae& dae_;
  const Offsets& offsets_;
  expr::SparseFunction jacobian_;
  std::map<expr::SymbolId, std::uint32_t> unknown_;
  std::vector<RandomJacobian> random_;
  std::shared_ptr<expr::Graph> graph_;
  int theta_ = 0;
};

}  // namespace

std::optional<Combination> combine(const derive::Dae& dae, const Offsets& offsets,
                                   std::string& reason) {
  return Combiner(dae, offsets).run(reason);
}

}  // namespace daedal::structure
