#include "daedal/expr/pulses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

namespace daedal::expr {

namespace {

/// Parts of the largest |g'|. From the first on a method of any order sees the pulse begin; the lowest is below what a
/// tolerance asks for, and tails that fall like a power of time are short on the highest only.
constexpr std::array<double, 3> levels{1e-12, 1e-6, 1e-2};
constexpr double longest_pulse = 4;    // over the time before it: steps grow up to tenfold
constexpr double part_of_known = 0.5;  // of the time between two known break points
constexpr double well_known = 4;       // the largest |g'| is bounded within this factor
constexpr std::size_t most_bounds =
    1000000;  // of a level: some tenths of a second, thousands of pulses
constexpr std::size_t most_here = 20000;  // until the size is known, which may be taken too small
constexpr double nothing_of_amplitude = 1e-13;
constexpr int samples = 16;
constexpr double mostly = 0.75;  // of the samples

class PulseSearch {
 public:
  PulseSearch(TimeFunction& g, double t0, double t1, std::span<const double> known,
              std::size_t most)
      : g_(g), t0_(t0), t1_(t1), known_(known), most_(most) {}

  FoundPulses run() {
    if (!find_amplitude()) return {};
    const std::optional<double> largest = largest_rate();
    if (!largest || *largest == 0) return {};
    for (const double level : levels) {
      std::vector<Stretch> active = stretches_above(level * *largest);
      join_lobes(active);
      report(active);
    }
    std::sort(found_.times.begin(), found_.times.end());
    return std::move(found_);
  }

 private:
  struct Stretch {
    double begin = 0, end = 0;
    double length() const { return end - begin; }
  };
  struct Bounded : Stretch {
    double bound = 0, least = 0;  // |g'| is between them
    bool operator<(const Bounded& other) const { return bound < other.bound; }
  };

  static double magnitude(Interval rate) {
    return rate.is_empty() ? 0 : std::max(std::abs(rate.low), std::abs(rate.high));
  }
  static double least_magnitude(Interval rate) {
    return rate.is_empty() || rate.contains(0) ? 0
                                               : std::min(std::abs(rate.low), std::abs(rate.high));
  }
  static double width(Interval value) { return value.is_empty() ? 0 : value.high - value.low; }

  /// Of |g'|; 0 where g stays within what is nothing against its amplitude, however much 0 times infinity may be.
  Bounded bounded(double begin, double end) {
    ++bounds_;
    const Enclosure g = g_.over(begin, end);
    if (width(g.value) <= nothing_of_amplitude * amplitude_) return {{begin, end}, 0, 0};
    return {{begin, end}, magnitude(g.rate), least_magnitude(g.rate)};
  }
  Bounded width_over(double begin, double end) {
    ++bounds_;
    return {{begin, end}, width(g_.over(begin, end).value), 0};
  }
  /// At one time, rounded towards 0; 0 where there is no derivative.
  double rate_at(double t) {
    ++bounds_;
    const Interval rate = g_.over(t, t).rate;
    if (rate.is_empty() || !std::isfinite(rate.low) || !std::isfinite(rate.high)) return 0;
    return least_magnitude(rate);
  }
  /// Times in a stretch that no period of a function meets.
  static double time_in(Stretch s, int k) {
    constexpr double golden = 0.61803398874989485;
    const double part = std::fmod(0.5 + k * golden, 1.0);
    return s.begin + part * s.length();
  }
  double shortest() const { return std::ldexp(t1_ - t0_, -44); }

  void take(double value) {
    if (!std::isfinite(value)) return;
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
    amplitude_ = highest_ - lowest_;
  }

  /// highest - lowest value, from below, and of few pulses within a factor of its bound; false where it has none.
  bool find_amplitude() {
    std::priority_queue<Bounded> waiting;
    waiting.push(width_over(t0_, t1_));
    for (int k = 0; k < samples; ++k) take(g_.value(time_in({t0_, t1_}, k)));
    while (!waiting.empty() && waiting.top().bound > well_known * amplitude_) {
      const Bounded widest = waiting.top();
      waiting.pop();
      if (!std::isfinite(widest.bound) && (bounds_ > most_here || widest.length() < shortest()))
        return false;
      if (bounds_ > most_here) break;
      const double middle = std::midpoint(widest.begin, widest.end);
      take(g_.value(middle));
      waiting.push(width_over(widest.begin, middle));
      waiting.push(width_over(middle, widest.end));
    }
    return amplitude_ > 0;
  }

