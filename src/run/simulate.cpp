// From a consistent start to a trajectory, see daedal/run/simulate.hpp.

#include "daedal/run/simulate.hpp"

#include "daedal/integrate/combination.hpp"
#include "daedal/integrate/explicit_form.hpp"
#include "daedal/integrate/integrate.hpp"
#include "daedal/integrate/nonlinear_stabiliser.hpp"
#include "daedal/integrate/pose_crossing.hpp"
#include "daedal/integrate/stabilisation.hpp"
#include "daedal/run/sampled_control.hpp"
#include "daedal/system/local_coordinates.hpp"
#include "daedal/system/point.hpp"
#include "daedal/system/problem_system.hpp"
#include "daedal/system/pulses.hpp"
#include "global_error.hpp"
#include "held_branches.hpp"
#include "mode_change.hpp"
#include "prescribed_jumps.hpp"
#include "recorder.hpp"
#include "stop_reason.hpp"
#include "trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
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

/// Rows that are compared with a second run, where the requested ones are sparser: an error shows between them too.
constexpr std::size_t least_rows = 200;

/// As many times between each two as it takes.
std::vector<double> times_between(const std::vector<double>& times) {
  std::vector<double> between;
  if (times.size() < 2 || times.size() > least_rows) return between;
  const std::size_t parts = (least_rows + times.size() - 2) / (times.size() - 1);
  for (std::size_t r = 0; r + 1 < times.size(); ++r)
    for (std::size_t k = 1; k < parts; ++k)
      between.push_back(
          std::lerp(times[r], times[r + 1], static_cast<double>(k) / static_cast<double>(parts)));
  return between;
}

/// The table without the rows at these times, which are in its order.
Table without_rows_at(const Table& table, const std::vector<double>& times, const Table& rows_of) {
  Table kept(table.columns());
  std::size_t next = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    if (next < times.size() && rows_of.at(r, 0) == times[next])
      ++next;
    else
      std::ranges::copy(table.row(r), kept.append().begin());
  }
  return kept;
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
  if (const auto* radau = std::get_if<Radau5Options>(&options.method);
      radau != nullptr && radau->jacobian != JacobianKind::exact)
    fault("radau5 in simulations has exact Jacobians",
          "leave the option jacobian out; the steppers of `invert()` have the others");
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
    fault(fmt::format("every = {} s requires {:.3g} rows, more than {:.0e}", options.every,
                      (options.until - start) / options.every, most_rows),
          "give a longer interval, or run in parts");
  return faults;
}

namespace {

/// Totals over several segments.
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

/// The clocks of controllers, acting on a system.
class Samples final : public Clock {
 public:
  Samples(SampledRun& run, const formulate::Problem& problem, ProblemSystem& system,
          std::vector<double>& held, std::string& objection)
      : run_(run), problem_(problem), system_(system), held_(held), objection_(objection) {}

  double next() const override { return run_.next(); }
  bool act(double t, const double* s, const double* z) override {
    objection_ = run_.act(problem_, system_.point_at(t, s, z), held_);
    system_.hold(held_);
    return objection_.empty();
  }

