#include "daedal/control/regulator_along.hpp"

#include "cost.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/control/sampled.hpp"
#include "plant.hpp"
#include "refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::feedback {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// x' = f x + g u at one time.
struct Slopes {
  MatrixXd f, g;
};

class Along {
 public:
  Along(const derive::Dae& dae, const Motion& motion, const RegulatorOptions& options)
      : dae_(dae), motion_(motion), options_(options) {
    const analysis::LinearModel end = motion.linear(motion.end);
    plant_ = plant_of(dae, end, options.inputs);
    check_states(end);
    cost_ = cost_of(dae, plant_, options);
    at_end_ = regulator(dae, end, options);
    choose_step();
  }

  ScheduledGains run() {
    ScheduledGains found{plant_.inputs, plant_.states, {}, {}};
    const double span = options_.period > 0 ? options_.period : motion_.end / pieces_;
    const int count = options_.period > 0
                          ? static_cast<int>(std::ceil(motion_.end / span * (1 - 1e-12)))
                          : pieces_;
    MatrixXd x = at_end_.cost;
    for (int k = count; k >= 0; --k) {
      stop_point();
      const double t = k * span;
      found.times.push_back(t);
      if (options_.period > 0)
        found.gains.push_back(k == count ? at_end_.gain : sampled_step(t, span, x));
      else
        found.gains.push_back(k == count ? at_end_.gain : continuous_step(t, span, x));
    }
    std::ranges::reverse(found.times);
    std::ranges::reverse(found.gains);
    return found;
  }

 private:
  /// All variables are states: nothing constrains them.
  void check_states(const analysis::LinearModel& linear) {
    const std::vector<expr::Leaf> leaves = states_of(linear);
    for (const expr::Leaf& leaf : leaves)
      columns_.push_back(static_cast<Index>(
          std::find(linear.leaves.begin(), linear.leaves.end(), leaf) - linear.leaves.begin()));
    for (const std::string& input : plant_.inputs)
      inputs_.push_back(static_cast<Index>(
          std::find(linear.inputs.begin(), linear.inputs.end(), input) - linear.inputs.begin()));
    const bool square =
        linear.e.rows() == linear.e.cols() && static_cast<Index>(leaves.size()) == linear.e.cols();
    constexpr double regular = 1e-13;
    if (square) {
      const Lu lu(linear.e);
      if (lu.pivots().cwiseAbs().minCoeff() > 0 && lu.reciprocal_condition() > regular) return;
    }
    refuse(dae_,
           fmt::format("model '{}' has constraints, or unknowns without derivatives: gains along a "
                       "motion are for models without",
                       dae_.model->name),
           "write it in generalised coordinates, or leave out  along = path");
  }

  /// Short enough for the motion and for the fastest mode.
  void choose_step() {
    double rate = 0;
    for (const analysis::Eigenvalue& mode : at_end_.open.values)
      rate = std::max(rate, std::abs(mode.value));
    if (options_.period == 0)
      for (const std::complex<double> mode : at_end_.closed) rate = std::max(rate, std::abs(mode));
    constexpr double of_the_fastest = 0.5;  // of its time constant
    constexpr double most = 20000;
    const double wanted = std::min(most, motion_.end * rate / of_the_fastest);
    pieces_ = std::max(motion_.pieces, static_cast<int>(std::ceil(wanted)));
  }

