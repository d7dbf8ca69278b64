// A branch of equilibria over a parameter, past its folds.
//
//   f(q, a; p) = 0,   a curve (q(s), a(s), p(s)) of length s
//
// At a fold the parameter turns back: dp/ds = 0. Steps along the curve, instead of steps in p, pass it [Keller1977]. Where
// the determinant of the equations bordered by the tangent changes its sign, another branch crosses: dF/dz loses one more rank
// there, and the second null vector leads to it.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/base/progress.hpp"

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace daedal::analysis {

/// A model as a function of numbers. It is elaborated and derived for each choice, so that parameters that follow from others
/// do so, and vanishing terms are removed.
using DaeAt = std::function<std::shared_ptr<const derive::Dae>(std::span<const double>)>;
/// Of parameters by name. Throws ModelError from the first call on when there is no such parameter.
DaeAt dae_of_parameters(model::Library library, model::Overrides overrides,
                        std::vector<std::string> parameters);

/// The response of a mechanism at rest to a small disturbance: eigenvalues of the stiffness in the directions that
/// constraints leave.
struct StaticStability {
  Eigen::VectorXd stiffness;      // ascending; of the symmetric part
  std::vector<double> softest;    // direction of the first, by coordinate of the Dae
  int unstable = 0, neutral = 0;  // directions in which forces push away, or do nothing
};
/// nullopt for models without coordinates, and where the forces have no potential: a feedback, follower forces.
std::optional<StaticStability> static_stability(const derive::Dae& dae,
                                                const Equilibrium& equilibrium);
/// "stable", "neutral in 1 direction", "unstable in 2 directions".
std::string describe(const StaticStability& stability);

enum class BranchMark {
  point,
  fold,      // the parameter turns back
  crossing,  // another branch meets this one
  end        // of the requested range
};
struct BranchPoint {
  double parameter = 0;
  Equilibrium equilibrium;
  BranchMark mark = BranchMark::point;
  std::optional<StaticStability> stability;
};
struct Branch {
  std::vector<BranchPoint> points;  // in order
  std::string stopped;  // why it ends inside the range; "" at an end of the range, or at a crossing
  std::optional<std::size_t>
      leaves;  // the branch that it begins at, at a crossing; of one branch there are two sides
};

struct ContinuationOptions {
  double from = 0, to = 1;     // the branch begins at `from`, and ends where p leaves [from, to]
  double largest_step = 0.05;  // in (0, 1]: part of the range, and of the positions' scales
  int most_points = 2000;      // a branch may be closed
  int most_branches = 16;      // 1: crossings are marked, not followed
  EquilibriumOptions equilibrium;
  Watch watch;  // asked to stop, the branches so far
};
/// The branch through the equilibrium at `from`, then those that leave it at crossings, and those that leave them. Throws
/// ModelError when there is no equilibrium at `from`.
std::vector<Branch> follow_equilibria(const DaeAt& dae_at, const ContinuationOptions& options);

}  // namespace daedal::analysis
