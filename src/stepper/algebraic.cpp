// See daedal/stepper/algebraic.hpp.

#include "daedal/stepper/algebraic.hpp"

#include "closed_jet.hpp"
#include "daedal/integrate/taylor.hpp"
#include "daedal/system/problem_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace daedal::solve {

/// The anchors so far and the integrator that makes the next ones.
class AlgebraicSolution::Branch {
 public:
  Branch(const formulate::Problem& problem, const ConsistentPoint& start,
         const AlgebraicOptions& options)
      : problem_(problem),
        start_(start),
        compile_(options.compile),
        system_(problem, start.t, start.states, start.tops,
                {.implicit = false, .compile = options.compile}),
        taylor_(system_, TaylorOptions{.tolerance = options.tolerance}),
        until_(options.until),
        joints_(system_.break_points(start.t, options.until)),
        guess_(problem.states + problem.algebraic()),
        rates_(problem.states) {
    outcome_ = taylor_.start(start.t, start.states.data(), start.tops.data(), options.until);
  }

  Value at(double t) {
    const Anchor* const anchor = anchor_before(t);
    if (anchor == nullptr)
      return {outcome_.cause == Failure::none ? Failure::inaccurate : outcome_.cause, {}, {}};
    predict(*anchor, t);
    double* const states = guess_.data();
    double* const tops = states + system_.states();
    Failure failure = system_.project(t, states);
    if (failure == Failure::none) failure = system_.derivative(t, states, tops, rates_.data());
    return {failure, {states, system_.states()}, {tops, system_.tops()}};
  }

  bool watch(std::span<const expr::Leaf> wanted) {
    watched_.clear();
    for (const expr::Leaf leaf : wanted) watched_.push_back(problem_.layout.find(leaf) - 1);
    closed_ = ClosedJet::make(problem_, start_, wanted, compile_);
    return closed_ != nullptr;
  }

  bool watched(double t, double* values) {
    if (closed_) {
      const std::span<const std::uint32_t> guessed = closed_->guessed();
      const Anchor* const anchor = guessed.empty() ? nullptr : anchor_before(t);
      if (anchor != nullptr)
        for (std::size_t g = 0; g < guessed.size(); ++g)
          closed_->guess()[g] = series_at(*anchor, t, guessed[g]);
      if ((guessed.empty() || anchor != nullptr) && closed_->evaluate(t, values)) return true;
    }
    const Value value = at(t);
    if (value.failure != Failure::none) return false;
    for (std::size_t k = 0; k < watched_.size(); ++k)
      values[k] = watched_[k] < value.states.size() ? value.states[watched_[k]]
                                                    : value.tops[watched_[k] - value.states.size()];
    return true;
  }

  std::size_t anchors() const { return anchors_.size(); }

 private:
  struct Anchor {
    double begin = 0, end = 0;
    std::vector<double> series;  // as System::expand
  };

  /// The last one that begins before t, made when it does not exist yet; nullptr when the branch does not reach t.
  const Anchor* anchor_before(double t) {
    if (last_ < anchors_.size() && t >= anchors_[last_].begin && t < anchors_[last_].end)
      return &anchors_[last_];
    if (anchors_.empty() || t > anchors_.back().end) extend_to(t);
    if (anchors_.empty() || t > anchors_.back().end) return nullptr;
    const auto after =
        std::upper_bound(anchors_.begin(), anchors_.end(), t,
                         [](double time, const Anchor& a) { return time < a.begin; });
    last_ = after == anchors_.begin() ? 0 : static_cast<std::size_t>(after - anchors_.begin()) - 1;
    return &anchors_[last_];
  }

  double series_at(const Anchor& anchor, double t, std::uint32_t position) const {
    const std::size_t width = guess_.size();
    const double h = t - anchor.begin;
    double value = 0;
    for (std::size_t n = anchor.series.size(); n >= width; n -= width)
      value = value * h + anchor.series[n - width + position];
    return value;
  }

  void predict(const Anchor& anchor, double t) {
    const std::size_t width = guess_.size(), terms = anchor.series.size() / width;
    const double h = t - anchor.begin;
    std::fill(guess_.begin(), guess_.end(), 0.0);
    for (std::size_t n = terms; n-- > 0;)
      for (std::size_t i = 0; i < width; ++i)
        guess_[i] = guess_[i] * h + anchor.series[n * width + i];
  }

  /// One series after another; after a joint the branch continues from the values before it.
  void extend_to(double t) {
    while (outcome_.ok && (anchors_.empty() || anchors_.back().end < t)) {
      const bool joint = next_joint_ < joints_.size();
      const double limit = joint ? before(joints_[next_joint_]) : std::max(until_, t);
      if (taylor_.time() < limit) {
        outcome_ = taylor_.step(limit);
        if (!outcome_.ok) return;
        anchors_.push_back({taylor_.previous_time(),
                            taylor_.time(),
                            {taylor_.previous_series().begin(), taylor_.previous_series().end()}});
      }
      if (joint && taylor_.time() >= limit) pass(joints_[next_joint_++]);
    }
  }

  void pass(double joint) {
    if (!anchors_.empty()) anchors_.back().end = joint;
    std::vector<double> states(taylor_.state().begin(), taylor_.state().end()),
        tops(taylor_.tops().begin(), taylor_.tops().end());
    const double behind = joint + (joint - before(joint));
    const Failure failure = system_.project(behind, states.data());
    outcome_ = failure == Failure::none
                   ? taylor_.start(behind, states.data(), tops.data(), std::max(until_, behind + 1))
                   : StepOutcome{false, describe(failure), failure, 0};
  }

  /// A few units in the last place around a joint belong to neither side.
  static double before(double t) {
    return t - 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-300);
  }

  const formulate::Problem& problem_;
  const ConsistentPoint start_;
  const compile::Options compile_;
  std::unique_ptr<ClosedJet> closed_;
  std::vector<std::uint32_t> watched_;  // positions among states and tops
  std::size_t last_ = 0;                // the last anchor used
  ProblemSystem system_;
  Taylor taylor_;
  double until_ = 0;
  std::vector<double> joints_;
  std::size_t next_joint_ = 0;
  StepOutcome outcome_;
  std::vector<Anchor> anchors_;
  std::vector<double> guess_, rates_;
};

AlgebraicSolution::AlgebraicSolution(const formulate::Problem& problem,
                                     const ConsistentPoint& start,
                                     const AlgebraicOptions& options) {
  if (problem.structure.degrees_of_freedom != 0)
    throw std::invalid_argument("the problem has degrees of freedom");
  branch_ = std::make_unique<Branch>(problem, start, options);
}
AlgebraicSolution::~AlgebraicSolution() = default;
AlgebraicSolution::AlgebraicSolution(AlgebraicSolution&&) noexcept = default;

AlgebraicSolution::Value AlgebraicSolution::at(double t) { return branch_->at(t); }
bool AlgebraicSolution::watch(std::span<const expr::Leaf> wanted) { return branch_->watch(wanted); }
bool AlgebraicSolution::watched(double t, double* values) { return branch_->watched(t, values); }
std::size_t AlgebraicSolution::anchors() const { return branch_->anchors(); }

}  // namespace daedal::solve
