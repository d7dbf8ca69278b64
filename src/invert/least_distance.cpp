// min |x| subject to G x >= h  by non-negative least squares [LawsonHanson1974, chapter 23]: the residual r of
//     min |E y - f|,  y >= 0,      E = [G^T; h^T],  f = (0, ..., 0, 1),
// gives x_j = -r_j / r_last; r = 0 means that no x fulfils all inequalities, and then y is the contradiction between them.
#include "least_distance.hpp"

#include <algorithm>
#include <vector>

namespace daedal::inversion {

namespace {

constexpr double negligible_gain =
    1e-13;  // of a weight that would enter: rounding of unit-sized sums

/// min |E y - f| subject to y >= 0, by active sets: finite, since the residual falls with every change.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& e, const Eigen::VectorXd& f) {
  const Eigen::Index n = e.cols();
  Eigen::VectorXd y = Eigen::VectorXd::Zero(n);
  std::vector<Eigen::Index> positive;
  const auto solution = [&] {
    const Eigen::VectorXd part = e(Eigen::all, positive).colPivHouseholderQr().solve(f);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    z(positive) = part;
    return z;
  };
  for (Eigen::Index change = 0; change < 3 * n + 3; ++change) {
    const Eigen::VectorXd gain = e.transpose() * (f - e * y);
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < n; ++j)
      if (std::find(positive.begin(), positive.end(), j) == positive.end() &&
          gain(j) > negligible_gain * e.col(j).norm() && (best < 0 || gain(j) > gain(best)))
        best = j;
    if (best < 0) break;
    positive.push_back(best);
    Eigen::VectorXd z = solution();
    while (!positive.empty() && z(positive).minCoeff() <= 0) {
      double step = 1;
      for (const Eigen::Index j : positive)
        if (z(j) <= 0) step = std::min(step, y(j) > z(j) ? y(j) / (y(j) - z(j)) : 0.0);
      y += step * (z - y);
      const Eigen::VectorXd old = z;
      std::erase_if(positive, [&](Eigen::Index j) {
        const bool leaves = old(j) <= 0 && y(j) <= 1e-14 * y.cwiseAbs().maxCoeff();
        if (leaves) y(j) = 0;
        return leaves;
      });
      z = solution();
    }
    y = z;
  }
  return y;
}

}  // namespace

LeastDistance least_distance(const Eigen::MatrixXd& g, const Eigen::VectorXd& h) {
  LeastDistance result{true, Eigen::VectorXd::Zero(g.cols()), Eigen::VectorXd::Zero(g.rows())};
  const double size = h.cwiseMax(0).maxCoeff();  // x = 0 is nearest unless some h is positive
  if (g.rows() == 0 || !(size > 0)) return result;
  const Eigen::Index k = g.cols();
  Eigen::MatrixXd e(k + 1, g.rows());
  e.topRows(k) = g.transpose();
  e.row(k) = h.transpose() / size;
  const Eigen::VectorXd f = Eigen::VectorXd::Unit(k + 1, k);
  result.weights = nonnegative_least_squares(e, f);
  const Eigen::VectorXd r = e * result.weights - f;
  // r_last = -|r|^2 at the solution: 0 without one, and else -1/(1 + |x|^2) with x divided by `size`; where inequalities hardly
  // contradict each other their weights are large, and r is a difference of large numbers
  constexpr double none = 1e-12;
  const double rounding = 1e-14 * (e.cwiseAbs() * result.weights).maxCoeff();
  result.feasible = -r(k) > std::max(none, rounding);
  if (result.feasible) result.x = size * r.head(k) / -r(k);
  return result;
}

}  // namespace daedal::inversion
