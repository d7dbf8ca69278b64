// See daedal/invert/stable_inversion.hpp.
#include "daedal/invert/stable_inversion.hpp"

#include "daedal/boundary/difference_solution.hpp"
#include "daedal/boundary/mesh.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/boundary/rest_zeros.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/run/row_writer.hpp"
#include "daedal/structure/examine.hpp"
#include "daedal/system/point.hpp"
#include "motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace daedal::inversion {

namespace {

constexpr double rows_by_default = 1000;
/// Of the largest deviation from rest: what may be left of it at the ends of the window before a warning.
constexpr double hardly_moving = 1e-3;

constexpr double finest_by_differences = 1e-6;  // below, order 6 needs steps too short to contract
constexpr double step_by_differences = 0.65;    // of the slowest growing mode's time constant
constexpr double order_at_joints = 5;  // of the error, where the fifth derivative of a motion jumps
constexpr int most_meshes_of_differences = 3;
constexpr double of_elastic_bodies = 1e-5;  // tolerance, where none is given
constexpr double near_resonance =
    1e-3;                               // turns of an undamped mode in a period, off a whole number
constexpr int most_parts = 12;          // of a period, in which a motion may repeat already
constexpr double far_apart = 20;        // zeros, the fastest from the slowest
constexpr double longest_window = 100;  // on each side of the motion, in durations of it
constexpr std::size_t steps_of_first_mesh = 32;  // of a motion, by collocation

class Inverter {
 public:
  Inverter(const InverseModel& inverse, const StableInversionOptions& options)
      : options_(options),
        problem_(tracking_problem(inverse)),
        model_(*problem_->dae->model),
        system_(*problem_, options.compile),
        w_(system_.signals()) {
    if (options.tolerance) options_.boundary_value.tolerance = *options.tolerance;
  }

  StableInversion run() {
    const auto begin = std::chrono::steady_clock::now();
    std::optional<double> period = period_of(*problem_);
    if (period) *period = shortest(*period);
    std::vector<double> joints = period ? std::vector{0.0, *period} : joints_of(*problem_);
    result_.first_joint = joints.front();
    result_.last_joint = joints.back();
    result_.period = period.value_or(0);
    const boundary::StartGuess start = boundary::start_guess(*problem_);
    motion_ = joints;
    if (period)
      choose_period(start);
    else
      choose_window(joints, start);
    result_.tolerance = options_.boundary_value.tolerance;
    measure_motion(motion_);
    const boundary::Desired desired = [this](double t, double* w) { system_.desired(t, w); };
    solve::Trajectory& t = result_.trajectory;
    if (!try_differences(motion_, desired)) collocate(joints, desired, start);
    if (resonant_ && result_.solution.status != boundary::BoundaryValueStatus::solved)
      result_.solution.status = boundary::BoundaryValueStatus::singular;
    result_.preparation =
        seconds_between(begin, std::chrono::steady_clock::now()) - result_.solving;
    if (result_.solution.ok()) {
      write_rows(desired);
      warn();
    } else {
      t.status = solve::Status::stopped;
      t.reason = reason();
    }
    t.wall_time = seconds_between(begin, std::chrono::steady_clock::now());
    return std::move(result_);
  }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  static double seconds_between(Moment begin, Moment end) {
    return std::chrono::duration<double>(end - begin).count();
  }

  void measure_motion(const std::vector<double>& motion) {
    std::vector<double> first(w_.size());
    system_.desired(motion.front(), first.data());
    for (const double t : boundary::even_mesh(motion, 0, steps_of_first_mesh)) {
      system_.desired(t, w_.data());
      for (std::uint32_t i = 1; i < w_.size(); ++i)
        if (!system_.is_rate(i))
          result_.motion = std::max(result_.motion, std::abs(w_[i] - first[i]));
    }
  }

  /// The zeros at a state of rest.
  boundary::RestZeros zeros_at(double t, const boundary::Rest& rest) {
    if (!rest.found) return {};  // reported when the boundary value problem is solved
    system_.desired(t, w_.data());
    return boundary::zeros_at_rest(system_, w_.data(), rest);
  }

