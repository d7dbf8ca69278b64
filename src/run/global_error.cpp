#include "global_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <span>
#include <string_view>

namespace daedal::solve {

namespace {

/// Steps of the second run for each of the first, at most: two are expected.
constexpr std::uint64_t most_work = 5;
/// Below this tolerance more steps bring more rounding, not more digits; Taylor's method sums with compensation.
double finest_tolerance(const Method& method) {
  return std::holds_alternative<TaylorOptions>(method) ? 1e-16 : 1e-14;
}

/// The exponent q in  step ~ tolerance^(1/q)  of each step control.
int exponent(const Rk23Options&) { return 3; }
int exponent(const Rk45Options&) { return 5; }
int exponent(const Dop853Options&) { return 8; }
int exponent(const Radau5Options&) { return 4; }
int exponent(const IdaOptions& o) { return o.max_order + 1; }
/// Order and step both follow from the tolerance: half the step would mean far more digits than there are.
int exponent(const TaylorOptions&) { return 5; }

/// Half the steps: given ones, or those that follow from the tolerance. Or twice the step, twice the tolerance.
template <class Options>
Options refined(Options o, bool given, bool shorter) {
  if constexpr (requires { o.tolerance; })
    if (!given) o.tolerance *= shorter ? std::ldexp(1.0, -exponent(o)) : 2;
  o.step *= shorter ? 0.5 : given ? 2 : 1;
  return o;
}

std::string described(const Method& method) {
  const double step = fixed_step(method);
  return step > 0 ? fmt::format("{} with step {:.3g} s", name(method), step)
                  : fmt::format("{} with tolerance {:.2g}", name(method), tolerance(method));
}

/// The same event in both runs: times between the two belong to neither side of it.
struct Window {
  double begin = 0, end = 0;  // [s], in the order of time
};

/// Events of one name are the same ones by their number, as long as the next one of either run comes after both.
struct EventPairs {
  std::vector<Window> windows;        // by their begin
  const FiredEvent* alone = nullptr;  // the first that happens in one run only
};

EventPairs pair_events(const Trajectory& first, const Trajectory& second, double sign) {
  const auto by_name = [](const std::vector<FiredEvent>& events) {
    std::map<std::string_view, std::vector<const FiredEvent*>> result;
    for (const FiredEvent& e : events) {
      std::vector<const FiredEvent*>& same = result[e.name];
      if (same.empty() || same.back()->t != e.t)
        same.push_back(&e);  // one entry for all its actions
    }
    return result;
  };
  auto of_first = by_name(first.events), of_second = by_name(second.events);
  for (const auto& [name, events] : of_second) of_first[name];  // names of either run
  EventPairs pairs;
  const auto earlier = [&](double a, double b) { return sign * (b - a) > 0 ? a : b; };
  const auto later = [&](double a, double b) { return sign * (b - a) > 0 ? b : a; };
  const auto note_alone = [&](const FiredEvent* e) {
    if (pairs.alone == nullptr || sign * (pairs.alone->t - e->t) > 0) pairs.alone = e;
  };
  for (const auto& [name, a] : of_first) {
    const auto& b = of_second[name];
    const std::size_t both = std::min(a.size(), b.size());
    std::size_t k = 0;
    for (; k < both; ++k) {
      const Window window{earlier(a[k]->t, b[k]->t), later(a[k]->t, b[k]->t)};
      const bool parted =
          k + 1 < both && sign * (earlier(a[k + 1]->t, b[k + 1]->t) - window.end) < 0;
      if (parted) break;
      pairs.windows.push_back(window);
    }
    if (k < a.size()) note_alone(a[k]);
    if (k < b.size()) note_alone(b[k]);
  }
  std::sort(pairs.windows.begin(), pairs.windows.end(),
            [&](const Window& x, const Window& y) { return sign * (y.begin - x.begin) > 0; });
  return pairs;
}

/// Visits the rows of equal times outside the windows.
template <class Visit>
void visit_common_rows(const Table& a, const Table& b, const std::vector<Window>& windows,
                       double sign, Visit visit) {
  std::size_t next = 0;
  double end = -sign * std::numeric_limits<double>::infinity();  // of the windows that have begun
  for (std::size_t i = 0, j = 0; i < a.rows() && j < b.rows();) {
    const double t = a.at(i, 0), other = b.at(j, 0);
    for (; next < windows.size() && sign * (t - windows[next].begin) >= 0; ++next)
      if (sign * (windows[next].end - end) > 0) end = windows[next].end;
    if (t == other && sign * (t - end) > 0) visit(a.row(i), b.row(j));
    i += sign * (t - other) <= 0;
    j += sign * (other - t) <= 0;
  }
}

/// Rows that were not requested are used for the verdict only.
void compare_rows(std::span<const double> a, std::span<const double> b, bool asked_for,
                  GlobalError& error) {
  bool close = error.close_until == error.until;
  for (std::size_t c = 1; c < a.size(); ++c) {
    GlobalError::Column& column = error.columns[c - 1];
    const double difference = std::abs(a[c] - b[c]);
    if (asked_for && !(difference <= column.compared)) {
      column.compared = difference;
      column.at = a[0];
    }
    if (column.motion == 0) continue;
    const double share = difference / column.motion;
    close = close && share <= notable_share;
    if (!(share <= error.share)) {
      error.share = share;
      error.worst = column.name;
    }
  }
  error.until = a[0];
  if (close) error.close_until = a[0];
}

/// Half the steps, or twice their length or tolerance.
Method with_steps(const Method& method, std::uint64_t most_steps, bool shorter) {
  const bool given = fixed_step(method) > 0;
  return std::visit(
      [&](const auto& options) -> Method {
        auto result = refined(options, given, shorter);
        result.max_steps = most_steps;
        return result;
      },
      method);
}

/// Where the step of either run is that of the other, so is its error.
bool same_steps(const Trajectory& first, const Trajectory& second) {
  const StepStatistics &a = first.statistics, &b = second.statistics;
  return a.accepted == b.accepted && a.largest_step == b.largest_step &&
         a.smallest_step == b.smallest_step &&
         std::ranges::equal(first.table.data(), second.table.data());
}

}  // namespace

Method finer(const Method& method, std::uint64_t most_steps) {
  const Method tighter = with_steps(method, most_steps, true);
  const bool controlled = fixed_step(method) == 0;
  return controlled && tolerance(tighter) < finest_tolerance(method) ? coarser(method, most_steps)
                                                                     : tighter;
}

Method coarser(const Method& method, std::uint64_t most_steps) {
  return with_steps(method, most_steps, false);
}

GlobalError difference(const Trajectory& first, const Trajectory& second, const MotionSize& motion,
                       bool integrated, std::span<const double> between) {
  const Table& table = first.table;
  GlobalError error;
  error.statistics = second.statistics;
  error.wall_time = second.wall_time;
  error.energy_error = second.energy.largest_error;
  error.until = error.close_until = table.at(0, 0);
  if (integrated && motion.moves && same_steps(first, second)) {
    error.remark = "the second run took the same steps, so it gives no estimate of the error";
    return error;
  }
  for (std::size_t c = 1; c < table.width(); ++c) {
    error.columns.push_back({table.columns()[c].name, table.columns()[c].kind});
    error.columns.back().motion = motion.columns[c - 1];
  }
  const double end = table.at(table.rows() - 1, 0), sign = end < error.until ? -1 : 1;
  const EventPairs events = pair_events(first, second, sign);
  for (const Window& w : events.windows)
    error.event_time = std::max(error.event_time, std::abs(w.end - w.begin));
  visit_common_rows(table, second.table, events.windows, sign, [&](auto a, auto b) {
    while (!between.empty() && sign * (a[0] - between[0]) > 0) between = between.subspan(1);
    compare_rows(a, b, between.empty() || between[0] != a[0], error);
  });
  error.whole = second.status == Status::completed;
  if (!error.whole)
    error.remark = "the second run " + second.reason.substr(0, second.reason.find('\n'));
  else if (events.alone != nullptr)
    error.remark = fmt::format("event '{}' at t = {:.6g} s happens in one run only",
                               events.alone->name, events.alone->t);
  for (GlobalError::Column& column : error.columns)
    column.largest = error.whole ? column.compared : std::numeric_limits<double>::infinity();
  return error;
}

GlobalError estimate_global_error(const Trajectory& first, std::span<const double> between,
                                  const formulate::Problem& problem, const ConsistentPoint& start,
                                  const SimulateOptions& options) {
  const Table& table = first.table;
  if (first.status == Status::interrupted || table.rows() < 2) return {};
  SimulateOptions again = options;
  again.history = false;
  again.global_error = false;
  again.halved = true;
  again.until = table.at(table.rows() - 1, 0);
  if (again.until == start.t) return {};
  const std::uint64_t most_steps =
      100 + most_work * (first.statistics.accepted + first.statistics.rejected);
  const MotionSize motion = motion_size(*problem.dae->model, first, tolerance(options.method));
  const auto estimate = [&](const Method& method) {
    again.method = method;
    GlobalError error = difference(first, simulate(problem, start, again), motion,
                                   problem.structure.degrees_of_freedom > 0, between);
    if (!error.columns.empty()) error.method = described(method);
    error.shorter_steps = fixed_step(method) > 0 ? fixed_step(method) < fixed_step(options.method)
                                                 : tolerance(method) < tolerance(options.method);
    return error;
  };
  const GlobalError error = estimate(finer(options.method, most_steps));
  if (error.whole || !error.shorter_steps || first.status != Status::completed ||
      StopScope::stopped())
    return error;
  const GlobalError other = estimate(coarser(options.method, most_steps));
  return other.whole ? other : error;
}

}  // namespace daedal::solve
