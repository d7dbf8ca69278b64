#include "null_vectors.hpp"

#include "daedal/base/svd.hpp"
#include "daedal/expr/graph.hpp"
#include "numeric_jacobian.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace daedal::structure {

using expr::Expr;

namespace {

constexpr std::size_t minor_limit = 10;  // there are 2^n minors

/// Columns that are independent of each other, at one point.
class IndependentColumns {
 public:
  explicit IndependentColumns(Eigen::Index rows) : basis_(rows, rows) {}

  bool take(const Eigen::VectorXd& column) {
    const double length = column.norm();
    if (!(length > 1e-12) || count_ == basis_.cols()) return false;
    Eigen::VectorXd rest = column / length;
    for (int pass = 0; pass < 2; ++pass)
      rest -= basis_.leftCols(count_) * (basis_.leftCols(count_).transpose() * rest);
    if (rest.norm() < 1e-4) return false;
    basis_.col(count_++) = rest.normalized();
    return true;
  }

 private:
  Eigen::MatrixXd basis_;
  Eigen::Index count_ = 0;
};

/// A column at the start values, where it is not small there: 0 otherwise. What nearly vanishes at the start does so on the way.
Eigen::VectorXd column_at_start(const SymbolicRows& rows, std::uint32_t c,
                                const expr::Graph& graph) {
  constexpr double small = 0.1;  // of its length at random points
  std::vector<Expr> column;
  for (const std::vector<Expr>& row : rows.entry) column.push_back(row[c]);
  const auto at = [&](const Point& point) -> Eigen::VectorXd {
    const std::vector<double> values = expr::evaluate(graph, column, point);
    return Eigen::Map<const Eigen::VectorXd>(values.data(),
                                             static_cast<Eigen::Index>(values.size()));
  };
  Eigen::VectorXd result = at(rows.start);
  double length = 0;
  for (const Point& point : rows.elsewhere) length = std::max(length, at(point).norm());
  const bool firm = result.allFinite() && result.norm() > small * length;
  return firm ? result : Eigen::VectorXd::Zero(result.size());
}

/// As many independent columns as rows less one. Those that are independent at the start values too come first: all minors of
/// others vanish there, and the combination would say nothing where the motion begins. Then those of the shortest expressions:
/// the minors stay readable.
std::vector<std::uint32_t> simple_columns(const SymbolicRows& rows, const expr::Graph& graph) {
  std::vector<std::pair<std::size_t, std::uint32_t>> by_work;
  for (std::uint32_t c = 0; c < static_cast<std::uint32_t>(rows.value.cols()); ++c) {
    if (rows.value.col(c).cwiseAbs().maxCoeff() == 0) continue;
    std::vector<Expr> column;
    for (const std::vector<Expr>& row : rows.entry) column.push_back(row[c]);
    by_work.emplace_back(expr::reachable(graph, column).size(), c);
  }
  std::sort(by_work.begin(), by_work.end());
  IndependentColumns at_start(rows.value.rows()), somewhere(rows.value.rows());
  std::vector<std::uint32_t> first, rest, chosen;
  for (const auto& [work, c] : by_work)
    (at_start.take(column_at_start(rows, c, graph)) ? first : rest).push_back(c);
  first.insert(first.end(), rest.begin(), rest.end());
  for (const std::uint32_t c : first) {
    if (chosen.size() + 1 == rows.entry.size()) break;
    if (somewhere.take(rows.value.col(c))) chosen.push_back(c);
  }
  return chosen;
}

/// u_i = (-1)^i times the minor without row i (Cramer's rule): u^T A = 0 for the chosen columns A. Minors of the first
/// columns for every set of rows, each from those of one row less.
std::vector<Expr> cofactors(const SymbolicRows& rows, const std::vector<std::uint32_t>& columns,
                            expr::Graph& graph) {
  const std::size_t n = rows.entry.size();
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

}  // namespace

std::vector<std::vector<std::uint32_t>> dependent_rows(const Eigen::MatrixXd& matrix) {
  const Svd found = svd(matrix);
  const Eigen::VectorXd& values = found.values;
  const double zero = zero_singular_value * std::max(values[0], 1e-300);
  const Eigen::Index nullity = (values.array() <= zero).count();
  Eigen::MatrixXd basis = found.u.rightCols(nullity).transpose();  // one null vector a row
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

std::optional<std::vector<Expr>> combining_factors(const SymbolicRows& rows, expr::Graph& graph) {
  if (rows.entry.size() > minor_limit) return std::nullopt;
  const std::vector<std::uint32_t> columns = simple_columns(rows, graph);
  if (columns.size() + 1 != rows.entry.size()) return std::nullopt;
  std::vector<Expr> factors = cofactors(rows, columns, graph);
  if (graph.node(factors[0]).op == expr::Op::neg)
    for (Expr& factor : factors) factor = graph.neg(factor);
  return factors;
}

}  // namespace daedal::structure
