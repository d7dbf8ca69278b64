// From servo lines to inputs: the class of the inverse model, the method that fits it, rows, verification, verdict.
#include "daedal/task/invert.hpp"

#include "daedal/expr/graph.hpp"
#include "daedal/invert/shared_inputs.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/page.hpp"
#include "daedal/task/spectrum.hpp"
#include "inverse_form.hpp"
#include "inversion.hpp"
#include "inverter.hpp"
#include "stable_inversion.hpp"
#include "warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using Details = Inversion::Details;

/// Rows are solved from the equations at their own times; the series between anchors only gives a guess.
constexpr double anchor_tolerance = 1e-9;
/// Of runs of the forward model from other starts, or of other plants: what they show is larger.
constexpr double comparison_tolerance = 1e-8;

/// "+-3.8637i 1/s (period 1.626 s)" of every mode on the imaginary axis.
std::string undamped_modes(const analysis::Spectrum& zeros) {
  std::string text;
  for (const analysis::Cluster& zero : zeros.clusters) {
    const double size = std::abs(zero.mean);
    if (zero.mean.imag() < 0 || std::abs(zero.mean.real()) > std::max(zero.error, 1e-9 * size))
      continue;
    text += fmt::format("{}{} 1/s", text.empty() ? "" : ", ", analysis::text_of(zero, true));
    if (zero.mean.imag() > 0)
      text += fmt::format(" (period {:.4g} s)", 2 * std::numbers::pi / zero.mean.imag());
  }
  return text;
}

/// Zeros at 0 leave a motion free that nothing brings back; the others on the axis swing.
bool drifts(const analysis::Spectrum& zeros) {
  return std::any_of(zeros.clusters.begin(), zeros.clusters.end(),
                     [](const auto& zero) { return std::abs(zero.mean) <= analysis::doubt(zero); });
}

Diagnostic warning_of_marginal(const model::Model& m, const inversion::InternalDynamics& dynamics) {
  return {Severity::warning,
          m.servos.front().place,
          fmt::format("model '{}': the inverse model has {}", m.name, describe(dynamics)),
          {"undamped modes: " + undamped_modes(dynamics.zeros)},
          drifts(dynamics.zeros)
              ? "what the zeros at 0 leave free drifts on after the motion, and rounding errors "
                "with it"
              : "its undamped modes go on oscillating after the motion, and rounding errors with "
                "them"};
}

/// Whether the motion begins with other states than the model.
bool begins_elsewhere(const Details& d) {
  constexpr double apart = 1e-9;  // of a state's size, or 1: farther than rounding
  const formulate::Problem& inverse = d.inverse.problem;
  try {
    const solve::Prepared plant = solve::prepare(d.mechanism.dae, {});
    for (std::uint32_t i = 0; i < plant.problem.states; ++i) {
      const std::uint32_t position =
          inverse.layout.find(plant.problem.layout.leaf(plant.problem.state_position(i)));
      if (position == compile::absent || position > inverse.states) continue;
      const double own = plant.start.states[i], there = d.start.states[position - 1];
      if (std::abs(own - there) > apart * std::max(1.0, std::abs(own))) return true;
    }
  } catch (const ModelError&) {
    return true;  // the run from there says why
  }
  return false;
}

/// How far the outputs are to go between two times, the one that goes farthest.
double extent_of_motion(const model::Model& m, double begin, double end) {
  constexpr int samples = 100;
  double largest = 0;
  for (const model::Relation& servo : m.servos) {
    if (!servo.desired) continue;
    const auto at = [&](double t) {
      return expr::evaluate(*m.graph, std::span(&*servo.desired, 1), [&](expr::Leaf leaf) {
        return leaf.symbol == expr::time_symbol ? t : m.symbols[leaf.symbol].value;
      })[0];
    };
    for (int k = 1; k <= samples; ++k)
      largest = std::max(largest, std::abs(at(begin + (end - begin) * k / samples) - at(begin)));
  }
  return largest;
}