  /// At any tolerance, in principle. Where finer meshes fail or are no better, the solution by central differences is kept.
  void collocate(const std::vector<double>& joints, const boundary::Desired& desired,
                 const boundary::StartGuess& start) {
    const auto begin = std::chrono::steady_clock::now();
    if (left_.found) {
      system_.desired(joints.front(), w_.data());
      if (found_one() && !boundary::inputs_are_determined(system_, w_.data(), left_)) return;
      boundary::require_determined_inputs(system_, w_.data(), left_);
    }
    boundary::BoundaryValueSolution solution = boundary::solve_boundary_value(
        system_, joints, desired, start.states, start.tops, options_.boundary_value);
    result_.solving += seconds_between(begin, std::chrono::steady_clock::now());
    if (found_one() && (!solution.ok() || solution.error > result_.solution.error)) return;
    result_.solution = std::move(solution);
    result_.trajectory.method =
        fmt::format("Gauss collocation of order {}", options_.boundary_value.order);
    uneven_ = false;
  }

  /// The fast path, where it applies. Selected by name it is used in any case, with a warning.
  bool try_differences(const std::vector<double>& motion, const boundary::Desired& desired) {
    const boundary::BoundaryValueOptions& o = options_.boundary_value;
    const bool asked_for = options_.scheme == Scheme::central_differences;
    if (options_.scheme == Scheme::collocation || !left_.found || !right_.found ||
        result_.slowest_growth == 0)
      return refuse_differences(
          "its desired motion does not begin and end at rest, or nothing grows");
    if (!asked_for && (o.tolerance < finest_by_differences || o.intervals > 0 ||
                       o.ends != boundary::EndConditions::automatic))
      return false;
    form_ = boundary::SecondOrderForm::make(*problem_, options_.compile);
    if (!form_) return refuse_differences("some derivatives are of an order above two");
    double step = options_.step.value_or(step_by_differences / result_.slowest_growth);
    for (int mesh = 1; mesh <= most_meshes_of_differences; ++mesh) {
      const auto window = boundary::even_window(motion, step, before_, after_);
      if (!window && found_one()) break;
      if (!window) return refuse_differences("the joints of its motion have no common measure");
      const bool uneven = !splits_evenly(window->step, right_, motion.back() + after_) ||
                          !splits_evenly(window->step, left_, motion.front() - before_);
      if (uneven && (!asked_for || found_one())) break;
      result_.solution.meshes = mesh;
      const boundary::DifferenceOutcome outcome = solve_on(*window, desired, uneven ? 2 : 6);
      if (outcome.ok && outcome.error <= o.tolerance) return true;
      if (!outcome.ok && asked_for && !found_one()) report_failure(outcome);
      if (!outcome.ok || options_.step) break;
      step = window->step *
             std::clamp(0.9 * std::pow(o.tolerance / outcome.error, 1 / order_at_joints), 0.4, 0.9);
    }
    return asked_for;
  }

  bool found_one() const { return !result_.solution.times.empty(); }

  boundary::DifferenceOutcome solve_on(const boundary::EvenWindow& window,
                                       const boundary::Desired& desired, int order) {
    boundary::DifferenceSolution solution(*form_, window.begin, window.intervals, window.step);
    if (result_.period > 0)
      solution.margin =
          static_cast<std::size_t>(std::lround((motion_.front() - window.begin) / window.step));
    std::vector<double> rest(form_->unknowns());
    form_->from_point(left_.states.data(), left_.tops.data(), rest.data());
    const boundary::BoundaryValueOptions& o = options_.boundary_value;
    const auto begin = std::chrono::steady_clock::now();
    const boundary::DifferenceOutcome outcome =
        solution.solve(desired, rest.data(), order, std::min(1e-6, 0.1 * o.tolerance), o.watch);
    result_.solving += seconds_between(begin, std::chrono::steady_clock::now());
    result_.solution.newton_iterations += outcome.iterations;
    result_.solution.continuation_steps += outcome.continuation_steps;
    if (outcome.ok && (!found_one() || outcome.error < result_.solution.error)) {
      take(solution, outcome);
      uneven_ = order == 2;
    }
    return outcome;
  }

