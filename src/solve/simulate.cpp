// From a consistent start to a trajectory, see daedal/solve/simulate.hpp.

#include "daedal/solve/simulate.hpp"

#include "daedal/solve/combination.hpp"
#include "daedal/solve/integrate.hpp"
#include "daedal/solve/problem_system.hpp"
#include "mode_change.hpp"
#include "recorder.hpp"
#include "stop_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double most_rows = 1e8;
constexpr double rows_by_default = 1000;

double output_interval(const SimulateOptions& options, double start) {
  return options.every > 0 ? options.every : std::abs(options.until - start) / rows_by_default;
}

/// start, start + every, ..., until: multiples, not sums, and a last interval that is not a sliver.
std::vector<double> row_times(const SimulateOptions& options, double start) {
  const double every = std::copysign(output_interval(options, start), options.until - start);
  const auto whole = static_cast<std::size_t>(std::ceil((options.until - start) / every - 1e-9));
  std::vector<double> times;
  times.reserve(whole + 1);
  for (std::size_t k = 0; k < whole; ++k) times.push_back(start + static_cast<double>(k) * every);
  times.push_back(options.until);
  return times;
}

void warn_when_stiff(const Integrator& integrator, const formulate::Problem& problem,
                     Trajectory& trajectory) {
  if (!integrator.seems_stiff()) return;
  trajectory.warnings.push_back(
      {Severity::warning,
       problem.dae->model->place,
       fmt::format(
           "model '{}' seems stiff: many steps of {} were limited by stability, not by accuracy",
           problem.dae->model->name, trajectory.method),
       {},
       "method = radau5 takes far fewer steps on such problems"});
}

}  // namespace

std::vector<Diagnostic> check(const SimulateOptions& options, double start) {
  std::vector<Diagnostic> faults = check(options.method);
  const auto fault = [&](std::string message, std::string help) {
    faults.push_back({Severity::error, {}, std::move(message), {}, std::move(help)});
  };
  const bool backwards = std::holds_alternative<TaylorOptions>(options.method);
  if (!std::isfinite(options.until) || options.until == start ||
      (options.until < start && !backwards))
    fault(
        fmt::format("until = {} s does not lie after the start at t = {} s", options.until, start),
        options.until < start ? "give a later time; method taylor runs backwards too"
                              : "give a later time");
  else if (!std::isfinite(options.every) || options.every < 0)
    fault(fmt::format("every = {} s is no output interval", options.every),
          "give a number of seconds above 0");
  else if (std::abs(options.until - start) / output_interval(options, start) > most_rows)
    fault(fmt::format("every = {} s asks for {:.3g} rows, more than {:.0e}", options.every,
                      (options.until - start) / options.every, most_rows),
          "give a longer interval, or run in parts");
  return faults;
}

namespace {

/// Counts over several segments.
void add(StepStatistics& total, const StepStatistics& s) {
  total.accepted += s.accepted;
  total.rejected += s.rejected;
  total.evaluations += s.evaluations;
  total.jacobians += s.jacobians;
  total.factorisations += s.factorisations;
  total.newton_iterations += s.newton_iterations;
  total.projections += s.projections;
  total.largest_step = std::max(total.largest_step, s.largest_step);
  if (s.smallest_step > 0)
    total.smallest_step =
        total.smallest_step == 0 ? s.smallest_step : std::min(total.smallest_step, s.smallest_step);
}

/// One run: a segment from each event to the next, in the mode that is then active.
class Run {
 public:
  Run(const formulate::Problem& problem, const SimulateOptions& options, double start_time)
      : model_(*problem.dae->model),
        options_(options),
        modes_(problem),
        watch_(model_, output_interval(options, start_time)),
        released_(problem.dae->released),
        start_time_(start_time) {
    trajectory_.method = name(options.method);
  }

  Trajectory run(const ConsistentPoint& start) {
    const auto begin = std::chrono::steady_clock::now();
    start_ = start;
    times_ = row_times(options_, start.t);
    while (segment()) {
    }
    trajectory_.wall_time =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(trajectory_);
  }