/// How far the forward run goes from the motion, as a share of what is allowed. Methods of fixed step promise nothing. Inputs by
/// jets or Taylor series are exact at the rows, and only what is interpolated between them depends on how far these are apart: a
/// thousandth is worth a warning, a tenth is another motion. Those of a stable inversion have an estimated error.
double distance_over(const Details& d, double share_of_a_flat_motion) {
  const auto* const worst = d.proof ? d.proof->forward.largest() : nullptr;
  if (worst == nullptr || d.stepped || d.receding) return 0;
  if (!d.stable && !(d.extent > 0)) return 0;
  const double allowed = d.stable ? std::max(10 * d.stable->solution.error, 1e-3) * d.stable->motion
                                  : share_of_a_flat_motion * d.extent;
  const double over = worst->largest / allowed;
  return std::isnan(over) ? std::numeric_limits<double>::infinity() : over;
}

/// Worthless.
bool leaves_the_motion(const Details& d) { return distance_over(d, 0.1) > 1; }

/// Worth a warning: the rows are too far apart for those who use them, or the inputs are wrong where the states are not. Of
/// motions that are not smooth enough a warning says already that something is left out.
bool strays_from_the_motion(const Details& d) {
  return leaves_the_motion(d) ||
         ((d.stable || d.inverse.warnings.empty()) && distance_over(d, 1e-3) > 1);
}

/// The tolerance was not reached: the warnings state by how much.
bool misses_its_tolerance(const Details& d) {
  return d.stable && d.stable->solution.status == boundary::BoundaryValueStatus::inaccurate;
}

Diagnostic warning_of_leaving(const Details& d) {
  const model::Model& m = *d.mechanism.model;
  const inversion::TrackingError& worst = *d.proof->forward.largest();
  const double motion = d.stable ? d.stable->motion : d.extent;
  std::string message = fmt::format(
      "model '{}': the forward run leaves the motion by {:.1e}, {:.2g} of how far it goes, at t = "
      "{:.4g} s",
      m.name, worst.largest, worst.largest / motion, worst.at);
  std::string help = "inputs between rows are interpolated: a smaller `every` makes more of them";
  if (d.stable)
    message += fmt::format("; the estimated error of its rows is {:.1e}", d.stable->solution.error);
  else if (!d.inverse.warnings.empty())
    help = "without impulses no input leads there: a motion that is smooth enough needs none";
  else
    help +=
        "; of inputs that many high derivatives cancel in, too few digits are left: a slower "
        "motion has more";
  return {Severity::warning, m.servos.front().place, std::move(message), {}, std::move(help)};
}

/// A method of fixed step promises no error, but rows that violate the equations between them by this share of their largest
/// term are no solution: differences of a high index amplify rounding, or the method is unstable on these equations.
constexpr double notable_defect = 0.1;

std::vector<Diagnostic> warning_of_defect(const Details& d) {
  if (!d.stepped || !d.proof || !(d.proof->defect.largest > notable_defect)) return {};
  const model::Model& m = *d.mechanism.model;
  return {
      {Severity::warning,
       m.servos.front().place,
       fmt::format("model '{}': between rows '{}' is violated by {:.1e} of its largest term, at t "
                   "= {:.4g} s: the inputs oscillate or are too rough",
                   m.name, d.proof->defect.equation, d.proof->defect.largest, d.proof->defect.at),
       {},
       "take another step, a lower order or  `formulation = projection`; jets invert the model "
       "to rounding"}};
}

/// A real-time system steps native code from the first step on.
compile::Options stepper_kernels(compile::Backend backend) {
  return {.backend = backend == compile::Backend::automatic ? compile::Backend::native : backend};
}

Signal signal_of(const inversion::SignalRange& r) {
  return {r.name,       r.unit, r.smallest, r.smallest_at, r.largest,
          r.largest_at, r.rate, r.rate_at,  r.sign_change};
}

