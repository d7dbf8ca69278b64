// K = d(forces)/dq on the tangent space of the constraints. Reactions take part: multipliers times curvature of constraints.
#include "daedal/analyse/continuation.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/symmetric_eigen.hpp"
#include "rest_equations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double neutral = 1e-9;  // of the largest stiffness
constexpr double symmetric =
    1e-6;  // of the largest stiffness: rounding and the tolerance of a pose aside

}  // namespace

std::optional<StaticStability> static_stability(const derive::Dae& dae,
                                                const Equilibrium& equilibrium) {
  const RestEquations equations(dae, {});
  std::vector<Index> motion, others, coordinates;
  for (std::size_t i = 0; i < dae.equations.size(); ++i)
    (dae.equations[i].kind == derive::EquationKind::motion ? motion : others)
        .push_back(static_cast<Index>(i));
  for (std::size_t k = 0; k < equations.positions().size(); ++k)
    if (dae.model->symbols[equations.positions()[k]].kind == model::SymbolKind::coordinate)
      coordinates.push_back(static_cast<Index>(k));
  if (motion.empty() || motion.size() > coordinates.size()) return std::nullopt;
  // Positions of driven coordinates are the drives' affair: they are held.
  std::vector<Index> moving;
  for (const Index k : coordinates) {
    const auto& all = dae.mechanics.coordinates;
    const auto at = std::find(all.begin(), all.end(), equations.positions()[k]) - all.begin();
    if (!dae.mechanics.driven[static_cast<std::size_t>(at)]) moving.push_back(k);
  }
  if (moving.size() != motion.size()) return std::nullopt;
  const MatrixXd jacobian = equations.jacobian(equilibrium.values);
  std::vector<Index> constraints;
  for (const Index i : others)
    if (dae.equations[static_cast<std::size_t>(i)].kind == derive::EquationKind::constraint)
      constraints.push_back(i);
  const MatrixXd tangent = null_space_of(jacobian(constraints, moving), 1e-10);
  StaticStability result;
  if (tangent.cols() == 0) return result;
  const MatrixXd k = tangent.transpose() * jacobian(motion, moving) * tangent;
  // Forces without a potential, of a feedback say, have no minimum of the energy to sit in: only the poles decide.
  if ((k - k.transpose()).cwiseAbs().maxCoeff() > symmetric * k.cwiseAbs().maxCoeff())
    return std::nullopt;
  const SymmetricEigen stiffness = symmetric_eigen((k + k.transpose()) / 2);
  result.stiffness = stiffness.values;
  const double size = result.stiffness.cwiseAbs().maxCoeff();
  for (const double s : result.stiffness) {
    if (std::abs(s) <= neutral * size)
      ++result.neutral;
    else if (s < 0)
      ++result.unstable;
  }
  const Eigen::VectorXd softest = tangent * stiffness.vectors.col(0);
  result.softest.assign(dae.mechanics.coordinates.size(), 0);
  for (std::size_t j = 0; j < moving.size(); ++j) {
    const auto& all = dae.mechanics.coordinates;
    const auto at = std::find(all.begin(), all.end(), equations.positions()[moving[j]]);
    result.softest[static_cast<std::size_t>(at - all.begin())] = softest[static_cast<Index>(j)];
  }
  return result;
}

std::string describe(const StaticStability& s) {
  const auto directions = [](int n) {
    return fmt::format("in {} direction{}", n, n == 1 ? "" : "s");
  };
  if (s.unstable > 0) return "unstable " + directions(s.unstable);
  if (s.neutral > 0) return "neutral " + directions(s.neutral);
  return "stable";
}

}  // namespace daedal::analysis
