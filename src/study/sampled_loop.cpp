// Poles and margins of a loop with a clock.
#include "clocked_loop.hpp"
#include "daedal/control/loop_margins.hpp"
#include "daedal/pencil/pencil.hpp"
#include "daedal/run/columns.hpp"
#include "daedal/study/control.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "loop_design.hpp"
#include "margins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

struct SampledLoop::Details {
  std::vector<std::string> inputs;
  std::vector<analysis::LinearModel> loops;  // opened at them, images
};

namespace {

using Factor = std::complex<double>;

Factor rate_of_factor(Factor factor, double period) {
  constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
  return factor == Factor(0) ? Factor(nowhere, nowhere) : std::log(factor) / period;
}

/// "0.95 +- 0.1i", with the rate and its time constant.
std::string factor_line(Factor factor, Factor rate) {
  const std::string value = factor.imag() == 0
                                ? fmt::format("{:.10g}", factor.real())
                                : fmt::format("{:.10g} +- {:.10g}i", factor.real(), factor.imag());
  if (std::isnan(rate.real())) return fmt::format("    {:<34}gone after a few samples\n", value);
  const std::string speed = rate.imag() == 0
                                ? fmt::format("{:.7g}", rate.real())
                                : fmt::format("{:.7g} +- {:.7g}i", rate.real(), rate.imag());
  const std::string time =
      rate.real() < 0 ? fmt::format("{:.4g}", -1 / rate.real()) : std::string("-");
  return fmt::format("    {:<34}{:<32}{:>10}\n", value, speed, time);
}

/// Whether the loop bears so much more dead time of its `number`-th command.
bool bears(const ClockedLoop& loop, std::size_t number, double delay) {
  std::vector<feedback::ClockedController> controllers = loop.controllers;
  std::size_t k = 0;
  for (feedback::ClockedController& c : controllers)
    for (feedback::HeldCommand& command : c.commands)
      if (k++ == number) command.dead_time += delay;
  return feedback::stability_of(feedback::factors_of(
             feedback::sampled_loop(loop.f, controllers, loop.held, loop.period))) != "unstable";
}

/// The lag of the margins is that of samples, which a delay by parts of a period does not shift evenly: the largest delay lies near
/// it, and is bisected.
double largest_delay(const ClockedLoop& loop, std::size_t number, double near) {
  constexpr double most_samples = 200, accuracy = 1e-10;
  if (near > most_samples * loop.period) return near;
  double low = std::max(0.0, near - loop.period), high = near + loop.period;
  while (low > 0 && !bears(loop, number, low)) low = std::max(0.0, low - loop.period);
  while (bears(loop, number, high) && high < 2 * near + 4 * loop.period) high += loop.period;
  while (high - low > accuracy * high) {
    stop_point();
    const double middle = 0.5 * (low + high);
    (bears(loop, number, middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// Largest first.
std::vector<Factor> listed(const analysis::Spectrum& factors) {
  std::vector<Factor> values;
  for (const analysis::Cluster& c : factors.clusters)
    values.insert(values.end(), static_cast<std::size_t>(c.multiplicity),
                  feedback::shown_factor(c));
  std::ranges::stable_sort(values, std::greater<>(), [](Factor z) { return std::abs(z); });
  return values;
}

}  // namespace

bool is_sampled(const Model& model) {
  return std::ranges::any_of(model.lifted().model->controllers,
                             [](const model::Controller& c) { return c.period > 0; });
}

SampledLoop sampled_loop(const Model& model, const SampledLoopOptions& options) {
  const StopScope stoppable(options.watch.stop);
  SampledLoop answer(model);
  if (!is_sampled(model))
    fault({}, fmt::format("model '{}': no controller that acts has a clock", model.name()),
          "loops of continuous controllers are part of the equations: analyse");
  const Asked asked = asked_of_loop(model, options.redundant_constraints);
  answer.warnings = asked.warnings;
  options.watch.check();
  const ClockedLoop loop = clocked_loop(asked, options.free);
  answer.period = loop.period;
  if (!loop.rest.found) {
    answer.faults = {analysis::no_equilibrium(*loop.dae, loop.rest)};
    answer.holds = false;
    answer.reason = answer.verdict = answer.faults[0].message;
    answer.tone = emit::Tone::bad;
    return answer;
  }
  answer.found = true;
  for (const expr::SymbolId s : loop.dae->unknowns) {
    const Column column = solve::column_of(*loop.dae->model, {s, 0});
    answer.equilibrium.push_back({column.name, column.turned(loop.rest.values[s])});
  }
  options.watch.check();
  const analysis::Spectrum factors = feedback::factors_of(loop.linear);
  answer.factors = listed(factors);
  for (const Factor z : answer.factors) answer.rates.push_back(rate_of_factor(z, loop.period));
  answer.stability = feedback::stability_of(factors);
  const auto details = std::make_shared<SampledLoop::Details>();
  for (std::size_t k = 0; k < loop.inputs.size() && answer.stability != "unstable"; ++k) {
    options.watch.check();
    details->inputs.push_back(loop.inputs[k]);
    details->loops.push_back(
        feedback::opened(loop.linear, static_cast<Eigen::Index>(k), loop.period));
    InputMargins margins =
        plain(loop.inputs[k], feedback::loop_margins(details->loops.back(), loop.period));
    if (margins.delay) margins.delay = largest_delay(loop, k, *margins.delay);
    answer.margins.push_back(std::move(margins));
  }
  answer.details_ = details;
  const double slowest = answer.factors.empty() ? 0 : answer.rates.front().real();
  answer.verdict =
      answer.stability == "asymptotically stable" && slowest < 0
          ? fmt::format(
                "The loop is asymptotically stable: its slowest mode decays with a time "
                "constant of {:.4g} s, {:.3g} samples.",
                -1 / slowest, -1 / slowest / loop.period)
          : fmt::format("The loop is {}.", answer.stability);
  answer.tone = answer.stability == "unstable" ? emit::Tone::bad : emit::Tone::good;
  return answer;
}

std::shared_ptr<const Answer> portrait_of(const Model& model, const AnalyseOptions& options) {
  if (!is_sampled(model)) return std::make_shared<const Analysis>(analyse(model, options));
  for (const auto& [option, given] : {std::pair{"outputs", !options.outputs.empty()},
                                      {"response", options.response.has_value()},
                                      {"directions", options.directions},
                                      {"reduce", options.reduce.has_value()}})
    if (given)
      fault({}, fmt::format("`{}`: a loop with a clock has no equations to take it from", option),
            "leave the controller or the option out");
  return std::make_shared<const SampledLoop>(
      sampled_loop(model, {.free = options.free,
                           .redundant_constraints = options.redundant_constraints,
                           .watch = options.watch}));
}

std::vector<Fact> SampledLoop::facts() const {
  std::vector<Fact> facts;
  const auto add = [&](std::string name, std::string text) {
    facts.push_back({std::move(name), std::move(text), {}, "", ""});
  };
  add("clock", fmt::format("a sample every {:g} s, commands held in between: up to {:.4g} rad/s",
                           period, std::numbers::pi / period));
  if (!found) return facts;
  constexpr std::size_t shown = 8;
  std::string at;
  for (std::size_t k = 0; k < std::min(shown, equilibrium.size()); ++k)
    at +=
        fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", equilibrium[k].name, equilibrium[k].value);
  if (equilibrium.size() > shown) at += fmt::format(" and {} more", equilibrium.size() - shown);
  add("rest", at);
  add("poles", stability);
  for (const InputMargins& m : margins)
    add("margins", fmt::format("{}: {}; largest sensitivity {:.4g} at {:.4g} rad/s", m.input,
                               margin_text(m), m.sensitivity_peak, m.peak_at));
  return facts;
}

std::string SampledLoop::summary() const {
  std::string text =
      fmt::format("{}: the loop from sample to sample\n{}", title, lines_of(facts()));
  if (!found) return text;
  text += fmt::format("    {:<34}{:<32}{:>10}\n", "factor", "rate [1/s]", "time [s]");
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (factors[k].imag() >= 0) text += factor_line(factors[k], rates[k]);
  return text + "  " + verdict + "\n";
}

Json SampledLoop::json() const {
  ordered_json json{{"model", model.name()}, {"period", period}};
  if (!found) {
    json["diagnostics"] = {to_json(faults[0])};
    return {std::move(json)};
  }
  for (const NamedNumber& value : equilibrium) json["equilibrium"][value.name] = value.value;
  json["factors"] = json["rates"] = ordered_json::array();
  for (const Factor z : factors) json["factors"].push_back(complex_json(z));
  for (const Factor rate : rates)
    json["rates"].push_back(std::isnan(rate.real()) ? ordered_json(nullptr) : complex_json(rate));
  json["stability"] = stability;
  json["margins"] = margins_json(margins);
  json["verdict"] = verdict;
  return {std::move(json)};
}

void SampledLoop::illustrate(emit::Report& page) const {
  if (!found) return;
  emit::TextTable table{"Poles", {"factor", "rate [1/s]", "time constant [s]"}, {}};
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const bool gone = std::isnan(rates[k].real());
    table.rows.push_back(
        {complex_text(factors[k]), gone ? "-" : complex_text(rates[k]),
         !gone && rates[k].real() < 0 ? fmt::format("{:.4g}", -1 / rates[k].real()) : "-"});
  }
  page.tables.push_back(std::move(table));
  if (!margins.empty()) page.tables.push_back(margins_table(margins));
  emit::Chart chart{"Factors from sample to sample",
                    "real part",
                    "imaginary part",
                    "Inside the unit circle a mode decays.",
                    false,
                    false,
                    true,
                    {}};
  emit::ChartSeries circle{"unit circle", {}, {}, {}, "none", true};
  constexpr int sides = 180;
  for (int k = 0; k <= sides; ++k) {
    circle.x.push_back(std::cos(2 * std::numbers::pi * k / sides));
    circle.y.push_back(std::sin(2 * std::numbers::pi * k / sides));
  }
  emit::ChartSeries poles{"poles", {}, {}, {}, "cross", false};
  for (const Factor z : factors) {
    poles.x.push_back(z.real());
    poles.y.push_back(z.imag());
    poles.labels.push_back(complex_text(z));
  }
  chart.series = {std::move(circle), std::move(poles)};
  page.charts.push_back(std::move(chart));
  add_loops(page, details_->inputs, details_->loops, rates, period);
}

}  // namespace task
}  // namespace daedal