Phase phase_of(const Details& d) {
  if (!d.internal) return Phase::flat;
  switch (d.internal->margin.side) {
    case analysis::Side::right:
      return Phase::non_minimum;
    case analysis::Side::axis:
      return Phase::marginal;
    default:
      return Phase::minimum;
  }
}

}  // namespace

Inverter::Inverter(const Model& model, const InvertOptions& options)
    : asked_(options), answer_(model), details_(std::make_shared<Details>()) {
  answer_.warnings = model.warnings();
  answer_.experiment = options.experiment;
  answer_.title = title_of(model, options.experiment);
  details_->mechanism = model.written_out();
}

void Inverter::warn(const std::vector<Diagnostic>& warnings) {
  answer_.warnings.insert(answer_.warnings.end(), warnings.begin(), warnings.end());
}

void Inverter::redefine() {
  if (asked_.redefine.empty()) {
    if (asked_.weight || asked_.margin)
      fault({}, fmt::format("{} belongs to `redefine`", asked_.weight ? "`weight`" : "`margin`"),
            "add  `redefine = OUTPUT:RIGID`,  or leave it out");
    return;
  }
  details_->redefined =
      task::redefine(details_->mechanism,
                     {asked_.redefine, asked_.weight, asked_.margin.value_or(0), asked_.watch});
  details_->mechanism = details_->redefined->mechanism;
}

void Inverter::find_class() {
  Details& d = *details_;
  d.inverse = inversion::inverse_model(*d.mechanism.dae);
  answer_.index = d.inverse.structure.index;
  answer_.free_initial_values = d.inverse.structure.degrees_of_freedom;
  if (!d.inverse.structure.solvable())
    fault(d.mechanism.model->place,
          "the inverse model cannot be solved: " + d.inverse.structure.remark);
  warn(d.inverse.warnings);
  settle_options();
  d.start = solve::consistent_point(d.inverse.problem);
  if (d.inverse.dae->shared) share_inputs();
  d.dynamics = "no degrees of freedom: the inputs follow from the desired motion alone";
  if (d.inverse.algebraic()) return;
  d.internal = inversion::internal_dynamics(d.inverse, d.start);
  d.dynamics = describe(*d.internal);
  answer_.zeros = values_of(d.internal->zeros);
  answer_.phase = phase_of(d);
  if (answer_.phase == Phase::marginal)
    warn({warning_of_marginal(*d.mechanism.model, *d.internal)});
}

namespace {

/// Squares of different quantities add up in the norm.
std::vector<Diagnostic> warning_of_mixed_units(const model::Model& m,
                                               const std::vector<expr::SymbolId>& inputs) {
  for (const expr::SymbolId s : inputs) {
    const model::Symbol &symbol = m.symbols[s], &first = m.symbols[inputs.front()];
    if (symbol.unit == first.unit || symbol.nominal != 1 || first.nominal != 1) continue;
    return {
        {Severity::warning,
         symbol.place,
         fmt::format("model '{}': the least norm of the inputs adds squares of '{}' [{}] and of "
                     "'{}' [{}]",
                     m.name, first.name, first.unit, symbol.name, symbol.unit),
         {},
         fmt::format("state their typical sizes:  input {} (nominal = 100)", symbol.name)}};
  }
  return {};
}

/// start, start + every, ..., until.
std::vector<double> times_of_rows(double start, const solve::SimulateOptions& options) {
  const auto count = static_cast<std::size_t>((options.until - start) / options.every + 1e-9);
  std::vector<double> times;
  for (std::size_t k = 0; k <= count; ++k)
    times.push_back(start + static_cast<double>(k) * options.every);
  if (times.back() < options.until) times.push_back(options.until);
  return times;
}

}  // namespace