 private:
  SampledRun& run_;
  const formulate::Problem& problem_;
  ProblemSystem& system_;
  std::vector<double>& held_;
  std::string& objection_;
};

/// One run: a segment from each event or change of a branch to the next, in the mode that is then active.
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
    trajectory_.warnings = unstable_decay(problem, options.method);
  }

  Trajectory run(const ConsistentPoint& start) {
    const auto begin = std::chrono::steady_clock::now();
    start_ = start;
    if (SampledRun::needed(model_)) {
      samples_.emplace(model_, start.t, options_.until, options_.seed, options_.compile);
      held_ = modes_.of(released_).held_values;
    }
    for (Diagnostic& jump : prescribed_jumps(modes_.of(released_), start, options_.until))
      trajectory_.warnings.push_back(std::move(jump));
    times_ = row_times(options_, start.t);
    if (options_.global_error || options_.halved) between_ = times_between(times_);
    std::vector<double> all(times_.size() + between_.size());
    const double sign = options_.until < start.t ? -1 : 1;
    std::ranges::merge(times_, between_, all.begin(),
                       [&](double a, double b) { return sign * (b - a) > 0; });
    times_ = std::move(all);
    try {
      while (segment()) {
      }
    } catch (const Interrupted&) {  // while the next segment was made ready
      note_interruption(start_.t);
    }
    if (trajectory_.status == Status::interrupted && trajectory_.table.rows() == 0)
      throw Interrupted();
    if (samples_ && trajectory_.table.rows() > 0)
      trajectory_.controls =
          samples_->records(trajectory_.table.at(trajectory_.table.rows() - 1, 0));
    trajectory_.wall_time =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(trajectory_);
  }

  /// Times of rows that were not requested.
  const std::vector<double>& between() const { return between_; }

 private:
  /// Where a segment begins.
  enum class Entry : std::uint8_t { start, behind_event, behind_change, step_end };

  /// From start_ to the next event, change of a branch or the end; true when the run continues.
  bool segment() {
    HeldBranches* const held = stepping_across_ ? nullptr : branches_of(modes_.of(released_));
    const formulate::Problem& problem = held != nullptr ? held->at(start_) : modes_.of(released_);
    if (auto refused = refusal(problem, options_.method)) throw ModelError(*std::move(refused));
    ProblemSystem system(
        problem, start_.t, start_.states, start_.tops,
        {.implicit = is_implicit(options_.method) && !steps_rates(problem.formulation.kind),
         .series = std::holds_alternative<TaylorOptions>(options_.method),
         .compile = options_.compile,
         .break_points = &breaks_of(modes_.of(released_), problem)});
    const std::unique_ptr<Integrator> integrator = integrator_for(problem, system);
    std::optional<Samples> clock;
    std::string objection;
    if (samples_) {
      system.hold(held_);
      clock.emplace(*samples_, problem, system, held_, objection);
    }
    const std::vector<double> states = system.integrated(start_.t, start_.states);
    if (entry_ == Entry::behind_change) {  // the other branch has other accelerations
      std::vector<double> rates(problem.states);
      system.derivative(start_.t, states.data(), start_.tops.data(), rates.data());
      at_corner_ = agree(rates, system.nominal());
    }
    const double* const point = system.point_at(start_.t, states.data(), start_.tops.data());
    const bool watching = !model_.events.empty() || held != nullptr;
    Recorder recorder(problem, system, point, options_,
                      integrator->projects_steps() || !system.projects(),
                      watching ? &watch_ : nullptr);
    recorder.keep_apart(between_);
    if (trajectory_.table.width() == 0) {
      trajectory_.table = recorder.table_for(times_.size());
      if (options_.history) trajectory_.history = recorder.history_for(times_.size());
    }
    recorder.write_to(trajectory_.table, trajectory_.history);
    if (watching) watch_.begin(problem, system, point, options_.compile);
    if (entry_ == Entry::behind_change && !opposes(problem, system, states)) returns_.pop_back();
    if (entry_ == Entry::behind_event)
      recorder.row(start_.t, states.data(), start_.tops.data());
    else if (entry_ != Entry::start)
      recorder.pass(start_.t, states.data(), start_.tops.data());
    if (const std::vector<std::size_t> at_once = true_at_start(system, states); !at_once.empty()) {
      if (entry_ == Entry::start) {
        recorder.row(start_.t, states.data(), start_.tops.data());
        note_events_at_start(at_once);
      }
      const std::vector<double> here = point_of(problem, system, start_.t, states, start_.tops);
      const bool go_on = change_mode(problem, at_once, here);
      recorder.hand_over(trajectory_);
      return go_on;
    }

    std::span<const double> times = remaining_times();
    if (times.empty()) {
      recorder.hand_over(trajectory_);
      return false;
    }
    if (stepping_across_) times = times.first(std::min(rows_across_, times.size()));
    const auto whole = [&] {
      return integrate(system, *integrator, start_.t, states.data(), start_.tops.data(), times,
                       recorder, options_.halved, clock ? &*clock : nullptr);
    };
    const StepOutcome outcome = unless_interrupted(whole);
    add(trajectory_.statistics, integrator->statistics());
    note_switches(problem, system);
    warn_when_stiff(*integrator, problem, trajectory_);
    bool go_on = false;
    if (!objection.empty()) {
      recorder.hand_over(trajectory_);
      stop(fmt::format("stopped at t = {:.6g} s: {}", *outcome.stopped, objection));
      return false;
    }
    if (outcome.ok && outcome.stopped) {
      const double* const found = watch_.point_at(*integrator, *outcome.stopped);
      const std::vector<double> here(found, found + problem.layout.size());
      const std::vector<std::size_t> events = watch_.turned_true(here.data());
      const std::vector<double> end = system.integrated(here[0], {here.data() + 1, problem.states});
      if (!events.empty() || held->in_constraints())
        recorder.row(here[0], end.data(), here.data() + 1 + problem.states);
      else
        recorder.pass(here[0], end.data(), here.data() + 1 + problem.states);
      if (events.empty()) {
        rates_before_.resize(problem.states);
        std::vector<double> tops(here.begin() + 1 + problem.states,
                                 here.begin() + 1 + problem.states + problem.algebraic());
        system.derivative(here[0], end.data(), tops.data(), rates_before_.data());
      }
      go_on =
          events.empty() ? change_branch(*held, problem, here) : change_mode(problem, events, here);
    } else if (outcome.ok && stepping_across_ && times.back() != times_.back()) {
      begin_at_step(*integrator, problem, system, false);
      go_on = true;
    } else if (!outcome.ok && held != nullptr && !recorder.objects()) {
      // Held beyond its change a branch may have no value, as x^1.5 below x = 0: the live one is stepped across.
      begin_at_step(*integrator, problem, system, true);
      recorder.pass(integrator->time(), integrator->state().data(), integrator->tops().data());
      go_on = true;
    }
    recorder.hand_over(trajectory_);
    if (go_on) return true;
    if (recorder.violation()) {
      const Table& table = trajectory_.table;
      stop(violated_constraint(problem, table.at(table.rows() - 1, 0),
                               recorder.violation()->constraint, recorder.violation()->residual));
    } else if (outcome.cause == Failure::interrupted) {
      note_interruption(integrator->time());
    } else if (!outcome.ok) {
      const double at = outcome.stopped.value_or(integrator->time());
      std::vector<double> there(problem.states);
      integrator->interpolate(at, there.data());
      const double* const last = system.point_at(at, there.data(), integrator->tops().data());
      stop(stop_reason(problem, {last, problem.layout.size()}, outcome, options_.method));
    }
    return false;
  }

  /// A step that was stopped in its middle is one that was not made.
  template <class Integration>
  static StepOutcome unless_interrupted(const Integration& integration) {
    try {
      return integration();
    } catch (const Interrupted&) {
      return {false, describe(Failure::interrupted), Failure::interrupted, 0};
    }
  }

  void note_interruption(double t) {
    trajectory_.status = Status::interrupted;
    trajectory_.reason = fmt::format("interrupted at t = {:.6g} s", t);
  }

  HeldBranches* branches_of(const formulate::Problem& live) {
    const auto [it, is_new] = branches_.emplace(&live, nullptr);
    if (is_new) it->second = HeldBranches::of(live);
    return it->second.get();
  }

  /// Break points of the run in a mode, and ends of pulses. Held values occur in conditions that contain time as well, and decide on these.
  const std::vector<double>& breaks_of(const formulate::Problem& mode,
                                       const formulate::Problem& problem) {
    constexpr std::size_t most_kept = 64;
    if (breaks_.size() > most_kept) breaks_.clear();
    const auto [it, is_new] = breaks_.try_emplace({&mode, problem.parameters});
    if (is_new)
      it->second = stops_of_a_run(problem, std::min(start_time_, options_.until),
                                  std::max(start_time_, options_.until), trajectory_.warnings);
    return it->second;
  }

  /// The next segment begins where the integrator is, with held or with live branches.
  void begin_at_step(const Integrator& integrator, const formulate::Problem& problem,
                     ProblemSystem& system, bool stepping_across) {
    const double* const point =
        system.point_at(integrator.time(), integrator.state().data(), integrator.tops().data());
    start_.t = integrator.time();
    start_.held = held_;
    start_.states.assign(point + 1, point + 1 + problem.states);
    start_.tops.assign(integrator.tops().begin(), integrator.tops().end());
    entry_ = Entry::step_end;
    stepping_across_ = stepping_across;
  }

  /// From the point at which a branch changes into the one after it; false when the run ends there.
  bool change_branch(HeldBranches& held, const formulate::Problem& problem,
                     const std::vector<double>& here) {
    const std::string name = held.name(watch_.changed_branch(here.data()).value_or(0));
    start_.t = here[0];
    start_.held = held_;
    start_.states.assign(here.begin() + 1, here.begin() + 1 + problem.states);
    start_.tops.assign(here.begin() + 1 + problem.states,
                       here.begin() + 1 + problem.states + problem.algebraic());
    entry_ = Entry::behind_change;
    if (held.in_constraints()) {
      try {
        start_ = consistent_point(
            held.at(start_),
            {.t = start_.t, .attempts = 1, .states = start_.states, .kept = {}, .held = held_});
        entry_ = Entry::behind_event;
      } catch (const ModelError& error) {
        stop(fmt::format(
            "stopped at t = {:.6g} s: where '{}' changes the motion cannot continue\n{}", here[0],
            name, error.what()));
        return false;
      }
    }
    ++trajectory_.branch_changes;
    note_change(here[0], held.at(start_).parameters);
    const auto time_of = [&](std::size_t k) { return returns_[k]; };
    if (at_corner_ && entry_ == Entry::behind_change &&
        chatters(returns_.size(), time_of, corner_count)) {
      // the same rates on both sides: rounding turns it back and forth, and step control passes it
      stepping_across_ = true;
      rows_across_ = std::min(2 * rows_across_, most_rows_across);
      returns_.clear();
      may_pass_ = false;
      return true;
    }
    if (!chatters(returns_.size(), time_of)) return true;
    stop(fmt::format(
        "stopped at t = {:.14g} s: '{}' chatters, {} changes within {:.1e} s: the motion stays "
        "where "
        "it changes\n  help: attach a constraint there by an event, or make the change smooth, as "
        "tanh(x'/1e-3) for sign(x')",
        returns_[returns_.size() - chatter_count], name, chatter_count, chatter_time()));
    return false;
  }

  /// Fields that oppose each other lead from one branch to another and straight back. Changes that lead elsewhere, as those of a
  /// staircase or of many corners passed one after the other, do not chatter however closely they follow each other.
  void note_change(double t, const std::vector<double>& values) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    if (held_values_.size() != values.size()) {
      held_values_ = earlier_values_ = values;
      changed_at_.assign(values.size(), never);
    }
    bool goes_back = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == held_values_[i]) continue;
      if (values[i] == earlier_values_[i] && std::abs(t - changed_at_[i]) < chatter_time()) {
        goes_back = true;
        changed_before_ = changed_at_[i];
      }
      earlier_values_[i] = std::exchange(held_values_[i], values[i]);
      changed_at_[i] = t;
    }
    if (goes_back) returns_.push_back(t);
    may_pass_ = goes_back;
  }

  /// Whether the fields on both sides of a change that undoes the one before lead towards it: the rates after it lead straight
  /// back. Where they lead away, as those of x'' = -sign x do at x = 0, the motion passes however soon it comes again. True too
  /// where nothing has changed back, at corners, and for changes so close that their times are rounding: those of an infinite
  /// number of swings in a finite time have to end somewhere.
  bool opposes(const formulate::Problem& problem, ProblemSystem& system,
               const std::vector<double>& states) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon(), share = 0.01;
    if (!std::exchange(may_pass_, false) || at_corner_) return true;
    const double since = std::abs(returns_.back() - changed_before_);
    if (since <= 1e4 * epsilon * std::max(std::abs(start_.t), chatter_time())) return true;
    std::vector<double> rates(problem.states), tops = start_.tops, moved = states;
    system.derivative(start_.t, states.data(), tops.data(), rates.data());
    const double h = std::copysign(share * since, options_.until - start_time_);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += h * rates[i];
    const bool leads_back =
        watch_.changed_branch(system.point_at(start_.t + h, moved.data(), tops.data())).has_value();
    system.point_at(start_.t, states.data(), start_.tops.data());
    return leads_back;
  }

  /// Whether the rates before a change are those after it: a corner, not a jump.
  bool agree(const std::vector<double>& rates, std::span<const double> nominal) const {
    constexpr double alike = 1e-6;
    if (rates.size() != rates_before_.size()) return false;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double size =
          std::abs(rates[i]) + std::abs(rates_before_[i]) + (i < nominal.size() ? nominal[i] : 1.0);
      if (!(std::abs(rates[i] - rates_before_[i]) <= alike * size)) return false;
    }
    return true;
  }

  std::unique_ptr<Integrator> integrator_for(const formulate::Problem& problem,
                                             ProblemSystem& system) const {
    if (problem.formulation.kind == formulate::Kind::nonlinear_stabiliser)
      return std::make_unique<NonlinearStabiliser>(problem, system, options_.method,
                                                   options_.compile);
    std::unique_ptr<Integrator> method =
        steps_rates(problem.formulation.kind)
            ? make_integrator_on_rates(options_.method, system, system.local_coordinates())
            : make_integrator(options_.method, system);
    const bool forwards = options_.until > start_time_;
    if (!forwards || !crosses_poses(problem, options_.method)) return method;
    return std::make_unique<PoseCrossing>(problem, system, std::move(method),
                                          tolerance(options_.method));
  }

  std::vector<std::size_t> true_at_start(ProblemSystem& system, const std::vector<double>& states) {
    if (model_.events.empty()) return {};
    return watch_.turned_true(system.point_at(start_.t, states.data(), start_.tops.data()));
  }

  void note_switches(const formulate::Problem& problem, const ProblemSystem& system) {
    if (system.local_coordinates() == nullptr) return;
    const auto names = [&](const std::vector<std::uint32_t>& positions) {
      std::vector<std::string> result;
      for (const std::uint32_t position : positions) result.push_back(name_at(problem, position));
      return result;
    };
    for (const LocalCoordinates::Switch& made : system.local_coordinates()->switches())
      trajectory_.switches.push_back({made.t, names(made.from), names(made.to)});
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

  /// Of the rows; the one of the begin itself is written where nothing else has been.
  std::span<const double> remaining_times() const {
    const bool here = entry_ == Entry::start || entry_ == Entry::behind_change;
    const double sign = options_.until < start_time_ ? -1 : 1;
    const auto next = std::partition_point(times_.begin(), times_.end(), [&](double time) {
      return sign * (time - start_.t) < 0 || (!here && time == start_.t);
    });
    return {next, times_.end()};
  }

  /// From the point of an event into the mode after it; false when the run ends there.
  bool change_mode(const formulate::Problem& problem, const std::vector<std::size_t>& events,
                   const std::vector<double>& here) {
    const std::string& first = model_.events[events.front()].name;
    if (problem.dae->inverse) {
      stop(fmt::format(
          "stopped at t = {:.6g} s: event '{}' happens there, and an inversion does not continue "
          "after an event\n  help: end before it, `until = {:.6g}`, or ask for a motion on which "
          "its condition does not become true",
          here[0], first, here[0]));
      return false;
    }
    try {
      ModeChange change =
          apply_events(modes_, problem, released_, events, watch_.set_values(here.data()),
                       here.data(), trajectory_.events, settling_time());
      released_ = std::move(change.released);
      start_ = std::move(change.start);
      entry_ = Entry::behind_event;
      stepping_across_ = false;
      trajectory_.events.insert(trajectory_.events.end(), change.fired.begin(), change.fired.end());
    } catch (const ModelError& error) {
      stop(fmt::format("stopped at t = {:.6g} s: after event '{}' the motion cannot continue\n{}",
                       here[0], first, error.what()));
      return false;
    }
    const std::vector<FiredEvent>& fired = trajectory_.events;
    if (chatters(fired.size(), [&](std::size_t k) { return fired[k].t; })) {
      stop(fmt::format(
          "stopped at t = {:.6g} s: event '{}' chatters, {} events within {:.1e} s\n  help: "
          "give what it sets a margin, or attach a constraint there",
          here[0], first, chatter_count, chatter_time()));
      return false;
    }
    if (accumulates(first)) {
      stop(fmt::format(
          "stopped at t = {:.6g} s: event '{}' happens ever faster, {} times within {:.1e} s: the "
          "motion comes to rest there\n  help: attach a constraint there, with  restitution = ...  "
          "for bounces, which end",
          here[0], first, accumulation_count, settling_time()));
      return false;
    }
    return true;
  }

  /// So many events or changes in so short a time that the run would not end.
  static constexpr std::size_t chatter_count = 200;
  static constexpr std::size_t corner_count = 10;  // changes at a corner are rounding
  static constexpr std::size_t most_rows_across = 32;
  /// Bounces that `set` describes: their times converge, and rounding would end them with the body on the wrong side.
  static constexpr std::size_t accumulation_count = 4;
  double settling_time() const { return 0.1 * chatter_time(); }
  bool accumulates(const std::string& name) const {
    double later = 0, interval = 0;
    std::size_t count = 0;
    for (auto fired = trajectory_.events.rbegin(); fired != trajectory_.events.rend(); ++fired) {
      if (fired->name != name || (count > 0 && fired->t == later)) continue;
      const double since = std::abs(later - fired->t);
      if (count > 1 && since <= interval) return false;
      if (count > 0) interval = since;
      later = fired->t;
      if (++count == accumulation_count) break;
    }
    return count == accumulation_count &&
           std::abs(trajectory_.events.back().t - later) < settling_time();
  }
  double chatter_time() const { return 1e-6 * std::abs(options_.until - start_time_); }
  template <class Time>
  bool chatters(std::size_t count, Time time, std::size_t many = chatter_count) const {
    return count >= many && std::abs(time(count - 1) - time(count - many)) < chatter_time();
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
  std::map<const formulate::Problem*, std::unique_ptr<HeldBranches>> branches_;
  std::map<std::pair<const formulate::Problem*, std::vector<double>>, std::vector<double>> breaks_;
  std::vector<double> returns_;  // [s], changes of a branch that undo the one before
  std::vector<double> held_values_, earlier_values_, changed_at_;  // by parameter
  std::vector<double> rates_before_;  // on the branch before the last change
  bool at_corner_ = false;            // the last change left the rates as they were
  bool may_pass_ = false;             // the last change is the last of returns_
  double changed_before_ = 0;         // [s], when what the last of them undoes had changed
  ConsistentPoint start_;             // of the segment
  Entry entry_ = Entry::start;
  bool stepping_across_ = false;  // branches are live for the next rows
  std::size_t rows_across_ = 1;
  double start_time_ = 0;
  std::vector<double> times_, between_;
  std::optional<SampledRun> samples_;  // of controllers with clocks
  std::vector<double> held_;           // by them
  Trajectory trajectory_;
};

/// The rows of the first run are there, whatever becomes of the second.
GlobalError estimated_error(const Trajectory& first, std::span<const double> between,
                            const formulate::Problem& problem, const ConsistentPoint& start,
                            const SimulateOptions& second) {
  try {
    return estimate_global_error(first, between, problem, start, second);
  } catch (const Interrupted&) {
    GlobalError none;
    none.until = none.close_until = start.t;
    none.remark = "the second run was interrupted";
    return none;
  }
}

}  // namespace

