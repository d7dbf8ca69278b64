// See daedal/invert/receding_run.hpp.
#include "daedal/invert/receding_run.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/invert/step_times.hpp"
#include "daedal/run/row_writer.hpp"
#include "motion.hpp"
#include "receding_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace daedal::inversion {

namespace {

constexpr double decayed = 1e-6;

constexpr double steps_of_a_motion =
    40;  // at least: the modes alone do not know how fast the motion is

/// A plan at rest gives the conditions of the modes.
RecedingHorizonOptions completed(boundary::InverseSystem& system, const std::vector<double>& joints,
                                 const boundary::Desired& desired,
                                 const boundary::StartGuess& start, RecedingHorizonOptions options,
                                 const compile::Options& compile) {
  const RecedingHorizon probe = RecedingHorizon::automatic(
      system, {joints.front() - 1, desired, start.states, start.tops}, options, compile);
  if (!options.step)
    options.step = std::min(probe.step(), (joints.back() - joints.front()) / steps_of_a_motion);
  options.preview = probe.preview();
  return options;
}

}  // namespace

RecedingHorizonOptions completed(boundary::InverseSystem& system,
                                 const RecedingHorizonOptions& options) {
  const boundary::Desired desired = [&](double t, double* w) { system.desired(t, w); };
  return completed(system, joints_of(system.problem()), desired,
                   boundary::start_guess(system.problem()), options, {});
}

RecedingRun receding_run(const InverseModel& inverse, const RecedingRunOptions& options) {
  const StopScope stoppable(options.watch.stop);
  using Clock = std::chrono::steady_clock;
  const auto problem = tracking_problem(inverse);
  boundary::InverseSystem system(*problem, options.compile);
  system.wait_native();
  const boundary::Desired desired = [&](double t, double* w) { system.desired(t, w); };
  const std::vector<double> joints = joints_of(*problem);
  const boundary::StartGuess start = boundary::start_guess(*problem);
  const RecedingHorizonOptions horizon =
      completed(system, joints, desired, start, options.horizon, options.compile);
  const double period = horizon.period, before = *horizon.preview;
  RecedingHorizon plan = RecedingHorizon::automatic(
      system, {joints.front() - before, desired, start.states, start.tops}, horizon,
      options.compile);
  RecedingRun run;
  run.modes = plan.modes();
  run.preview = plan.preview();
  run.step = plan.step();
  run.slowest_growth = plan.slowest_growth();
  const double decay = plan.slowest_decay();
  const double until =
      joints.back() + options.after.value_or(decay > 0 ? std::log(1 / decayed) / decay : before);
  const auto samples = static_cast<std::uint64_t>(std::ceil((until - plan.time()) / period));
  const auto between = static_cast<std::uint64_t>(
      std::max(1.0, std::round((options.every > 0 ? options.every : period) / period)));

  solve::Trajectory& trajectory = run.trajectory;
  trajectory.method = "receding horizon";
  std::vector<double> w(system.signals()), seconds;
  seconds.reserve(samples + 1);
  desired(plan.time(), w.data());
  solve::RowWriter rows(*problem,
                        system.point_at(w.data(), plan.states().data(), plan.tops().data()),
                        options.compile);
  trajectory.table = rows.empty_table(samples / between + 2);
  const auto begin = Clock::now();
  try {
    for (std::uint64_t n = 0; n <= samples; ++n) {
      stop_point();
      if (options.watch.progress && n % 256 == 0)
        options.watch.progress({static_cast<double>(n) / static_cast<double>(samples),
                                fmt::format("t = {:.4g} s of {:g} s", plan.time(), until)});
      const auto before_update = Clock::now();
      const RecedingReport report = plan.update(desired);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - before_update).count());
      run.factored += report.factored;
      run.truncation = report.truncation;
      run.largest_step = std::max(run.largest_step, report.step);
      if (!report.made()) {
        trajectory.status = solve::Status::stopped;
        trajectory.reason = fmt::format(
            "stopped at t = {:.6g} s: {} (last step {:.1e}, accepted below {:g})\n  help: a longer "
            "preview (now {:.4g} s), a shorter step, or a slower motion",
            plan.time(), describe(report.status), report.step, options.horizon.reliable_below,
            run.preview);
        break;
      }
      if (n % between == 0 || n == samples) {
        desired(plan.time(), w.data());
        rows.write(system.point_at(w.data(), plan.states().data(), plan.tops().data()),
                   trajectory.table);
      }
      plan.advance(desired);
    }
  } catch (const Interrupted&) {
    if (trajectory.table.rows() == 0) throw;
    trajectory.status = solve::Status::interrupted;
    trajectory.reason = fmt::format("interrupted at t = {:.6g} s", plan.time());
  }
  trajectory.statistics.accepted = seconds.size();
  trajectory.wall_time = std::chrono::duration<double>(Clock::now() - begin).count();
  run.times = step_times(std::move(seconds));
  return run;
}

}  // namespace daedal::inversion