/// More inputs than servo-constraints: which of them are at their limits, and when.
void Inverter::share_inputs() {
  Details& d = *details_;
  const derive::Dae& dae = *d.inverse.dae;
  const model::Model& m = *dae.model;
  answer_.sharing = Sharing{};
  Sharing& sharing = *answer_.sharing;
  sharing.free_directions =
      dae.shared.inputs.size() + dae.shared.adapting.size() - dae.shared.rows.size();
  sharing.limited = !dae.shared.bounds.empty();
  warn(warning_of_mixed_units(m, dae.shared.inputs));
  if (!sharing.limited) return;
  if (!d.inverse.algebraic() || !d.inverse.structure.conversions.empty())
    fault(m.symbols[dae.shared.bounds.front().input].place,
          fmt::format("model '{}': limits of inputs that share the work need an inverse model "
                      "without internal dynamics",
                      m.name),
          "leave these limits out");
  if (d.options.every == 0) d.options.every = d.options.until / 1000;
  const std::vector<double> times = times_of_rows(d.start.t, d.options);
  const inversion::WithinLimits within =
      inversion::within_limits(d.inverse, d.start, times, d.options.compile);
  if (!within.impossible.empty()) {
    const auto after = std::upper_bound(times.begin(), times.end(), within.possible_until);
    if (after - times.begin() < 2)
      fault(m.symbols[dae.shared.bounds.front().input].place,
            fmt::format("model '{}': {}", m.name, within.impossible),
            "wider limits, another motion, or other places of the actuators");
    d.impossible = within.impossible;
    d.options.until = *(after - 1);
  }
  for (const derive::HeldInput& held : within.held) {
    const double from = std::max(held.from, d.start.t);
    if (from > d.options.until) continue;
    const model::Symbol& input = m.symbols[held.input];
    const double value = expr::evaluate(*m.graph, std::span(&held.value, 1), [&](expr::Leaf leaf) {
      return leaf.symbol == expr::time_symbol ? from : m.symbols[leaf.symbol].value;
    })[0];
    sharing.at_limits.push_back(
        {input.name, input.unit, value, from, std::min(held.until, d.options.until)});
  }
  if (within.held.empty()) return;
  d.inverse = inversion::inverse_model(*d.mechanism.dae, within.held);
  d.start = solve::consistent_point(d.inverse.problem);
}

/// The coordinates of the inputs that the motion leaves open, in place of what made the choice.
void Inverter::finish_sharing() {
  const Details& d = *details_;
  if (!answer_.sharing) return;
  solve::Trajectory& rows = answer_.trajectory;
  inversion::show_free_directions(d.inverse, rows, d.options.compile);
  for (const inversion::SignalRange& range : inversion::free_ranges(d.inverse, rows.table))
    answer_.sharing->coordinates.push_back(signal_of(range));
  if (d.impossible.empty() || rows.status != solve::Status::completed) return;
  rows.status = solve::Status::stopped;
  rows.reason = fmt::format("stopped at t = {:.6g} s: {}", d.options.until, d.impossible);
}

void Inverter::settle_options() {
  Details& d = *details_;
  d.options.method = solve::TaylorOptions{
      .tolerance = asked_.tolerance.value_or(d.inverse.algebraic() ? anchor_tolerance : 1e-12)};
  const double end = end_of_motion(asked_.until, d.inverse.problem);
  // the internal dynamics, the reason for the redefined output, show after the motion
  d.options.until = d.redefined && !asked_.until ? 2 * end : end;
  d.options.every = every_of(asked_.every);
  d.options.compile.backend = asked_.backend;
  d.options.history = asked_.history;
  d.options.global_error = false;  // an inversion is judged by its defects
  d.options.watch = asked_.watch;
  if (const std::vector<Diagnostic> faults = solve::check(d.options); !faults.empty())
    throw ModelError(faults);
}

