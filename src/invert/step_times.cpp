// See daedal/invert/step_times.hpp.
#include "daedal/invert/step_times.hpp"

#include "daedal/stepper/algebraic.hpp"

#include <algorithm>
#include <chrono>

namespace daedal::inversion {

namespace {

constexpr std::size_t histogram_bins = 24;  // up to 84 ms

}  // namespace

StepTimes step_times(std::vector<double> seconds) {
  StepTimes times;
  times.steps = seconds.size();
  if (seconds.empty()) return times;
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double share) {
    return seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
  };
  times.median = at(0.5);
  times.most = at(0.999);
  times.worst = seconds.back();
  times.histogram.assign(histogram_bins, 0);
  std::size_t bin = 0;
  for (const double s : seconds) {
    while (bin + 1 < histogram_bins && s >= StepTimes::bound(bin)) ++bin;
    ++times.histogram[bin];
  }
  return times;
}

std::optional<StepTimes> evaluation_times(const InverseModel& inverse,
                                          const solve::ConsistentPoint& start,
                                          std::span<const double> times,
                                          const compile::Options& options) {
  std::vector<expr::Leaf> inputs;
  for (const expr::SymbolId unknown : inverse.dae->unknowns)
    if (inverse.dae->model->symbols[unknown].kind == model::SymbolKind::input)
      inputs.push_back({unknown, 0});
  solve::AlgebraicSolution solution(inverse.problem, start,
                                    {.until = times.back(), .compile = options});
  if (!solution.watch(inputs)) return std::nullopt;
  std::vector<double> values(inputs.size()), seconds;
  seconds.reserve(times.size());
  for (const double t : times)
    if (!solution.watched(t, values.data())) return std::nullopt;
  using Clock = std::chrono::steady_clock;
  for (const double t : times) {
    const auto before = Clock::now();
    solution.watched(t, values.data());
    seconds.push_back(std::chrono::duration<double>(Clock::now() - before).count());
  }
  return step_times(std::move(seconds));
}

}  // namespace daedal::inversion
