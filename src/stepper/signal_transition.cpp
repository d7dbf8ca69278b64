#include "daedal/stepper/signal_transition.hpp"

#include "daedal/stepper/step_watch.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve {

namespace {

constexpr std::size_t coasting_samples = 5;  // a polynomial of degree 4 continues four derivatives

double horner(const double (&c)[7], double x) {
  return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * (c[5] + x * c[6])))));
}
double seventh(double x) {
  const double cube = x * x * x;
  return cube * cube * x;
}
/// s(x), for x >= 0.
double smooth_step(double x) {
  return x < 1 ? seventh(x) * horner(smooth_step_coefficients, x) : 1;
}
/// theta, for a halt after `stop` steps.
double halted(double steps, double stop) {
  const double x = steps / stop;
  return x < 1 ? steps - stop * (seventh(x) * x * horner(smooth_step_integral, x)) : 0.5 * stop;
}

}  // namespace

std::vector<double> transition_nodes(const StepProgram& program) {
  std::vector<double> nodes;
  const std::vector<double>& stages = program.formula.nodes;
  for (double back = 1; nodes.size() < coasting_samples; ++back)
    for (std::size_t stage = stages.size(); stage-- > 0;) nodes.push_back(stages[stage] - back);
  return nodes;
}

SignalTransition::SignalTransition(const StepProgram& program, int shortest)
    : stages_(program.stages()),
      signals_(program.signals.size()),
      samples_(transition_nodes(program).size()),
      step_(program.step),
      stage_nodes_(program.formula.nodes),
      nominal_(program.signal_nominal),
      nodes_(transition_nodes(program)),
      shortest_(shortest),
      past_(nodes_.size() * signals_),
      first_(1 / ((nodes_[0] - nodes_[1]) * step_)),
      second_(1 / ((nodes_[1] - nodes_[2]) * step_)),
      both_(2 / ((nodes_[0] - nodes_[2]) * step_)),
      anchor_(past_.size()),
      old_anchor_(past_.size()),
      given_(signals_),
      earlier_given_(signals_),
      expected_(signals_),
      acceleration_(signals_) {}

void SignalTransition::reset() noexcept {
  now_ = {};
  remembered_ = 0;
  std::copy(nominal_.begin(), nominal_.end(), acceleration_.begin());
}

/// Divided differences of the samples followed: in Newton's form the polynomial keeps its digits far from its nodes.
void SignalTransition::anchor() noexcept {
  for (std::size_t i = 0; i < samples_; ++i)
    std::copy_n(sample(i), signals_, anchor_.data() + i * signals_);
  for (std::size_t order = 1; order < samples_; ++order)
    for (std::size_t i = samples_ - 1; i >= order; --i)
      for (std::size_t k = 0; k < signals_; ++k)
        anchor_[i * signals_ + k] = (anchor_[i * signals_ + k] - anchor_[(i - 1) * signals_ + k]) /
                                    (nodes_[i] - nodes_[i - order]);
}

/// The polynomial through the samples before the jump: what is linear at one time, the rest at another.
void SignalTransition::extrapolate(double linear, double rest, double* values) const noexcept {
  for (std::size_t k = 0; k < signals_; ++k) {
    double value = anchor_[(samples_ - 1) * signals_ + k];
    for (std::size_t i = samples_ - 1; i-- > 2;)
      value = anchor_[i * signals_ + k] + (rest - nodes_[i]) * value;
    value *= (rest - nodes_[0]) * (rest - nodes_[1]);
    values[k] = anchor_[k] + ((linear - nodes_[0]) * anchor_[signals_ + k] + value);
  }
}

void SignalTransition::begin(const double* given) noexcept {
  before_ = now_;
  std::swap(anchor_, old_anchor_);
  anchor();
  extrapolate(1, 1, expected_.data());
  const double shortest = shortest_ * step_;
  double halt = shortest, seconds = now_.active ? now_.length * step_ : shortest;
  for (std::size_t k = 0; k < signals_; ++k)
    halt = std::max(halt, halt_factor * std::abs(anchor_[signals_ + k]) / step_ / acceleration_[k]);
  for (std::size_t k = 0; k < signals_; ++k) {
    const double way = std::abs(given[(stages_ - 1) * signals_ + k] - expected_[k]) +
                       0.5 * halt * (std::abs(anchor_[signals_ + k]) / step_);
    seconds = std::max(seconds, std::sqrt(way_factor * way / acceleration_[k]));
  }
  now_.halt = std::min(halt / step_, longest_transition);
  now_.length = std::min(std::max(halt, seconds) / step_, longest_transition);
  now_.done = 0;
  now_.active = true;
  given_steps_ = 0;
}

void SignalTransition::begin_slower(const double* given) noexcept {
  const double twice = now_.active ? 2 * now_.length : 0;
  begin(given);
  now_.length = std::min(std::max(now_.length, twice), longest_transition);
}

void SignalTransition::revert() noexcept {
  now_ = before_;
  std::swap(anchor_, old_anchor_);
}

/// By second differences: the transition itself does not see what differences of a higher order see.
bool SignalTransition::jumps_again(const double* given) const noexcept {
  if (given_steps_ < 2) return false;
  const double shortest = shortest_ * step_, limit = shortest * shortest / way_factor;
  for (std::size_t k = 0; k < signals_; ++k) {
    const double difference =
        given[(stages_ - 1) * signals_ + k] - 2 * given_[k] + earlier_given_[k];
    if (std::abs(difference) > limit * acceleration_[k]) return true;
  }
  return false;
}

void SignalTransition::lead(const double* given, double* followed) const noexcept {
  for (std::size_t stage = 0; stage < stages_; ++stage) {
    const double steps = now_.done + stage_nodes_[stage];
    const double share = smooth_step(steps / now_.length);
    double* const to = followed + stage * signals_;
    extrapolate(halted(steps, now_.halt), halted(steps, fade_factor * shortest_), to);
    for (std::size_t k = 0; k < signals_; ++k)
      to[k] += share * (given[stage * signals_ + k] - to[k]);
  }
}

void SignalTransition::keep_acceleration() noexcept {
  const double *const newest = sample(0), *const middle = sample(1), *const oldest = sample(2);
  for (std::size_t k = 0; k < signals_; ++k) {
    const double acceleration =
        std::abs(((newest[k] - middle[k]) * first_ - (middle[k] - oldest[k]) * second_) * both_);
    acceleration_[k] =
        std::max(std::max(acceleration, nominal_[k]), size_memory * acceleration_[k]);
  }
}

const double* SignalTransition::sample(std::size_t i) const noexcept {
  std::size_t at = newest_ + i;
  if (at >= samples_) at -= samples_;
  return past_.data() + at * signals_;
}

bool SignalTransition::remember(bool usual, const double* given, const double* followed) noexcept {
  newest_ = newest_ == 0 ? samples_ - stages_ : newest_ - stages_;  // written over: the oldest
  double* const row = past_.data() + newest_ * signals_;
  for (std::size_t stage = 0; stage < stages_; ++stage)
    for (std::size_t k = 0; k < signals_; ++k)
      row[stage * signals_ + k] = followed[(stages_ - 1 - stage) * signals_ + k];
  if (!ready()) ++remembered_;
  if (!now_.active) {
    if (usual && ready()) keep_acceleration();
    return false;
  }
  std::swap(given_, earlier_given_);
  std::copy_n(given + (stages_ - 1) * signals_, signals_, given_.begin());
  if (given_steps_ < 2) ++given_steps_;
  now_.done += 1;
  now_.active = now_.done < now_.length;
  return now_.active;
}

}  // namespace daedal::solve