InversionMethod Inverter::method() const {
  const Details& d = *details_;
  const model::Model& m = *d.mechanism.model;
  const model::Option words = asked_.method.words("method").value_or(model::Option{});
  const bool collocation = words.word == "collocation" || words.word == "central_differences";
  const bool stepping = asked_.method.made() && words.word != "taylor" && !collocation;
  const bool bounded = collocation || answer_.phase == Phase::non_minimum;
  if (asked_.formulation.made() && !stepping)
    fault(asked_.formulation.words("formulation")->place,
          "formulations of inverse models are for methods of fixed step",
          "add  `method = bdf(order = 2)` `step = 0.001`,  or leave it out");
  if (collocation && d.inverse.algebraic())
    fault(words.place,
          fmt::format("model '{}': its inverse model has no internal dynamics, so there is nothing "
                      "to collocate",
                      m.name),
          "leave the method out: the inputs follow from the desired motion alone");
  if (bounded && stepping)
    fault(words.place,
          fmt::format("model '{}': the inverse model has {}; {} integrates it forwards and grows "
                      "like the exponential of that",
                      m.name, d.dynamics, words.text.empty() ? "the method" : words.text),
          "leave the method out: stable inversion finds the bounded solution");
  if (asked_.receding && !bounded)
    fault({}, fmt::format("model '{}': {}: no preview is needed", m.name, d.dynamics),
          "leave `receding` out; a method with fixed step inverts the model in real time");
  return asked_.receding ? InversionMethod::receding
         : bounded       ? InversionMethod::stable
         : stepping      ? InversionMethod::stepping
                         : InversionMethod::series;
}

void Inverter::find_rows() {
  Details& d = *details_;
  solve::Trajectory& rows = answer_.trajectory;
  const inversion::ClassicalForm form = classical_form_of(asked_.formulation);
  switch (method()) {
    case InversionMethod::receding: {
      inversion::RecedingRunOptions options = receding_options(asked_);
      options.compile = stepper_kernels(asked_.backend);
      options.watch = asked_.watch;
      d.receding = inversion::receding_run(d.inverse, options);
      d.sample_time = options.horizon.period;
      rows = d.receding->trajectory;
      return;
    }
    case InversionMethod::stable: {
      inversion::StableInversionOptions options = stable_inversion_options(asked_);
      options.compile = d.options.compile;
      options.boundary_value.watch = asked_.watch;
      d.stable = inversion::stable_inversion(d.inverse, options);
      rows = d.stable->trajectory;
      return;
    }
    case InversionMethod::stepping:
      d.options.method = method_of(asked_.method, asked_.tolerance, asked_.step);
      d.formulation =
          inversion::reduction_names()[static_cast<std::size_t>(form.reduction.reduction)];
      d.stepped = inversion::step_through(d.inverse, d.start, d.options.method, d.options.until,
                                          d.options.every, stepper_kernels(asked_.backend), form);
      rows = std::move(d.stepped->trajectory);
      d.sample_time = rows.statistics.largest_step;
      return;
    case InversionMethod::series:
      rows = solve::simulate(d.inverse.problem, d.start, d.options);
      if (d.inverse.algebraic() && rows.status == solve::Status::completed && asked_.verify)
        d.evaluations = inversion::evaluation_times(d.inverse, d.start, rows.table.column(0),
                                                    stepper_kernels(asked_.backend));
  }
}

void Inverter::prove() {
  Details& d = *details_;
  const solve::Trajectory& rows = answer_.trajectory;
  if (rows.table.rows() < 2) return;
  const inversion::VerifyOptions loose{
      .tolerance = comparison_tolerance, .compile = d.options.compile, .watch = asked_.watch};
  if (asked_.verify)
    d.proof =
        inversion::verify(d.inverse, rows, {.compile = d.options.compile, .watch = asked_.watch});
  if (d.proof && !d.start.moves.empty() && begins_elsewhere(d))
    d.own_start = inversion::verify_with(*d.mechanism.dae, d.inverse, rows, loose);
  d.extent = extent_of_motion(*d.mechanism.model, rows.table.at(0, 0),
                              rows.table.at(rows.table.rows() - 1, 0));
  for (const Diagnostic& warning : warning_of_defect(d))
    answer_.trajectory.warnings.push_back(warning);
  if (strays_from_the_motion(d)) answer_.trajectory.warnings.push_back(warning_of_leaving(d));
  if (other_plant_)
    d.other_plant =
        inversion::verify_with(*other_plant_->written_out().dae, d.inverse, rows, loose);
  if (d.redefined)
    d.following = following(*d.mechanism.model, rows.table, end_of_motion({}, d.inverse.problem));
  if (const auto* worst = d.proof ? d.proof->forward.largest() : nullptr)
    answer_.tracking = worst->largest;
}

