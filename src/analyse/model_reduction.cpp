#include "daedal/analyse/model_reduction.hpp"

#include "daedal/analyse/reachability.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/base/symmetric_eigen.hpp"
#include "daedal/pencil/lyapunov.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// z = right z_new, z_new = left z.
StateSpace restricted(const StateSpace& s, const MatrixXd& left, const MatrixXd& right) {
  StateSpace r = s;
  r.f = left * s.f * right;
  for (MatrixXd* const rounding : {&r.f_rounding, &r.g_rounding, &r.h_rounding})
    rounding->resize(0, 0);
  r.g = left * s.g;
  r.h = s.h * right;
  r.basis = s.basis * right;
  r.states.clear();
  for (Index k = 0; k < r.f.rows(); ++k) r.states.push_back("z" + std::to_string(k + 1));
  return r;
}

/// Of the fastest pole: what decays more slowly may lie on the imaginary axis, since rounding moves a double pole by the
/// root of the machine's precision. It is kept, and so no bound is wrong.
constexpr double undamped = 1e-6;

/// Stable and other invariant subspaces by Newton's iteration for the matrix sign function [Roberts1980].
struct Split {
  MatrixXd basis, inverse;  // columns: stable directions first
  Index stable = 0;
};

Split split_by_stability(const MatrixXd& f) {
  const Index n = f.rows();
  double fastest = 0;
  for (const Eigenvalue& pole : finite_eigenvalues(MatrixXd::Identity(n, n), f).values)
    fastest = std::max(fastest, std::abs(pole.value));
  MatrixXd sign = f + (fastest > 0 ? undamped * fastest : 1) * MatrixXd::Identity(n, n);
  constexpr int most = 60;
  for (int step = 0;; ++step) {
    stop_point();
    const Lu lu(sign);
    const double scale = std::exp(-lu.pivots().cwiseAbs().array().log().mean());
    const double c = step < 20 && std::isfinite(scale) && scale > 0 ? scale : 1;
    const MatrixXd next = 0.5 * (c * sign + lu.inverse() / c);
    const double change = (next - sign).norm();
    if (!next.allFinite() || step == most)
      throw std::invalid_argument(
          "model reduction: poles that neither decay nor grow cannot be separated");
    sign = next;
    if (change <= 1e-13 * static_cast<double>(n) * sign.norm()) break;
  }
  Split split;
  const MatrixXd one = MatrixXd::Identity(n, n);
  split.stable = static_cast<Index>(std::lround(0.5 * (static_cast<double>(n) - sign.trace())));
  const auto range = [&](const MatrixXd& projector, Index rank) -> MatrixXd {
    return PivotedQr(projector).q().leftCols(rank);
  };
  split.basis.resize(n, n);
  split.basis << range(0.5 * (one - sign), split.stable),
      range(0.5 * (one + sign), n - split.stable);
  split.inverse = Lu(split.basis).inverse();
  return split;
}

/// A root L of a positive semidefinite W = L L^T, whatever its rank.
MatrixXd root(const MatrixXd& w) {
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (w + w.transpose()));
  return eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal();
}

/// States in which both Gramians are diag(hankel) [TombsPostlethwaite1987].
struct Balanced {
  MatrixXd left, right;
  VectorXd hankel;
};

Balanced balance_gramians(const StateSpace& s) {
  const MatrixXd reach = root(lyapunov(s.f, s.g * s.g.transpose()));
  const MatrixXd show = root(lyapunov(s.f.transpose(), s.h.transpose() * s.h));
  const Svd found = svd(show.transpose() * reach);
  Balanced b;
  b.hankel = found.values;
  const Eigen::Index n = b.hankel.size();
  const VectorXd scale =
      b.hankel.cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  b.left = scale.asDiagonal() * found.u.leftCols(n).transpose() * show.transpose();
  b.right = reach * found.v.leftCols(n) * scale.asDiagonal();
  return b;
}

/// Every distinct value once: values within rounding of each other are one.
double tail(const VectorXd& hankel, Index kept) {
  double sum = 0, last = 0;
  for (Index k = hankel.size(); k-- > kept;)
    if (hankel[k] - last > 1e-8 * hankel[0]) sum += last = hankel[k];
  return sum;
}

struct Prepared {
  StateSpace stable, unstable;
  MatrixXd to_stable, to_unstable;  // from the states of the whole
  Balanced balanced;
  Index kept = 0;  // of the stable states
};

Prepared prepare(const StateSpace& system, int order) {
  if (!system.proper()) throw std::invalid_argument("model reduction: the system is not proper");
  if (system.size() == 0)
    throw std::invalid_argument("model reduction: no state connects the inputs and the outputs");
  const Split split = split_by_stability(system.f);
  const Index n = system.size(), s = split.stable;
  Prepared p;
  p.stable = restricted(system, split.inverse.topRows(s), split.basis.leftCols(s));
  p.unstable = restricted(system, split.inverse.bottomRows(n - s), split.basis.rightCols(n - s));
  p.to_stable = split.inverse.topRows(s);
  p.to_unstable = split.inverse.bottomRows(n - s);
  p.kept = order - (n - s);
  if (p.kept < 0 || p.kept > s)
    throw std::invalid_argument("model reduction: the requested order is out of range");
  p.balanced = balance_gramians(p.stable);
  return p;
}

