// See daedal/invert/dichotomy.hpp.
#include "daedal/invert/dichotomy.hpp"

#include "collocation.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace daedal::invert {

namespace {

using Eigen::MatrixXd;

/// Of log |mu|: closer to the unit circle, rounding decides.
constexpr double on_the_circle = 1e-7;

MatrixXd propagator(ReducedSystem& system, const double* w, const std::vector<double>& states,
                    const std::vector<double>& tops, double step, int stages) {
  Collocation interval(system, CollocationFormula::gauss(stages, depth_of(system)), 1, 0);
  interval.times()[0] = w[0];
  interval.times()[1] = w[0] + step;
  std::copy(states.begin(), states.end(), interval.state(0));
  for (std::size_t i = 0; i < interval.formula().stages(); ++i) {
    std::copy(tops.begin(), tops.end(), interval.tops(0) + i * tops.size());
    std::copy_n(w, system.signals(), interval.signals(0, i));
  }
  if (!interval.linearise(0))
    throw std::runtime_error("the collocation equations are singular at rest");
  const auto n = static_cast<Eigen::Index>(states.size());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> t(n, n);
  interval.transition(0, t.data());
  return t;
}

/// The sign of a matrix without imaginary eigenvalues, by Newton's method with scaling.
MatrixXd matrix_sign(MatrixXd x) {
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Eigen::PartialPivLU<MatrixXd> lu(x);
    const MatrixXd inverse = lu.inverse();
    const double scale = iteration < 12 ? std::sqrt(inverse.norm() / x.norm()) : 1;
    const MatrixXd next = 0.5 * (scale * x + inverse / scale);
    const double change = (next - x).norm() / next.norm();
    x = next;
    if (change < 1e-14) break;
  }
  return x;
}

/// An orthonormal basis of the rows of a matrix of known rank.
MatrixXd row_basis(const MatrixXd& matrix, Eigen::Index rank) {
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(matrix.transpose());
  const MatrixXd q = qr.householderQ();
  return q.leftCols(rank).transpose();
}

/// Bases of the tangent space of the levels and of its complement, as columns.
struct Tangent {
  MatrixXd along, across;
};

Tangent tangent_space(ReducedSystem& system, const double* w, const std::vector<double>& states) {
  const auto n = static_cast<Eigen::Index>(states.size()),
             levels = static_cast<Eigen::Index>(system.levels());
  if (levels == 0) return {MatrixXd::Identity(n, n), MatrixXd(n, 0)};
  std::vector<double> c(system.levels());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> g(levels, n);
  system.level(w, states.data(), c.data(), g.data());
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(g.transpose());
  const MatrixXd q = qr.householderQ();
  return {q.rightCols(n - qr.rank()), q.leftCols(qr.rank())};
}

/// M from M X - X T = B: the spectra of M and T are apart.
MatrixXd sylvester(const MatrixXd& m, const MatrixXd& t, const MatrixXd& b) {
  const Eigen::Index rows = m.rows(), columns = t.rows();
  if (rows == 0 || columns == 0) return MatrixXd::Zero(rows, columns);
  MatrixXd a = MatrixXd::Zero(rows * columns, rows * columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    a.block(j * rows, j * rows, rows, rows) += m;
    for (Eigen::Index l = 0; l < columns; ++l)
      for (Eigen::Index i = 0; i < rows; ++i) a(j * rows + i, l * rows + i) -= t(l, j);
  }
  const Eigen::Map<const Eigen::VectorXd> right(b.data(), rows * columns);
  const Eigen::VectorXd x = a.partialPivLu().solve(right);
  return Eigen::Map<const MatrixXd>(x.data(), rows, columns);
}