void Inverter::judge() {
  const Details& d = *details_;
  const solve::Trajectory& t = answer_.trajectory;
  const bool complete = t.status == solve::Status::completed;
  const bool refuted = d.proof && d.proof->forward.status == solve::Status::stopped;
  const bool bad = !complete || leaves_the_motion(d) || misses_its_tolerance(d);
  answer_.holds = !bad && !refuted;
  answer_.interrupted = t.status == solve::Status::interrupted;
  if (!complete) answer_.reason = t.reason;
  const bool quiet = t.warnings.empty() && d.start.warnings.empty() && d.inverse.warnings.empty() &&
                     answer_.phase != Phase::marginal;
  const bool proved = !d.proof || d.proof->forward.status == solve::Status::completed;
  answer_.tone = bad ? emit::Tone::bad : proved && quiet ? emit::Tone::good : emit::Tone::doubtful;
  answer_.verdict = complete ? verdict() : t.reason;
}

std::string Inverter::verdict() const {
  const Details& d = *details_;
  std::string text =
      answer_.phase == Phase::flat
          ? fmt::format(
                "Differentially flat, index {}: the inputs follow from the desired motion alone.",
                answer_.index)
          : fmt::format("Index {}, {}.", answer_.index, d.dynamics);
  if (answer_.tracking)
    text += fmt::format(
        " Driven by the inputs, the forward model follows the desired motion to {:.1e}.",
        *answer_.tracking);
  if (misses_its_tolerance(d))
    text += fmt::format(" Its estimated error {:.1e} is above the tolerance {:g}.",
                        d.stable->solution.error, d.stable->tolerance);
  return text;
}

Inversion Inverter::invert() {
  redefine();
  find_class();
  if (!asked_.verify_with.empty())
    other_plant_ = answer_.model.with_parameters(asked_.verify_with, asked_.verify_with_name);
  find_rows();
  prove();
  finish_sharing();
  warn(details_->start.warnings);
  warn(answer_.trajectory.warnings);
  const Table& table = answer_.trajectory.table;
  for (const inversion::SignalRange& u : input_ranges(details_->inverse, table))
    answer_.inputs.push_back(signal_of(u));
  for (const inversion::SignalRange& f : force_ranges(details_->inverse, table))
    answer_.forces.push_back(signal_of(f));
  judge();
  answer_.details_ = details_;
  return std::move(answer_);
}

emit::Report Inverter::refusal(const std::vector<Diagnostic>& why) const {
  emit::Report page = task::refusal(answer_.model, answer_.title, why);
  const Details& d = *details_;
  if (d.internal) {
    page.facts.emplace_back("inverse", d.dynamics);
    add_zeros(page, *d.internal);
    if (answer_.phase == Phase::non_minimum)
      page.facts.emplace_back("ways out", ways_out_of_unstable_zeros);
  }
  if (d.inverse.structure.dae && d.inverse.structure.solvable())
    add_equations(page, d.inverse.structure);
  return page;
}

Inversion invert(const Model& model, const InvertOptions& options) {
  const StopScope stoppable(options.watch.stop);
  refuse_controllers(model, Refused::all);
  Inverter inverter(model, options);
  try {
    return inverter.invert();
  } catch (const ModelError& error) {
    const structure::Structure& inverse = inverter.details().inverse.structure;
    const auto why = with_warnings(inverter.answer(), error.diagnostics());
    throw Refusal(why, inverter.refusal(why), inverse.dae && !inverse.solvable());
  }
}

}  // namespace task
}  // namespace daedal
