#include "daedal/integrate/combination.hpp"
#include "daedal/integrate/stabilisation.hpp"
#include "daedal/run/simulate.hpp"
#include "motion_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>

namespace daedal::solve {

namespace {

constexpr double rows_of_comparison = 100;

SimulateOptions simulation(const CompareOptions& options, const Method& method) {
  SimulateOptions simulate;
  simulate.until = options.until;
  simulate.every = options.every > 0 ? options.every : options.until / rows_of_comparison;
  simulate.method = method;
  simulate.global_error = false;  // here it is measured
  simulate.watch.stop = options.watch.stop;
  return simulate;
}

/// The exact motion as far as it is known, and how large it is.
struct Reference {
  Trajectory run;
  MotionSize motion;
};

void measure(const Table& table, const Reference& exact, CompareResult& result) {
  const Table& reference = exact.run.table;
  for (std::size_t c = 0; c < table.width(); ++c) {
    const Column& column = table.columns()[c];
    const auto other = reference.find(column.name);
    const bool force = column.kind == ColumnKind::force;
    if (!other || !(column.is_position() || column.is_velocity() || force)) continue;
    double& error = column.is_position()   ? result.position_error
                    : column.is_velocity() ? result.velocity_error
                                           : result.multiplier_error;
    for (std::size_t r = 0; r < std::min(table.rows(), reference.rows()); ++r) {
      const double difference = std::abs(table.at(r, c) - reference.at(r, *other));
      error = difference > error || std::isnan(difference) ? difference : error;
      const double motion = exact.motion.columns[*other - 1];
      result.wrong |= motion > 0 && !(difference <= as_large_as_motion * motion);
    }
  }
}

CompareResult run_case(const std::shared_ptr<const derive::Dae>& dae, const CompareCase& one,
                       const CompareOptions& options, const Reference& reference) {
  CompareResult result;
  try {
    const Prepared prepared =
        prepare(dae, settled(dae, one.formulation, one.method, options.prepare), options.prepare);
    if (const auto refused = refusal(prepared.problem, one.method)) {
      result.refused = refused->message;
      return result;
    }
    const Trajectory t =
        simulate(prepared.problem, prepared.start, simulation(options, one.method));
    result.status = t.status;
    result.reason = t.reason;
    result.drift = t.constraints.largest;
    result.energy_error = t.energy.largest_error;
    result.statistics = t.statistics;
    result.wall_time = t.wall_time;
    measure(t.table, reference, result);
  } catch (const ModelError& error) {  // a formulation that this model does not have
    result.refused = error.what();
  } catch (const Interrupted&) {
    result.status = Status::interrupted;
  }
  return result;
}

}  // namespace

Comparison compare(const std::shared_ptr<const derive::Dae>& dae,
                   const std::vector<CompareCase>& cases, const CompareOptions& options) {
  const StopScope stoppable(options.watch.stop);
  const Prepared prepared = prepare(dae, {}, options.prepare);
  SimulateOptions exact = simulation(options, TaylorOptions{.tolerance = 1e-15});
  exact.global_error = true;
  Reference reference{simulate(prepared.problem, prepared.start, exact), {}};
  reference.motion = motion_size(*dae->model, reference.run, tolerance(exact.method));
  Comparison comparison;
  comparison.reference_status = reference.run.status;
  comparison.reference_reason = reference.run.reason;
  comparison.reference_trust = reference.run.trust;
  comparison.results.resize(cases.size());

  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex telling;
  const auto work = [&, starter = StopScope::current()] {
    const StopScope stoppable_too(starter);
    for (std::size_t k = next++; k < cases.size(); k = next++) {
      if (StopScope::stopped()) {
        comparison.results[k].status = Status::interrupted;
        continue;
      }
      comparison.results[k] = run_case(dae, cases[k], options, reference);
      const std::lock_guard lock(telling);
      ++done;
      if (options.watch.progress)
        options.watch.progress({static_cast<double>(done) / static_cast<double>(cases.size()),
                                fmt::format("{} of {} cases", done, cases.size())});
    }
  };
  const unsigned threads =
      options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::min<std::size_t>(threads, cases.size()); ++i)
    workers.emplace_back(work);
  workers.clear();  // joins
  return comparison;
}

}  // namespace daedal::solve
