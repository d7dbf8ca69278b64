#include "daedal/analyse/classify.hpp"

#include "daedal/base/qr.hpp"
#include "daedal/pencil/numeric_rank.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

double doubt(const Cluster& cluster) {
  constexpr double caution = 10;
  return cluster.multiplicity > 1 ? 1e-9 * std::max(1.0, std::abs(cluster.mean))
                                  : caution * cluster.error;
}

Margin margin(const Spectrum& spectrum) {
  Margin m;
  if (spectrum.clusters.empty()) return m;
  m.worst = *std::max_element(
      spectrum.clusters.begin(), spectrum.clusters.end(),
      [](const Cluster& a, const Cluster& b) { return a.mean.real() < b.mean.real(); });
  m.distance = std::abs(m.worst.mean.real());
  m.side = m.distance <= doubt(m.worst) ? Side::axis
           : m.worst.mean.real() < 0    ? Side::left
                                        : Side::right;
  if (m.side == Side::axis) m.distance = 0;
  return m;
}

const char* stability_word(Side side) {
  switch (side) {
    case Side::none:
      return "no dynamics";
    case Side::left:
      return "asymptotically stable";
    case Side::axis:
      return "marginal";
    case Side::right:
      return "unstable";
  }
  return "";
}

const char* phase_word(Side side) {
  switch (side) {
    case Side::none:
      return "differentially flat";
    case Side::left:
      return "minimum phase";
    case Side::axis:
      return "marginal";
    case Side::right:
      return "non-minimum phase";
  }
  return "";
}

const char* word(Configuration configuration) {
  switch (configuration) {
    case Configuration::ideal_orthogonal:
      return "ideal orthogonal";
    case Configuration::non_ideal_orthogonal:
      return "non-ideal orthogonal";
    case Configuration::mixed:
      return "mixed";
    case Configuration::tangential:
      return "tangential";
  }
  return "";
}

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Rows of `equations` of one kind of the Dae.
std::vector<Index> rows_of(const derive::Dae& dae,
                           std::initializer_list<derive::EquationKind> kinds) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < dae.equations.size(); ++i)
    if (std::find(kinds.begin(), kinds.end(), dae.equations[i].kind) != kinds.end())
      rows.push_back(static_cast<Index>(i));
  return rows;
}

/// Whether inputs push exactly where the outputs look: B and H^T span the same directions of motion that the constraints
/// leave free.
bool inputs_along_outputs(const derive::Dae& dae, const LinearModel& linear) {
  std::vector<Index> positions;
  for (const expr::SymbolId s : dae.mechanics.coordinates)
    for (std::size_t k = 0; k < linear.leaves.size(); ++k)
      if (linear.leaves[k] == expr::Leaf{s, 0}) positions.push_back(static_cast<Index>(k));
  const std::vector<Index> motion =
      rows_of(dae, {derive::EquationKind::motion, derive::EquationKind::drive});
  if (motion.size() != positions.size()) return false;
  const MatrixXd constraints =
      linear.a(rows_of(dae, {derive::EquationKind::constraint}), positions);
  const MatrixXd forces = linear.b(motion, Eigen::all), looks = linear.c(Eigen::all, positions);
  const MatrixXd free = null_space_of(constraints, 1e-10);
  MatrixXd both(free.cols(), forces.cols() + looks.rows());
  both << free.transpose() * forces, free.transpose() * looks.transpose();
  return numeric_rank(both) == forces.cols();
}

}  // namespace

std::optional<Configuration> configuration(const derive::Dae& forward, const LinearModel& linear,
                                           const RelativeDegree& degree) {
  const MatrixXd& p = degree.acceleration_matrix;
  if (p.size() == 0 || p.rows() != p.cols() || forward.mechanics.coordinates.empty())
    return std::nullopt;
  if (degree.acceleration_rank == 0) return Configuration::tangential;
  if (degree.acceleration_rank < p.rows()) return Configuration::mixed;
  return inputs_along_outputs(forward, linear) ? Configuration::ideal_orthogonal
                                               : Configuration::non_ideal_orthogonal;
}

}  // namespace daedal::analysis
