#include "daedal/analyse/zero_directions.hpp"

#include "daedal/pencil/singular_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

MatrixXd system_matrix(const MatrixXd& a, const MatrixXd& b, const MatrixXd& c, const MatrixXd& d) {
  MatrixXd p(a.rows() + c.rows(), a.cols() + b.cols());
  p << a, b, c, d;
  return p;
}

/// Powers of two that bring rows and columns of |A| + |z| |E| to size 1: the difference of the two must not be scaled up where
/// it cancels.
struct Scales {
  VectorXd rows, columns;
  explicit Scales(MatrixXd size)
      : rows(VectorXd::Ones(size.rows())), columns(VectorXd::Ones(size.cols())) {
    const auto unit = [](double largest) {
      return largest > 0 ? std::exp2(-std::round(std::log2(largest))) : 1.0;
    };
    for (int pass = 0; pass < 5; ++pass) {
      for (Index i = 0; i < size.rows(); ++i) {
        const double f = unit(std::sqrt(size.row(i).maxCoeff()));
        size.row(i) *= f, rows[i] *= f;
      }
      for (Index j = 0; j < size.cols(); ++j) {
        const double f = unit(std::sqrt(size.col(j).maxCoeff()));
        size.col(j) *= f, columns[j] *= f;
      }
    }
  }
};

/// The last `count` columns of the singular vectors; entries that are rounding are zero.
MatrixXcd last_columns(const MatrixXcd& vectors, Index count) {
  constexpr double rounding = 1e-9;
  return vectors.rightCols(count).unaryExpr(
      [](const std::complex<double>& z) { return std::abs(z) < rounding ? 0 : z; });
}

/// Divides each column by its entry of largest size among the rows that `of` has, which need not be in it.
void normalise(MatrixXcd& columns, const MatrixXcd& of) {
  for (Index k = 0; k < columns.cols(); ++k) {
    Index largest = 0;
    if (of.rows() > 0 && of.col(k).cwiseAbs().maxCoeff(&largest) > 0)
      columns.col(k) /= std::complex<double>(of(largest, k));
  }
}

ZeroDirection direction_of(const LinearModel& l, const Cluster& zero, int normal_rank) {
  const Index n = l.a.rows(), inputs = l.b.cols(), outputs = l.c.rows();
  const std::complex<double> z = zero.mean;
  const double size = std::abs(z) > zero.error ? std::abs(z) : 1;
  MatrixXcd p = system_matrix(l.a, l.b, l.c, l.d).cast<std::complex<double>>();
  p.topLeftCorner(n, n) -= z * l.e.cast<std::complex<double>>();
  const Scales scales(system_matrix(l.a.cwiseAbs() + size * l.e.cwiseAbs(), l.b.cwiseAbs(),
                                    l.c.cwiseAbs(), l.d.cwiseAbs()));
  p = scales.rows.asDiagonal() * p * scales.columns.asDiagonal();
  const ComplexSvd svd = complex_svd(p);
  const VectorXd& sigma = svd.values;
  // at a zero the rank falls below n + normal_rank, which it has elsewhere
  const Index full = std::min<Index>(n + normal_rank, sigma.size());
  const double nothing = 1e3 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() +
                         10 * (zero.spread + zero.error) / size;
  Index fallen = 1;
  while (fallen < zero.multiplicity && fallen < full &&
         sigma[full - fallen - 1] < nothing * sigma[0])
    ++fallen;

  ZeroDirection result{zero, {}, {}, {}, sigma[full - fallen] / sigma[0]};
  if (inputs == normal_rank) {
    MatrixXcd right = scales.columns.asDiagonal() * last_columns(svd.v, fallen);
    const MatrixXcd u = right.bottomRows(inputs);
    normalise(right, u.isZero(0) ? MatrixXcd(right.topRows(n)) : u);
    result.state = right.topRows(n), result.input = right.bottomRows(inputs);
  }
  if (outputs == normal_rank) {
    const MatrixXcd left = scales.rows.asDiagonal() * last_columns(svd.u, fallen).conjugate();
    result.output = left.bottomRows(outputs);
    normalise(result.output, MatrixXcd(result.output));
  }
  return result;
}

}  // namespace

std::vector<ZeroDirection> zero_directions(const LinearModel& linear, const Spectrum& zeros,
                                           int normal_rank) {
  std::vector<ZeroDirection> directions;
  for (const Cluster& zero : zeros.clusters)
    if (zero.mean.imag() >= 0) directions.push_back(direction_of(linear, zero, normal_rank));
  return directions;
}

}  // namespace daedal::analysis
