// Everything that happens at a sample is a row over (Z, c): Z the states of the loop before it, c the commands as if they came from outside.
#include "daedal/control/sampled_loop.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/control/loop_margins.hpp"
#include "daedal/control/prediction.hpp"
#include "daedal/control/sampled.hpp"
#include "daedal/pencil/riccati.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::feedback {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

Index index_of(std::size_t k) { return static_cast<Index>(k); }

/// A command on its way: `samples` whole periods and then `rest` seconds after its sample.
struct Way {
  const HeldCommand* command = nullptr;
  int samples = 0;
  double rest = 0;
  Index older = 0;  // where Z keeps the command before this one; the one before that is next to it

  int kept() const { return rest > 0 ? samples + 1 : samples; }
};

Way way_of(const HeldCommand& command, double period) {
  const WholeSamples late = samples_of(command.dead_time, period);
  return {&command, late.count, late.rest, 0};
}

/// x at `time` of x' = f x + g from 0.
struct Held {
  MatrixXd f;
  VectorXd g;
};
Held held_for(const MatrixXd& f, const VectorXd& g, double time) {
  const Index n = f.rows();
  MatrixXd whole = MatrixXd::Zero(n + 1, n + 1);
  whole.topLeftCorner(n, n) = f;
  whole.topRightCorner(n, 1) = g;
  const MatrixXd over = exponential(time * whole);
  return {over.topLeftCorner(n, n), over.topRightCorner(n, 1)};
}

class Assembly {
 public:
  Assembly(const MatrixXd& f, const std::vector<ClockedController>& controllers, std::size_t held,
           double period)
      : f_(f), controllers_(controllers), period_(period), z_(f.rows()), q_(index_of(held)) {
    states_ = z_ + q_;
    for (const ClockedController& c : controllers_) {
      filters_.push_back(states_);
      if (c.filter) states_ += c.filter->a.rows();
      for (const HeldCommand& command : c.commands) {
        ways_.push_back(way_of(command, period));
        ways_.back().older = states_;
        states_ += ways_.back().kept();
      }
    }
    commands_ = index_of(ways_.size());
    before_ = MatrixXd::Zero(q_, width());
    before_.middleCols(z_, q_).setIdentity();
    next_ = MatrixXd::Zero(states_, width());
    after_ = before_;
  }

  SampledLoop run() {
    SampledLoop loop;
    loop.answer = MatrixXd::Zero(commands_, states_);
    Index command = 0;
    for (std::size_t k = 0; k < controllers_.size(); ++k) sample(k, command, loop.answer);
    next_.middleRows(z_, q_) = after_;
    next_.topLeftCorner(z_, z_) = held_for(f_, VectorXd::Zero(z_), period_).f;
    for (Index j = 0; j < commands_; ++j) act(j);
    loop.step = next_.leftCols(states_);
    loop.route = next_.rightCols(commands_);
    return loop;
  }

 private:
  Index width() const { return states_ + commands_; }

  RowVectorXd value(const HeldFormula& formula, const MatrixXd& held) const {
    RowVectorXd row = formula.q_row * held;
    row.head(z_) += formula.z_row;
    return row;
  }

  void sample(std::size_t k, Index& command, MatrixXd& answer) {
    const ClockedController& c = controllers_[k];
    MatrixXd own = before_;
    for (const HeldFormula& m : c.measured) own.row(index_of(m.held)) = value(m, before_);
    if (c.filter) estimate(*c.filter, filters_[k], own);
    const MatrixXd known = own;
    for (const HeldFormula& s : c.states) own.row(index_of(s.held)) = value(s, known);
    for (const HeldCommand& u : c.commands)
      answer.row(command++) = value(u.formula, known).head(states_);
    const auto keep = [&](std::size_t held) {
      after_.row(index_of(held)) = own.row(index_of(held));
    };
    for (const HeldFormula& m : c.measured) keep(m.held);
    for (const HeldFormula& s : c.states) keep(s.held);
    if (c.filter)
      for (const std::size_t e : c.filter->estimates) keep(e);
  }

