// See daedal/invert/stable_inversion.hpp.
#include "daedal/invert/stable_inversion.hpp"

#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/structure/examine.hpp"
#include "difference_solution.hpp"
#include "mesh.hpp"
#include "motion.hpp"
#include "rest.hpp"
#include "rest_zeros.hpp"
#include "solve/point.hpp"
#include "solve/row_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace daedal::invert {

namespace {

constexpr double rows_by_default = 1000;
/// Of the largest deviation from rest: what may be left of it at the ends of the window before the user is told.
constexpr double hardly_moving = 1e-3;

constexpr double finest_by_differences = 1e-6;  // below, order 6 needs steps too short to contract
constexpr double step_by_differences = 0.65;    // of the slowest growing mode's time constant
constexpr double order_at_joints = 5;  // of the error, where the fifth derivative of a motion jumps
constexpr int most_meshes_of_differences = 3;
constexpr double longest_window = 100;           // on each side of the motion, in durations of it
constexpr std::size_t steps_of_first_mesh = 32;  // of a motion, by collocation

class Inverter {
 public:
  Inverter(const InverseModel& inverse, const StableInversionOptions& options)
      : options_(options),
        problem_(tracking_problem(inverse)),
        model_(*problem_->dae->model),
        system_(*problem_, options.compile),
        w_(system_.signals()) {
    if (formulate::is_descriptor_form(*problem_)) options_.boundary_value.tolerance = 1e-5;
    if (options.tolerance) options_.boundary_value.tolerance = *options.tolerance;
  }

  StableInversion run() {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<double> joints = joints_of(*problem_);
    result_.first_joint = joints.front();
    result_.last_joint = joints.back();
    const StartGuess start = start_guess(*problem_);
    const std::vector<double> motion = joints;
    choose_window(joints, start);
    measure_motion(motion);
    const Desired desired = [this](double t, double* w) { system_.desired(t, w); };
    solve::Trajectory& t = result_.trajectory;
    if (!try_differences(motion, desired)) collocate(joints, desired, start);
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
    for (const double t : even_mesh(motion, 0, steps_of_first_mesh)) {
      system_.desired(t, w_.data());
      for (std::uint32_t i = 1; i < w_.size(); ++i)
        if (!system_.is_rate(i))
          result_.motion = std::max(result_.motion, std::abs(w_[i] - first[i]));
    }
  }

  /// The zeros at a state of rest.
  RestZeros zeros_at(double t, const Rest& rest) {
    if (!rest.found) return {};  // told when the boundary value problem is solved
    system_.desired(t, w_.data());
    require_determined_inputs(system_, w_.data(), rest);
    return zeros_at_rest(system_, w_.data(), rest);
  }

  /// At any tolerance, in principle. Where finer meshes fail or are no better, what central differences found stands.
  void collocate(const std::vector<double>& joints, const Desired& desired,
                 const StartGuess& start) {
    const auto begin = std::chrono::steady_clock::now();
    BoundaryValueSolution solution = solve_boundary_value(system_, joints, desired, start.states,
                                                          start.tops, options_.boundary_value);
    result_.solving += seconds_between(begin, std::chrono::steady_clock::now());
    if (found_one() && (!solution.ok() || solution.error > result_.solution.error)) return;
    result_.solution = std::move(solution);
    result_.trajectory.method =
        fmt::format("Gauss collocation of order {}", options_.boundary_value.order);
    uneven_ = false;
  }

  /// The fast path, where it applies. Asked for by name it is taken as it is, with a warning.
  bool try_differences(const std::vector<double>& motion, const Desired& desired) {
    const BoundaryValueOptions& o = options_.boundary_value;
    const bool asked_for = options_.scheme == Scheme::central_differences;
    if (options_.scheme == Scheme::collocation || !left_.found || !right_.found ||
        result_.slowest_growth == 0)
      return refuse_differences("its desired motion begins or ends with no rest, or nothing grows");
    if (!asked_for && (o.tolerance < finest_by_differences || o.intervals > 0 ||
                       o.ends != EndConditions::automatic))
      return false;
    form_ = SecondOrderForm::make(*problem_, options_.compile);
    if (!form_) return refuse_differences("some derivatives are of an order above two");
    double step = options_.step.value_or(step_by_differences / result_.slowest_growth);
    for (int mesh = 1; mesh <= most_meshes_of_differences; ++mesh) {
      const auto window = even_window(motion, step, before_, after_);
      if (!window && found_one()) break;
      if (!window) return refuse_differences("the joints of its motion have no common measure");
      const bool uneven = !splits_evenly(window->step, right_, motion.back() + after_) ||
                          !splits_evenly(window->step, left_, motion.front() - before_);
      if (uneven && (!asked_for || found_one())) break;
      result_.solution.meshes = mesh;
      const DifferenceOutcome outcome = solve_on(*window, desired, uneven ? 2 : 6);
      if (outcome.ok && outcome.error <= o.tolerance) return true;
      if (!outcome.ok && asked_for && !found_one()) report_failure(outcome);
      if (!outcome.ok || options_.step) break;
      step = window->step *
             std::clamp(0.9 * std::pow(o.tolerance / outcome.error, 1 / order_at_joints), 0.4, 0.9);
    }
    return asked_for;
  }

