#include "daedal/solve/compare.hpp"

#include "daedal/solve/column_kind.hpp"
#include "daedal/solve/combination.hpp"
#include "daedal/solve/simulate.hpp"
#include "daedal/solve/stabilisation.hpp"
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
  simulate.interrupt = options.interrupt;
  return simulate;
}

/// The exact motion as far as it is known, and how large it is.
struct Reference {
  Trajectory run;
  MotionSize motion;
};

void measure(const model::Model& model, const Table& table, const Reference& exact,
             CompareResult& result) {
  const Table& reference = exact.run.table;
  for (std::size_t c = 0; c < table.width(); ++c) {
    const auto other = reference.find(table.columns()[c].name);
    const ColumnKind kind = column_kind(model, table.columns()[c].name);
    if (!other || kind == ColumnKind::other) continue;
    double& error = kind == ColumnKind::position   ? result.position_error
                    : kind == ColumnKind::velocity ? result.velocity_error
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
    measure(*dae->model, t.table, reference, result);
  } catch (const ModelError& error) {  // a formulation that this model does not have
    result.refused = error.what();
  }
  return result;
}

}  // namespace

Comparison compare(const std::shared_ptr<const derive::Dae>& dae,
                   const std::vector<CompareCase>& cases, const CompareOptions& options) {
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
  const auto work = [&] {
    for (std::size_t k = next++; k < cases.size(); k = next++) {
      if (options.interrupt != nullptr && *options.interrupt) {
        comparison.results[k].status = Status::interrupted;
        continue;
      }
      comparison.results[k] = run_case(dae, cases[k], options, reference);
      const std::lock_guard lock(telling);
      ++done;
      if (options.progress)
        options.progress({static_cast<double>(done) / static_cast<double>(cases.size()),
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
