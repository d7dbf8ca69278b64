// See rank.hpp.

#include "daedal/start/rank.hpp"

#include "daedal/base/apart.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/system/compressed_columns.hpp"
#include "daedal/system/klu.hpp"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <Eigen/SparseQR>

#include <cmath>
#include <numeric>

namespace daedal::solve {

namespace {

constexpr std::uint32_t dense_limit = 400;  // rows and columns up to which matrices are dense
constexpr double notable_part = 1e-6;       // coefficients below this are rounding
constexpr double safe_pivot_ratio = 1e-7;   // of [I J^T; J 0]: no doubt about the rank above it

RowMatrix with_unit_rows(RowMatrix m) {
  for (std::uint32_t r = 0; r < m.rows; ++r) {
    double length = 0;
    for (std::uint32_t k = m.row_start[r]; k < m.row_start[r + 1]; ++k)
      length = std::hypot(length, m.values[k]);
    if (length > 0)
      for (std::uint32_t k = m.row_start[r]; k < m.row_start[r + 1]; ++k) m.values[k] /= length;
  }
  return m;
}

Eigen::MatrixXd dense(const RowMatrix& m) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(m.rows, m.columns);
  for (std::uint32_t r = 0; r < m.rows; ++r)
    for (std::uint32_t k = m.row_start[r]; k < m.row_start[r + 1]; ++k)
      a(r, m.column[k]) += m.values[k];
  return a;
}

std::vector<std::uint32_t> notable(const Eigen::VectorXd& coefficients,
                                   const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::abs(coefficients[static_cast<Eigen::Index>(i)]) > notable_part)
      found.push_back(rows[i]);
  return found;
}

/// Gram and Schmidt, twice per row for orthogonality to rounding.
RankReport orthogonalise(const RowMatrix& m, double tolerance) {
  const Eigen::MatrixXd a = dense(m);
  Eigen::MatrixXd basis(m.columns, m.rows);
  RankReport report;
  std::vector<std::uint32_t> independent;
  for (std::uint32_t r = 0; r < m.rows; ++r) {
    stop_point();
    Eigen::VectorXd rest = a.row(r).transpose();
    const auto known = basis.leftCols(report.rank);
    for (int pass = 0; pass < 2; ++pass) rest -= known * (known.transpose() * rest);
    const double distance = rest.norm();
    if (distance > tolerance) {
      basis.col(report.rank++) = rest / distance;
      independent.push_back(r);
      continue;
    }
    Eigen::MatrixXd others(m.columns, static_cast<Eigen::Index>(independent.size()));
    for (std::size_t i = 0; i < independent.size(); ++i)
      others.col(static_cast<Eigen::Index>(i)) = a.row(independent[i]).transpose();
    DependentRow dependent{r, {}};
    if (!independent.empty() && a.row(r).norm() > 0)
      dependent.follows_from = notable(Qr(others).least_squares(a.row(r).transpose()), independent);
    report.dependent.push_back(std::move(dependent));
  }
  if (!report.dependent.empty())
    report.smallest_singular_value = m.columns < m.rows ? 0 : singular_values_of(a).minCoeff();
  return report;
}

/// Smallest over largest pivot of [I J^T; J 0].
double pivot_ratio(const RowMatrix& m) {
  CompressedColumns pattern;
  const auto for_each_entry = [&](const auto& use) {
    for (std::uint32_t c = 0; c < m.columns; ++c) use(c, c, 1.0);
    for (std::uint32_t r = 0; r < m.rows; ++r)
      for (std::uint32_t k = m.row_start[r]; k < m.row_start[r + 1]; ++k) {
        use(m.columns + r, m.column[k], m.values[k]);
        use(m.column[k], m.columns + r, m.values[k]);
      }
  };
  for_each_entry(
      [&](std::uint32_t row, std::uint32_t column, double) { pattern.add(row, column); });
  pattern.finish();
  std::vector<double> values(pattern.entries(), 0.0);
  for_each_entry([&](std::uint32_t row, std::uint32_t column, double value) {
    values[pattern.index(row, column)] += value;
  });
  Klu<double> lu(pattern.pattern(m.columns + m.rows));
  return lu.factor(values.data()) ? lu.pivot_ratio() : 0;
}

RankReport sparse_qr(const RowMatrix& m, double tolerance) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::uint32_t r = 0; r < m.rows; ++r)
    for (std::uint32_t k = m.row_start[r]; k < m.row_start[r + 1]; ++k)
      entries.emplace_back(m.column[k], r, m.values[k]);
  Eigen::SparseMatrix<double> transposed(m.columns, m.rows);
  transposed.setFromTriplets(entries.begin(), entries.end());
  transposed.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(tolerance);
  qr.compute(transposed);
  RankReport report;
  report.rank = static_cast<std::uint32_t>(qr.rank());
  const auto& order = qr.colsPermutation().indices();
  std::vector<std::uint32_t> used;
  for (Eigen::Index i = 0; i < qr.rank(); ++i) used.push_back(static_cast<std::uint32_t>(order[i]));
  const Eigen::SparseMatrix<double> r = qr.matrixR();
  for (Eigen::Index i = qr.rank(); i < order.size(); ++i) {
    const Eigen::VectorXd above = Eigen::VectorXd(r.col(i)).head(qr.rank());
    const Eigen::SparseMatrix<double> square = r.topLeftCorner(qr.rank(), qr.rank());
    const Eigen::VectorXd coefficients = square.triangularView<Eigen::Upper>().solve(above);
    report.dependent.push_back({static_cast<std::uint32_t>(order[i]), notable(coefficients, used)});
  }
  return report;
}

}  // namespace

RankReport rank_of_rows(const RowMatrix& matrix, double tolerance) {
  const RowMatrix scaled = with_unit_rows(matrix);
  if (matrix.rows <= dense_limit && matrix.columns <= dense_limit)
    return orthogonalise(scaled, tolerance);
  if (pivot_ratio(scaled) > safe_pivot_ratio) return {matrix.rows, 0, {}};
  return apart(matrix.rows, [scaled, tolerance] { return sparse_qr(scaled, tolerance); });
}

}  // namespace daedal::solve
