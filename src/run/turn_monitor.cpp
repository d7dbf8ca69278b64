#include "turn_monitor.hpp"

#include "daedal/start/singular.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve {

namespace {

constexpr double sudden_factor =
    10;  // accelerations beyond their mean by this factor are an episode
constexpr double least_turn = 0.05;        // of the fastest velocity: less is no turn
constexpr double reach_of_violation = 10;  // times sqrt(violation): where another motion is near
constexpr double least_violation = 1e-13;  // below it is rounding
constexpr int most_looks = 50;             // a rank costs some 0.1 ms

}  // namespace

TurnMonitor::TurnMonitor(const formulate::Problem& problem) : problem_(problem) {
  if (problem.levels.empty()) return;
  for (const expr::SymbolId s : problem.dae->mechanics.coordinates)
    if (const std::uint32_t p = problem.layout.find({s, 1}); p != compile::absent)
      velocities_.push_back(p);
  last_.resize(velocities_.size());
  before_.resize(velocities_.size());
}

void TurnMonitor::look_at_step(const double* point, double violation) {
  const double h = std::abs(point[0] - last_time_);
  double change = 0;
  for (std::size_t k = 0; k < velocities_.size(); ++k) {
    const double v = point[velocities_[k]];
    if (started_) change = std::max(change, std::abs(v - last_[k]));
    fastest_ = std::max(fastest_, std::abs(v));
  }
  const double rate = started_ && h > 0 ? change / h : 0;
  total_ += change;
  elapsed_ += started_ ? h : 0;
  const bool sharp = rate * elapsed_ > sudden_factor * total_;
  if (sharp && !in_episode_) {
    before_ = last_;
    begin_ = last_time_;
    sharpest_rate_ = 0;
  }
  if (sharp && rate > sharpest_rate_) {
    sharpest_rate_ = rate;
    sharpest_.assign(point, point + problem_.layout.size());
  }
  if (!sharp && in_episode_ && !found_) end_episode(violation);
  in_episode_ = sharp;
  if (!started_) first_.assign(point, point + problem_.layout.size());
  for (std::size_t k = 0; k < velocities_.size(); ++k) last_[k] = point[velocities_[k]];
  last_time_ = point[0];
  started_ = true;
}

/// A spike that leaves the velocities as they were is none.
void TurnMonitor::end_episode(double violation) {
  double change = 0;
  for (std::size_t k = 0; k < velocities_.size(); ++k)
    change = std::max(change, std::abs(last_[k] - before_[k]));
  if (change < least_turn * fastest_ || violation < least_violation || looked_ >= most_looks)
    return;
  ++looked_;
  if (near_singular(violation)) found_ = {begin_, std::abs(last_time_ - begin_), violation};
}

bool TurnMonitor::near_singular(double violation) const {
  const double distance = std::min(0.5, reach_of_violation * std::sqrt(violation));
  const std::vector<double> here = gradient_lengths(problem_, sharpest_),
                            usual = gradient_lengths(problem_, first_);
  for (std::size_t r = 0; r < here.size(); ++r)
    if (here[r] < distance * usual[r]) return true;
  return constraint_rank(problem_, sharpest_, distance).short_of_rank();
}

}  // namespace daedal::solve
