#include "daedal/analyse/stability_region.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/symmetric_eigen.hpp"
#include "daedal/pencil/lyapunov.hpp"
#include "daedal/system/noise.hpp"
#include "daedal/system/point.hpp"
#include "disturbed_start.hpp"
#include "energy_function.hpp"
#include "manifold_states.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct FunctionValue {
  double v = 0, rate = 0;
};

/// Directions of length 1 without order, always alike.
VectorXd direction(Index n, int number) {
  VectorXd d(n);
  for (Index k = 0; k < n;
       ++k) {  // sums of uniform numbers are nearly normal: no corner is preferred
    d[k] = 0;
    for (int j = 0; j < 6; ++j)
      d[k] +=
          solve::noise(static_cast<std::uint64_t>(((number * 64 + k) * 8) + j) * 2654435761u + 1);
  }
  return d.norm() > 0 ? VectorXd(d / d.norm()) : VectorXd(VectorXd::Unit(n, 0));
}

/// The energy's second derivatives on the manifold, by differences of its values at rest's neighbours; V has no slope at rest,
/// so that it does not matter how neighbours are drawn to the manifold.
struct QuadraticParts {
  MatrixXd energy, cross;
};
QuadraticParts quadratic_parts(const ManifoldStates& states, const EnergyFunction& function) {
  constexpr double h = 1e-3;
  const Index n = states.basis.cols();
  const auto at = [&](const VectorXd& z) {
    const std::vector<double> s = states.states(z);
    stop_point();
    const structure::Point p = s.empty() ? structure::Point{} : states.flow.point(0, s);
    return p ? function.at(p) : EnergyFunction::Value{std::nan(""), 0, std::nan(""), 0};
  };
  QuadraticParts parts{MatrixXd(n, n), MatrixXd(n, n)};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const VectorXd a = h * VectorXd::Unit(n, i), b = h * VectorXd::Unit(n, j);
      const auto pp = at(a + b), pm = at(a - b), mp = at(b - a), mm = at(-a - b);
      parts.energy(i, j) = parts.energy(j, i) =
          (pp.energy - pm.energy - mp.energy + mm.energy) / (8 * h * h);
      parts.cross(i, j) = parts.cross(j, i) =
          (pp.cross - pm.cross - mp.cross + mm.cross) / (8 * h * h);
    }
  return parts;
}

double smallest_eigenvalue(const MatrixXd& m) { return symmetric_eigenvalues(m)[0]; }

/// The largest epsilon for which the quadratic parts say V > 0 and V' < 0.
double epsilon_bound(const QuadraticParts& parts, const MatrixXd& f) {
  const auto good = [&](double epsilon) {
    const MatrixXd v = parts.energy + epsilon * parts.cross;
    return smallest_eigenvalue(v) > 0 && smallest_eigenvalue(-(v * f + f.transpose() * v)) > 0;
  };
  double high = 1e-8;
  while (!good(high) && high < 1) high *= 2;  // below, rounding of the differences decides
  if (!good(high)) return 0;
  while (good(2 * high) && high < 1e12) high *= 2;
  double low = high;
  high *= 2;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (good(middle) ? low : high) = middle;
  }
  return low;
}

/// The level of the largest ellipsoid z^T P z that changes no position by more than `radius` nominal values.
double outermost_level(const ManifoldStates& states, const MatrixXd& p, double radius) {
  const MatrixXd inverse = Lu(p).inverse();
  double level = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < states.leaves.size(); ++k) {
    if (states.leaves[k].order > 0) continue;
    const Eigen::RowVectorXd row = states.basis.row(static_cast<Index>(k));
    const double width = row * inverse * row.transpose();
    const double nominal =
        states.flow.problem().dae->model->symbols[states.leaves[k].symbol].nominal;
    if (width > 0) level = std::min(level, radius * radius * nominal * nominal / width);
  }
  return std::isfinite(level) ? level : radius * radius;
}

