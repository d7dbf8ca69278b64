// From descriptor form to state space by the staircase form of staircase.hpp: with x = V (x1, x2),
//
//   [ E11  E12 ] [x1']   [ R  A12 ] [x1]   [ B1 ]
//   [  0   E22 ] [x2'] = [ 0  A22 ] [x2] + [ B2 ] u,       E22 and R regular, E11 strictly upper triangular.
//
// x2' = E22^-1 (A22 x2 + B2 u) = F x2 + G u is the motion on the manifold, and x1 follows it. With N = R^-1 E11, nilpotent,
//   x1 = N x1' + (P F + Q) x2 + (P G + S) u,     P = R^-1 E12,  Q = -R^-1 A12,  S = -R^-1 B1,
// is solved by x1 = X x2 + Y_0 u + Y_1 u' + ...:   X = N X F + P F + Q,   Y_0 = N X G + P G + S,   Y_k = N Y_(k-1).
// The pencil is balanced first, and runs in a time of its own (see balance.hpp).

#include "daedal/analyse/state_space.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/product.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/pencil/balance.hpp"
#include "daedal/pencil/staircase.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd scaling(const std::vector<int>& exponents) {
  Eigen::VectorXd factors(static_cast<Index>(exponents.size()));
  for (Index i = 0; i < factors.size(); ++i)
    factors[i] = std::ldexp(1.0, exponents[static_cast<std::size_t>(i)]);
  return factors.asDiagonal();
}

/// Entries that are rounding of the terms they are sums of.
bool is_rounding(const MatrixXd& m, const MatrixXd& left, const MatrixXd& right) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  return m.size() == 0 ||
         m.norm() <= 100 * eps * static_cast<double>(left.cols()) * left.norm() * right.norm();
}

/// By how much rounding may have changed each entry of left m right, where m itself is rounded in balanced units: its errors
/// are a part of its norm, however small the entry.
MatrixXd rounding_of(const MatrixXd& left, const MatrixXd& m, const MatrixXd& right) {
  constexpr double caution = 10;
  const auto n = static_cast<double>(m.rows());
  const double error = caution * n * std::numeric_limits<double>::epsilon() * m.norm();
  return error * left.cwiseAbs().rowwise().sum() * right.cwiseAbs().colwise().sum();
}

/// The same of left m, where each column of m, that of an input, has a size of its own.
MatrixXd rounding_of_columns(const MatrixXd& left, const MatrixXd& m) {
  MatrixXd result(left.rows(), m.cols());
  for (Index j = 0; j < m.cols(); ++j)
    result.col(j) = rounding_of(left, m.col(j), MatrixXd::Ones(1, 1));
  return result;
}

/// x = basis z + sum of reactions_k u^(k), in balanced variables and time.
struct ReducedMotion {
  MatrixXd f, g, basis;
  std::vector<MatrixXd> reactions;
};

/// factor^-1 b; empty for an empty matrix.
template <class Factor>
MatrixXd solved(const Factor& factor, const MatrixXd& b) {
  return b.size() == 0 ? b : MatrixXd(factor.solve(b));
}

/// What the variables x1 = X x2 + Y_0 u + ... add to the motion of x2; there are some.
void add_followers(const Staircase& s, const MatrixXd& b1, ReducedMotion& motion) {
  const Index k = s.infinite, n = s.a.rows() - k;
  const auto r = s.a.topLeftCorner(k, k).triangularView<Eigen::Upper>();
  const MatrixXd nilpotent = solved(r, s.e.topLeftCorner(k, k));
  MatrixXd y = -solved(r, b1);
  if (n > 0) {
    const MatrixXd p = solved(r, s.e.topRightCorner(k, n));
    const MatrixXd by_state = p * motion.f - solved(r, s.a.topRightCorner(k, n));
    MatrixXd x = by_state;
    for (Index power = 1; power < k; ++power) {
      stop_point();
      x = nilpotent * x * motion.f + by_state;
    }
    motion.basis += s.v.leftCols(k) * x;
    if (y.size() > 0) y += nilpotent * x * motion.g + p * motion.g;
  }
  motion.reactions.clear();
  for (Index power = 0; power <= k && y.size() > 0; ++power) {
    stop_point();
    if (power > 0 && y.norm() == 0) break;
    motion.reactions.push_back(s.v.leftCols(k) * y);
    y = (nilpotent * y).eval();
  }
}

ReducedMotion motion_on_manifold(const Staircase& s, const MatrixXd& b) {
  const Index k = s.infinite, n = s.a.rows() - k;
  MatrixXd turned = b;
  if (b.size() > 0) turned = s.u.transpose() * b;
  ReducedMotion motion{MatrixXd(n, n), MatrixXd(n, b.cols()), s.v.rightCols(n), {}};
  if (n > 0) {
    const Lu e22(s.e.bottomRightCorner(n, n));
    motion.f = e22.solve(MatrixXd(s.a.bottomRightCorner(n, n)));
    motion.g = solved(e22, turned.bottomRows(n));
  }
  if (k > 0) add_followers(s, turned.topRows(k), motion);
  if (motion.reactions.empty()) motion.reactions.push_back(MatrixXd::Zero(b.rows(), b.cols()));
  return motion;
}

