// An inversion as text, as JSON and as a page.
#include "inversion.hpp"

#include "daedal/invert/desired_motion.hpp"
#include "daedal/task/page.hpp"
#include "daedal/task/spectrum.hpp"
#include "run_json.hpp"
#include "stable_inversion.hpp"
#include "start_facts.hpp"
#include "step_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using Facts = std::vector<Fact>;
using nlohmann::ordered_json;

std::string with_unit(const std::string& unit) { return unit.empty() ? "" : " " + unit; }

std::string per_second(const std::string& unit) {
  return unit.empty() ? "" : " " + (unit.find('/') == unit.npos ? unit + "/s" : "(" + unit + ")/s");
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

void add_steps(Facts& facts, const inversion::SteppedInversion& stepped, const solve::Trajectory& t,
               double until) {
  const solve::StepStatistics& s = t.statistics;
  const inversion::StepTimes& times = stepped.times;
  facts.push_back(
      {"method",
       fmt::format("{}, step {:g} s: {:g} s in {} steps, {:.3g} Newton iterations a step, at most "
                   "{}",
                   t.method, s.largest_step, until, s.accepted,
                   static_cast<double>(s.newton_iterations) /
                       static_cast<double>(std::max<std::uint64_t>(times.steps, 1)),
                   stepped.most_iterations),
       s.largest_step, "s", ""});
  std::string text = fmt::format(
      "median {:.3g} us, 99.9 % below {:.3g} us, worst {:.3g} us: {:.2g} of the sample time",
      1e6 * times.median, 1e6 * times.most, 1e6 * times.worst, times.worst / s.largest_step);
  for (std::size_t k = 0; k < times.histogram.size(); ++k)
    if (times.histogram[k] > 0)
      text += fmt::format("\n{:>8} steps below {:.3g} us", times.histogram[k],
                          1e6 * inversion::StepTimes::bound(k));
  facts.push_back({"steps", std::move(text), times.worst, "s", ""});
}

void add_series(Facts& facts, const Inversion::Details& d, const solve::Trajectory& t) {
  const bool algebraic = d.inverse.algebraic();
  facts.push_back(
      {"method",
       fmt::format("{}, {} {}: {:g} s, {} rows in {:.3g} ms", algebraic ? "jets" : "Taylor series",
                   t.statistics.accepted + 1, algebraic ? "anchors" : "expansions", d.options.until,
                   t.table.rows(), 1e3 * t.wall_time),
       t.wall_time, "s", ""});
  if (!d.evaluations) return;
  facts.push_back({"steps",
                   fmt::format("inputs at one time, as code: median {:.3g} us, 99.9 % below "
                               "{:.3g} us, worst {:.3g} us",
                               1e6 * d.evaluations->median, 1e6 * d.evaluations->most,
                               1e6 * d.evaluations->worst),
                   d.evaluations->worst, "s", ""});
}

/// "1.2e-07 by the forward model, dop853  (servo1 at t = 0.5 s)", and why there is no more.
std::string run_text(const inversion::ForwardRun& run, const char* by, const char* which) {
  std::string text;
  if (const auto* worst = run.largest())
    text = fmt::format("{:.1e} {}, {}  ({} at t = {:.4g} s)", worst->largest, by, run.method,
                       worst->servo, worst->at);
  if (run.segments > 1)
    text += fmt::format(
        "\nthe plant is unstable: errors grow like exp({:.4g} t), by {:.1e} in all; run in {} "
        "parts, each from the rows",
        run.growth_rate, run.growth, run.segments);
  if (run.status != solve::Status::completed)
    text += fmt::format("{}the {} ended early: {}", text.empty() ? "" : "\n", which, run.reason);
  return text;
}

std::optional<double> largest_of(const inversion::ForwardRun& run) {
  return run.largest() != nullptr ? std::optional(run.largest()->largest) : std::nullopt;
}

void add_proof(Facts& facts, const Inversion::Details& d) {
  if (d.proof && !d.proof->defect.equation.empty())
    facts.push_back(
        {"defect",
         fmt::format("{:.1e} between rows, relative  ({} at t = {:.4g} s)", d.proof->defect.largest,
                     d.proof->defect.equation, d.proof->defect.at),
         d.proof->defect.largest, "", d.proof->defect.equation});
  if (d.proof) {
    Fact fact{"tracking", run_text(d.proof->forward, "by the forward model", "forward run"),
              largest_of(d.proof->forward), "", ""};
    if (d.own_start)
      fact.text +=
          "\n" + run_text(*d.own_start, "from the model's own start values", "run from there");
    if (!fact.text.empty()) facts.push_back(std::move(fact));
  }
  if (d.other_plant)
    facts.push_back({"other", run_text(*d.other_plant, "by the other plant", "run of that plant"),
                     largest_of(*d.other_plant), "", ""});
}

void add_sharing(Facts& facts, const Sharing& sharing, std::size_t inputs, std::size_t servos) {
  std::string text = fmt::format(
      "{} inputs for {} servo-constraint{}: those nearest to their own values{}; {} direction{} "
      "without effect on the motion",
      inputs, servos, servos == 1 ? "" : "s", sharing.limited ? ", within their limits" : "",
      sharing.free_directions, sharing.free_directions == 1 ? "" : "s");
  for (const Signal& c : sharing.coordinates)
    text +=
        fmt::format("\n{}: {:.6g} to {:.6g}{}", c.name, c.smallest, c.largest, with_unit(c.unit));
  for (const Sharing::AtLimit& at : sharing.at_limits)
    text += fmt::format("\n{} at its limit {:g}{} from t = {:.6g} s to {:.6g} s", at.input,
                        at.limit, with_unit(at.unit), at.from, at.until);
  facts.push_back(
      {"choice", std::move(text), static_cast<double>(sharing.free_directions), "", ""});
}

ordered_json sharing_json(const Sharing& sharing) {
  ordered_json json{{"free_directions", sharing.free_directions},
                    {"limited", sharing.limited},
                    {"coordinates", ordered_json::object()},
                    {"at_limits", ordered_json::array()}};
  for (const Signal& c : sharing.coordinates)
    json["coordinates"][c.name] = {
        {"smallest", c.smallest}, {"largest", c.largest}, {"unit", c.unit}};
  for (const Sharing::AtLimit& at : sharing.at_limits)
    json["at_limits"].push_back({{"input", at.input},
                                 {"limit", at.limit},
                                 {"unit", at.unit},
                                 {"from", at.from},
                                 {"until", at.until}});
  return json;
}

ordered_json to_json(const inversion::ForwardRun& run) {
  ordered_json json{{"status", run.status == solve::Status::completed ? "completed" : "stopped"},
                    {"method", run.method},
                    {"growth_rate", run.growth_rate},
                    {"growth", run.growth},
                    {"segments", run.segments}};
  if (!run.reason.empty()) json["reason"] = run.reason;
  json["tracking"] = ordered_json::object();
  for (const inversion::TrackingError& error : run.errors)
    json["tracking"][error.servo] = {{"largest", error.largest}, {"at", error.at}};
  return json;
}

void add_verification(ordered_json& json, const Inversion::Details& d) {
  if (d.proof) {
    ordered_json& proof = json["verification"] = ordered_json::object();
    if (!d.proof->defect.equation.empty())
      proof["defect"] = {{"relative", d.proof->defect.largest},
                         {"equation", d.proof->defect.equation},
                         {"at", d.proof->defect.at}};
    proof["forward"] = to_json(d.proof->forward);
  }
  if (d.own_start) json["verification_from_own_start"]["forward"] = to_json(*d.own_start);
  if (d.other_plant) json["verification_with"]["forward"] = to_json(*d.other_plant);
}

ordered_json steps_json(const Inversion::Details& d, const solve::Trajectory& t) {
  return {{"median", d.stepped->times.median},
          {"most", d.stepped->times.most},
          {"worst", d.stepped->times.worst},
          {"sample_time", t.statistics.largest_step},
          {"histogram", histogram_json(d.stepped->times)},
          {"formulation", d.formulation},
          {"most_iterations", d.stepped->most_iterations},
          {"residual", d.stepped->largest_residual},
          {"jumps", d.stepped->jumps},
          {"singular_passed", d.stepped->singular_passed}};
}

ordered_json times_json(const inversion::StepTimes& times) {
  return {{"median", times.median},
          {"most", times.most},
          {"worst", times.worst},
          {"histogram", histogram_json(times)}};
}

}  // namespace