  void take(const boundary::DifferenceSolution& solution,
            const boundary::DifferenceOutcome& outcome) {
    boundary::BoundaryValueSolution& s = result_.solution;
    s.status = outcome.error <= options_.boundary_value.tolerance
                   ? boundary::BoundaryValueStatus::solved
                   : boundary::BoundaryValueStatus::inaccurate;
    boundary::hand_over(*form_, solution, result_.period > 0 ? std::vector<double>{} : motion_,
                        system_, s);
    s.left_rest = left_.states;
    s.right_rest = right_.states;
    s.error = outcome.error;
    result_.trajectory.method = fmt::format("central differences of order {}", outcome.order);
  }

  void report_failure(const boundary::DifferenceOutcome& outcome) {
    boundary::BoundaryValueSolution& s = result_.solution;
    s.status = boundary::BoundaryValueStatus::diverged;
    s.at = outcome.at;
    s.state = form_->position(outcome.largest_unknown) - problem_->state_position(0);
    s.amplitude = outcome.amplitude;
    result_.trajectory.method = "central differences";
  }

  bool splits_evenly(double step, const boundary::Rest& rest, double t) {
    std::vector<double> y(form_->unknowns());
    form_->from_point(rest.states.data(), rest.tops.data(), y.data());
    system_.desired(t, w_.data());
    return boundary::CentralDifferences::splits_evenly(*form_, w_.data(), y.data(), step,
                                                       result_.slowest_growth);
  }

  bool refuse_differences(std::string_view why) const {
    if (options_.scheme != Scheme::central_differences) return false;
    throw ModelError(Diagnostic{
        Severity::error,
        model_.place,
        fmt::format("model '{}': central differences do not apply: {}", model_.name, why),
        {},
        "`method = collocation` supports all mechanisms, and takes longer"});
  }

  /// Elastic bodies: a mesh that resolves all their oscillations takes minutes, and central differences need not.
  bool stiff(const boundary::RestZeros& zeros) const {
    return formulate::is_descriptor_form(*problem_) ||
           zeros.fastest > far_apart * zeros.slowest_growth();
  }

  /// The given times in seconds, checked against the motion.
  void read_times() {
    if (!options_.until) return;
    const auto fault = [&](std::string message, std::string help) {
      throw ModelError(Diagnostic{Severity::error, {}, std::move(message), {}, std::move(help)});
    };
    if (options_.after) fault("until and after both set the end of the window", "give one of them");
    if (result_.period > 0) return;
    options_.after = *options_.until - result_.last_joint;
    if (!(*options_.after >= 0))
      fault(fmt::format("until = {:g} s lies before the end of the motion at t = {:g} s",
                        *options_.until, result_.last_joint),
            "stable inversion needs all of the motion: what comes later acts on what comes before");
  }

  /// The square of a sine repeats twice as often as the sine: the shortest part of a period after which all signals repeat.
  double shortest(double period) {
    std::vector<double> later(w_.size());
    for (int parts = most_parts; parts > 1; --parts) {
      bool repeats = true;
      for (std::size_t k = 0; k < steps_of_first_mesh && repeats; ++k) {
        const double t =
            period * (static_cast<double>(k) + 0.3) / static_cast<double>(steps_of_first_mesh);
        system_.desired(t, w_.data());
        system_.desired(t + period / parts, later.data());
        for (std::size_t i = 1; i < w_.size(); ++i)
          repeats = repeats && std::abs(later[i] - w_[i]) <= 1e-9 * (1 + std::abs(w_[i]));
      }
      if (repeats) return period / parts;
    }
    return period;
  }