ReducedModel together(const Prepared& p, const StateSpace& stable, double bound) {
  ReducedModel reduced;
  const Index s = stable.size(), u = p.unstable.size();
  StateSpace& r = reduced.system = stable;
  r.f = MatrixXd::Zero(s + u, s + u);
  r.f.topLeftCorner(s, s) = stable.f;
  r.f.bottomRightCorner(u, u) = p.unstable.f;
  r.g.resize(s + u, stable.g.cols());
  r.g << stable.g, p.unstable.g;
  r.h.resize(stable.h.rows(), s + u);
  r.h << stable.h, p.unstable.h;
  r.basis.resize(stable.basis.rows(), s + u);
  r.basis << stable.basis, p.unstable.basis;
  r.states.clear();
  for (Index k = 0; k < s + u; ++k) r.states.push_back("z" + std::to_string(k + 1));
  reduced.hankel = p.balanced.hankel;
  reduced.unstable = static_cast<int>(u);
  reduced.bound = bound;
  return reduced;
}

}  // namespace

StateSpace minimal_part(const StateSpace& system) {
  const Reachability reached = controllability(system);
  const MatrixXd in = reached.basis.leftCols(reached.rank);
  const StateSpace controllable = restricted(system, in.transpose(), in);
  const Reachability shown = observability(controllable);
  const MatrixXd out = shown.basis.leftCols(shown.rank);
  return restricted(controllable, out.transpose(), out);
}

ReducedModel balanced_truncation(const StateSpace& system, int order) {
  const Prepared p = prepare(system, order);
  const MatrixXd left = p.balanced.left.topRows(p.kept);
  const StateSpace kept = restricted(p.stable, left, p.balanced.right.leftCols(p.kept));
  ReducedModel reduced = together(p, kept, 2 * tail(p.balanced.hankel, p.kept));
  reduced.left.resize(order, system.size());
  reduced.left << left * p.to_stable, p.to_unstable;
  return reduced;
}

/// [Glover1984, theorem 6.3 and section 9]: with s = s_(k+1) and the other states balanced, an all-pass error of size s
/// remains after G_hat(A_hat, B_hat, C_hat, D_hat), whose stable part has k states.
ReducedModel hankel_approximation(const StateSpace& system, int order) {
  const Prepared p = prepare(system, order);
  const VectorXd& hankel = p.balanced.hankel;
  const Index k = p.kept;
  Index n = hankel.size();
  while (n > 0 && hankel[n - 1] <= 1e-13 * hankel[0]) --n;  // not minimal: gone without error
  if (k >= n) return balanced_truncation(system, order);
  const StateSpace b =
      restricted(p.stable, p.balanced.left.topRows(n), p.balanced.right.leftCols(n));
  const double sigma = hankel[k];
  std::vector<Index> others, equal;
  for (Index i = 0; i < n; ++i)
    (std::abs(hankel[i] - sigma) <= 1e-10 * sigma ? equal : others).push_back(i);
  // as many outputs as inputs: zero rows or columns change nothing
  const Index m = std::max(b.g.cols(), b.h.rows());
  MatrixXd g = MatrixXd::Zero(n, m), h = MatrixXd::Zero(m, n);
  g.leftCols(b.g.cols()) = b.g;
  h.topRows(b.h.rows()) = b.h;
  const MatrixXd a11 = b.f(others, others), b1 = g(others, Eigen::all), c1 = h(Eigen::all, others);
  const MatrixXd b2 = g(equal, Eigen::all), c2 = h(Eigen::all, equal);
  // B2 = -C2^T U with U orthogonal as far as it is fixed
  const MatrixXd u = -c2 * pseudo_inverse(b2.transpose());
  const VectorXd s1 = hankel(others);
  const VectorXd gamma = s1.array().square() - sigma * sigma;
  StateSpace hat = b;
  hat.f = gamma.cwiseInverse().asDiagonal() *
          (sigma * sigma * a11.transpose() + s1.asDiagonal() * a11 * s1.asDiagonal() -
           sigma * c1.transpose() * u * b1.transpose());
  hat.g = gamma.cwiseInverse().asDiagonal() * (s1.asDiagonal() * b1 + sigma * c1.transpose() * u);
  hat.h = c1 * s1.asDiagonal() + sigma * u * b1.transpose();
  hat.basis = MatrixXd::Zero(b.basis.rows(), hat.f.rows());
  const Split split = split_by_stability(hat.f);
  StateSpace best =
      restricted(hat, split.inverse.topRows(split.stable), split.basis.leftCols(split.stable));
  best.g = best.g.leftCols(b.g.cols()).eval();
  best.h = best.h.topRows(b.h.rows()).eval();
  best.feedthrough = {b.feedthrough.front() - sigma * u.topLeftCorner(b.h.rows(), b.g.cols())};
  ReducedModel reduced = together(p, best, 0);
  // G - G_hat is all-pass of size s; the antistable part of G_hat has Hankel singular values of at most the rest
  reduced.bound = sigma + 2 * tail(hankel, k + static_cast<Index>(equal.size()));
  return reduced;
}

}  // namespace daedal::analysis