Trajectory simulate(const formulate::Problem& problem, const ConsistentPoint& start,
                    const SimulateOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (const std::vector<Diagnostic> faults = check(options, start.t); !faults.empty())
    throw std::invalid_argument(render(faults));
  if (start.states.size() != problem.states || start.tops.size() != problem.algebraic())
    throw std::invalid_argument("the start does not belong to the problem");
  if (SampledRun::needed(*problem.dae->model) &&
      std::holds_alternative<TaylorOptions>(options.method))
    throw ModelError({Severity::error,
                      problem.dae->model->place,
                      "method taylor does not support controllers with a clock",
                      {},
                      "`method = dop853` is as accurate at small tolerances"});
  if (problem.formulation.automatic)
    throw std::invalid_argument("the formulation is not settled: solve::settled chooses its rate");
  SimulateOptions first = options;
  first.every = output_interval(options, start.t);          // the rows of both runs
  first.history = options.history || options.global_error;  // when the energy balance was left
  SimulateOptions second = first;
  constexpr double share = 1.0 / 3;  // of the first run in the work of both
  if (options.global_error) {
    first.watch = options.watch.part(0, share);
    second.watch = options.watch.part(share, 1, "second run for the error, ");
  }
  Run run(problem, first, start.t);
  Trajectory trajectory = run.run(start);
  if (options.global_error)
    trajectory.global_error = estimated_error(trajectory, run.between(), problem, start, second);
  judge(problem, start, options, trajectory);
  if (!options.history) trajectory.history = {};
  if (!options.halved && !run.between().empty()) {
    if (options.history)
      trajectory.history = without_rows_at(trajectory.history, run.between(), trajectory.table);
    trajectory.table = without_rows_at(trajectory.table, run.between(), trajectory.table);
  }
  return trajectory;
}

}  // namespace daedal::solve