  bool found_one() const { return !result_.solution.times.empty(); }

  DifferenceOutcome solve_on(const EvenWindow& window, const Desired& desired, int order) {
    DifferenceSolution solution(*form_, window.begin, window.intervals, window.step);
    std::vector<double> rest(form_->unknowns());
    form_->from_point(left_.states.data(), left_.tops.data(), rest.data());
    const BoundaryValueOptions& o = options_.boundary_value;
    const auto begin = std::chrono::steady_clock::now();
    const DifferenceOutcome outcome =
        solution.solve(desired, rest.data(), order, std::min(1e-6, 0.1 * o.tolerance), o.progress);
    result_.solving += seconds_between(begin, std::chrono::steady_clock::now());
    result_.solution.newton_iterations += outcome.iterations;
    result_.solution.continuation_steps += outcome.continuation_steps;
    if (outcome.ok && (!found_one() || outcome.error < result_.solution.error)) {
      take(solution, outcome);
      uneven_ = order == 2;
    }
    return outcome;
  }

  void take(const DifferenceSolution& solution, const DifferenceOutcome& outcome) {
    BoundaryValueSolution& s = result_.solution;
    s.status = outcome.error <= options_.boundary_value.tolerance ? BoundaryValueStatus::solved
                                                                  : BoundaryValueStatus::inaccurate;
    hand_over(*form_, solution, system_, s);
    s.left_rest = left_.states;
    s.right_rest = right_.states;
    s.error = outcome.error;
    result_.trajectory.method = fmt::format("central differences of order {}", outcome.order);
  }

  void report_failure(const DifferenceOutcome& outcome) {
    BoundaryValueSolution& s = result_.solution;
    s.status = BoundaryValueStatus::diverged;
    s.at = outcome.at;
    s.state = form_->position(outcome.largest_unknown) - problem_->state_position(0);
    s.amplitude = outcome.amplitude;
    result_.trajectory.method = "central differences";
  }

  bool splits_evenly(double step, const Rest& rest, double t) {
    std::vector<double> y(form_->unknowns());
    form_->from_point(rest.states.data(), rest.tops.data(), y.data());
    system_.desired(t, w_.data());
    return CentralDifferences::splits_evenly(*form_, w_.data(), y.data(), step,
                                             result_.slowest_growth);
  }

  bool refuse_differences(std::string_view why) const {
    if (options_.scheme != Scheme::central_differences) return false;
    throw ModelError(Diagnostic{
        Severity::error,
        model_.place,
        fmt::format("model '{}': central differences do not apply: {}", model_.name, why),
        {},
        "--method collocation is there for all mechanisms, and takes longer"});
  }

  double time_to_settle(double rate) const {
    return rate == 0 ? 0 : std::log(1 / options_.boundary_value.tolerance) / rate;
  }