  Slopes slopes(double t) const {
    const analysis::LinearModel linear = motion_.linear(t);
    MatrixXd right(linear.e.rows(), linear.a.cols() + linear.b.cols());
    right << linear.a, linear.b;
    const MatrixXd solved = Lu(linear.e).solve(right);
    const auto n = static_cast<Index>(columns_.size()), m = static_cast<Index>(inputs_.size());
    Slopes s{MatrixXd(n, n), MatrixXd(n, m)};
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        s.f(i, j) =
            solved(columns_[static_cast<std::size_t>(i)], columns_[static_cast<std::size_t>(j)]);
      for (Index j = 0; j < m; ++j)
        s.g(i, j) = solved(columns_[static_cast<std::size_t>(i)],
                           linear.a.cols() + inputs_[static_cast<std::size_t>(j)]);
    }
    return s;
  }

  /// Log of the transition matrix of y' = m(t) y over a step [BlanesCasasOteoRos2009, section 5.4], from Gauss' two points.
  template <class Matrix>
  static MatrixXd magnus(double t, double h, Matrix m) {
    const double off = std::sqrt(3.0) / 6;
    const MatrixXd first = m(t + h * (0.5 - off)), second = m(t + h * (0.5 + off));
    return 0.5 * h * (first + second) +
           std::sqrt(3.0) / 12 * h * h * (second * first - first * second);
  }

  /// [x; l]' of the optimal motion, l = X x.
  MatrixXd hamiltonian(double t) const {
    const Slopes s = slopes(t);
    const Index n = s.f.rows();
    const Lu weight(cost_.r);
    const MatrixXd crossed = weight.solve(MatrixXd(cost_.n.transpose()));
    const MatrixXd f = s.f - s.g * crossed;
    MatrixXd h(2 * n, 2 * n);
    h << f, -s.g * weight.solve(MatrixXd(s.g.transpose())), -(cost_.q - cost_.n * crossed),
        -f.transpose();
    return h;
  }

  /// From X at t + h to X and F at t.
  MatrixXd continuous_step(double t, double h, MatrixXd& x) const {
    const Index n = x.rows();
    const MatrixXd back = exponential(-magnus(t, h, [&](double at) { return hamiltonian(at); }));
    const MatrixXd top = back.topLeftCorner(n, n) + back.topRightCorner(n, n) * x,
                   bottom = back.bottomLeftCorner(n, n) + back.bottomRightCorner(n, n) * x;
    const MatrixXd transposed =
        Lu(MatrixXd(top.transpose())).solve(MatrixXd(bottom.transpose()));  // X = bottom top^-1
    x = 0.5 * (transposed + transposed.transpose());
    return Lu(cost_.r).solve(MatrixXd(slopes(t).g.transpose() * x + cost_.n.transpose()));
  }

  /// The period from t on: transition with the input as a state that stays, and the cost (sampled.cpp).
  MatrixXd sampled_step(double t, double period, MatrixXd& x) const {
    const Index n = x.rows(), m = cost_.r.rows(), both = n + m;
    MatrixXd w(both, both);
    w << cost_.q, cost_.n, cost_.n.transpose(), cost_.r;
    const auto whole = [&](double at) {
      const Slopes s = slopes(at);
      MatrixXd h = MatrixXd::Zero(both, both), result = MatrixXd::Zero(2 * both, 2 * both);
      h.topLeftCorner(n, n) = s.f;
      h.topRightCorner(n, m) = s.g;
      result << -h.transpose(), w, MatrixXd::Zero(both, both), h;
      return result;
    };
    const int steps = std::max(1, static_cast<int>(std::ceil(period * pieces_ / motion_.end)));
    MatrixXd over = MatrixXd::Identity(2 * both, 2 * both);
    for (int k = 0; k < steps; ++k)
      over = (exponential(magnus(t + k * period / steps, period / steps, whole)) * over).eval();
    const MatrixXd step = over.bottomRightCorner(both, both);
    MatrixXd cost = step.transpose() * over.topRightCorner(both, both);
    const MatrixXd moved = step.topRows(n);
    cost += moved.transpose() * x * moved;
    cost = (0.5 * (cost + cost.transpose())).eval();
    const MatrixXd gain =
        Lu(MatrixXd(cost.bottomRightCorner(m, m))).solve(MatrixXd(cost.bottomLeftCorner(m, n)));
    x = cost.topLeftCorner(n, n) - cost.topRightCorner(n, m) * gain;
    x = (0.5 * (x + x.transpose())).eval();
    return gain;
  }

  const derive::Dae& dae_;
  const Motion& motion_;
  const RegulatorOptions& options_;
  Plant plant_;
  Cost cost_;
  Regulator at_end_;
  std::vector<Index> columns_, inputs_;  // of states and inputs in the linear model
  int pieces_ = 1;
};

}  // namespace

ScheduledGains regulator_along(const derive::Dae& dae, const Motion& motion,
                               const RegulatorOptions& options) {
  return Along(dae, motion, options).run();
}

}  // namespace daedal::feedback