  void estimate(const SteadyFilter& filter, Index first, MatrixXd& own) {
    const Index n = filter.a.rows();
    const auto rows = [&](const std::vector<std::size_t>& held) {
      MatrixXd chosen(index_of(held.size()), width());
      for (std::size_t i = 0; i < held.size(); ++i)
        chosen.row(index_of(i)) = own.row(index_of(held[i]));
      return chosen;
    };
    MatrixXd s = MatrixXd::Zero(n, width());
    s.middleCols(first, n).setIdentity();
    const MatrixXd v = rows(filter.inputs);
    s = (filter.a * s + filter.b * v).eval();
    s += filter.gain * (rows(filter.measured) - filter.h * s - filter.j * v).eval();
    next_.middleRows(first, n) = s;
    const MatrixXd x = filter.basis * s;
    for (Index i = 0; i < x.rows(); ++i)
      own.row(index_of(filter.estimates[static_cast<std::size_t>(i)])) = x.row(i);
  }

  /// The command of `samples` samples ago acts from `rest` on, the one before it until then.
  void act(Index j) {
    const Way& way = ways_[static_cast<std::size_t>(j)];
    const auto of_age = [&](int age) { return age == 0 ? states_ + j : way.older + age - 1; };
    const Held late = held_for(f_, way.command->g, period_ - way.rest);
    next_.col(of_age(way.samples)).head(z_) += late.g;
    if (way.rest > 0)
      next_.col(of_age(way.samples + 1)).head(z_) +=
          late.f * held_for(f_, way.command->g, way.rest).g;
    for (int age = 1; age <= way.kept(); ++age) next_(way.older + age - 1, of_age(age - 1)) = 1;
    // what it holds when the next sample is taken
    const bool arrives = way.rest == 0 && way.samples > 0;
    const Index held = z_ + index_of(way.command->formula.held);
    next_.row(held).setZero();
    next_(held, of_age(arrives ? way.samples - 1 : way.samples)) = 1;
  }

  const MatrixXd& f_;
  const std::vector<ClockedController>& controllers_;
  double period_;
  Index z_, q_, states_ = 0, commands_ = 0;
  std::vector<Index> filters_;
  std::vector<Way> ways_;
  MatrixXd before_, after_, next_;  // rows over (Z, c): held values before and after, Z after
};

/// Removes states that nothing reads: values that each sample computes anew.
SampledLoop without_unread(SampledLoop loop) {
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Index> read;
    for (Index k = 0; k < loop.step.cols(); ++k)
      if (loop.step.col(k).any() || loop.answer.col(k).any()) read.push_back(k);
    if (index_of(read.size()) == loop.step.cols()) break;
    changed = true;
    loop = {MatrixXd(loop.step(read, read)), MatrixXd(loop.route(read, Eigen::all)),
            MatrixXd(loop.answer(Eigen::all, read))};
  }
  return loop;
}

}  // namespace

SampledLoop sampled_loop(const MatrixXd& f, const std::vector<ClockedController>& controllers,
                         std::size_t held, double period) {
  return without_unread(Assembly(f, controllers, held, period).run());
}

analysis::Spectrum factors_of(const SampledLoop& loop) {
  const MatrixXd closed = loop.closed();
  return analysis::finite_eigenvalues(MatrixXd::Identity(closed.rows(), closed.cols()), closed);
}

std::string stability_of(const analysis::Spectrum& factors) {
  bool on_circle = false;
  for (const analysis::Cluster& c : factors.clusters) {
    const double beyond = std::abs(c.mean) - 1, doubt = analysis::doubt_of(c);
    if (beyond > doubt) return "unstable";
    on_circle = on_circle || beyond >= -doubt;
  }
  return on_circle ? "marginal" : "asymptotically stable";
}

std::complex<double> shown_factor(const analysis::Cluster& factor) {
  constexpr double rounding = 1e-12;
  return std::abs(factor.mean) <= rounding + analysis::doubt_of(factor) ? 0 : factor.mean;
}

analysis::LinearModel opened(const SampledLoop& loop, Index command, double period) {
  MatrixXd others = loop.answer;
  others.row(command).setZero();
  return bilinear({loop.step + loop.route * others, loop.route.col(command),
                   -loop.answer.row(command), MatrixXd::Zero(1, 1)},
                  period);
}

// the regulator of the mirror image: its gain is (a K)^T for the predicted covariance X
std::optional<MatrixXd> steady_gain(const MatrixXd& a, const MatrixXd& h, const MatrixXd& process,
                                    const MatrixXd& noise) {
  const analysis::RiccatiSolution found =
      analysis::discrete_riccati({a.transpose(), h.transpose(), process, noise, {}, {}});
  if (!found.solved()) return std::nullopt;
  const MatrixXd cross = found.x * h.transpose(), own = h * cross + noise;
  return MatrixXd(Lu(own.transpose()).solve(MatrixXd(cross.transpose())).transpose());
}

}  // namespace daedal::feedback
