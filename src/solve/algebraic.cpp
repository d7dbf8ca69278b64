// See daedal/solve/algebraic.hpp.

#include "daedal/solve/algebraic.hpp"

#include "daedal/solve/problem_system.hpp"
#include "taylor.hpp"

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
      : system_(problem, start.t, start.states, start.tops,
                {.implicit = false, .compile = options.compile}),
        taylor_(system_, TaylorOptions{.tolerance = options.tolerance}),
        until_(options.until),
        joints_(system_.break_points(start.t, options.until)),
        guess_(problem.states + problem.algebraic()),
        rates_(problem.states) {
    outcome_ = taylor_.start(start.t, start.states.data(), start.tops.data(), options.until);
  }

  Value at(double t) {
    if (anchors_.empty() || t > anchors_.back().end) extend_to(t);
    if (anchors_.empty() || t > anchors_.back().end)
      return {outcome_.cause == Failure::none ? Failure::inaccurate : outcome_.cause, {}, {}};
    const auto after =
        std::upper_bound(anchors_.begin(), anchors_.end(), t,
                         [](double time, const Anchor& a) { return time < a.begin; });
    predict(after == anchors_.begin() ? anchors_.front() : *(after - 1), t);
    double* const states = guess_.data();
    double* const tops = states + system_.states();
    Failure failure = system_.project(t, states);
    if (failure == Failure::none) failure = system_.derivative(t, states, tops, rates_.data());
    return {failure, {states, system_.states()}, {tops, system_.tops()}};
  }

  std::size_t anchors() const { return anchors_.size(); }

 private:
  struct Anchor {
    double begin = 0, end = 0;
    std::vector<double> series;  // as System::expand
  };

  void predict(const Anchor& anchor, double t) {
    const std::size_t width = guess_.size(), terms = anchor.series.size() / width;
    const double h = t - anchor.begin;
    std::fill(guess_.begin(), guess_.end(), 0.0);
    for (std::size_t n = terms; n-- > 0;)
      for (std::size_t i = 0; i < width; ++i)
        guess_[i] = guess_[i] * h + anchor.series[n * width + i];
  }

  /// One series after another; behind a joint the branch goes on from the values before it.
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
  if (problem.offsets.degrees_of_freedom != 0)
    throw std::invalid_argument("the problem has degrees of freedom");
  branch_ = std::make_unique<Branch>(problem, start, options);
}
AlgebraicSolution::~AlgebraicSolution() = default;
AlgebraicSolution::AlgebraicSolution(AlgebraicSolution&&) noexcept = default;

AlgebraicSolution::Value AlgebraicSolution::at(double t) { return branch_->at(t); }
std::size_t AlgebraicSolution::anchors() const { return branch_->anchors(); }

}  // namespace daedal::solve