/// Columns Q of orthonormal rows `of`, turned nearest to unit vectors of the variables that distinguish them best.
struct Turn {
  MatrixXd to_new;               // z_new = to_new z
  std::vector<Index> variables;  // of each new state
};

Turn turn_to_variables(const MatrixXd& basis, const std::vector<Index>& differentiated) {
  const Index n = basis.cols();
  if (n == 0) return {MatrixXd(0, 0), {}};
  MatrixXd rows(static_cast<Index>(differentiated.size()), n);
  for (Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = basis.row(differentiated[static_cast<std::size_t>(i)]);
  const Qr qr(rows);
  const MatrixXd q = qr.q(n), r = qr.r();
  const PivotedQr choice(q.transpose());
  std::vector<Index> chosen(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k)
    chosen[static_cast<std::size_t>(k)] = choice.permutation().indices()[k];
  std::sort(chosen.begin(), chosen.end());
  MatrixXd near(n, n);
  for (Index k = 0; k < n; ++k) near.row(k) = q.row(chosen[static_cast<std::size_t>(k)]);
  const Svd found = svd(near);
  Turn turn;
  turn.to_new = product(product(found.u, found.v.transpose()), r);
  for (const Index row : chosen)
    turn.variables.push_back(differentiated[static_cast<std::size_t>(row)]);
  return turn;
}

}  // namespace

std::optional<StateSpace> find_state_space(const LinearModel& linear) {
  const BalancedPencil pencil = balanced(linear.e, linear.a);
  const Staircase s = staircase(pencil.e, pencil.a);
  if (!s.regular) return std::nullopt;
  const MatrixXd columns = scaling(pencil.column), rows = scaling(pencil.row);
  const ReducedMotion motion =
      motion_on_manifold(s, linear.b.size() == 0 ? linear.b : MatrixXd(rows * linear.b));
  const double frequency = std::ldexp(1.0, pencil.frequency);

  std::vector<Index> differentiated;
  for (Index j = 0; j < linear.e.cols(); ++j)
    if (linear.e.col(j).any()) differentiated.push_back(j);
  MatrixXd basis = motion.basis;
  if (basis.size() > 0) basis = columns * motion.basis;
  const Turn turn = turn_to_variables(basis, differentiated);
  const MatrixXd back = turn.to_new.rows() == 0 ? turn.to_new : Lu(turn.to_new).inverse();

  StateSpace result;
  result.f = frequency * product(product(turn.to_new, motion.f), back);
  result.f_rounding = frequency * rounding_of(turn.to_new, motion.f, back);
  result.g = frequency * product(turn.to_new, motion.g);
  result.g_rounding = frequency * rounding_of_columns(turn.to_new, motion.g);
  result.basis = product(basis, back);
  result.h = product(linear.c, result.basis);
  result.h_rounding = rounding_of(product(linear.c, columns), motion.basis, back);
  double unit = 1;  // of time: derivatives of u are taken in the pencil's own
  for (std::size_t k = 0; k < motion.reactions.size(); ++k, unit /= frequency) {
    const MatrixXd reaction = product(columns, motion.reactions[k]);
    MatrixXd through = unit * product(linear.c, reaction);
    if (k == 0)
      through += linear.d;
    else if (is_rounding(through, unit * linear.c, reaction))
      through.setZero();
    result.feedthrough.push_back(through);
  }
  while (result.feedthrough.size() > 1 && result.feedthrough.back().isZero(0))
    result.feedthrough.pop_back();
  for (const Index variable : turn.variables)
    result.states.push_back(linear.variables[static_cast<std::size_t>(variable)]);
  result.inputs = linear.inputs;
  result.outputs = linear.outputs;
  return result;
}

StateSpace state_space(const LinearModel& linear) {
  if (std::optional<StateSpace> found = find_state_space(linear)) return *std::move(found);
  throw ModelError(
      {Severity::error,
       {},
       "the linearised equations have no states: to rounding they do not determine the motion",
       {},
       "numbers that lie too many orders of magnitude apart are the usual cause: check units and "
       "parameters"});
}

Eigen::MatrixXcd transfer(const StateSpace& system, std::complex<double> s) {
  const Index n = system.size();
  Eigen::MatrixXcd value = Eigen::MatrixXcd::Zero(system.h.rows(), system.g.cols());
  for (std::size_t k = system.feedthrough.size(); k-- > 0;)
    value = (value * s + system.feedthrough[k].cast<std::complex<double>>()).eval();
  if (n == 0) return value;
  const Eigen::MatrixXcd shifted =
      s * Eigen::MatrixXcd::Identity(n, n) - system.f.cast<std::complex<double>>();
  return value +
         system.h.cast<std::complex<double>>() *
             ComplexLu(shifted).solve(Eigen::MatrixXcd(system.g.cast<std::complex<double>>()));
}

}  // namespace daedal::analysis
