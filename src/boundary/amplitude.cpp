// See amplitude.hpp.
#include "daedal/boundary/amplitude.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace daedal::boundary {

namespace {

constexpr double first_amplitude_step = 0.5, smallest_amplitude_step = 1.0 / 256;
/// Of Newton's method along the whole path. A beam of four elements that turns by 180 degrees in 0.3 s takes 70 to 170.
constexpr int most_iterations_of_path = 300;
constexpr double out_of_all_proportion = 1e3;  // a step, relative, that comes back from nowhere

}  // namespace

ScaledMotion::ScaledMotion(const Desired& desired, double begin, std::uint32_t signals,
                           const std::function<bool(std::uint32_t)>& is_rate)
    : desired_(desired), first_(signals) {
  desired(begin, first_.data());
  for (std::uint32_t i = 1; i < signals; ++i)
    if (is_rate(i)) first_[i] = 0;
}

void ScaledMotion::operator()(double amplitude, double t, double* w) const {
  desired_(t, w);
  if (amplitude == 1) return;
  for (std::size_t i = 1; i < first_.size(); ++i) w[i] = first_[i] + amplitude * (w[i] - first_[i]);
}

bool NewtonWatch::hopeless(double step) {
  const bool lost =
      steps_ > 0 && (step > out_of_all_proportion || (steps_ >= first_few_ && step > before_));
  before_ = step;
  ++steps_;
  return lost;
}

void AmplitudePath::keep(double amplitude) {
  std::swap(last_, last_but_one_);
  reached_before_ = reached_;
  reached_ = amplitude;
  last_.clear();
  for (const std::span<double> part : unknowns_)
    std::copy(part.begin(), part.end(), std::back_inserter(last_));
}

/// On the line through the last two solutions.
void AmplitudePath::start(double amplitude) {
  const double ahead = steps_ > 0 ? (amplitude - reached_) / (reached_ - reached_before_) : 0;
  std::size_t k = 0;
  for (const std::span<double> part : unknowns_)
    for (double& value : part) {
      value = last_[k] + (ahead == 0 ? 0 : ahead * (last_[k] - last_but_one_[k]));
      ++k;
    }
}

void AmplitudePath::tell() const {
  watch_.tell(reached_, fmt::format("amplitude {:.3g} of the motion, {} Newton iterations",
                                    reached_, iterations_));
}

bool AmplitudePath::follow(const std::function<Attempt(double)>& attempt) {
  keep(0);
  for (double step = first_amplitude_step; reached_ < 1;) {
    const double amplitude = std::min(1.0, reached_ + step);
    start(amplitude);
    const Attempt made = attempt(amplitude);
    iterations_ += made.iterations;
    if (made.solved) {
      keep(amplitude);
      ++steps_;
      step *= 2;
    } else {
      step = (amplitude - reached_) / 2;
      if (step < smallest_amplitude_step || iterations_ > most_iterations_of_path) break;
    }
    tell();
  }
  if (reached_ < 1) start(reached_);
  return reached_ == 1;
}

}  // namespace daedal::boundary