/// ds/dt = A s near rest.
MatrixXd generator(ReducedSystem& system, const double* w, const std::vector<double>& states,
                   const std::vector<double>& tops) {
  const auto n = static_cast<Eigen::Index>(states.size()),
             nz = static_cast<Eigen::Index>(tops.size());
  const solve::SparsePattern &by_states = system.state_pattern(), &by_tops = system.top_pattern();
  std::vector<double> values(tops.size() + by_states.entries() + by_tops.entries());
  system.linearise(w, states.data(), tops.data(), values.data());
  MatrixXd rs = MatrixXd::Zero(nz, n), rz = MatrixXd::Zero(nz, nz);
  const double* entry = values.data() + nz;
  for (std::uint32_t i = 0; i < tops.size(); ++i)
    for (std::uint32_t e = by_states.row_start[i]; e < by_states.row_start[i + 1]; ++e)
      rs(i, by_states.column[e]) = *entry++;
  for (std::uint32_t i = 0; i < tops.size(); ++i)
    for (std::uint32_t e = by_tops.row_start[i]; e < by_tops.row_start[i + 1]; ++e)
      rz(i, by_tops.column[e]) = *entry++;
  const MatrixXd z = rz.completeOrthogonalDecomposition().solve(-rs);
  MatrixXd a = MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::uint32_t next = system.next()[static_cast<std::size_t>(i)];
    if (next < states.size())
      a(i, next) = 1;
    else
      a.row(i) = z.row(next - n);
  }
  return a;
}

}  // namespace

std::string describe(const Dichotomy& d) {
  return fmt::format("{} stable, {} centre, {} unstable", d.stable, d.centre, d.unstable);
}

Dichotomy dichotomy(ReducedSystem& system, const double* w, const std::vector<double>& states,
                    const std::vector<double>& tops, double step, int stages) {
  Dichotomy result;
  result.step = step;
  const MatrixXd t = propagator(system, w, states, tops, step, stages);
  const Tangent tangent = tangent_space(system, w, states);
  const MatrixXd inner = tangent.along.transpose() * t * tangent.along;
  const Eigen::VectorXcd mu = inner.eigenvalues();
  result.multipliers.assign(mu.data(), mu.data() + mu.size());
  std::sort(result.multipliers.begin(), result.multipliers.end(),
            [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  double largest_kept = 0, smallest_grown = 0;
  for (const std::complex<double>& m : result.multipliers) {
    const double rate = std::log(std::abs(m));
    (rate > on_the_circle    ? result.unstable
     : rate < -on_the_circle ? result.stable
                             : result.centre)++;
    if (rate > on_the_circle) smallest_grown = std::abs(m);
    if (rate <= on_the_circle && largest_kept == 0) largest_kept = std::abs(m);
  }
  const Eigen::Index size = inner.rows(), grown = result.unstable;
  const MatrixXd identity = MatrixXd::Identity(size, size);
  MatrixXd projector = MatrixXd::Zero(size, size);  // onto what grows, along what does not
  if (grown == size) projector = identity;
  if (grown > 0 && grown < size) {
    // Cayley's transformation takes the circle between the two groups to the imaginary axis.
    const double radius = std::sqrt(std::max(largest_kept, 1e-3 * smallest_grown) * smallest_grown);
    const MatrixXd scaled = inner / radius;
    projector =
        0.5 * (identity + matrix_sign((scaled + identity).partialPivLu().solve(scaled - identity)));
  }
  result.decaying = row_basis(identity - projector, size - grown) * tangent.along.transpose();
  const MatrixXd rows = row_basis(projector, grown);
  const MatrixXd multiplier = rows * inner * rows.transpose();  // rows T = multiplier rows
  const MatrixXd outer = sylvester(multiplier, tangent.across.transpose() * t * tangent.across,
                                   rows * tangent.along.transpose() * t * tangent.across);
  result.growing = rows * tangent.along.transpose() + outer * tangent.across.transpose();
  const MatrixXd inverse = result.growing.completeOrthogonalDecomposition().pseudoInverse();
  result.growth = result.growing * generator(system, w, states, tops) * inverse;
  return result;
}

}  // namespace daedal::invert
