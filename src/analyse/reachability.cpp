#include "daedal/analyse/reachability.hpp"

#include "base/qr.hpp"
#include "base/svd.hpp"
#include "staircase.hpp"
#include "state_scales.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::analyse {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

Reachability reach(const MatrixXd& given_f, const MatrixXd& given_g) {
  constexpr double caution = 8;
  const Index n = given_f.rows();
  if (n == 0) return {};
  const Eigen::VectorXd scale = state_scales(given_f);
  MatrixXd f = scale.asDiagonal().inverse() * given_f * scale.asDiagonal();
  MatrixXd into = scale.asDiagonal().inverse() * given_g;  // what reaches the rest at this stair
  for (Index j = 0; j < into.cols(); ++j)
    if (const double length = into.col(j).norm(); length > 0) into.col(j) /= length;
  Reachability result;
  result.states = static_cast<int>(n);
  result.smallest_gap = std::numeric_limits<double>::infinity();
  MatrixXd turned = MatrixXd::Identity(n, n);
  Index done = 0;
  double size = 1;  // of what `into` is made of: inputs first, then F
  while (done < n && into.cols() > 0) {
    const Index left = n - done;
    const Svd found = svd(into);
    Eigen::VectorXd sigma = Eigen::VectorXd::Zero(left);
    sigma.head(found.values.size()) = found.values;
    const double certain =
        caution * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * size;
    const RankDecision decision = decide_rank(sigma, certain, certain);
    result.smallest_gap = std::min(result.smallest_gap, decision.gap());
    if (decision.rank == 0) break;
    const MatrixXd& u = found.u;
    f.bottomRows(left) = (u.transpose() * f.bottomRows(left)).eval();
    f.rightCols(left) = (f.rightCols(left) * u).eval();
    turned.rightCols(left) = (turned.rightCols(left) * u).eval();
    into = f.block(done + decision.rank, done, left - decision.rank, decision.rank);
    size = f.norm();
    done += decision.rank;
  }
  result.rank = static_cast<int>(done);
  const Index rest = n - done;
  result.hidden =
      finite_eigenvalues(MatrixXd::Identity(rest, rest), f.bottomRightCorner(rest, rest));
  const MatrixXd reached = scale.asDiagonal() * turned.leftCols(done);
  result.basis = Qr(reached).q();
  return result;
}

}  // namespace

Reachability controllability(const StateSpace& system) { return reach(system.f, system.g); }

Reachability observability(const StateSpace& system) {
  return reach(system.f.transpose(), system.h.transpose());
}

}  // namespace daedal::analyse
