// See pose_crossing.hpp.

#include "daedal/integrate/pose_crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedal::solve {

namespace {

/// Of the largest independence of the run: below `notable_share` the way to the pose is watched, at `near` the bridge begins. On a
/// parallelogram the latter is 0.15 rad: at the nodes next to the pose rounding then grows to 1e-11 in the accelerations, and
/// the polynomial is as exact.
constexpr double notable_share = 0.8, near = 0.15;
/// In lengths of the bridge's first half: from here no step passes its begin.
constexpr double close = 3;
/// Of the time in which the pose might be reached, until the next look.
constexpr double patience = 0.1;
constexpr std::size_t most_listed = 1000;  // poses
constexpr std::size_t most_kept = 32;  // states, each a tenth nearer to a pose than the one before

}  // namespace

bool crosses_poses(const formulate::Problem& problem, const Method& method) {
  using formulate::Kind;
  const Kind kind = problem.formulation.kind;
  const bool projected = kind == Kind::projection || kind == Kind::null_space ||
                         kind == Kind::minimal || kind == Kind::hamilton;
  const bool mechanism = !problem.dae->inverse && !problem.levels.empty() &&
                         problem.levels.front().level >= -2 && problem.written_out;
  return projected && mechanism && fixed_step(method) == 0;
}

PoseCrossing::PoseCrossing(const formulate::Problem& problem, ProblemSystem& system,
                           std::unique_ptr<Integrator> method, double tolerance)
    : problem_(problem),
      system_(system),
      method_(std::move(method)),
      bridge_(system, tolerance),
      bridge_state_(system.states()),
      bridge_tops_(system.tops()),
      probe_(system.states()),
      rates_(system.states()),
      past_(most_kept, Past{0, std::vector<double>(system.states())}) {
  poses_.reserve(most_listed);
}

StepOutcome PoseCrossing::start(double t, const double* s, const double* z, double end) {
  end_ = end;
  on_bridge_ = false;
  if (!measure_) measure_.emplace(problem_, system_, t, s);
  independence_ = (*measure_)(t, s);
  largest_ = std::max(largest_, independence_);
  looked_at_ = next_look_ = not_before_ = t;
  slope_ = 0;
  past_count_ = 0;
  const StepOutcome outcome = method_->start(t, s, z, end);
  count();
  return outcome;
}

/// How the independence changes: over the way since the last look while the pose is far, along the present velocity else.
void PoseCrossing::look() {
  const double t = method_->time(), before = independence_, since = t - looked_at_;
  independence_ = (*measure_)(t, method_->state().data());
  largest_ = std::max(largest_, independence_);
  looked_at_ = t;
  Past& kept = past_[past_count_++ % most_kept];
  kept.t = t;
  std::copy_n(method_->state().data(), kept.s.size(), kept.s.data());
  if (since > 0) slope_ = (independence_ - before) / since;
  steepest_ = std::max(steepest_, std::abs(slope_));
  if (slope_ < 0 && independence_ < notable_share * largest_) {
    const double ahead = patience / 2 * independence_ / steepest_;
    std::copy_n(method_->state().data(), probe_.size(), probe_.data());
    std::copy_n(method_->tops().data(), bridge_tops_.size(), bridge_tops_.data());
    ++probes_;
    if (system_.derivative(t, probe_.data(), bridge_tops_.data(), rates_.data()) == Failure::none) {
      for (std::size_t i = 0; i < probe_.size(); ++i) probe_[i] += ahead * rates_[i];
      slope_ = ((*measure_)(t + ahead, probe_.data()) - independence_) / ahead;
      steepest_ = std::max(steepest_, std::abs(slope_));
    }
  }
  next_look_ =
      t + patience * std::min(steepest_ > 0 ? independence_ / steepest_ : 0.0, time_scale());
}

/// In which states that are no highest derivatives change by their own size.
double PoseCrossing::time_scale() const {
  const std::span<const std::uint32_t> next = system_.next();
  const std::span<const double> s = method_->state(), nominal = system_.nominal();
  double rate = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (next[i] < s.size())
      rate = std::max(rate, std::abs(s[next[i]]) / std::max(std::abs(s[i]), nominal[i]));
  return rate > 0 ? 1 / rate : std::numeric_limits<double>::infinity();
}