  /// The motion repeats: its window is one period, and there are no conditions before and after it.
  void choose_period(const boundary::StartGuess& start) {
    read_times();
    const auto fault = [&](std::string message, std::string help) {
      throw ModelError(Diagnostic{Severity::error,
                                  model_.servos.front().place,
                                  fmt::format("model '{}': {}", model_.name, message),
                                  {},
                                  std::move(help)});
    };
    if (options_.before || options_.after)
      fault("its desired motion repeats: there is no time before or after it",
            "leave `before` and `after` out; `until` sets the end of the rows");
    if (options_.boundary_value.ends != boundary::EndConditions::automatic)
      fault("its desired motion repeats: both ends of a period are one state", "leave `ends` out");
    options_.boundary_value.periodic = true;
    options_.boundary_value.first_step = result_.period / static_cast<double>(steps_of_first_mesh);
    system_.desired(0, w_.data());
    for (std::uint32_t i = 1; i < w_.size(); ++i)
      if (system_.is_rate(i)) w_[i] = 0;
    left_ = right_ = boundary::rest_at(system_, w_.data(), start.states, start.tops);
    if (!left_.found) return;  // reported when the boundary value problem is solved
    const boundary::RestZeros zeros = boundary::zeros_at_rest(system_, w_.data(), left_);
    choose_tolerance(zeros, zeros);
    result_.solution.left = result_.solution.right = zeros.counts();
    result_.slowest_growth = zeros.slowest_growth();
    result_.slowest_decay = zeros.slowest_decay();
    before_ = after_ =
        std::max(time_to_settle(result_.slowest_growth), time_to_settle(result_.slowest_decay));
    resonant_ =
        std::any_of(zeros.frequencies.begin(), zeros.frequencies.end(), [&](double frequency) {
          const double turns = frequency * result_.period / (2 * std::numbers::pi);
          return std::abs(turns - std::round(turns)) <= near_resonance;
        });
  }

  void choose_tolerance(const boundary::RestZeros& left, const boundary::RestZeros& right) {
    if (!options_.tolerance && (stiff(left) || stiff(right)))
      options_.boundary_value.tolerance = of_elastic_bodies;
  }

  double time_to_settle(double rate) const {
    return rate == 0 ? 0 : std::log(1 / options_.boundary_value.tolerance) / rate;
  }

  void choose_window(std::vector<double>& joints, const boundary::StartGuess& start) {
    read_times();
    const double duration = joints.back() - joints.front();
    const double rest_before = joints.front() - 1, rest_behind = joints.back() + 1;
    system_.desired(rest_before, w_.data());
    left_ = boundary::rest_at(system_, w_.data(), start.states, start.tops);
    std::vector<double> on_the_way = boundary::even_mesh(joints, 0, steps_of_first_mesh);
    on_the_way.push_back(rest_behind);
    right_ = boundary::rest_along(
        system_, [this](double t, double* w) { system_.desired(t, w); }, on_the_way, left_);
    const boundary::RestZeros left = zeros_at(rest_before, left_),
                              right = zeros_at(rest_behind, right_);
    choose_tolerance(left, right);
    result_.solution.left = left.counts();
    result_.solution.right = right.counts();
    result_.slowest_growth = left.slowest_growth();
    // modes slower than any window start at the left end, and may continue after the window
    result_.slowest_decay = right.slowest_decay(std::log(1 / options_.boundary_value.tolerance) /
                                                (longest_window * duration));
    before_ = options_.before.value_or(time_to_settle(result_.slowest_growth));
    after_ = options_.after.value_or(time_to_settle(result_.slowest_decay));
    // whole steps of the first mesh in a descriptor form: its meshes must be even over the joints
    const double step = duration / static_cast<double>(steps_of_first_mesh);
    options_.boundary_value.first_step = step;
    const auto rounded = [&](double time, bool given) {
      return given || !formulate::is_descriptor_form(*problem_) ? time
                                                                : std::ceil(time / step) * step;
    };
    const double before = rounded(before_, options_.before.has_value()),
                 after = rounded(after_, options_.after.has_value());
    if (std::max(before, after) > longest_window * duration)
      throw ModelError(Diagnostic{
          Severity::error,
          model_.place,
          fmt::format(
              "model '{}': its slowest modes settle in {:.3g} s only, {:.3g} times the motion",
              model_.name, std::max(before, after), std::max(before, after) / duration),
          {},
          "give the window:  `before = 1` `after = 1`"});
    if (before > 0) joints.insert(joints.begin(), joints.front() - before);
    if (after > 0) joints.push_back(joints.back() + after);
  }

