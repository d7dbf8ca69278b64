#include "daedal/analyse/reachability.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/pencil/staircase.hpp"
#include "state_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// A matrix, and by how much rounding may have changed each entry; nothing is known of that where `rounding` is empty.
struct Rounded {
  MatrixXd value, rounding;

  Rounded(const MatrixXd& given, const MatrixXd& of_it)
      : value(given), rounding(MatrixXd::Zero(given.rows(), given.cols())) {
    if (of_it.size() == 0) return;
    // Without entries that are rounding alone: balancing would take them for weak couplings and magnify them.
    value = (given.array().abs() > of_it.array()).select(given, 0.0);
    rounding = of_it;
  }
  Rounded transposed() const {
    Rounded result = *this;
    result.value.transposeInPlace();
    result.rounding.transposeInPlace();
    return result;
  }
};

/// Roundings of entries are independent: turned by an orthogonal matrix their squares add up, so that is what is kept here.
/// A bound by absolute values would grow by the square root of the size at every stair.
Reachability reach(const Rounded& system, const Rounded& input) {
  constexpr double caution = 8;
  const Index n = system.value.rows();
  if (n == 0) return {};
  const Eigen::VectorXd scale = state_scales(system.value);
  const auto to_new = scale.asDiagonal().inverse();
  MatrixXd f = to_new * system.value * scale.asDiagonal();
  MatrixXd f_noise = MatrixXd(to_new * system.rounding * scale.asDiagonal()).cwiseAbs2();
  MatrixXd into = to_new * input.value;  // what reaches the rest at this stair
  MatrixXd into_noise = to_new * input.rounding;
  for (Index j = 0; j < into.cols(); ++j)
    if (const double length = into.col(j).norm(); length > 0) {
      into.col(j) /= length;
      into_noise.col(j) /= length;
    }
  into_noise = into_noise.cwiseAbs2().eval();
  Reachability result;
  result.states = static_cast<int>(n);
  result.smallest_gap = std::numeric_limits<double>::infinity();
  MatrixXd turned = MatrixXd::Identity(n, n);
  Index done = 0;
  double size = 1;  // of what `into` is made of: inputs first, then F
  while (done < n && into.cols() > 0) {
    stop_point();
    const Index left = n - done;
    const Svd found = svd(into);
    Eigen::VectorXd sigma = Eigen::VectorXd::Zero(left);
    sigma.head(found.values.size()) = found.values;
    const double of_this =
        caution * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * size;
    const double certain = std::max(of_this, std::sqrt(into_noise.sum()));
    const RankDecision decision = decide_rank(sigma, certain, certain);
    result.smallest_gap = std::min(result.smallest_gap, decision.gap());
    if (decision.rank == 0) break;
    const MatrixXd &u = found.u, squares = u.cwiseAbs2();
    f.bottomRows(left) = (u.transpose() * f.bottomRows(left)).eval();
    f.rightCols(left) = (f.rightCols(left) * u).eval();
    f_noise.bottomRows(left) = (squares.transpose() * f_noise.bottomRows(left)).eval();
    f_noise.rightCols(left) = (f_noise.rightCols(left) * squares).eval();
    turned.rightCols(left) = (turned.rightCols(left) * u).eval();
    const Index rest = left - decision.rank, next = done + decision.rank;
    into = f.block(next, done, rest, decision.rank);
    into_noise = f_noise.block(next, done, rest, decision.rank);
    size = f.norm();
    done = next;
  }
  result.rank = static_cast<int>(done);
  const Index rest = n - done;
  result.hidden =
      finite_eigenvalues(MatrixXd::Identity(rest, rest), f.bottomRightCorner(rest, rest));
  const MatrixXd reached = scale.asDiagonal() * turned.leftCols(done);
  result.basis = Qr(reached).q();
  return result;
}

Rounded dynamics_of(const StateSpace& s) { return {s.f, s.f_rounding}; }

}  // namespace

Reachability controllability(const StateSpace& system) {
  return reach(dynamics_of(system), {system.g, system.g_rounding});
}

Reachability observability(const StateSpace& system) {
  return reach(dynamics_of(system).transposed(), Rounded(system.h, system.h_rounding).transposed());
}

}  // namespace daedal::analysis