/// A bridge over the pose from (begin, s); false when there is none within the limit, or it finds no smooth motion. It may end
/// after the end of the run: the equations are the same there.
bool PoseCrossing::cross(double begin, const double* s, double pose, double limit) {
  const auto fits = [&](double half) {
    return begin + 2 * half <= limit || (limit >= end_ && begin + half < limit);
  };
  if (!fits(pose - begin)) return false;
  if (!bridge_.cross(begin, s, method_->tops().data(), pose - begin, *measure_) ||
      !fits(bridge_.pose_time() - begin))
    return false;
  bridge_begin_ = method_->time();
  bridge_end_ = std::min(bridge_.end(), limit);
  std::copy_n(bridge_.state().data(), bridge_state_.size(), bridge_state_.data());
  std::copy_n(bridge_.tops().data(), bridge_tops_.size(), bridge_tops_.data());
  if (bridge_end_ < bridge_.end()) {
    bridge_.interpolate(bridge_end_, bridge_state_.data());
    bridge_.interpolate_tops(bridge_end_, bridge_tops_.data());
  }
  on_bridge_ = true;
  ++bridges_;
  longest_bridge_ = std::max(longest_bridge_, bridge_end_ - bridge_begin_);
  if (poses_.size() < most_listed) poses_.push_back(bridge_.pose_time());
  count();
  return true;
}

/// In long chains constraints are nearly dependent everywhere, and that a pose comes shows late, too near for a bridge: it then
/// begins at an earlier state, 1.5 times as far away, or more.
bool PoseCrossing::cross_from_afar(double pose, double limit) {
  constexpr double farther = 1.5;
  double distance = farther * (pose - method_->time());
  for (; pose - distance > method_->previous_time(); distance *= farther) {
    method_->interpolate(pose - distance, probe_.data());
    if (cross(pose - distance, probe_.data(), pose, limit)) return true;
  }
  for (std::size_t back = 1; back <= std::min(past_count_, most_kept); ++back) {
    const Past& from = past_[(past_count_ - back) % most_kept];
    if (pose - from.t < distance) continue;
    if (cross(from.t, from.s.data(), pose, limit)) return true;
    distance = farther * (pose - from.t);
  }
  return false;
}

StepOutcome PoseCrossing::step(double limit) {
  if (on_bridge_) {
    const StepOutcome outcome = start(bridge_end_, bridge_state_.data(), bridge_tops_.data(), end_);
    if (!outcome.ok) return outcome;
  }
  const double t = method_->time();
  if (t >= next_look_) look();
  double bound = limit;
  if (slope_ < 0 && t >= not_before_) {
    const double reach = near * largest_ / -slope_, pose = looked_at_ + independence_ / -slope_;
    if (pose - t <= 1.1 * reach) {
      if (cross(t, method_->state().data(), pose, limit) || cross_from_afar(pose, limit))
        return {true, {}, Failure::none, bridge_end_ - bridge_begin_};
      not_before_ = t + 0.5 * (pose - t);
      // directions of null_space that were chosen on the bridge are far from here
      std::copy_n(method_->state().data(), probe_.size(), probe_.data());
      system_.return_from_later_states();
      system_.project(t, probe_.data());
    } else if (pose - t <= close * reach) {
      bound = pose - reach;
    }
  }
  const StepOutcome outcome = method_->step(std::min(limit, bound));
  count();
  return outcome;
}

void PoseCrossing::count() {
  statistics_ = method_->statistics();
  statistics_.accepted += bridges_;
  statistics_.evaluations += bridge_.evaluations() + probes_;
  statistics_.projections += bridge_.projections();
  statistics_.largest_step = std::max(statistics_.largest_step, longest_bridge_);
}

double PoseCrossing::previous_time() const {
  return on_bridge_ ? bridge_begin_ : method_->previous_time();
}
double PoseCrossing::time() const { return on_bridge_ ? bridge_end_ : method_->time(); }
std::span<const double> PoseCrossing::state() const {
  return on_bridge_ ? std::span<const double>(bridge_state_) : method_->state();
}
std::span<const double> PoseCrossing::tops() const {
  return on_bridge_ ? std::span<const double>(bridge_tops_) : method_->tops();
}
void PoseCrossing::interpolate(double t, double* s) const {
  if (!on_bridge_)
    method_->interpolate(t, s);
  else if (t >= bridge_end_)
    std::copy(bridge_state_.begin(), bridge_state_.end(), s);
  else
    bridge_.interpolate(t, s);
}
void PoseCrossing::interpolate_tops(double t, double* z) const {
  if (on_bridge_)
    bridge_.interpolate_tops(t, z);
  else
    method_->interpolate_tops(t, z);
}

}  // namespace daedal::solve
