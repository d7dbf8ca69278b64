#include "daedal/boundary/rest_zeros.hpp"

#include "daedal/analyse/classify.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace daedal::boundary {

namespace {

using Eigen::MatrixXd;

/// Columns along the levels; the states themselves where there are none.
MatrixXd along_levels(ReducedSystem& system, const double* w, const Rest& rest) {
  const Eigen::Index n = system.states(), levels = system.levels();
  if (levels == 0) return MatrixXd::Identity(n, n);
  std::vector<double> c(system.levels());
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> g(levels, n);
  system.level(w, rest.states.data(), c.data(), g.data());
  const PivotedQr qr(g.transpose());
  return qr.q().rightCols(n - qr.rank());
}

}  // namespace

RestZeros zeros_at_rest(ReducedSystem& system, const double* w, const Rest& rest) {
  const Eigen::Index n = system.states(), nz = system.tops();
  const solve::SparsePattern &by_states = system.state_pattern(), &by_tops = system.top_pattern();
  std::vector<double> values(system.tops() + by_states.entries() + by_tops.entries());
  system.linearise(w, rest.states.data(), rest.tops.data(), values.data());
  MatrixXd rate = MatrixXd::Zero(n, n + nz), r = MatrixXd::Zero(nz, n + nz);
  for (Eigen::Index i = 0; i < n; ++i) rate(i, system.next()[static_cast<std::size_t>(i)]) = 1;
  const double* entry = values.data() + nz;
  for (std::uint32_t i = 0; i < by_states.row_start.size() - 1; ++i)
    for (std::uint32_t k = by_states.row_start[i]; k < by_states.row_start[i + 1]; ++k)
      r(i, by_states.column[k]) = *entry++;
  for (std::uint32_t i = 0; i < by_tops.row_start.size() - 1; ++i)
    for (std::uint32_t k = by_tops.row_start[i]; k < by_tops.row_start[i + 1]; ++k)
      r(i, n + by_tops.column[k]) = *entry++;

  const MatrixXd along = along_levels(system, w, rest);
  const Eigen::Index inner = along.cols();
  MatrixXd e = MatrixXd::Zero(inner + nz, inner + nz), a(inner + nz, inner + nz);
  e.topLeftCorner(inner, inner).setIdentity();
  a.topLeftCorner(inner, inner) = along.transpose() * rate.leftCols(n) * along;
  a.topRightCorner(inner, nz) = along.transpose() * rate.rightCols(nz);
  a.bottomLeftCorner(nz, inner) = r.leftCols(n) * along;
  a.bottomRightCorner(nz, nz) = r.rightCols(nz);
  const analysis::Spectrum zeros = analysis::finite_eigenvalues(e, a);
  if (!zeros.regular()) throw std::runtime_error("the equations are singular at rest");

  RestZeros result;
  for (const analysis::Cluster& zero : zeros.clusters) {
    const double growth = zero.mean.real(), doubt = analysis::doubt(zero);
    result.fastest = std::max(result.fastest, std::abs(zero.mean));
    const auto times = static_cast<std::size_t>(zero.multiplicity);
    if (growth > doubt) result.growth.insert(result.growth.end(), times, growth);
    if (growth < -doubt) result.decay.insert(result.decay.end(), times, -growth);
    if (std::abs(growth) > doubt) continue;
    result.centre += zero.multiplicity;
    if (zero.mean.imag() >= 0) result.frequencies.push_back(zero.mean.imag());
  }
  std::sort(result.growth.begin(), result.growth.end());
  std::sort(result.decay.begin(), result.decay.end());
  return result;
}

double RestZeros::slowest_decay(double at_least) const {
  if (decay.empty()) return 0;
  const auto found = std::lower_bound(decay.begin(), decay.end(), at_least);
  return found == decay.end() ? decay.front() : *found;
}

Dichotomy RestZeros::counts() const {
  Dichotomy d;
  d.stable = static_cast<int>(decay.size());
  d.centre = centre;
  d.unstable = static_cast<int>(growth.size());
  return d;
}

}  // namespace daedal::boundary
