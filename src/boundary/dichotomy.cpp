// See daedal/boundary/dichotomy.hpp.
#include "daedal/boundary/dichotomy.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/boundary/collocation.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/pencil/qz.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace daedal::boundary {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Estimates of rounding errors are of first order, and of norms: so many times them, rounding may decide.
constexpr double caution = 10;

/// Every pair of states that the collocation equations of one interval join: s_0 = begin y and s_1 = end y, in units of
/// `unit`. The propagator itself is end begin^-1; where an input is far from the outputs (a beam of ten elements: 0.27^10 of its
/// torque acts on the tip directly) its entries reach 1e12, and rounding moves its eigenvalues by 1e-4.
struct JoinedStates {
  MatrixXd begin, end;
  VectorXd unit;
};

/// Velocities count with the length of the interval.
VectorXd units(const ReducedSystem& system, double step) {
  VectorXd unit = VectorXd::Ones(system.states());
  for (const std::uint32_t position : positions_of(system))
    for (std::uint32_t i = position; system.next()[i] < system.states(); i = system.next()[i])
      unit[system.next()[i]] = unit[i] / step;
  return unit;
}

JoinedStates joined_states(ReducedSystem& system, const double* w,
                           const std::vector<double>& states, const std::vector<double>& tops,
                           double step, int stages) {
  Collocation interval(system, CollocationFormula::gauss(stages, depth_of(system)), 1, 0);
  interval.times()[0] = w[0];
  interval.times()[1] = w[0] + step;
  std::copy(states.begin(), states.end(), interval.state(0));
  for (std::size_t i = 0; i < interval.formula().stages(); ++i) {
    std::copy(tops.begin(), tops.end(), interval.tops(0) + i * tops.size());
    std::copy_n(w, system.signals(), interval.signals(0, i));
  }
  const auto size = static_cast<Eigen::Index>(interval.interval_rows()),
             n = static_cast<Eigen::Index>(states.size()), m = size - n;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(size, size);
  interval.interval_equations(0, rows.data());
  if (!interval.linearise(0))
    throw std::runtime_error("the collocation equations are singular at rest");
  JoinedStates joined;
  joined.unit = units(system, step);
  rows.rightCols(n) *= joined.unit.asDiagonal();
  rows.bottomRows(n) = joined.unit.cwiseInverse().asDiagonal() * rows.bottomRows(n);
  for (Eigen::Index i = 0; i < m; ++i) rows.row(i).normalize();
  for (Eigen::Index j = 0; j < m; ++j) rows.col(j) /= rows.col(j).head(m).norm();
  const MatrixXd solutions =
      Qr(rows.topRows(m).transpose()).q().rightCols(n);  // (Z, s_0) of the equations
  joined.begin = solutions.bottomRows(n);
  joined.end = rows.bottomRows(n) * solutions;
  return joined;
}

/// E times the sign of E^-1 A, which has no imaginary eigenvalues, by Newton's method; E is never inverted [GardinerLaub1986].
MatrixXd sign_of_pencil(MatrixXd a, const MatrixXd& e) {
  const auto log_determinant = [](const Lu& lu) {
    return lu.pivots().cwiseAbs().array().log().sum();
  };
  const double of_e = log_determinant(Lu(e));
  double before = 1;
  for (int iteration = 0; iteration < 100; ++iteration) {
    stop_point();
    const Lu lu(a);
    const double scale =
        before > 1e-2 ? std::exp((log_determinant(lu) - of_e) / static_cast<double>(a.rows())) : 1;
    const MatrixXd next = 0.5 * (a / scale + scale * e * lu.solve(e));
    const double change = (next - a).norm() / next.norm();
    a = next;
    if (change < 1e-14 || (change < 1e-6 && change >= before)) break;  // the rest is rounding
    before = change;
  }
  return a;
}

/// Orthonormal rows that vanish on the columns of a matrix of known rank.
MatrixXd rows_across(const MatrixXd& matrix, Eigen::Index rank) {
  if (rank == 0) return MatrixXd::Identity(matrix.rows(), matrix.rows());
  return PivotedQr(matrix).q().rightCols(matrix.rows() - rank).transpose();
}

