// The loop over steps, see integrate.hpp.

#include "daedal/integrate/integrate.hpp"

#include "step_size.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace daedal::solve {

namespace {

/// A right-hand side that switches at b decides with a rounded time: a few units in the last place
/// around b belong to neither side. A segment ends before them, the next one begins after them.
double moved_by_ulps(double t, double ulps) {
  return t + ulps * std::numeric_limits<double>::epsilon() *
                 std::max(std::abs(t), std::numeric_limits<double>::min());
}

/// The order of times, which may run backwards.
struct Direction {
  double sign = 1;
  bool before(double a, double b) const { return sign * (b - a) > 0; }
  double just_before(double t) const { return moved_by_ulps(t, -4 * sign); }
  double just_behind(double t) const { return moved_by_ulps(t, 4 * sign); }
};

/// Writes the rows that a step has passed.
class Rows {
 public:
  Rows(System& system, std::span<const double> times, Direction direction, Observer& observer)
      : system_(system),
        direction_(direction),
        times_(times),
        observer_(observer),
        s_(system.states()),
        z_(system.tops()),
        ds_(system.states()) {}

  /// Rows before `end`, all within the integrator's last step.
  StepOutcome write_before(const Integrator& integrator, double end) {
    while (next_ < times_.size() && direction_.before(times_[next_], end))
      if (const StepOutcome outcome = write(integrator, times_[next_]); !outcome.ok) return outcome;
    return {};
  }

  /// Rows up to `until`, all within the integrator's last step.
  StepOutcome write(const Integrator& integrator, double until) {
    for (; next_ < times_.size() && !direction_.before(until, times_[next_]); ++next_) {
      const double t = times_[next_];
      integrator.interpolate(t, s_.data());
      integrator.interpolate_tops(t, z_.data());
      Failure failure = Failure::none;
      if (!integrator.is_near_pose(t)) {
        if (system_.missing().empty())
          failure = make_consistent(t);
        else if (t != integrator.time())
          system_.settle_between_steps(t, s_.data());
      }
      if (failure == Failure::none) {
        observer_.row(t, s_.data(), z_.data());
        failure = observer_.objection();
      }
      if (failure != Failure::none) return {false, describe(failure), failure, 0, t};
    }
    return {};
  }

 private:
  Failure make_consistent(double t) {
    const Failure failure = system_.projects() ? system_.project(t, s_.data()) : Failure::none;
    if (failure != Failure::none) return failure;
    return system_.derivative(t, s_.data(), z_.data(), ds_.data());
  }

  System& system_;
  Direction direction_;
  std::span<const double> times_;
  Observer& observer_;
  std::vector<double> s_, z_, ds_;
  std::size_t next_ = 0;
};

/// Where the equations have no value beyond a point, x + h x' is x for steps that are short enough: these succeed, grow, and
/// fail, and time goes on by rounding errors. That would take billions of steps.
class Creeping {
 public:
  explicit Creeping(double span) : span_(std::abs(span)) {}

  bool after(const Integrator& integrator) {
    const StepStatistics& now = integrator.statistics();
    if (now.accepted - accepted_ < window) return false;
    const std::span<const double> state = integrator.state();
    const bool stays = std::ranges::equal(state, state_, [](double a, double b) {
      return std::abs(a - b) <= alike * std::max(1.0, std::abs(a));
    });
    const bool creeps = stays && now.rejected - rejected_ >= window / 10 &&
                        std::abs(integrator.time() - time_) <= alike * span_;
    accepted_ = now.accepted;
    rejected_ = now.rejected;
    time_ = integrator.time();
    state_.assign(state.begin(), state.end());
    return creeps;
  }

 private:
  static constexpr std::uint64_t window = 2000;  // steps
  static constexpr double alike = 1e-9;          // such a run would have more than 1e12 steps
  double span_, time_ = 0;
  std::uint64_t accepted_ = 0, rejected_ = 0;
  std::vector<double> state_;
};

/// Steps until `limit`, which represents the time `meant`.
StepOutcome integrate_segment(Integrator& integrator, Direction direction, double limit,
                              double meant, Rows& rows, Observer& observer, Creeping& creeping) {
  while (direction.before(integrator.time(), limit)) {
    StepOutcome outcome = integrator.step(limit);
    if (!outcome.ok) return outcome;
    if (creeping.after(integrator))
      return {false, reason_creeping, Failure::not_finite, outcome.step};
    if (const std::optional<double> stop = observer.stop(integrator)) {
      outcome = rows.write_before(integrator, *stop);
      outcome.stopped = stop;
      return outcome;
    }
    observer.step(integrator.time(), integrator.state().data(), integrator.tops().data());
    const bool on_the_way = direction.before(integrator.time(), limit);
    outcome = rows.write(integrator, on_the_way ? integrator.time() : meant);
    if (!outcome.ok) return outcome;
    if (const Failure failure = observer.objection(); failure != Failure::none)
      return {false, describe(failure), failure, 0};
  }
  return {};
}

/// In the order of the run. One at t itself is among them where a function has a value of its own there, as sign(0), with which
/// no step should begin.
std::vector<double> breaks_of(const System& system, Direction direction, double t, double end) {
  std::vector<double> breaks = system.break_points(std::min(t, end), std::max(t, end));
  if (direction.sign < 0) std::reverse(breaks.begin(), breaks.end());
  return breaks;
}

/// One run of integrate().
class Integration {
 public:
  Integration(System& system, Integrator& integrator, double t, std::span<const double> times,
              Observer& observer, bool halved, Clock* clock)
      : system_(system),
        integrator_(integrator),
        observer_(observer),
        halved_(halved),
        clock_(clock),
        begin_(t),
        end_(times.back()),
        direction_{end_ < t ? -1.0 : 1.0},
        rows_(system, times, direction_, observer),
        creeping_(end_ - begin_),
        breaks_(breaks_of(system, direction_, t, end_)) {}

