// Where a Lyapunov function decreases near rest.
#include "daedal/analyse/stability_region.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

const char* name_of(LyapunovFunction function) {
  return function == LyapunovFunction::energy ? "energy" : "quadratic";
}

void state(LyapunovRegion& answer, analysis::StabilityRegion r) {
  answer.samples = r.samples;
  answer.decreases = r.decreases;
  answer.level = r.level;
  answer.worst_rate = r.worst_rate;
  for (const auto& [name, value] : r.worst) answer.worst.push_back({name, value});
  answer.epsilon = r.epsilon;
  answer.epsilon_bound = r.epsilon_bound;
  answer.rows = std::move(r.table);
  answer.verdict =
      r.decreases
          ? fmt::format("The {} Lyapunov function decreases at all {} samples, up to V = {:.6g}.",
                        name_of(answer.function), r.samples, r.level)
          : fmt::format(
                "The {} Lyapunov function decreases up to V = {:.6g}, not at all of the "
                "{} samples beyond.",
                name_of(answer.function), r.level, r.samples);
  answer.tone = r.decreases ? emit::Tone::good : emit::Tone::doubtful;
}

}  // namespace

LyapunovRegion lyapunov(const Model& model, const LyapunovOptions& asked_for) {
  const StopScope stoppable(asked_for.watch.stop);
  if (!(asked_for.radius > 0)) fault({}, "`radius` must be above 0");
  LyapunovRegion answer(model);
  answer.function = asked_for.function;
  answer.radius = asked_for.radius;
  const Asked asked = asked_of(model, asked_for.redundant_constraints);
  answer.warnings = asked.warnings;
  analysis::RegionOptions options;
  options.kind = asked_for.function == LyapunovFunction::energy ? analysis::LyapunovKind::energy
                                                                : analysis::LyapunovKind::quadratic;
  options.epsilon = asked_for.epsilon;
  options.radius = asked_for.radius;
  const analysis::Equilibrium rest = rest_of(asked, asked_for.free);
  asked_for.watch.check();
  try {
    state(answer, analysis::stability_region(asked.dae, rest, options));
  } catch (const std::invalid_argument& error) {
    answer.holds = false;
    answer.reason = fmt::format("no Lyapunov function: {}", error.what());
    answer.verdict = answer.reason;
    answer.tone = emit::Tone::bad;
  }
  return answer;
}

std::string LyapunovRegion::summary() const {
  if (!holds) return "";
  std::string text = fmt::format("{}: {} Lyapunov function near rest\n", title, name_of(function));
  if (function == LyapunovFunction::energy)
    text += fmt::format("  epsilon    {:.6g} 1/s; its quadratic part decreases below {:.6g} 1/s\n",
                        epsilon, epsilon_bound);
  text += fmt::format("  samples    {}, out to {:g} of the positions' nominal values\n", samples,
                      radius);
  text += decreases
              ? fmt::format("  decreases  at all of them, up to V = {:.6g}\n", level)
              : fmt::format("  decreases  up to V = {:.6g}, not at all samples beyond\n", level);
  std::string place;
  for (const auto& [name, value] : worst)
    place += fmt::format("{}{} = {:.6g}", place.empty() ? "" : ", ", name, value);
  return text + fmt::format("  worst      V'/V = {:.6g} 1/s at {}\n", worst_rate, place);
}

Json LyapunovRegion::json() const {
  if (!holds) {
    const Diagnostic why{Severity::error, {}, fmt::format("{}: {}", title, reason), {}, {}};
    return {{{"status", "error"},
             {"exit_code", 1},
             {"diagnostics", ordered_json::array({to_json(why)})}}};
  }
  ordered_json json{{"model", model.name()},
                    {"function", name_of(function)},
                    {"samples", samples},
                    {"decreases", decreases},
                    {"level", level},
                    {"worst_rate", worst_rate},
                    {"worst", ordered_json::object()}};
  for (const auto& [name, value] : worst) json["worst"][name] = value;
  if (function == LyapunovFunction::energy) {
    json["epsilon"] = epsilon;
    json["epsilon_bound"] = epsilon_bound;
  }
  return {std::move(json)};
}

void LyapunovRegion::illustrate(emit::Report& page) const {
  if (!holds) return;
  std::string place;
  for (const auto& [name, value] : worst) place += fmt::format("{} = {:.6g}\n", name, value);
  page.facts.emplace_back("worst", fmt::format("V'/V = {:.6g} 1/s at\n{}", worst_rate, place));
  emit::ChartSeries falls{"falls", {}, {}, {}, "dot", false},
      rises{"does not fall", {}, {}, {}, "cross", false};
  const std::size_t v = rows.width() - 2;
  for (std::size_t k = 0; k < rows.rows(); ++k) {
    emit::ChartSeries& series = rows.at(k, v + 1) < 0 ? falls : rises;
    series.x.push_back(rows.at(k, v));
    series.y.push_back(rows.at(k, v + 1));
  }
  emit::Chart chart{"Its rate at the samples", "V", "V' [1/s]", "", true, false, false, {}};
  for (emit::ChartSeries* series : {&falls, &rises})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  page.charts.push_back(std::move(chart));
}

}  // namespace task
}  // namespace daedal