  void write_rows(const boundary::Desired& desired) {
    const boundary::BoundaryValueSolution& solution = result_.solution;
    solve::Trajectory& trajectory = result_.trajectory;
    std::vector<double> s(system_.states()), z(system_.tops());
    boundary::SolutionAt at(system_, solution, desired);
    const bool repeats = result_.period > 0;
    const double begin = repeats ? 0 : solution.times.front();
    const double end = repeats ? options_.until.value_or(result_.period) : solution.times.back();
    const double every = options_.every > 0 ? options_.every : (end - begin) / rows_by_default;
    // Rows at multiples of the interval, so that those of different windows meet; and at the ends.
    std::vector<double> times{begin};
    for (double k = std::floor(begin / every) + 1; k * every < end - 1e-9 * every; ++k)
      if (k * every > begin + 1e-9 * every) times.push_back(k * every);
    times.push_back(end);
    desired(begin, w_.data());
    std::vector<double> c(system_.levels()), jacobian(std::size_t{system_.levels()} * s.size());
    std::optional<solve::RowWriter> writer;
    trajectory.constraints.level = "constraints";
    for (const double t : times) {
      stop_point();
      if (!at(within_window(t), w_.data(), s.data(), z.data())) {
        trajectory.status = solve::Status::stopped;
        trajectory.reason =
            fmt::format("stopped at t = {:.6g} s: the equations are singular there", t);
        return;
      }
      w_[0] = t;
      const double* const point = system_.point_at(w_.data(), s.data(), z.data());
      if (!writer) {
        writer.emplace(*problem_, point, options_.compile);
        trajectory.table = writer->empty_table(times.size());
      }
      writer->write(point, trajectory.table);
      system_.level(w_.data(), s.data(), c.data(), jacobian.data());
      note_levels(t, c);
    }
    trajectory.statistics.accepted = solution.times.size() - 1;
    trajectory.statistics.newton_iterations =
        static_cast<std::uint64_t>(solution.newton_iterations);
  }

  double within_window(double t) const {
    return result_.period > 0 && t > result_.period ? std::fmod(t, result_.period) : t;
  }

  /// Constraints themselves, undifferentiated.
  void note_levels(double t, const std::vector<double>& c) {
    std::size_t row = 0;
    for (const formulate::Level& level : problem_->levels)
      for (std::uint32_t i = 0; i < level.rows(); ++i, ++row)
        if (solve::LevelDrift& drift = result_.trajectory.constraints;
            level.derivative[i] == 0 &&
            (drift.constraint.empty() || std::abs(c[row]) > drift.largest)) {
          drift.largest = std::abs(c[row]);
          drift.constraint = problem_->dae->equations[level.equation[i]].name;
          drift.at = t;
        }
  }

  /// How far an end of the window is from rest, relative to the largest deviation.
  double left_over(bool at_left) const {
    const boundary::BoundaryValueSolution& solution = result_.solution;
    const std::size_t n = system_.states(), last = solution.times.size() - 1;
    const std::vector<double>& rest = at_left ? solution.left_rest : solution.right_rest;
    double worst = 0;
    for (std::size_t a = 0; a < n; ++a) {
      double largest = 0;
      for (std::size_t k = 0; k <= last; ++k)
        largest = std::max(largest, std::abs(solution.states[k * n + a] - rest[a]));
      const double here = std::abs(solution.states[(at_left ? 0 : last) * n + a] - rest[a]);
      if (largest > 1e-6 * system_.nominal()[a]) worst = std::max(worst, here / largest);
    }
    return worst;
  }

