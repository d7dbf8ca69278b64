#include "daedal/analyse/system_zeros.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/pencil/staircase.hpp"
#include "state_scales.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

struct System {
  MatrixXd f, g, h, j;
  System transposed() const { return {f.transpose(), h.transpose(), g.transpose(), j.transpose()}; }
};

class Reduction {
 public:
  explicit Reduction(double size)
      : noise_(caution * std::numeric_limits<double>::epsilon() * size) {}

  /// An equivalent system whose J has full row rank: outputs that the inputs do not move at once are differentiated, states
  /// that they fix are outputs no more.
  System full_row_rank(System s) {
    for (;;) {
      stop_point();
      const Index outputs = s.j.rows(), direct = rows_first(s.j, s.h);
      const Index indirect = outputs - direct;
      if (indirect == 0) return s;
      const MatrixXd h1 = s.h.topRows(direct), j1 = s.j.topRows(direct);
      const MatrixXd rest = s.h.bottomRows(indirect);
      if (rest.cols() == 0) return {s.f, s.g, h1, j1};
      const Svd found = svd(rest);
      const Index fixed = rank(found.values);
      if (fixed == 0) return {s.f, s.g, h1, j1};  // these outputs follow from the others
      // states along the fixed directions last
      const Index n = s.f.rows(), left = n - fixed;
      MatrixXd v(n, n);
      v << found.v.rightCols(left), found.v.leftCols(fixed);
      const MatrixXd f = v.transpose() * s.f * v, g = v.transpose() * s.g, h = h1 * v;
      System next{f.topLeftCorner(left, left), g.topRows(left), MatrixXd(direct + fixed, left),
                  MatrixXd(direct + fixed, s.g.cols())};
      next.h << h.leftCols(left), f.bottomLeftCorner(fixed, left);
      next.j << j1, g.bottomRows(fixed);
      s = std::move(next);
    }
  }

  double smallest_gap() const { return gap_; }

 private:
  static constexpr double caution = 100;

  Index rank(const Eigen::VectorXd& sigma) {
    const RankDecision decision = decide_rank(sigma, noise_, noise_);
    gap_ = std::min(gap_, decision.gap());
    return decision.rank;
  }

  /// Turns the rows of J and H so that the independent rows of J come first and the others are zero; how many.
  Index rows_first(MatrixXd& j, MatrixXd& h) {
    if (j.rows() == 0 || j.cols() == 0) return 0;
    const Svd found = svd(j);
    const Index independent = rank(found.values);
    j = (found.u.transpose() * j).eval();
    h = (found.u.transpose() * h).eval();
    j.bottomRows(j.rows() - independent).setZero();
    return independent;
  }

  double noise_;
  double gap_ = std::numeric_limits<double>::infinity();
};

/// States, inputs and outputs in units that make all matrices of size 1.
System scaled(const StateSpace& given) {
  const Eigen::VectorXd scale = state_scales(given.f);
  System s{scale.asDiagonal().inverse() * given.f * scale.asDiagonal(),
           scale.asDiagonal().inverse() * given.g, given.h * scale.asDiagonal(),
           given.feedthrough.front()};
  for (Index k = 0; k < s.g.cols(); ++k) {
    const double size = std::max(s.g.col(k).norm(), s.j.col(k).norm());
    if (size > 0) s.g.col(k) /= size, s.j.col(k) /= size;
  }
  for (Index i = 0; i < s.h.rows(); ++i) {
    const double size = std::max(s.h.row(i).norm(), s.j.row(i).norm());
    if (size > 0) s.h.row(i) /= size, s.j.row(i) /= size;
  }
  return s;
}

}  // namespace

SystemZeros system_zeros(const StateSpace& given) {
  if (!given.proper())
    throw std::invalid_argument("system_zeros: outputs that feel derivatives of inputs have none");
  const System s = scaled(given);
  Reduction reduction(std::max(1.0, s.f.norm()) *
                      static_cast<double>(std::max<Index>(s.f.rows(), 1)));
  const System square =
      reduction.full_row_rank(reduction.full_row_rank(s).transposed()).transposed();
  const Index n = square.f.rows(), m = square.j.rows();
  MatrixXd e = MatrixXd::Zero(n + m, n + m), a(n + m, n + m);
  e.topLeftCorner(n, n).setIdentity();
  a << square.f, square.g, square.h, square.j;
  return {finite_eigenvalues(e, a), static_cast<int>(m), reduction.smallest_gap()};
}

}  // namespace daedal::analysis
