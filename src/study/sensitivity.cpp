// How equilibrium, poles and zeros change with parameters.
#include "daedal/study/analyse.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

std::vector<std::string> parameters_asked(const model::Model& m,
                                          const std::vector<std::string>& asked) {
  const std::vector<std::string> known = parameter_names(m);
  if (asked == std::vector<std::string>{"all"}) return known;
  for (const std::string& name : asked)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string near = nearest_name(name, known);
      fault(m.place,
            fmt::format("`sensitivity = {}`: model '{}' has no parameter '{}'", name, m.name, name),
            near.empty() ? fmt::format("its parameters: {}", fmt::join(known, ", "))
                         : fmt::format("did you mean '{}'?", near));
    }
  return asked;
}

using EngineRates = std::vector<analysis::ParameterSensitivity::ComplexRate>;

std::vector<ParameterRates::ComplexRate> plain(const EngineRates& rates) {
  std::vector<ParameterRates::ComplexRate> result;
  for (const auto& r : rates) result.push_back({r.of, r.rate, r.error});
  return result;
}

/// With a value of its own out of the way: the parameter is varied around it.
ParameterRates rates_by(const Model& model, const Asked& asked, const std::string& name,
                        const analysis::SweepOptions& options) {
  ParameterRates result;
  result.parameter = name;
  result.value = asked.model->symbols[asked.model->find(name)].value;
  try {
    LoadOptions own = model.options();
    const bool given = own.parameters.erase(name) > 0;
    const analysis::ParameterSensitivity s = analysis::sensitivity(
        family(given ? model.with(own) : model, asked, "`sensitivity`", {name}), name, result.value,
        options);
    result.missing = s.missing;
    for (const auto& [quantity, rate] : s.equilibrium)
      result.equilibrium.push_back({quantity, rate.value, rate.error});
    result.poles = plain(s.poles);
    result.zeros = plain(s.zeros);
  } catch (const ModelError&) {  // it follows from others, or is a number of the model's own
    result.missing = "it cannot be given from outside";
  }
  return result;
}

/// The rest is rounding.
bool counts(double rate, double error) { return rate > 10 * error && rate > 1e-9; }

ordered_json to_json(const std::vector<ParameterRates::ComplexRate>& rates) {
  auto json = ordered_json::array();
  for (const auto& r : rates)
    json.push_back(
        {{"of", complex_json(r.of)}, {"rate", complex_json(r.rate)}, {"error", r.error}});
  return json;
}

/// What changes: its name, its rate in words, the error of the rate.
struct RateLine {
  std::string of, rate;
  double error = 0;
};
std::vector<RateLine> lines_of(const ParameterRates& s) {
  std::vector<RateLine> lines;
  for (const ParameterRates::Rate& r : s.equilibrium)
    if (counts(std::abs(r.rate), r.error))
      lines.push_back({r.of + " at rest", fmt::format("{:.8g}", r.rate), r.error});
  for (const bool zero : {false, true})
    for (const ParameterRates::ComplexRate& r : zero ? s.zeros : s.poles)
      if (r.of.imag() >= 0 && counts(std::abs(r.rate), r.error))
        lines.push_back({fmt::format("{} {}", zero ? "zero" : "pole", complex_text(r.of)),
                         complex_text(r.rate), r.error});
  return lines;
}

}  // namespace

Sensitivity sensitivity(const Model& model, const SensitivityOptions& asked_for) {
  const StopScope stoppable(asked_for.watch.stop);
  Sensitivity answer(model);
  const Asked asked = asked_of(model, asked_for.redundant_constraints, asked_for.outputs);
  answer.warnings = asked.warnings;
  const analysis::SweepOptions options =
      sweep_options(asked, asked_for.free, asked_for.outputs, false, {});
  const std::vector<std::string> names = parameters_asked(*asked.model, asked_for.parameters);
  std::size_t without = 0;
  for (const std::string& name : names) {
    asked_for.watch.tell(
        static_cast<double>(answer.parameters.size()) / static_cast<double>(names.size()), name);
    answer.parameters.push_back(rates_by(model, asked, name, options));
    without += !answer.parameters.back().missing.empty();
  }
  answer.verdict = fmt::format(
      "How equilibrium, poles and zeros change with {}{}.", counted(names.size(), "parameter"),
      without == 0 ? "" : fmt::format("; {} of them cannot be given", without));
  return answer;
}

std::string Sensitivity::summary() const {
  std::string text =
      fmt::format("{}: change for a change of the parameter by 1 of its unit\n", title);
  for (const ParameterRates& s : parameters) {
    text += fmt::format("  {} = {:g}\n", s.parameter, s.value);
    if (!s.missing.empty()) text += fmt::format("    nothing: {}\n", s.missing);
    for (const RateLine& line : lines_of(s))
      text += fmt::format("    {:<32} {}\n", line.of, line.rate);
  }
  return text;
}

Json Sensitivity::json() const {
  ordered_json json{{"model", model.name()}, {"parameters", ordered_json::array()}};
  for (const ParameterRates& s : parameters) {
    ordered_json one{{"parameter", s.parameter}, {"value", s.value}};
    if (!s.missing.empty()) one["missing"] = s.missing;
    for (const ParameterRates::Rate& r : s.equilibrium)
      one["equilibrium"][r.of] = {{"rate", r.rate}, {"error", r.error}};
    one["poles"] = to_json(s.poles);
    one["zeros"] = to_json(s.zeros);
    json["parameters"].push_back(std::move(one));
  }
  return {std::move(json)};
}

void Sensitivity::illustrate(emit::Report& page) const {
  emit::TextTable table{"Change for a change of the parameter by 1 of its unit",
                        {"parameter", "value", "of", "rate", "error"},
                        {}};
  for (const ParameterRates& s : parameters) {
    const std::string value = fmt::format("{:g}", s.value);
    if (!s.missing.empty()) table.rows.push_back({s.parameter, value, s.missing, "", ""});
    for (const RateLine& line : lines_of(s))
      table.rows.push_back(
          {s.parameter, value, line.of, line.rate, fmt::format("{:.0e}", line.error)});
  }
  page.tables.push_back(std::move(table));
}

}  // namespace task
}  // namespace daedal