void add_zeros(emit::Report& page, const inversion::InternalDynamics& internal) {
  if (internal.zeros.finite() == 0) return;
  emit::Chart map = empty_pole_zero_map("Zeros of the model at its start");
  add_spectrum(page, map, internal.zeros, "zeros", "ring");
  page.charts.push_back(std::move(map));
}

expr::PiecewisePolynomial Inversion::motion(std::size_t column) const {
  return inversion::motion_of(details_->inverse, trajectory.table, column);
}

std::vector<Fact> Inversion::facts() const {
  Facts facts;
  const Details& d = *details_;
  const solve::Trajectory& t = trajectory;
  const model::Model& m = *d.inverse.problem.dae->model;
  std::string inverse = fmt::format("{} equations, index {}, {}",
                                    d.inverse.problem.dae->equations.size(), index, d.dynamics);
  for (const structure::Conversion& c : d.inverse.structure.conversions) inverse += "\n" + c.words;
  facts.push_back({"inverse", std::move(inverse), static_cast<double>(index), "", ""});
  if (sharing) add_sharing(facts, *sharing, inputs.size(), m.servos.size());
  add_start(facts, m, start_of_plant(m, d.start));
  if (d.stepped)
    add_steps(facts, *d.stepped, t, d.options.until);
  else if (d.receding)
    add_receding(facts, *d.receding);
  else if (d.stable)
    add_stable_inversion(facts, *d.stable);
  else
    add_series(facts, d, t);
  for (const Signal& u : inputs)
    facts.push_back(
        {"input",
         fmt::format("{}: largest {:.10g}{} at t = {:.6g} s, rate {:.4g}{} at t = {:.4g} s", u.name,
                     u.peak(), with_unit(u.unit), u.peak_at(), u.rate, per_second(u.unit),
                     u.rate_at),
         u.peak(), u.unit, u.name});
  for (const Signal& f : forces)
    facts.push_back(
        {"force",
         fmt::format("{}: {:.6g} to {:.6g}{}{}", f.name, f.smallest, f.largest, with_unit(f.unit),
                     f.sign_change
                         ? fmt::format(", changes its sign at t = {:.4g} s", *f.sign_change)
                         : ""),
         f.peak(), f.unit, f.name});
  if (!t.constraints.constraint.empty())
    facts.push_back({"residual",
                     fmt::format("{:.1e}  ({} at t = {:.4g} s)", t.constraints.largest,
                                 t.constraints.constraint, t.constraints.at),
                     t.constraints.largest, "", t.constraints.constraint});
  add_proof(facts, d);
  if (d.redefined) add_redefined(facts, *d.redefined, d.following);
  return facts;
}