  void warn() {
    const boundary::BoundaryValueSolution& solution = result_.solution;
    const auto warning = [&](std::string message, std::string help) {
      result_.trajectory.warnings.push_back({Severity::warning,
                                             model_.servos.front().place,
                                             fmt::format("model '{}': {}", model_.name, message),
                                             {},
                                             std::move(help)});
    };
    for (const bool at_left : {true, false}) {
      if (result_.period > 0) break;  // there is no rest at its ends
      const double rate = at_left ? result_.slowest_growth : result_.slowest_decay;
      const double share = left_over(at_left);
      if (share <= hardly_moving || rate == 0) continue;
      const double given = at_left ? result_.first_joint - solution.times.front()
                                   : solution.times.back() - result_.last_joint;
      const double enough = given + std::log(share / options_.boundary_value.tolerance) / rate;
      warning(
          fmt::format("the window is too short: at t = {:.6g} s the internal dynamics are {:.1e} "
                      "of their largest deviation from rest",
                      at_left ? solution.times.front() : solution.times.back(), share),
          fmt::format("{} = {:.3g} s would do (the slowest mode {} with {:.4g} 1/s)",
                      at_left ? "before" : "after", enough, at_left ? "grows" : "decays", rate));
    }
    if (uneven_)
      warning(
          "the steps resolve oscillations that neither grow nor decay: half of their conditions "
          "are set at each end, which at some lengths of the window has no solution",
          "longer steps do not see them, and collocation has their conditions at the beginning");
    if (const int centre = std::max(solution.left.centre, solution.right.centre); centre > 0)
      warning(fmt::format("{} internal mode{} neither grow{} nor decay{}", centre,
                          centre == 1 ? "" : "s", centre == 1 ? "s" : "", centre == 1 ? "s" : ""),
              result_.period > 0
                  ? "a motion whose period is a multiple of theirs has no inputs that repeat"
                  : "they start at rest and may go on oscillating after the motion; a little "
                    "damping would make them decay");
    if (solution.status == boundary::BoundaryValueStatus::inaccurate)
      warning(
          fmt::format("the estimated error {:.1e} is above the tolerance {:g} on {} intervals",
                      solution.error, options_.boundary_value.tolerance, solution.times.size() - 1),
          "a smoother motion, or a larger tolerance");
  }

  std::string reason() const {
    const boundary::BoundaryValueSolution& s = result_.solution;
    const char* const end = s.at_left ? "left" : "right";
    switch (s.status) {
      case boundary::BoundaryValueStatus::not_at_rest:
        if (result_.period > 0)
          return "no state of rest in the pose of the desired motion at t = 0 s, where the modes "
                 "of the internal dynamics are computed: no input holds it";
        return fmt::format(
            "no state of rest at the {} end of the window, t = {:.6g} s: the desired motion is not "
            "at rest there, or requires a pose that no input holds",
            end, s.at);
      case boundary::BoundaryValueStatus::singular:
        if (resonant_)
          return fmt::format(
              "no inputs repeat with the motion: an undamped internal mode does so too, a whole "
              "number "
              "of times in {:.6g} s\n  help: another frequency, or a little damping",
              result_.period);
        return fmt::format(
            "stopped at t = {:.6g} s: the collocation equations are singular, at amplitude {:.3g} "
            "of the motion\n  help: a pose on the way may be singular, see `analyse()`",
            s.at, s.amplitude);
      case boundary::BoundaryValueStatus::diverged:
        return fmt::format(
            "Newton's method fails, also from smaller motions: the largest amplitude reached is "
            "{:.3g} of the motion\n  its corrections are largest in '{}' at t = {:.6g} s\n  help: "
            "a slower motion; this one may be faster than the mechanism can follow{}",
            s.amplitude,
            solve::name_at(*problem_,
                           problem_->state_position(static_cast<std::uint32_t>(s.state))),
            s.at, form_ ? ", or this mesh: try other steps, or `method = collocation`" : "");
      case boundary::BoundaryValueStatus::wrong_counts:
        if (options_.boundary_value.ends == boundary::EndConditions::automatic)
          return fmt::format(
              "the modes at the two ends differ, {} at the beginning and {} at the end: no bounded "
              "solution joins them in general",
              describe(s.left), describe(s.right));
        return fmt::format(
            "ends = {} gives {} conditions at the {} end, {} are needed: the modes there are {}\n"
            "  help: ends = automatic determines them",
            boundary::end_conditions_names()[static_cast<std::size_t>(
                options_.boundary_value.ends)],
            s.conditions, end, s.needed, describe(s.at_left ? s.left : s.right));
      default:
        return "";
    }
  }