  /// The largest |g'|, likewise; nothing where it has no bound, as at a jump.
  std::optional<double> largest_rate() {
    bounds_ = 0;
    std::priority_queue<Bounded> waiting;
    waiting.push(bounded(t0_, t1_));
    double largest = 0;
    for (int k = 0; k < samples; ++k) largest = std::max(largest, rate_at(time_in({t0_, t1_}, k)));
    while (!waiting.empty() && waiting.top().bound > well_known * largest) {
      const Bounded widest = waiting.top();
      waiting.pop();
      if (!std::isfinite(widest.bound) && (bounds_ > most_here || widest.length() < shortest()))
        return std::nullopt;
      if (bounds_ > most_here) break;
      const double middle = std::midpoint(widest.begin, widest.end);
      largest = std::max(largest, rate_at(middle));
      for (const Bounded& half : {bounded(widest.begin, middle), bounded(middle, widest.end)})
        if (half.bound > 0) waiting.push(half);
    }
    return largest;
  }

  /// Few samples of a long stretch may all meet the pulses of a train by chance: what few of them say is asked again.
  bool changes_mostly(Stretch s, double threshold) {
    constexpr int most_samples = 4 * samples;
    int below = 0;
    for (int k = 0; k < most_samples; ++k) {
      below += rate_at(time_in(s, k)) > threshold ? 0 : 1;
      if (below > (1 - mostly) * std::max(samples, k + 1)) return false;
    }
    return true;
  }

  /// All of the time at which |g'| may be larger. What cannot be separated from its neighbour is divided no further than a part
  /// of what they are together.
  std::vector<Stretch> stretches_above(double threshold) {
    bounds_ = 0;
    std::vector<Stretch> active, waiting{{t0_, t1_}};
    while (!waiting.empty()) {
      if (bounds_ > most_bounds) {
        give_up_at(waiting.back().begin);
        break;
      }
      const Stretch s = waiting.back();
      waiting.pop_back();
      const Bounded here = bounded(s.begin, s.end);
      if (here.bound <= threshold) continue;
      const bool goes_on = !active.empty() && active.back().end == s.begin;
      const double fine = goes_on ? active.back().length() / 64 : 0;
      if (here.least > threshold || s.length() <= std::max(shortest(), fine) ||
          changes_mostly(s, threshold)) {
        if (goes_on)
          active.back().end = s.end;
        else
          active.push_back(s);
        continue;
      }
      const double middle = std::midpoint(s.begin, s.end);
      waiting.push_back({middle, s.end});
      waiting.push_back({s.begin, middle});
    }
    return active;
  }

  /// A pulse rises and falls, and stands still in between.
  static void join_lobes(std::vector<Stretch>& all) {
    std::vector<Stretch> joined;
    for (const Stretch& s : all)
      if (!joined.empty() &&
          s.begin - joined.back().end <= std::min(s.length(), joined.back().length()))
        joined.back().end = s.end;
      else
        joined.push_back(s);
    all = std::move(joined);
  }

  void report(const std::vector<Stretch>& active) {
    double still_since = t0_;
    for (const Stretch& s : active) {
      const double before = s.begin - still_since;
      still_since = s.end;
      if (s.length() > longest_pulse * before) continue;
      if (s.length() > part_of_known * between_known(std::midpoint(s.begin, s.end))) continue;
      if (s.end >= t1_ && rises_to_the_end(s)) continue;
      if (found_.times.size() + 2 > most_) return give_up_at(s.begin);
      found_.times.push_back(s.begin);
      found_.times.push_back(s.end);
    }
  }

  void give_up_at(double t) { found_.until = std::min(found_.until, t); }

  double between_known(double t) const {
    const auto next = std::upper_bound(known_.begin(), known_.end(), t);
    const double end = next == known_.end() ? t1_ : std::min(*next, t1_);
    const double begin = next == known_.begin() ? t0_ : std::max(*(next - 1), t0_);
    return end - begin;
  }

  /// The last evaluation of a step is at its end, which is seen.
  bool rises_to_the_end(Stretch s) {
    const double last = rate_at(s.end);
    for (int k = 0; k < samples; ++k)
      if (rate_at(time_in(s, k)) > last) return false;
    return true;
  }

  TimeFunction& g_;
  double t0_, t1_;
  std::span<const double> known_;
  std::size_t most_, bounds_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -lowest_, amplitude_ = 0;
  FoundPulses found_;
};

}  // namespace

bool may_pulse(const Graph& graph, Expr e) {
  const Node& node = graph.node(e);
  switch (node.op) {
    case Op::powi: {
      const auto exponent = static_cast<std::int16_t>(node.aux);
      return exponent < 0 || exponent > 2;
    }
    case Op::sqrt:
    case Op::exp:
    case Op::log:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::div:
    case Op::pow:
      return true;
    case Op::constant:
    case Op::leaf:
    case Op::neg:
    case Op::sin:
    case Op::cos:
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::logical_not:
    case Op::rest_to_rest:
    case Op::spline:
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::mod:
    case Op::less:
    case Op::less_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::select:
      return false;
  }
  return false;
}

FoundPulses find_pulses(TimeFunction& g, double t0, double t1, std::span<const double> known,
                        std::size_t most) {
  if (!(t1 > t0)) return {};
  return PulseSearch(g, t0, t1, known, most).run();
}

}  // namespace daedal::expr