Json Inversion::json() const {
  const Details& d = *details_;
  ordered_json json = run_json({d.inverse.problem, d.start, d.options, trajectory}, experiment);
  if (trajectory.status == solve::Status::completed && !holds)
    json["status"] = tone == emit::Tone::bad ? "wrong" : "unverified";
  json["index"] = index;
  json["degrees_of_freedom"] = free_initial_values;
  json["residual"] = trajectory.constraints.largest;
  json["inputs"] = ordered_json::object();
  for (const Signal& u : inputs)
    json["inputs"][u.name] = {{"largest", u.peak()},
                              {"unit", u.unit},
                              {"at", u.peak_at()},
                              {"rate", u.rate},
                              {"rate_at", u.rate_at}};
  json["forces"] = ordered_json::object();
  for (const Signal& f : forces) {
    json["forces"][f.name] = {{"smallest", f.smallest}, {"largest", f.largest}, {"unit", f.unit}};
    if (f.sign_change) json["forces"][f.name]["sign_change"] = *f.sign_change;
  }
  if (sharing) json["sharing"] = sharing_json(*sharing);
  if (d.stepped) json["steps"] = steps_json(d, trajectory);
  if (d.evaluations) json["evaluations"] = times_json(*d.evaluations);
  if (d.receding) json["receding"] = to_json(*d.receding);
  if (d.stable) json["stable_inversion"] = to_json(*d.stable);
  add_verification(json, d);
  if (d.redefined) json["redefined"] = redefined_json(*d.redefined, d.following);
  return {std::move(json)};
}

void Inversion::illustrate(emit::Report& page) const {
  const Details& d = *details_;
  emit::add_trajectory(page, *d.mechanism.model, trajectory);
  if (d.stepped) add_step_times(page, d.stepped->times, d.sample_time);
  if (d.evaluations) add_step_times(page, *d.evaluations);
  if (d.receding) add_step_times(page, d.receding->times, d.sample_time);
  if (d.internal) add_zeros(page, *d.internal);
  add_equations(page, d.inverse.structure);
}

}  // namespace task
}  // namespace daedal