 private:
  /// From start_ to the next event or the end; true when the run goes on.
  bool segment() {
    const formulate::Problem& problem = modes_.of(released_);
    if (auto refused = refusal(problem, options_.method)) throw ModelError(*std::move(refused));
    ProblemSystem system(problem, start_.t, start_.states, start_.tops,
                         {is_implicit(options_.method), options_.compile});
    const std::unique_ptr<Integrator> integrator = make_integrator(options_.method, system);
    const double* const point = system.point_at(start_.t, start_.states.data(), start_.tops.data());
    const bool watching = !model_.events.empty();
    Recorder recorder(problem, system, point, options_,
                      integrator->projects_steps() || !system.projects(),
                      watching ? &watch_ : nullptr);
    if (trajectory_.table.width() == 0) trajectory_.table = recorder.table_for(times_.size());
    recorder.write_to(trajectory_.table);
    if (watching) watch_.begin(problem, system, point, options_.compile);
    const bool behind_event = !trajectory_.events.empty();
    if (behind_event) recorder.row(start_.t, start_.states.data(), start_.tops.data());
    if (const std::vector<std::size_t> at_once = true_at_start(system); !at_once.empty()) {
      if (!behind_event) {
        recorder.row(start_.t, start_.states.data(), start_.tops.data());
        note_events_at_start(at_once);
      }
      const std::vector<double> here =
          point_of(problem, system, start_.t, start_.states, start_.tops);
      const bool go_on = change_mode(problem, at_once, here);
      recorder.hand_over(trajectory_);
      return go_on;
    }

    const std::vector<double> times = remaining_times(behind_event);
    if (times.empty()) return false;
    const StepOutcome outcome = integrate(system, *integrator, start_.t, start_.states.data(),
                                          start_.tops.data(), times, recorder);
    add(trajectory_.statistics, integrator->statistics());
    warn_when_stiff(*integrator, problem, trajectory_);
    bool go_on = false;
    if (outcome.ok && outcome.stopped) {
      const double* const found = watch_.point_at(*integrator, *outcome.stopped);
      const std::vector<double> here(found, found + problem.layout.size());
      recorder.row(here[0], here.data() + 1, here.data() + 1 + problem.states);
      go_on = change_mode(problem, watch_.turned_true(here.data()), here);
    }
    recorder.hand_over(trajectory_);
    if (recorder.violation()) {
      const Table& table = trajectory_.table;
      stop(violated_constraint(problem, table.at(table.rows() - 1, 0),
                               recorder.violation()->constraint, recorder.violation()->residual));
    } else if (!outcome.ok) {
      const double* const last = system.point_at(integrator->time(), integrator->state().data(),
                                                 integrator->tops().data());
      stop(stop_reason(problem, {last, problem.layout.size()}, outcome, trajectory_.method));
    }
    return go_on;
  }

  std::vector<std::size_t> true_at_start(ProblemSystem& system) {
    if (model_.events.empty()) return {};
    return watch_.turned_true(system.point_at(start_.t, start_.states.data(), start_.tops.data()));
  }

  void note_events_at_start(const std::vector<std::size_t>& events) {
    for (const std::size_t e : events)
      trajectory_.warnings.push_back(
          {Severity::warning,
           model_.events[e].place,
           fmt::format("the condition of event '{}' is true at the start, so it happens there",
                       model_.events[e].name),
           {},
           ""});
  }

  static std::vector<double> point_of(const formulate::Problem& problem, ProblemSystem& system,
                                      double t, const std::vector<double>& states,
                                      const std::vector<double>& tops) {
    const double* const point = system.point_at(t, states.data(), tops.data());
    return {point, point + problem.layout.size()};
  }

  std::vector<double> remaining_times(bool behind_event) const {
    if (!behind_event) return times_;
    const double sign = options_.until < start_time_ ? -1 : 1;
    std::vector<double> times;
    for (const double time : times_)
      if (sign * (time - start_.t) > 0) times.push_back(time);
    return times;
  }

  /// From the point of an event into the mode behind it; false when the run ends there.
  bool change_mode(const formulate::Problem& problem, const std::vector<std::size_t>& events,
                   const std::vector<double>& here) {
    const std::string& first = model_.events[events.front()].name;
    try {
      ModeChange change =
          apply_events(modes_, problem, released_, events, watch_.set_values(here.data()),
                       here.data(), trajectory_.events, 0.1 * chatter_time());
      released_ = std::move(change.released);
      start_ = std::move(change.start);
      trajectory_.events.insert(trajectory_.events.end(), change.fired.begin(), change.fired.end());
    } catch (const ModelError& error) {
      stop(fmt::format("stopped at t = {:.6g} s: after event '{}' the motion cannot go on\n{}",
                       here[0], first, error.what()));
      return false;
    }
    if (chatters()) {
      stop(fmt::format(
          "stopped at t = {:.6g} s: event '{}' chatters, {} events within {:.1e} s\n  help: "
          "give what it sets a margin, or attach a constraint there",
          here[0], first, chatter_count, chatter_time()));
      return false;
    }
    return true;
  }

  /// So many events in so short a time that the run would not end.
  static constexpr std::size_t chatter_count = 200;
  double chatter_time() const { return 1e-6 * std::abs(options_.until - start_time_); }
  bool chatters() const {
    const std::vector<FiredEvent>& events = trajectory_.events;
    return events.size() >= chatter_count &&
           std::abs(events.back().t - events[events.size() - chatter_count].t) < chatter_time();
  }

  void stop(std::string reason) {
    trajectory_.status = Status::stopped;
    trajectory_.reason = std::move(reason);
  }

  const model::Model& model_;
  const SimulateOptions& options_;
  Modes modes_;
  EventWatch watch_;
  Released released_;
  ConsistentPoint start_;  // of the segment
  double start_time_ = 0;
  std::vector<double> times_;
  Trajectory trajectory_;
};

}  // namespace

Trajectory simulate(const formulate::Problem& problem, const ConsistentPoint& start,
                    const SimulateOptions& options) {
  if (const std::vector<Diagnostic> faults = check(options, start.t); !faults.empty())
    throw std::invalid_argument(render(faults));
  if (start.states.size() != problem.states || start.tops.size() != problem.algebraic())
    throw std::invalid_argument("the start does not belong to the problem");
  return Run(problem, options, start.t).run(start);
}

}  // namespace daedal::solve