  StepOutcome run(const double* s, const double* z) {
    state_.assign(s, s + system_.states());
    tops_.assign(z, z + system_.tops());
    if (clock_ != nullptr && !direction_.before(begin_, clock_->next()))
      if (StepOutcome outcome = act(begin_); !outcome.ok || outcome.stopped) return outcome;
    StepOutcome outcome = integrator_.start(begin_, state_.data(), tops_.data(), end_);
    if (outcome.ok) outcome = rows_.write(integrator_, begin_);
    while (outcome.ok && !outcome.stopped && !ended_) outcome = next_break();
    if (outcome.ok && !outcome.stopped)
      outcome =
          clock_ != nullptr && !direction_.before(direction_.just_behind(end_), clock_->next())
              ? last_action()
              : segment(last(), end_);
    return outcome;
  }

 private:
  /// To the next break point or action of the clock, and over it; ended_ where none is left.
  StepOutcome next_break() {
    const double ticks =
        clock_ != nullptr ? clock_->next() : std::numeric_limits<double>::infinity();
    const bool tick = next_ >= breaks_.size() || direction_.before(ticks, breaks_[next_]);
    const double b = tick ? ticks : breaks_[next_];
    if (!direction_.before(direction_.just_behind(b), end_)) {
      if (!tick && direction_.before(integrator_.time(), direction_.just_before(b)))
        last_ = direction_.just_before(b);
      ended_ = true;
      return {};
    }
    while (next_ < breaks_.size() && breaks_[next_] == b) ++next_;
    return cross(b);
  }

  StepOutcome cross(double b) {
    const double before = direction_.just_before(b), behind = direction_.just_behind(b);
    const bool ticks = clock_ != nullptr && !direction_.before(b, clock_->next());
    bool arrives = true;
    if (direction_.before(integrator_.time(), before)) {
      const StepOutcome outcome = segment(before, ticks ? before : b);
      if (!outcome.ok || outcome.stopped) return outcome;
    } else if (integrator_.time() == begin_) {
      arrives = false;
    } else if (!ticks) {
      return {};
    }
    std::copy_n(integrator_.state().data(), state_.size(), state_.data());
    std::copy_n(integrator_.tops().data(), tops_.size(), tops_.data());
    observer_.jump(before, behind, state_.data(), tops_.data());
    Failure failure = arrives ? pass(b, before) : Failure::none;
    if (failure == Failure::none && ticks)
      if (StepOutcome outcome = act(b); !outcome.ok || outcome.stopped) return outcome;
    if (failure == Failure::none) failure = pass(b, behind);
    if (failure == Failure::none && system_.missing().empty() && system_.projects())
      failure = system_.project(behind, state_.data());
    StepOutcome outcome = failure == Failure::none
                              ? integrator_.start(behind, state_.data(), tops_.data(), end_)
                              : StepOutcome{false, describe(failure), failure, 0};
    if (outcome.ok && ticks) outcome = rows_.write(integrator_, b);
    return outcome;
  }

  /// The clock acts at the very end: the row there shows what holds after it.
  StepOutcome last_action() {
    StepOutcome outcome = segment(last(), direction_.just_before(end_));
    if (!outcome.ok || outcome.stopped) return outcome;
    std::copy_n(integrator_.state().data(), state_.size(), state_.data());
    std::copy_n(integrator_.tops().data(), tops_.size(), tops_.data());
    if (outcome = act(end_); !outcome.ok || outcome.stopped) return outcome;
    return rows_.write(integrator_, end_);
  }

  StepOutcome act(double t) {
    if (!clock_->act(t, state_.data(), tops_.data())) return {.ok = true, .stopped = t};
    return {};
  }

  /// The last bits of the way to or from a break point b with the rates at `side`, just before or just after it: what the
  /// constraints prescribe may jump where their right-hand sides do.
  Failure pass(double b, double side) {
    if (!system_.missing().empty())
      return Failure::none;  // no rates without the highest derivatives
    rates_.resize(state_.size());
    const Failure failure = system_.derivative(side, state_.data(), tops_.data(), rates_.data());
    if (failure != Failure::none) return failure;
    for (std::size_t i = 0; i < state_.size(); ++i)
      state_[i] += direction_.sign * std::abs(side - b) * rates_[i];
    return Failure::none;
  }

  StepOutcome segment(double limit, double meant) {
    const double middle = std::midpoint(integrator_.time(), limit);
    if (halved_ && direction_.before(integrator_.time(), middle) &&
        direction_.before(middle, limit))
      if (const StepOutcome half = integrate_segment(integrator_, direction_, middle, middle, rows_,
                                                     observer_, creeping_);
          !half.ok || half.stopped)
        return half;
    return integrate_segment(integrator_, direction_, limit, meant, rows_, observer_, creeping_);
  }

  /// A few units in the last place short of the end, where a function switches there.
  double last() const { return last_.value_or(end_); }

  System& system_;
  Integrator& integrator_;
  Observer& observer_;
  bool halved_;
  Clock* clock_;
  double begin_, end_;
  Direction direction_;
  Rows rows_;
  Creeping creeping_;
  std::vector<double> breaks_, state_, tops_, rates_;
  std::size_t next_ = 0;
  bool ended_ = false;
  std::optional<double> last_;
};

}  // namespace

StepOutcome integrate(System& system, Integrator& integrator, double t, const double* s,
                      const double* z, std::span<const double> times, Observer& observer,
                      bool halved, Clock* clock) {
  return Integration(system, integrator, t, times, observer, halved, clock).run(s, z);
}

}  // namespace daedal::solve
