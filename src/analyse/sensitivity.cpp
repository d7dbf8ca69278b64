#include "sensitivity.hpp"

#include "daedal/base/lu.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <optional>
#include <set>

namespace daedal::analysis {

namespace {

constexpr double relative_step = 1e-4;  // relative: rounding and curvature both stay below 1e-7
constexpr double notable = 1e-6;        // of the zero's magnitude
constexpr std::size_t many = 100;       // largest number of parameters reported

/// The linearised inverse equations, with one parameter at another value; nullopt where there is no pose at rest.
std::optional<LinearModel> changed_model(derive::Dae dae, expr::SymbolId parameter, double value,
                                         const EquilibriumOptions& options) {
  model::Model changed = *dae.model;
  changed.symbols[parameter].value = value;
  dae.model = std::make_shared<const model::Model>(std::move(changed));
  const Equilibrium at = equilibrium(dae, options);
  if (!at.found) return std::nullopt;
  return linearise(derive::inverse(dae), point_of(at));
}

/// The mean real part of the zeros that are nearest to `cluster`, as many as it has.
std::optional<double> real_part(const LinearModel& linear, const Cluster& cluster) {
  std::vector<Eigenvalue> zeros = finite_eigenvalues(linear.e, linear.a).values;
  const auto count = static_cast<std::size_t>(cluster.multiplicity);
  if (zeros.size() < count) return std::nullopt;
  std::sort(zeros.begin(), zeros.end(), [&](const Eigenvalue& a, const Eigenvalue& b) {
    return std::abs(a.value - cluster.mean) < std::abs(b.value - cluster.mean);
  });
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += zeros[k].value.real();
  return sum / static_cast<double>(count);
}

/// Right and left vectors of a simple eigenvalue, (A - s E) v = 0 and w^H (A - s E) = 0, by inverse iteration on rows and
/// columns of length 1; with them  ds = w^H (dA - s dE) v / (w^H E v)  and no eigenvalue need be computed again.
struct EigenvectorPair {
  Eigen::VectorXcd right, left;

  EigenvectorPair(const LinearModel& linear, std::complex<double> s) {
    const std::complex<double> near = s + 1e-9 * std::max(1.0, std::abs(s));  // never singular
    Eigen::MatrixXcd m = linear.a - near * linear.e;
    const Eigen::VectorXd rows = m.rowwise().norm().cwiseInverse();
    m = rows.asDiagonal() * m;
    const Eigen::VectorXd columns = m.colwise().norm().cwiseInverse();
    m = m * columns.asDiagonal();
    const ComplexLu lu(m);
    right = left = Eigen::VectorXcd::Ones(m.rows());
    for (int k = 0; k < iterations; ++k) {
      right = lu.solve(right).normalized();
      left = lu.solve_adjoint(left).normalized();
    }
    right = columns.asDiagonal() * right;
    left = rows.asDiagonal() * left;
  }

  /// Of the eigenvalue, over the change of the pencil from `below` to `above`.
  double change(const LinearModel& above, const LinearModel& below, std::complex<double> s,
                const Eigen::MatrixXd& e) const {
    const Eigen::VectorXcd moved = (above.a - below.a) * right - s * ((above.e - below.e) * right);
    return (left.dot(moved) / left.dot(e * right)).real();
  }

 private:
  static constexpr int iterations =
      4;  // each gains the digits between this eigenvalue and the next
};

/// Parameters with a name and a value that occur in the equations.
std::vector<expr::SymbolId> parameters_of(const derive::Dae& dae) {
  std::set<expr::SymbolId> found;
  const auto add = [&](expr::SymbolId s) {
    const model::Symbol& symbol = dae.model->symbols[s];
    const bool named =
        !symbol.name.empty() && std::isalpha(static_cast<unsigned char>(symbol.name[0]));
    if (symbol.kind == model::SymbolKind::parameter && symbol.value != 0 && named) found.insert(s);
  };
  for (const expr::Occurrence& o : expr::occurrences(dae.residual)) add(o.leaf.symbol);
  for (const model::Relation& servo : dae.model->servos)
    for (const expr::Leaf& leaf : expr::leaves(*dae.model->graph, std::vector{servo.residual}))
      add(leaf.symbol);
  return {found.begin(), found.end()};
}

}  // namespace

std::vector<Sensitivity> sensitivities(const derive::Dae& asked, const EquilibriumOptions& options,
                                       const Cluster& rightmost) {
  std::vector<Sensitivity> result;
  const std::vector<expr::SymbolId> parameters = parameters_of(asked);
  if (parameters.size() > many) return result;
  const LinearModel here = linearise(derive::inverse(asked), point_of(equilibrium(asked, options)));
  const EigenvectorPair vectors(here, rightmost.mean);
  for (const expr::SymbolId s : parameters) {
    const model::Symbol& symbol = asked.model->symbols[s];
    const auto above = changed_model(asked, s, symbol.value * (1 + relative_step), options);
    const auto below = changed_model(asked, s, symbol.value * (1 - relative_step), options);
    if (!above || !below) continue;
    double change = 0;
    if (rightmost.multiplicity == 1) {
      change = vectors.change(*above, *below, rightmost.mean, here.e);
    } else {
      const auto right = real_part(*above, rightmost), left = real_part(*below, rightmost);
      if (!right || !left) continue;
      change = *right - *left;
    }
    const double rate = change / (2 * relative_step);
    if (std::abs(rate) > notable * std::max(std::abs(rightmost.mean), 1e-3))
      result.push_back({symbol.name, rate});
  }
  std::stable_sort(result.begin(), result.end(), [](const Sensitivity& a, const Sensitivity& b) {
    return std::abs(a.rate) > std::abs(b.rate);
  });
  return result;
}

}  // namespace daedal::analysis