  void choose_window(std::vector<double>& joints, const StartGuess& start) {
    const double duration = joints.back() - joints.front();
    const double rest_before = joints.front() - 1, rest_behind = joints.back() + 1;
    system_.desired(rest_before, w_.data());
    left_ = rest_at(system_, w_.data(), start.states, start.tops);
    std::vector<double> on_the_way = even_mesh(joints, 0, steps_of_first_mesh);
    on_the_way.push_back(rest_behind);
    right_ = rest_along(
        system_, [this](double t, double* w) { system_.desired(t, w); }, on_the_way, left_);
    const RestZeros left = zeros_at(rest_before, left_), right = zeros_at(rest_behind, right_);
    result_.solution.left = left.counts();
    result_.solution.right = right.counts();
    result_.slowest_growth = left.slowest_growth();
    // what decays more slowly than any window lasts was started at the left, and may go on behind it
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
          "give the window:  --before 1 --after 1"});
    if (before > 0) joints.insert(joints.begin(), joints.front() - before);
    if (after > 0) joints.push_back(joints.back() + after);
  }

  void write_rows(const Desired& desired) {
    const BoundaryValueSolution& solution = result_.solution;
    solve::Trajectory& trajectory = result_.trajectory;
    std::vector<double> s(system_.states()), z(system_.tops());
    SolutionAt at(system_, solution, desired);
    const double begin = solution.times.front(), end = solution.times.back();
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
      if (!at(t, w_.data(), s.data(), z.data())) {
        trajectory.status = solve::Status::stopped;
        trajectory.reason =
            fmt::format("stopped at t = {:.6g} s: the equations are singular there", t);
        return;
      }
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
    const BoundaryValueSolution& solution = result_.solution;
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
    const BoundaryValueSolution& solution = result_.solution;
    const auto warning = [&](std::string message, std::string help) {
      result_.trajectory.warnings.push_back({Severity::warning,
                                             model_.servos.front().place,
                                             fmt::format("model '{}': {}", model_.name, message),
                                             {},
                                             std::move(help)});
    };
    for (const bool at_left : {true, false}) {
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
          "the steps resolve oscillations that neither grow nor decay: their conditions stand half "
          "at each end, which at some lengths of the window has no solution",
          "longer steps do not see them, and collocation has their conditions at the beginning");
    if (const int centre = std::max(solution.left.centre, solution.right.centre); centre > 0)
      warning(fmt::format("{} internal mode{} neither grow{} nor decay{}", centre,
                          centre == 1 ? "" : "s", centre == 1 ? "s" : "", centre == 1 ? "s" : ""),
              "they start at rest and may go on oscillating behind the motion; a little damping "
              "would make them decay");
    if (solution.status == BoundaryValueStatus::inaccurate)
      warning(
          fmt::format("the estimated error {:.1e} is above the tolerance {:g} on {} intervals",
                      solution.error, options_.boundary_value.tolerance, solution.times.size() - 1),
          "a smoother motion, or a larger tolerance");
  }

  std::string reason() const {
    const BoundaryValueSolution& s = result_.solution;
    const char* const end = s.at_left ? "left" : "right";
    switch (s.status) {
      case BoundaryValueStatus::not_at_rest:
        return fmt::format(
            "no state of rest at the {} end of the window, t = {:.6g} s: the desired motion does "
            "not stand still there, or asks for a pose that no input holds",
            end, s.at);
      case BoundaryValueStatus::singular:
        return fmt::format(
            "stopped at t = {:.6g} s: the collocation equations are singular, at amplitude {:.3g} "
            "of the motion\n  help: a pose on the way may be singular, see daedal analyse",
            s.at, s.amplitude);
      case BoundaryValueStatus::diverged:
        return fmt::format(
            "Newton's method fails, also from smaller motions: the largest amplitude reached is "
            "{:.3g} of the motion\n  its corrections are largest in '{}' at t = {:.6g} s\n  help: "
            "a slower motion; this one may be faster than the mechanism can follow{}",
            s.amplitude,
            solve::name_at(*problem_,
                           problem_->state_position(static_cast<std::uint32_t>(s.state))),
            s.at, form_ ? ", or this mesh: try other steps, or --method collocation" : "");
      case BoundaryValueStatus::wrong_counts:
        if (options_.boundary_value.ends == EndConditions::automatic)
          return fmt::format(
              "the modes at the two ends differ, {} at the beginning and {} at the end: no bounded "
              "solution joins them in general",
              describe(s.left), describe(s.right));
        return fmt::format(
            "ends = {} gives {} conditions at the {} end, {} are needed: the modes there are {}\n"
            "  help: ends = automatic counts them",
            end_conditions_names()[static_cast<std::size_t>(options_.boundary_value.ends)],
            s.conditions, end, s.needed, describe(s.at_left ? s.left : s.right));
      default:
        return "";
    }
  }

  StableInversionOptions options_;
  std::shared_ptr<const formulate::Problem> problem_;
  const model::Model& model_;
  InverseSystem system_;
  std::vector<double> w_;
  Rest left_, right_;
  double before_ = 0, after_ = 0;  // [s], of the motion
  std::unique_ptr<SecondOrderForm> form_;
  bool uneven_ = false;  // a mesh of central differences that resolves undamped oscillations
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
  const BoundaryValueOptions& o = options.boundary_value;
  if (const double tolerance = options.tolerance.value_or(o.tolerance);
      !(tolerance >= 1e-13 && tolerance <= 0.1))
    fault(fmt::format("tolerance = {} is not in [1e-13, 0.1]", tolerance), "");
  if (o.order != 4 && o.order != 6)
    fault(fmt::format("order = {} is not there", o.order), "Gauss collocation has order 4 or 6");
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
  formulate::Problem problem =
      formulate::formulate(structure.dae, {.kind = formulate::Kind::index1});
  if (!problem.written_out) problem = formulate::descriptor_form(inverse.tracking);
  return std::make_shared<const formulate::Problem>(std::move(problem));
}

StableInversion stable_inversion(const InverseModel& inverse,
                                 const StableInversionOptions& options) {
  if (const std::vector<Diagnostic> faults = check(options); !faults.empty())
    throw ModelError(faults);
  return Inverter(inverse, options).run();
}

}  // namespace daedal::invert
