// daedal invert: from servo lines to inputs.
#include "invert.hpp"

#include "commands.hpp"
#include "daedal/base/utf8.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/expr/calculus.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/invert/internal_dynamics.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/verify.hpp"
#include "daedal/solve/prepare.hpp"
#include "daedal/solve/simulate.hpp"
#include "formulations.hpp"
#include "inverse_form.hpp"
#include "json_answer.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"
#include "question_page.hpp"
#include "redefine.hpp"
#include "request.hpp"
#include "sparkline.hpp"
#include "stable_inversion.hpp"
#include "start_lines.hpp"
#include "step_times.hpp"
#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace daedal::cli {

namespace {

/// Rows are solved from the equations at their own times; the series between anchors only leads there.
constexpr double anchor_tolerance = 1e-9;

/// "+-3.8637i 1/s (period 1.626 s)" of every mode on the imaginary axis.
std::string undamped_modes(const analyse::Spectrum& zeros) {
  std::string text;
  for (const analyse::Cluster& zero : zeros.clusters) {
    const double size = std::abs(zero.mean);
    if (zero.mean.imag() < 0 || std::abs(zero.mean.real()) > std::max(zero.error, 1e-9 * size))
      continue;
    text += fmt::format("{}{} 1/s", text.empty() ? "" : ", ", analyse::text_of(zero, true));
    if (zero.mean.imag() > 0)
      text += fmt::format(" (period {:.4g} s)", 2 * std::numbers::pi / zero.mean.imag());
  }
  return text;
}

/// Zeros at 0 leave a motion free that nothing brings back; the others on the axis swing.
bool drifts(const analyse::Spectrum& zeros) {
  return std::any_of(zeros.clusters.begin(), zeros.clusters.end(),
                     [](const auto& zero) { return std::abs(zero.mean) <= analyse::doubt(zero); });
}

void warn_about_marginal(const Arguments& a, const model::Model& m,
                         const daedal::invert::InternalDynamics& dynamics) {
  print_warnings(
      a,
      {Diagnostic{Severity::warning,
                  m.servos.front().place,
                  fmt::format("model '{}': the inverse model has {}", m.name, describe(dynamics)),
                  {"undamped modes: " + undamped_modes(dynamics.zeros)},
                  drifts(dynamics.zeros) ? "what the zeros at 0 leave free drifts on behind the "
                                           "motion, and rounding errors with it"
                                         : "its undamped modes go on oscillating behind the "
                                           "motion, and rounding errors with them"}});
}

/// A real-time system steps native code from the first step on.
compile::Options stepper_kernels(const Arguments& a) {
  const compile::Backend backend = read_backend(a);
  return {.backend = backend == compile::Backend::automatic ? compile::Backend::native : backend};
}

/// One inversion and what is known of it.
struct Inversion {
  daedal::invert::InverseModel inverse;
  std::string formulation;  // of the equations of a classical method
  std::string dynamics;     // the internal ones, in words
  std::optional<daedal::invert::InternalDynamics> internal;  // and in numbers
  bool marginal = false;                                     // they neither fade nor grow
  double extent = 0;                                         // of the desired motion
  Result result;
  std::optional<daedal::invert::SteppedInversion> stepped;  // by a classical method
  std::optional<daedal::invert::StableInversion> stable;    // not minimum phase
  std::optional<daedal::invert::RecedingRun> receding;      // the same in real time; else jets
  double sample_time = 0;                                   // [s], of the real-time methods
  std::optional<daedal::invert::StepTimes> evaluations;     // of jets, as code of their own
  std::optional<daedal::invert::Verification> proof;
  std::optional<daedal::invert::ForwardRun> own_start;    // from the model's own start values
  std::optional<daedal::invert::ForwardRun> other_plant;  // --verify-with
  std::optional<Redefined> redefined;
  std::vector<Following> following;  // of the outputs that were redefined
};

using daedal::invert::ForwardRun;
using daedal::invert::SignalRange;

nlohmann::ordered_json proof_json(const daedal::invert::Verification& proof) {
  nlohmann::ordered_json json;
  if (!proof.defect.equation.empty())
    json["defect"] = {{"relative", proof.defect.largest},
                      {"equation", proof.defect.equation},
                      {"at", proof.defect.at}};
  const ForwardRun& run = proof.forward;
  json["forward"] = {{"status", run.status == solve::Status::completed ? "completed" : "stopped"},
                     {"method", run.method},
                     {"growth_rate", run.growth_rate},
                     {"growth", run.growth},
                     {"segments", run.segments}};
  if (!run.reason.empty()) json["forward"]["reason"] = run.reason;
  json["forward"]["tracking"] = nlohmann::ordered_json::object();
  for (const daedal::invert::TrackingError& error : run.errors)
    json["forward"]["tracking"][error.servo] = {{"largest", error.largest}, {"at", error.at}};
  return json;
}

/// Reactions as `rod.force` gives them, positive where a length is pulled: multipliers are their
/// negatives. Forces of drives are named so already.
std::vector<SignalRange> forces(const Inversion& i) {
  const model::Model& m = *i.inverse.dae->model;
  std::vector<SignalRange> ranges = force_ranges(i.inverse, i.result.trajectory.table);
  for (SignalRange& f : ranges) {
    if (m.symbols[m.find(f.name)].kind != model::SymbolKind::multiplier) continue;
    f.name += ".force";
    std::swap(f.smallest, f.largest);
    std::swap(f.smallest_at, f.largest_at);
    f.smallest = 0 - f.smallest, f.largest = 0 - f.largest, f.rate = 0 - f.rate;
  }
  return ranges;
}

nlohmann::ordered_json inverse_json(const Inversion& i) {
  const Result& r = i.result;
  const structure::Structure& s = i.inverse.structure;
  nlohmann::ordered_json json = to_json(r, "");
  json["index"] = s.index;
  json["degrees_of_freedom"] = s.degrees_of_freedom;
  json["conversions"] = nlohmann::ordered_json::array();
  for (const structure::Conversion& c : s.conversions) json["conversions"].push_back(c.words);
  json["residual"] = r.trajectory.constraints.largest;
  json["inputs"] = nlohmann::ordered_json::object();
  for (const SignalRange& u : input_ranges(i.inverse, r.trajectory.table))
    json["inputs"][u.name] = {{"largest", u.peak()},
                              {"unit", u.unit},
                              {"at", u.peak_at()},
                              {"rate", u.rate},
                              {"rate_at", u.rate_at}};
  json["forces"] = nlohmann::ordered_json::object();
  for (const SignalRange& f : forces(i)) {
    json["forces"][f.name] = {{"smallest", f.smallest}, {"largest", f.largest}, {"unit", f.unit}};
    if (f.sign_change) json["forces"][f.name]["sign_change"] = *f.sign_change;
  }
  if (i.stepped)
    json["steps"] = {{"median", i.stepped->times.median},
                     {"most", i.stepped->times.most},
                     {"worst", i.stepped->times.worst},
                     {"sample_time", r.trajectory.statistics.largest_step},
                     {"histogram", histogram_json(i.stepped->times)},
                     {"formulation", i.formulation},
                     {"most_iterations", i.stepped->most_iterations},
                     {"residual", i.stepped->largest_residual},
                     {"jumps", i.stepped->jumps},
                     {"singular_passed", i.stepped->singular_passed}};
  if (i.evaluations)
    json["evaluations"] = {{"median", i.evaluations->median},
                           {"most", i.evaluations->most},
                           {"worst", i.evaluations->worst},
                           {"histogram", histogram_json(*i.evaluations)}};
  if (i.receding) json["receding"] = receding_json(*i.receding);
  if (i.stable) json["stable_inversion"] = stable_inversion_json(*i.stable);
  if (i.proof) json["verification"] = proof_json(*i.proof);
  if (i.own_start)
    json["verification_from_own_start"] = proof_json({.defect = {}, .forward = *i.own_start});
  if (i.other_plant)
    json["verification_with"] = proof_json({.defect = {}, .forward = *i.other_plant});
  if (i.redefined) json["redefined"] = redefined_json(*i.redefined, i.following);
  return json;
}

std::string with_unit(const std::string& unit) { return unit.empty() ? "" : " " + unit; }

std::string per_second(const std::string& unit) {
  return unit.empty() ? "" : " " + (unit.find('/') == unit.npos ? unit + "/s" : "(" + unit + ")/s");
}

void add_proof(std::string& text, const daedal::invert::Verification& proof) {
  if (!proof.defect.equation.empty())
    text += fmt::format("  defect   {:.1e} between rows, relative  ({} at t = {:.4g} s)\n",
                        proof.defect.largest, proof.defect.equation, proof.defect.at);
  const ForwardRun& run = proof.forward;
  if (const auto* worst = run.largest())
    text += fmt::format("  tracking {:.1e} by the forward model, {}  ({} at t = {:.4g} s)\n",
                        worst->largest, run.method, worst->servo, worst->at);
  if (run.segments > 1)
    text += fmt::format(
        "           the plant is unstable: errors grow like exp({:.4g} t), by {:.1e} in all; "
        "run in {} parts, each from the rows\n",
        run.growth_rate, run.growth, run.segments);
  if (run.status != solve::Status::completed)
    text += fmt::format("           the forward run ended early: {}\n", run.reason);
}

/// Without what only the inverse model starts with: forces, and derivatives beyond velocities.
solve::ConsistentPoint start_of_plant(const model::Model& m, solve::ConsistentPoint start) {
  std::erase_if(start.moves, [&](const solve::Move& move) {
    const std::string symbol = move.name.substr(0, move.name.find('\''));
    return move.name.ends_with("''") || move.name.starts_with("der(") ||
           m.symbols[m.find(symbol)].kind == model::SymbolKind::multiplier;
  });
  return start;
}

/// Whether the motion begins with other states than the model.
bool begins_elsewhere(const Loaded& loaded, const Result& r) {
  constexpr double apart = 1e-9;  // of a state's size, or 1: farther than rounding
  try {
    const solve::Prepared plant = solve::prepare(loaded.dae, {});
    for (std::uint32_t i = 0; i < plant.problem.states; ++i) {
      const std::uint32_t position =
          r.problem.layout.find(plant.problem.layout.leaf(plant.problem.state_position(i)));
      if (position == compile::absent || position > r.problem.states) continue;
      const double own = plant.start.states[i], there = r.start.states[position - 1];
      if (std::abs(own - there) > apart * std::max(1.0, std::abs(own))) return true;
    }
  } catch (const ModelError&) {
    return true;  // the run from there says why
  }
  return false;
}

/// The motion begins elsewhere than the model: what its inputs do from where the model begins.
void add_own_start(std::string& text, const ForwardRun& run) {
  if (const auto* worst = run.largest())
    text += fmt::format(
        "           {:.1e} from the model's own start values, {}  ({} at t = {:.4g} s)\n",
        worst->largest, run.method, worst->servo, worst->at);
  if (run.status != solve::Status::completed)
    text += fmt::format("           the run from there ended early: {}\n", run.reason);
}

void add_other_plant(std::string& text, const ForwardRun& run) {
  if (const auto* worst = run.largest())
    text +=
        fmt::format("  other    {:.1e} by the plant of --verify-with, {}  ({} at t = {:.4g} s)\n",
                    worst->largest, run.method, worst->servo, worst->at);
  if (run.status != solve::Status::completed)
    text += fmt::format("           the run of that plant ended early: {}\n", run.reason);
}

void add_steps(std::string& text, const daedal::invert::SteppedInversion& stepped,
               const Result& r) {
  const solve::StepStatistics& s = r.trajectory.statistics;
  const daedal::invert::StepTimes& times = stepped.times;
  text += fmt::format(
      "  method   {}, step {:g} s: {:g} s in {} steps, {:.3g} Newton iterations a step, at "
      "most {}\n",
      r.trajectory.method, s.largest_step, r.options.until, s.accepted,
      static_cast<double>(s.newton_iterations) /
          static_cast<double>(std::max<std::uint64_t>(times.steps, 1)),
      stepped.most_iterations);
  text += fmt::format(
      "  steps    median {:.3g} us, 99.9 % below {:.3g} us, worst {:.3g} us: {:.2g} of the "
      "sample time\n",
      1e6 * times.median, 1e6 * times.most, 1e6 * times.worst, times.worst / s.largest_step);
  for (std::size_t k = 0; k < times.histogram.size(); ++k)
    if (times.histogram[k] > 0)
      text += fmt::format("           {:>8} steps below {:.3g} us\n", times.histogram[k],
                          1e6 * daedal::invert::StepTimes::bound(k));
}

std::string summary_text(const Inversion& i, const std::string& title) {
  std::string text;
  const Result& r = i.result;
  const structure::Structure& s = i.inverse.structure;
  const model::Model& m = *r.problem.dae->model;
  const solve::Trajectory& t = r.trajectory;
  text += fmt::format("{}{}\n", title, m.doc.empty() ? "" : ": " + m.doc);
  text += fmt::format("  inverse  {} equations, index {}, {}\n", r.problem.dae->equations.size(),
                      s.index, i.dynamics);
  for (const structure::Conversion& c : s.conversions)
    text += fmt::format("           {}\n", c.words);
  add_start(text, m, start_of_plant(m, r.start));
  const bool algebraic = i.inverse.algebraic();
  if (i.stepped)
    add_steps(text, *i.stepped, r);
  else if (i.receding)
    add_receding(text, *i.receding);
  else if (i.stable)
    add_stable_inversion(text, *i.stable);
  else
    text += fmt::format("  method   {}, {} {}: {:g} s, {} rows in {:.3g} ms\n",
                        algebraic ? "jets" : "Taylor series", t.statistics.accepted + 1,
                        algebraic ? "anchors" : "expansions", r.options.until, t.table.rows(),
                        1e3 * t.wall_time);
  if (i.evaluations)
    text += fmt::format(
        "  steps    inputs at one time, as code: median {:.3g} us, 99.9 % below {:.3g} us, "
        "worst {:.3g} us\n",
        1e6 * i.evaluations->median, 1e6 * i.evaluations->most, 1e6 * i.evaluations->worst);
  for (const SignalRange& u : input_ranges(i.inverse, t.table))
    text += fmt::format(
        "  input    {}: largest {:.10g}{} at t = {:.6g} s, rate {:.4g}{} at t = {:.4g} s\n", u.name,
        u.peak(), with_unit(u.unit), u.peak_at(), u.rate, per_second(u.unit), u.rate_at);
  for (const SignalRange& f : forces(i))
    text += fmt::format(
        "  force    {}: {:.6g} to {:.6g}{}{}\n", f.name, f.smallest, f.largest, with_unit(f.unit),
        f.sign_change ? fmt::format(", changes its sign at t = {:.4g} s", *f.sign_change) : "");
  if (!t.constraints.constraint.empty())
    text += fmt::format("  residual {:.1e}  ({} at t = {:.4g} s)\n", t.constraints.largest,
                        t.constraints.constraint, t.constraints.at);
  if (i.proof) add_proof(text, *i.proof);
  if (i.own_start) add_own_start(text, *i.own_start);
  if (i.other_plant) add_other_plant(text, *i.other_plant);
  if (i.redefined) text += text_of(*i.redefined, i.following);
  return text;
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

/// How far the forward run goes from the motion, as a share of what is allowed. Methods of fixed step promise nothing, and of
/// motions that are not smooth enough it has been said that impulses are left out. Inputs of a flat inverse are exact at the
/// rows, and only what is interpolated between them depends on how far these are apart: a thousandth is worth a word, a
/// tenth is another motion. Those of a stable inversion have an estimated error.
double distance_over(const Inversion& i, double share_of_a_flat_motion) {
  const auto* const worst = i.proof ? i.proof->forward.largest() : nullptr;
  if (worst == nullptr || i.stepped || i.receding) return 0;
  const bool judged = i.inverse.algebraic() && i.inverse.warnings.empty() && i.extent > 0;
  if (!i.stable && !judged) return 0;
  const double allowed = i.stable ? std::max(10 * i.stable->solution.error, 1e-3) * i.stable->motion
                                  : share_of_a_flat_motion * i.extent;
  const double over = worst->largest / allowed;
  return std::isnan(over) ? std::numeric_limits<double>::infinity() : over;
}

/// Worth a warning: the rows are too far apart for those who use them, or the inputs are wrong where the states are not.
bool strays_from_the_motion(const Inversion& i) { return distance_over(i, 1e-3) > 1; }

/// Worthless.
bool leaves_the_motion(const Inversion& i) { return distance_over(i, 0.1) > 1; }

/// The tolerance was not reached: the warnings have said by how much.
bool misses_its_tolerance(const Inversion& i) {
  return i.stable && i.stable->solution.status == daedal::invert::BoundaryValueStatus::inaccurate;
}

std::string verdict(const Inversion& i) {
  const Result& r = i.result;
  if (r.trajectory.status != solve::Status::completed) return r.trajectory.reason;
  const int index = i.inverse.structure.index;
  std::string text =
      i.inverse.algebraic()
          ? fmt::format(
                "Differentially flat, index {}: the inputs follow from the desired motion "
                "alone.",
                index)
          : fmt::format("Index {}, {}.", index, i.dynamics);
  if (const auto* worst = i.proof ? i.proof->forward.largest() : nullptr)
    text += fmt::format(
        " Driven by the inputs, the forward model follows the desired motion to {:.1e}.",
        worst->largest);
  if (misses_its_tolerance(i))
    text += fmt::format(" Its estimated error {:.1e} is above the tolerance {:g}.",
                        i.stable->solution.error, i.stable->tolerance);
  return text;
}

emit::Tone tone(const Inversion& i) {
  const solve::Trajectory& t = i.result.trajectory;
  if (t.status != solve::Status::completed || leaves_the_motion(i) || misses_its_tolerance(i))
    return emit::Tone::bad;
  const bool proved = !i.proof || i.proof->forward.status == solve::Status::completed;
  const bool quiet = t.warnings.empty() && i.result.start.warnings.empty() &&
                     i.inverse.warnings.empty() && !i.marginal;
  return proved && quiet ? emit::Tone::good : emit::Tone::doubtful;
}

void add_zeros(emit::Report& page, const daedal::invert::InternalDynamics& internal) {
  if (internal.zeros.finite() == 0) return;
  emit::Chart map = empty_pole_zero_map("Zeros of the model at its start");
  add_spectrum(page, map, internal.zeros, "zeros", "ring");
  page.charts.push_back(std::move(map));
}

void write_page(const Loaded& loaded, const Inversion& i, const Arguments& a,
                const std::string& title, const std::string& path, bool quiet) {
  emit::Report page = report_of(loaded, a, title);
  page.verdict = verdict(i);
  page.tone = tone(i);
  for (const auto* warnings :
       {&i.inverse.warnings, &i.result.start.warnings, &i.result.trajectory.warnings})
    add_warnings(page, *warnings);
  add_facts(page, summary_text(i, title));
  emit::add_trajectory(page, *loaded.model, i.result.trajectory);
  if (i.stepped) add_step_times(page, i.stepped->times, i.sample_time);
  if (i.evaluations) add_step_times(page, *i.evaluations);
  if (i.receding) add_step_times(page, i.receding->times, i.sample_time);
  if (i.internal) add_zeros(page, *i.internal);
  add_equations(page, *i.inverse.structure.dae, i.inverse.structure.offsets);
  write_report(page, path, quiet);
}

void warn_about_leaving(const model::Model& m, Inversion& i) {
  if (!strays_from_the_motion(i)) return;
  const daedal::invert::TrackingError& worst = *i.proof->forward.largest();
  if (!i.stable) {
    i.result.trajectory.warnings.push_back(
        {Severity::warning,
         m.servos.front().place,
         fmt::format("model '{}': the forward run leaves the motion by {:.1e}, {:.2g} of how far "
                     "it goes, at t = {:.4g} s",
                     m.name, worst.largest, worst.largest / i.extent, worst.at),
         {},
         "inputs between rows are interpolated: a smaller --every makes more of them; of inputs "
         "that "
         "many high derivatives cancel in, too few digits are left: a slower motion has more"});
    return;
  }
  i.result.trajectory.warnings.push_back(
      {Severity::warning,
       m.servos.front().place,
       fmt::format("model '{}': the forward run leaves the motion by {:.1e}, {:.2g} of how far it "
                   "goes, at t = {:.4g} s; the estimated error of its rows is {:.1e}",
                   m.name, worst.largest, worst.largest / i.stable->motion, worst.at,
                   i.stable->solution.error),
       {},
       "inputs between rows are interpolated: a smaller --every makes more of them"});
}

int report(const Loaded& loaded, const Inversion& i, const Arguments& a, const std::string& title,
           const Files& files, nlohmann::ordered_json* collect) {
  const Result& r = i.result;
  const std::string& csv = files.csv;
  print_warnings(a, r.start.warnings);
  print_warnings(a, r.trajectory.warnings);
  if (!csv.empty()) emit::write_csv(r.trajectory.table, csv);
  if (collect != nullptr)
    collect->push_back(with_warnings(a, inverse_json(i)));
  else if (!a.quiet && csv != "-") {
    fmt::print("{}", summary_text(i, title));
    if (!csv.empty())
      fmt::print("  wrote    {}: {} rows, {} columns\n", visible(csv), r.trajectory.table.rows(),
                 r.trajectory.table.width());
    fmt::print("{}", plots_of(a.plots, r.trajectory.table));
  }
  if (!files.report.empty())
    write_page(loaded, i, a, title, files.report, a.quiet || collect != nullptr || csv == "-");
  if (r.trajectory.status == solve::Status::completed)
    return (i.proof && i.proof->forward.status == solve::Status::stopped) || leaves_the_motion(i) ||
                   misses_its_tolerance(i)
               ? 1
               : 0;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", title.c_str(), r.trajectory.reason.c_str());
  return 1;
}

/// Why there are no inputs: the message, the zeros as far as they are known, the ways out.
void write_refusal(const Loaded& loaded, const Inversion& i, const std::vector<Diagnostic>& faults,
                   const Arguments& a, const std::string& title, const std::string& path,
                   bool quiet) {
  emit::Report page = refusal(loaded, a, title, faults);
  if (i.internal) {
    page.facts.emplace_back("inverse", i.dynamics);
    add_zeros(page, *i.internal);
    if (i.internal->margin.side == analyse::Side::right)
      page.facts.emplace_back("ways out", ways_out_of_unstable_zeros);
  }
  if (const auto& dae = i.inverse.structure.dae; dae && i.inverse.structure.solvable())
    add_equations(page, *dae, i.inverse.structure.offsets);
  write_report(page, path, quiet);
}

/// --verify-with: the model with other parameters; faults are told before anything is computed.
std::optional<Loaded> load_other_plant(const Arguments& a) {
  if (a.verify_with.empty()) return std::nullopt;
  Arguments other = a;
  for (const auto& [name, value] : a.verify_with) other.overrides.parameters[name] = value;
  other.overrides.parameter_option = "--verify-with";
  return load_model(other);
}

int solve_inversion(Inversion& inversion, const Loaded& loaded, const Request& request,
                    const Arguments& a, const std::string& title, const Files& files,
                    nlohmann::ordered_json* collect) {
  const model::Model& m = *loaded.model;
  inversion.inverse = daedal::invert::inverse_model(*loaded.dae);
  const daedal::invert::InverseModel& inverse = inversion.inverse;
  if (!inverse.structure.solvable()) {
    const std::string why = "the inverse model cannot be solved: " + inverse.structure.remark;
    std::fprintf(stderr, "%s: %s\n", m.name.c_str(), why.c_str());
    if (!files.report.empty())
      write_refusal(loaded, inversion, {{Severity::error, m.place, why, {}, ""}}, a, title,
                    files.report, a.quiet || collect != nullptr);
    if (collect != nullptr)
      collect->push_back(
          with_warnings(a, failure_json(1, {{Severity::error, m.place, why, {}, ""}})));
    return 1;
  }
  print_warnings(a, inverse.warnings);
  const bool collocation =
      request.method.word == "collocation" || request.method.word == "central_differences";
  const bool classical =
      !request.method.text.empty() && request.method.word != "taylor" && !collocation;
  Result& result = inversion.result;
  result.problem = inverse.problem;
  result.options.method = solve::TaylorOptions{
      .tolerance = request.tolerance.value_or(inverse.algebraic() ? anchor_tolerance : 1e-12)};
  const double end = end_of_motion(request, result.problem);
  // internal dynamics that the output was given up for are seen behind the motion
  result.options.until = loaded.redefined && !request.until ? 2 * end : end;
  result.options.every = request.every.value_or(0);
  result.options.compile.backend = read_backend(a);
  if (const std::vector<Diagnostic> faults = solve::check(result.options); !faults.empty())
    throw ModelError(faults);
  result.start = solve::consistent_point(result.problem);
  inversion.dynamics = "no degrees of freedom: the inputs follow from the desired motion alone";
  bool bounded = collocation;  // forward integration of unstable internal dynamics would explode
  if (!inverse.algebraic()) {
    inversion.internal = daedal::invert::internal_dynamics(inverse, result.start);
    const daedal::invert::InternalDynamics& dynamics = *inversion.internal;
    bounded = bounded || dynamics.margin.side == analyse::Side::right;
    inversion.marginal = dynamics.margin.side == analyse::Side::axis;
    if (inversion.marginal) warn_about_marginal(a, m, dynamics);
    inversion.dynamics = describe(dynamics);
  }
  if (a.formulations_compared)
    return compare_forms(inverse, result.start, request, a, result.options.until);
  if (a.stable_formulations && !bounded)
    fault({},
          fmt::format("model '{}': {}: stable inversion is not needed", m.name, inversion.dynamics),
          "leave --formulations out; --variants compares what a method with fixed step solves");
  if (a.stable_formulations) return report_formulations(inverse, request, a);
  const daedal::invert::ClassicalForm form = read_classical_form(request.formulation);
  if (!classical && !request.formulation.text.empty())
    fault(request.formulation.place, "formulations of inverse models are for methods of fixed step",
          "add  --method 'bdf(order = 2)' --step 0.001,  or leave it out");
  const std::optional<Loaded> other_plant = load_other_plant(a);
  ProgressLine line;
  if (!a.quiet) result.options.progress = line.sink();
  result.options.history = !files.report.empty();
  result.options.global_error = false;  // an inversion is judged by its defects
  if (collocation && inverse.algebraic())
    fault(request.method.place,
          fmt::format("model '{}': its inverse model has no internal dynamics, so there is nothing "
                      "to collocate",
                      m.name),
          "leave the method out: the inputs follow from the desired motion alone");
  if (bounded && classical)
    fault(request.method.place,
          fmt::format("model '{}': the inverse model has {}; {} integrates it forwards and grows "
                      "like the exponential of that",
                      m.name, inversion.dynamics, request.method.text),
          "leave the method out: stable inversion finds the bounded solution");
  if (request.receding && !bounded)
    fault({}, fmt::format("model '{}': {}: no preview is needed", m.name, inversion.dynamics),
          "leave --receding out; a method with fixed step inverts the model in real time");
  if (request.receding) {
    daedal::invert::RecedingRunOptions options = read_receding(request);
    options.compile = stepper_kernels(a);
    inversion.receding = daedal::invert::receding_run(inverse, options);
    inversion.sample_time = options.horizon.period;
    result.trajectory = inversion.receding->trajectory;
  } else if (bounded) {
    daedal::invert::StableInversionOptions options = read_stable_inversion(request);
    options.compile = result.options.compile;
    options.boundary_value.progress = result.options.progress;
    inversion.stable = daedal::invert::stable_inversion(inverse, options);
    result.trajectory = inversion.stable->trajectory;
  } else if (classical) {
    result.options.method = read_method(request);
    inversion.formulation =
        daedal::invert::reduction_names()[static_cast<std::size_t>(form.reduction.reduction)];
    inversion.stepped = daedal::invert::step_through(inverse, result.start, result.options.method,
                                                     result.options.until, result.options.every,
                                                     stepper_kernels(a), form);
    result.trajectory = std::move(inversion.stepped->trajectory);
    inversion.sample_time = result.trajectory.statistics.largest_step;
  } else {
    result.trajectory = solve::simulate(result.problem, result.start, result.options);
    if (inverse.algebraic() && result.trajectory.status == solve::Status::completed &&
        read_verify(request))
      inversion.evaluations = daedal::invert::evaluation_times(
          inverse, result.start, result.trajectory.table.column(0), stepper_kernels(a));
  }
  if (read_verify(request) && result.trajectory.table.rows() > 1)
    inversion.proof =
        daedal::invert::verify(inverse, result.trajectory, {.compile = result.options.compile});
  if (inversion.proof && !result.start.moves.empty() && begins_elsewhere(loaded, result))
    inversion.own_start =
        daedal::invert::verify_with(*loaded.dae, inverse, result.trajectory,
                                    {.tolerance = 1e-8, .compile = result.options.compile});
  if (const Table& rows = result.trajectory.table; rows.rows() > 1)
    inversion.extent = extent_of_motion(m, rows.at(0, 0), rows.at(rows.rows() - 1, 0));
  warn_about_leaving(m, inversion);
  if (other_plant && result.trajectory.table.rows() > 1)
    inversion.other_plant =
        daedal::invert::verify_with(*other_plant->dae, inverse, result.trajectory,
                                    {.tolerance = 1e-8, .compile = result.options.compile});
  inversion.redefined = loaded.redefined;
  if (loaded.redefined)
    inversion.following =
        following(loaded, result.trajectory.table, end_of_motion({}, result.problem));
  return report(loaded, inversion, a, title, files, collect);
}

}  // namespace

int invert_model(const Loaded& loaded, const Request& request, const Arguments& a,
                 const std::string& title, const Files& files, nlohmann::ordered_json* collect) {
  Inversion inversion;
  try {
    return solve_inversion(inversion, loaded, request, a, title, files, collect);
  } catch (const ModelError& error) {
    if (!files.report.empty())
      write_refusal(loaded, inversion, error.diagnostics(), a, title, files.report,
                    a.quiet || collect != nullptr || files.csv == "-");
    throw;
  }
}

namespace {

/// With the output that --redefine asks for; where there is none, the page says so too.
Loaded load_redefined(const Arguments& a) {
  Loaded loaded = load_model(a);
  if (a.redefine.empty()) return loaded;
  try {
    return redefine(loaded, a);
  } catch (const ModelError& error) {
    if (!a.report.empty())
      write_refusal(loaded, {}, error.diagnostics(), a, loaded.model->name, a.report,
                    a.quiet || a.json || a.csv == "-");
    throw;
  }
}

}  // namespace

int invert(const Arguments& a) {
  if (a.redefine.empty() && (a.weight || a.margin))
    fault({}, fmt::format("{} belongs to --redefine", a.weight ? "--weight" : "--margin"),
          "add  --redefine OUTPUT:RIGID,  or leave it out");
  check_writable({a.csv, a.report});
  const Loaded loaded = load_redefined(a);
  Request request;
  apply_command_line(request, a);
  check_plots(a.plots, *loaded.model);
  auto json = nlohmann::ordered_json::array();
  const int code = invert_model(loaded, request, a, loaded.model->name, {a.csv, a.report},
                                a.json ? &json : nullptr);
  if (a.json && !json.empty()) print_json(a, json[0]);
  return code;
}

}  // namespace daedal::cli
