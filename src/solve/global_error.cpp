#include "global_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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

/// Half the steps: given ones, or those that follow from the tolerance.
template <class Options>
Options refined(Options o, bool given, bool tighter) {
  if constexpr (requires { o.tolerance; })
    if (!given) o.tolerance *= tighter ? std::ldexp(1.0, -exponent(o)) : 2;
  o.step *= tighter ? 0.5 : 1;
  return o;
}

std::string described(const Method& method) {
  const double step = fixed_step(method);
  return step > 0 ? fmt::format("{} with step {:.3g} s", name(method), step)
                  : fmt::format("{} with tolerance {:.2g}", name(method), tolerance(method));
}

/// Visits the rows of equal times up to `end` at which nothing happens in either run. Events with the same number are the
/// same one, `common` of them; times between that of the first and that of the second run are passed over.
template <class Visit>
void visit_common_rows(const Trajectory& first, const Trajectory& second, std::size_t common,
                       double sign, double end, Visit visit) {
  const Table &a = first.table, &b = second.table;
  std::size_t event = 0;
  for (std::size_t i = 0, j = 0; i < a.rows() && j < b.rows();) {
    const double t = a.at(i, 0), other = b.at(j, 0);
    if (sign * (t - end) >= 0) return;
    const auto is_behind = [&](const FiredEvent& e) { return sign * (t - e.t) > 0; };
    while (event < common && is_behind(first.events[event]) && is_behind(second.events[event]))
      ++event;
    const bool at_event = event < common && (sign * (t - first.events[event].t) >= 0 ||
                                             sign * (t - second.events[event].t) >= 0);
    if (t == other && !at_event) visit(a.row(i), b.row(j));
    i += sign * (t - other) <= 0;
    j += sign * (other - t) <= 0;
  }
}

/// How many events at the begin of both runs are the same ones.
std::size_t common_events(const std::vector<FiredEvent>& a, const std::vector<FiredEvent>& b) {
  const auto same = [](const FiredEvent& x, const FiredEvent& y) { return x.name == y.name; };
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end(), same).first - a.begin());
}

void compare_rows(std::span<const double> a, std::span<const double> b, GlobalError& error) {
  for (std::size_t c = 1; c < a.size(); ++c) {
    GlobalError::Column& column = error.columns[c - 1];
    const double difference = std::abs(a[c] - b[c]);
    if (difference > column.largest || std::isnan(difference)) {
      column.largest = difference;
      column.at = a[0];
    }
  }
  error.until = a[0];
}

}  // namespace

Method finer(const Method& method, std::uint64_t most_steps) {
  const bool given = fixed_step(method) > 0;
  const auto refine = [&](bool tighter) {
    return std::visit(
        [&](const auto& options) -> Method {
          auto result = refined(options, given, tighter);
          result.max_steps = most_steps;
          return result;
        },
        method);
  };
  const Method tighter = refine(true);
  return !given && tolerance(tighter) < finest_tolerance(method) ? refine(false) : tighter;
}

GlobalError estimate_global_error(const Trajectory& first, const formulate::Problem& problem,
                                  const ConsistentPoint& start, const SimulateOptions& options) {
  const Table& table = first.table;
  if (first.status == Status::interrupted || table.rows() < 2) return {};
  SimulateOptions again = options;
  again.history = false;
  again.global_error = false;
  again.until = table.at(table.rows() - 1, 0);
  if (again.until == start.t) return {};
  const std::uint64_t steps = first.statistics.accepted + first.statistics.rejected;
  again.method = finer(options.method, 100 + most_work * steps);
  const Trajectory second = simulate(problem, start, again);

  GlobalError error;
  error.method = described(again.method);
  error.statistics = second.statistics;
  error.wall_time = second.wall_time;
  error.until = start.t;
  for (std::size_t c = 1; c < table.width(); ++c)
    error.columns.push_back({table.columns()[c].name});
  const double sign = again.until < start.t ? -1 : 1;
  const std::size_t common = common_events(first.events, second.events);
  for (std::size_t k = 0; k < common; ++k)
    error.event_time = std::max(error.event_time, std::abs(first.events[k].t - second.events[k].t));
  double end = std::numeric_limits<double>::infinity() * sign;
  if (second.status != Status::completed)
    error.remark = "the second run " + second.reason.substr(0, second.reason.find('\n'));
  for (const Trajectory* run : {&first, &second})
    if (run->events.size() > common && sign * (end - run->events[common].t) > 0) {
      end = run->events[common].t;
      error.remark = fmt::format("event '{}' at t = {:.6g} s happens in one run only",
                                 run->events[common].name, end);
    }
  visit_common_rows(first, second, common, sign, end,
                    [&](auto a, auto b) { compare_rows(a, b, error); });
  return error;
}

}  // namespace daedal::solve