/// Rows in the units of the states themselves, orthonormal.
MatrixXd orthonormal(const MatrixXd& rows) {
  if (rows.rows() == 0) return rows;
  return Qr(rows.transpose()).q(rows.rows()).transpose();
}

/// Normals of the levels, as columns: deviations along them are no motion of the system.
MatrixXd level_normals(ReducedSystem& system, const double* w, const std::vector<double>& states,
                       const VectorXd& unit) {
  const auto n = static_cast<Eigen::Index>(states.size()),
             levels = static_cast<Eigen::Index>(system.levels());
  if (levels == 0) return MatrixXd(n, 0);
  std::vector<double> c(system.levels());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> g(levels, n);
  system.level(w, states.data(), c.data(), g.data());
  const PivotedQr qr((g * unit.asDiagonal()).transpose());
  return qr.q().leftCols(qr.rank());
}

/// Eigenvalues of the propagator on the tangent space of the levels, largest first.
void find_multipliers(const JoinedStates& joined, const MatrixXd& normals, Dichotomy& result) {
  const Eigen::Index levels = normals.cols();
  const MatrixXd along = rows_across(normals, levels);
  const MatrixXd inside = rows_across(joined.begin.transpose() * normals, levels)
                              .transpose();  // begin y along the levels
  const analysis::FinitePart pencil{along * joined.begin * inside, along * joined.end * inside,
                                    MatrixXd(0, along.rows()), MatrixXd(0, along.rows())};
  const analysis::GeneralisedEigenvalues found = analysis::qz(pencil);
  if (!found.converged) throw std::runtime_error("the modes at rest could not be found");
  const double begin = pencil.e.norm(), end = pencil.a.norm();
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    const auto j = static_cast<Eigen::Index>(k);
    const double size = std::abs(found.values[k]);
    result.multipliers.push_back(
        {found.values[k], caution * std::numeric_limits<double>::epsilon() * (end / size + begin) *
                              found.left_norm[j] * found.right_norm[j] / found.product[j]});
  }
  std::sort(result.multipliers.begin(), result.multipliers.end(),
            [](const auto& a, const auto& b) { return std::abs(a.value) > std::abs(b.value); });
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
  const MatrixXd z = LeastNorm(rz).solve(MatrixXd(-rs));
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
  const JoinedStates joined = joined_states(system, w, states, tops, step, stages);
  const MatrixXd normals = level_normals(system, w, states, joined.unit);
  find_multipliers(joined, normals, result);
  double largest_kept = normals.cols() > 0 ? 1 : 0, smallest_grown = 0;
  for (const Multiplier& m : result.multipliers) {
    const double size = std::abs(m.value);
    (m.grows() ? result.unstable : m.decays() ? result.stable : result.centre)++;
    if (m.grows()) smallest_grown = size;
    if (!m.grows()) largest_kept = std::max(largest_kept, size);
  }
  const Eigen::Index n = joined.unit.size(), grown = result.unstable;
  const VectorXd inverse_unit = joined.unit.cwiseInverse();
  MatrixXd grown_states(n, 0), kept_states = MatrixXd::Identity(n, n);  // as columns
  if (grown > 0) {
    // Cayley's transformation takes the circle between the two groups to the imaginary axis.
    const double radius = std::sqrt(std::max(largest_kept, 1e-3 * smallest_grown) * smallest_grown);
    const MatrixXd sum = joined.end / radius + joined.begin;
    const MatrixXd sign = sign_of_pencil(joined.end / radius - joined.begin, sum);
    grown_states = sum + sign;
    kept_states = sum - sign;
  }
  result.growing = orthonormal(rows_across(kept_states, n - grown) * inverse_unit.asDiagonal());
  MatrixXd not_decaying(n, grown_states.cols() + normals.cols());
  not_decaying << grown_states / std::max(1.0, grown_states.norm()), normals;
  result.decaying =
      orthonormal(rows_across(not_decaying, grown + normals.cols()) * inverse_unit.asDiagonal());
  const MatrixXd inverse = pseudo_inverse(result.growing);
  result.growth = result.growing * generator(system, w, states, tops) * inverse;
  return result;
}

}  // namespace daedal::boundary
