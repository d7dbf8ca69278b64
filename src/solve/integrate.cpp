// The loop over steps, see integrate.hpp.

#include "daedal/solve/integrate.hpp"

#include "pose_crossing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace daedal::solve {

namespace {

/// A right-hand side that switches at b decides with a rounded time: a few units in the last place
/// around b belong to neither side. A segment ends before them, the next one begins behind.
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
      if (const auto* crossing = dynamic_cast<const PoseCrossing*>(&integrator);
          crossing != nullptr && crossing->is_near_pose(t))
        failure = Failure::none;  // the answer is what is interpolated
      else if (system_.missing().empty())
        failure = make_consistent(t);
      else if (t != integrator.time())
        system_.settle_between_steps(t, s_.data());
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

/// Steps until `limit`, which stands for the time `meant`.
StepOutcome integrate_segment(Integrator& integrator, Direction direction, double limit,
                              double meant, Rows& rows, Observer& observer) {
  while (direction.before(integrator.time(), limit)) {
    StepOutcome outcome = integrator.step(limit);
    if (!outcome.ok) return outcome;
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

/// The last bits of the way over a break point b with the rates at `sides`, just before or just after it, and a projection
/// after it: what the constraints prescribe may jump where their right-hand sides do.
Failure pass(System& system, Direction direction, double b, std::span<const double> sides,
             std::vector<double>& state, std::vector<double>& tops) {
  if (!system.missing().empty()) return Failure::none;  // no rates without the highest derivatives
  std::vector<double> rates(state.size());
  for (const double side : sides) {
    const Failure failure = system.derivative(side, state.data(), tops.data(), rates.data());
    if (failure != Failure::none) return failure;
    for (std::size_t i = 0; i < state.size(); ++i)
      state[i] += direction.sign * std::abs(side - b) * rates[i];
  }
  return system.projects() ? system.project(direction.just_behind(b), state.data()) : Failure::none;
}

/// In the order of the run. One at t itself is among them where a function has a value of its own there, as sign(0), with which
/// no step should begin.
std::vector<double> breaks_of(const System& system, Direction direction, double t, double end) {
  std::vector<double> breaks = system.break_points(std::min(t, end), std::max(t, end));
  if (direction.sign < 0) std::reverse(breaks.begin(), breaks.end());
  return breaks;
}

}  // namespace

StepOutcome integrate(System& system, Integrator& integrator, double t, const double* s,
                      const double* z, std::span<const double> times, Observer& observer,
                      bool halved) {
  const double end = times.back();
  const Direction direction{end < t ? -1.0 : 1.0};
  Rows rows(system, times, direction, observer);
  const auto segment = [&](double limit, double meant) {
    const double middle = std::midpoint(integrator.time(), limit);
    if (halved && direction.before(integrator.time(), middle) && direction.before(middle, limit))
      if (const StepOutcome half =
              integrate_segment(integrator, direction, middle, middle, rows, observer);
          !half.ok || half.stopped)
        return half;
    return integrate_segment(integrator, direction, limit, meant, rows, observer);
  };
  std::vector<double> state(s, s + system.states()), tops(z, z + system.tops());
  StepOutcome outcome = integrator.start(t, state.data(), tops.data(), end);
  if (outcome.ok) outcome = rows.write(integrator, t);
  double last =
      end;  // a few units in the last place short of it, where a function switches at the end
  for (const double b : breaks_of(system, direction, t, end)) {
    const double before = direction.just_before(b), behind = direction.just_behind(b);
    if (!outcome.ok) break;
    if (!direction.before(behind, end)) {
      if (direction.before(integrator.time(), before)) last = before;
      break;
    }
    const double both[] = {before, behind};
    std::span<const double> sides(both);
    if (direction.before(integrator.time(), before)) {
      outcome = segment(before, b);
      if (!outcome.ok || outcome.stopped) return outcome;
    } else if (integrator.time() == t) {
      sides = sides.subspan(1);
    } else {
      continue;
    }
    std::copy_n(integrator.state().data(), state.size(), state.data());
    std::copy_n(integrator.tops().data(), tops.size(), tops.data());
    observer.jump(before, behind, state.data(), tops.data());
    const Failure failure = pass(system, direction, b, sides, state, tops);
    outcome = failure == Failure::none ? integrator.start(behind, state.data(), tops.data(), end)
                                       : StepOutcome{false, describe(failure), failure, 0};
  }
  if (outcome.ok) outcome = segment(last, end);
  return outcome;
}

}  // namespace daedal::solve
