// From a consistent start to a trajectory, see daedal/solve/simulate.hpp.

#include "daedal/solve/simulate.hpp"

#include "daedal/solve/combination.hpp"
#include "daedal/solve/integrate.hpp"
#include "daedal/solve/problem_system.hpp"
#include "monitor.hpp"
#include "row_writer.hpp"
#include "stop_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace daedal::solve {

namespace {

constexpr double most_rows = 1e8;
constexpr double largest_table = 16e9;  // [bytes]
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

/// Writes rows, watches drift, energy and limits, tells the progress.
class Recorder final : public Observer {
 public:
  Recorder(const formulate::Problem& problem, ProblemSystem& system, const double* point,
           const SimulateOptions& options, bool steps_are_results)
      : system_(system),
        options_(options),
        steps_are_results_(steps_are_results),
        rows_(problem, point, options.compile),
        drift_(problem, point, options.compile),
        energy_(problem, point, options.compile),
        regularity_(problem, point, options.compile),
        limits_(problem, point, options.compile) {}

  /// Refuses a table that would not fit into memory.
  void reserve(std::size_t rows) {
    const double bytes = static_cast<double>(rows * rows_.width() * sizeof(double));
    if (bytes > largest_table)
      throw ModelError({Severity::error,
                        {},
                        fmt::format("a table of {} rows and {} columns would need {:.3g} GB", rows,
                                    rows_.width(), bytes / 1e9),
                        {},
                        "give a longer output interval with  every"});
    table_ = rows_.empty_table(rows);
  }

  void row(double t, const double* s, const double* z) override {
    const double* const point = system_.point_at(t, s, z);
    rows_.write(point, table_);
    drift_.look_at_row(point);
    energy_.look_at_row(point);
    regularity_.look_at_row(point);
    limits_.look_at_row(point);
  }

  void step(double t, const double* s, const double* z) override {
    if (steps_are_results_) drift_.look_at_step(system_.point_at(t, s, z));
    if (options_.progress && ++steps_ % 256 == 0) tell(t);
  }

  void hand_over(Trajectory& trajectory) {
    trajectory.table = std::move(table_);
    trajectory.drift = drift_.result();
    trajectory.constraints = drift_.undifferentiated();
    trajectory.energy = energy_.result();
    trajectory.warnings = limits_.warnings();
    trajectory.warnings.insert(trajectory.warnings.end(), regularity_.warnings().begin(),
                               regularity_.warnings().end());
  }

 private:
  void tell(double t) const {
    char text[64];
    const auto written =
        fmt::format_to_n(text, sizeof text, "t = {:.4g} s of {:g} s", t, options_.until);
    options_.progress({t / options_.until, {text, std::min(written.size, sizeof text)}});
  }

  ProblemSystem& system_;
  const SimulateOptions& options_;
  bool steps_are_results_;
  RowWriter rows_;
  DriftMonitor drift_;
  EnergyMonitor energy_;
  RegularityMonitor regularity_;
  LimitMonitor limits_;
  Table table_;
  std::uint64_t steps_ = 0;
};

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

Trajectory simulate(const formulate::Problem& problem, const ConsistentPoint& start,
                    const SimulateOptions& options) {
  if (const std::vector<Diagnostic> faults = check(options, start.t); !faults.empty())
    throw std::invalid_argument(render(faults));
  if (start.states.size() != problem.states || start.tops.size() != problem.tops)
    throw std::invalid_argument("the start does not belong to the problem");

  if (auto refused = refusal(problem, options.method)) throw ModelError(*std::move(refused));

  const bool implicit = is_implicit(options.method);
  ProblemSystem system(problem, start.t, start.states, start.tops, {implicit, options.compile});
  const std::unique_ptr<Integrator> integrator = make_integrator(options.method, system);
  const bool steps_are_results = integrator->projects_steps() || !system.projects();
  const std::vector<double> times = row_times(options, start.t);
  Recorder recorder(problem, system,
                    system.point_at(start.t, start.states.data(), start.tops.data()), options,
                    steps_are_results);
  recorder.reserve(times.size());

  Trajectory trajectory;
  trajectory.method = name(options.method);
  const auto begin = std::chrono::steady_clock::now();
  const StepOutcome outcome = integrate(system, *integrator, start.t, start.states.data(),
                                        start.tops.data(), times, recorder);
  trajectory.wall_time =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  recorder.hand_over(trajectory);
  trajectory.statistics = integrator->statistics();
  warn_when_stiff(*integrator, problem, trajectory);
  if (!outcome.ok) {
    trajectory.status = Status::stopped;
    const double* const last =
        system.point_at(integrator->time(), integrator->state().data(), integrator->tops().data());
    trajectory.reason =
        stop_reason(problem, {last, problem.layout.size()}, outcome, trajectory.method);
  }
  return trajectory;
}

}  // namespace daedal::solve