  StableInversionOptions options_;
  std::shared_ptr<const formulate::Problem> problem_;
  const model::Model& model_;
  boundary::InverseSystem system_;
  std::vector<double> w_;
  std::vector<double> motion_;  // its joints
  boundary::Rest left_, right_;
  double before_ = 0, after_ = 0;  // [s], of the motion
  std::unique_ptr<boundary::SecondOrderForm> form_;
  bool resonant_ = false;  // an undamped mode turns a whole number of times in a period
  bool uneven_ = false;    // a mesh of central differences that resolves undamped oscillations
  StableInversion result_;
};

}  // namespace

std::vector<Diagnostic> check(const StableInversionOptions& options) {
  std::vector<Diagnostic> faults;
  const auto fault = [&](std::string message, std::string help) {
    faults.push_back({Severity::error, {}, std::move(message), {}, std::move(help)});
  };
  const auto seconds = [&](const char* name, const std::optional<double>& value) {
    if (value && !(*value >= 0 && std::isfinite(*value)))
      fault(fmt::format("{} = {} s is no length of time", name, *value),
            "give a number of seconds, 0 or more; without it the zeros decide");
  };
  seconds("before", options.before);
  if (options.step && !(*options.step > 0 && std::isfinite(*options.step)))
    fault(fmt::format("step = {} s is no length of time", *options.step),
          "give a number of seconds above 0");
  seconds("after", options.after);
  seconds("until", options.until);
  const boundary::BoundaryValueOptions& o = options.boundary_value;
  if (const double tolerance = options.tolerance.value_or(o.tolerance);
      !(tolerance >= 1e-13 && tolerance <= 0.1))
    fault(fmt::format("tolerance = {} is not in [1e-13, 0.1]", tolerance), "");
  if (o.order != 4 && o.order != 6)
    fault(fmt::format("order = {} is not supported", o.order),
          "Gauss collocation has order 4 or 6");
  if (!(options.every >= 0) || !std::isfinite(options.every))
    fault(fmt::format("every = {} s is no output interval", options.every),
          "give a number of seconds above 0");
  return faults;
}

std::shared_ptr<const formulate::Problem> tracking_problem(const InverseModel& inverse) {
  const structure::Structure structure = structure::examine(inverse.tracking);
  if (!structure.solvable())
    throw ModelError({Severity::error,
                      inverse.dae->model->place,
                      fmt::format("model '{}': the inverse model cannot be solved: {}",
                                  inverse.dae->model->name, structure.remark),
                      {},
                      ""});
  formulate::Problem problem = formulate::formulate(structure, {.kind = formulate::Kind::index1});
  if (!problem.written_out) problem = formulate::descriptor_form(inverse.tracking, structure);
  return std::make_shared<const formulate::Problem>(std::move(problem));
}

StableInversion stable_inversion(const InverseModel& inverse,
                                 const StableInversionOptions& options) {
  const StopScope stoppable(options.boundary_value.watch.stop);
  if (const std::vector<Diagnostic> faults = check(options); !faults.empty())
    throw ModelError(faults);
  return Inverter(inverse, options).run();
}

}  // namespace daedal::inversion