std::vector<Column> columns_of(const ManifoldStates& states) {
  std::vector<Column> columns;
  for (const int position : states.positions) {
    const auto p = static_cast<std::uint32_t>(position) + 1;
    columns.push_back(
        {solve::name_at(states.flow.problem(), p), solve::unit_at(states.flow.problem(), p)});
  }
  columns.push_back({"V", ""});
  columns.push_back({"V'", ""});
  return columns;
}

void note(StabilityRegion& region, const ManifoldStates& states, const std::vector<double>& s,
          const FunctionValue& value, double& first_failure) {
  std::span<double> row = region.table.append();
  for (std::size_t k = 0; k < states.positions.size(); ++k)
    row[k] = s[static_cast<std::size_t>(states.positions[k])];
  row[states.positions.size()] = value.v;
  row[states.positions.size() + 1] = value.rate;
  const bool good = value.v > 0 && value.rate < 0;
  if (good)
    region.level = std::max(region.level, value.v);
  else
    first_failure = std::min(first_failure, std::max(value.v, 0.0));
  const double rate = value.v > 0 ? value.rate / value.v : std::numeric_limits<double>::infinity();
  if (region.samples++ > 0 && rate <= region.worst_rate) return;
  region.worst_rate = rate;
  region.worst.clear();
  for (std::size_t k = 0; k < states.positions.size(); ++k)
    region.worst[region.table.columns()[k].name] = row[k];
}

}  // namespace

StabilityRegion stability_region(const std::shared_ptr<const derive::Dae>& dae,
                                 const Equilibrium& rest, const RegionOptions& options) {
  const StopScope stoppable(options.watch.stop);
  Flow flow(starting_at(*dae, rest, {}));
  const ManifoldStates states(flow, linearise(*dae, point_of(rest)));
  const Index n = states.basis.cols();
  const QuadraticFunction quadratic =
      quadratic_lyapunov_function(states.system.f, MatrixXd::Identity(n, n));
  if (!quadratic.positive())
    throw std::invalid_argument("the motion near rest is not asymptotically stable");
  StabilityRegion region;
  region.table = Table(columns_of(states));
  std::optional<EnergyFunction> energy;
  if (options.kind == LyapunovKind::energy) {
    energy.emplace(*dae, rest);
    region.epsilon_bound = epsilon_bound(quadratic_parts(states, *energy), states.system.f);
    region.epsilon = options.epsilon.value_or(region.epsilon_bound / 2);
  }
  const auto value = [&](const std::vector<double>& s, const structure::Point& p) -> FunctionValue {
    if (energy) {
      const EnergyFunction::Value v = energy->at(p);
      return {v.energy + region.epsilon * v.cross, v.energy_rate + region.epsilon * v.cross_rate};
    }
    const VectorXd z = states.departure(s);
    return {z.dot(quadratic.p * z), 2 * z.dot(quadratic.p * states.rate(p))};
  };
  const MatrixXd ellipsoid = Lu(MatrixXd(quadratic.p.llt().matrixL()).transpose()).inverse();
  const double outermost = outermost_level(states, quadratic.p, options.radius);
  double first_failure = std::numeric_limits<double>::infinity();
  for (int shell = 1; shell <= options.shells; ++shell) {
    options.watch.tell(static_cast<double>(shell - 1) / options.shells, "shells around rest");
    for (int k = 0; k < options.directions; ++k) {
      stop_point();
      const double size = std::sqrt(outermost) * shell / options.shells;
      const std::vector<double> s = states.states(size * (ellipsoid * direction(n, k)));
      const structure::Point p = s.empty() ? structure::Point{} : flow.point(0, s);
      if (p) note(region, states, s, value(s, p), first_failure);
    }
  }
  region.decreases = std::isinf(first_failure) && region.samples > 0;
  if (!region.decreases) region.level = first_failure;
  return region;
}

}  // namespace daedal::analysis
