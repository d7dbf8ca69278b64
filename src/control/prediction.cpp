#include "daedal/control/prediction.hpp"

#include "daedal/control/sampled.hpp"

#include <cmath>

namespace daedal::feedback {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;

WholeSamples samples_of(double delay, double period) {
  constexpr double rounding = 1e-9;  // of k T
  const double whole = std::floor(delay / period + rounding);
  const double rest = delay - whole * period;
  return {static_cast<int>(whole), rest < rounding * period ? 0 : rest};
}

namespace {

/// z at `time` of z' = f z + g u: moves z + reach u, with u held.
struct HeldMotion {
  MatrixXd moves, reach;
};
HeldMotion motion_for(const MatrixXd& f, const MatrixXd& g, double time) {
  const Index n = f.rows(), m = g.cols();
  MatrixXd whole = MatrixXd::Zero(n + m, n + m);
  whole.topLeftCorner(n, n) = f;
  whole.topRightCorner(n, m) = g;
  const MatrixXd over = exponential(time * whole);
  return {over.topLeftCorner(n, n), over.topRightCorner(n, m)};
}

}  // namespace

Prediction prediction(const MatrixXd& f, const MatrixXd& g, double period, double delay) {
  const WholeSamples late = samples_of(delay, period);
  const HeldMotion over = motion_for(f, g, period), rest = motion_for(f, g, late.rest);
  Prediction made;
  MatrixXd after = MatrixXd::Identity(f.rows(), f.rows());  // from when a command no longer acts
  for (int k = 0; k < late.count; ++k) {
    made.past.emplace_back(after * over.reach);
    after = (over.moves * after).eval();
  }
  if (late.rest > 0) made.past.emplace_back(after * rest.reach);
  made.ahead = after * rest.moves;
  return made;
}

SampledLoop late_loop(const MatrixXd& f, const MatrixXd& g, const MatrixXd& gain,
                      const std::vector<MatrixXd>& past, double period, double delay) {
  const Index m = g.cols(), ages = static_cast<Index>(past.size());
  const Index held = m * (ages + 1);  // what acts, and the answers of 1, 2, ... samples ago
  RowVectorXd nothing = RowVectorXd::Zero(held);
  ClockedController controller;
  for (Index i = 0; i < m; ++i) {
    HeldFormula answer{static_cast<std::size_t>(i), -gain.row(i), nothing};
    for (Index j = 0; j < ages; ++j)
      answer.q_row.segment(m * (j + 1), m) = -past[static_cast<std::size_t>(j)].row(i);
    controller.commands.push_back({answer, g.col(i), delay});
    if (ages == 0) continue;
    answer.held = static_cast<std::size_t>(m + i);
    controller.states.push_back(answer);
  }
  for (Index k = 2 * m; k < held; ++k) {
    HeldFormula older{static_cast<std::size_t>(k), RowVectorXd::Zero(f.rows()), nothing};
    older.q_row[k - m] = 1;
    controller.states.push_back(older);
  }
  return sampled_loop(f, {controller}, static_cast<std::size_t>(held), period);
}

}  // namespace daedal::feedback
