// Linearised at the start values, in motion.
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/spectrum.hpp"
#include "directions.hpp"
#include "matrices.hpp"
#include "operating_point.hpp"
#include "response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

struct StartLinearisation::Details {
  std::shared_ptr<const derive::Dae> dae;
  analysis::OperatingPoint point;
  analysis::Portrait portrait;  // its zeros alone
  std::optional<std::vector<analysis::ZeroDirection>> directions;
  std::optional<Response> response;
};

ordered_json to_json(const analysis::OperatingPoint& p) {
  ordered_json json{{"t", p.t}};
  for (const auto& [column, value] : p.values) json["values"][column.name] = value;
  json["poles"] = to_json(p.poles);
  json["linear"] = to_json(p.linear);
  return json;
}

std::string values_text(const analysis::OperatingPoint& p) {
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(p.values.size(), 6); ++k)
    text += fmt::format("{}{} = {:.8g}", k == 0 ? "" : ", ", p.values[k].first.name,
                        p.values[k].second);
  return p.values.size() > 6 ? text + ", ..." : text;
}

std::string rightmost_text(const analysis::OperatingPoint& p) {
  return p.poles.clusters.empty()
             ? "there are none"
             : "the rightmost is " + analysis::text_of(p.poles.clusters[0], true, 8) + " 1/s";
}

namespace {

/// Zeros of the frozen linear model, where it has as many outputs as inputs; else why there are none.
analysis::Portrait frozen_portrait(const analysis::OperatingPoint& p) {
  analysis::Portrait portrait;
  portrait.linear = p.linear;
  const std::size_t inputs = p.linear.inputs.size(), outputs = p.linear.outputs.size();
  if (inputs == 0 || inputs != outputs) {
    portrait.no_zeros_because =
        fmt::format("{} output{} for {} input{}", outputs, outputs == 1 ? "" : "s", inputs,
                    inputs == 1 ? "" : "s");
    return portrait;
  }
  analysis::Spectrum zeros = analysis::invariant_zeros(p.linear);
  if (!zeros.regular()) {
    portrait.no_zeros_because = "outputs and inputs do not determine each other";
    return portrait;
  }
  portrait.input_output.emplace().zeros = std::move(zeros);
  return portrait;
}

std::string frozen_zeros_text(const analysis::Portrait& portrait) {
  if (!portrait.input_output) return fmt::format("  no zeros: {}\n", portrait.no_zeros_because);
  return fmt::format("  frozen zeros of {} against {}{}\n",
                     fmt::join(portrait.linear.outputs, ", "),
                     fmt::join(portrait.linear.inputs, ", "),
                     portrait.input_output->zeros.finite() == 0 ? ": none" : "") +
         spectrum_text(portrait.input_output->zeros);
}

Table row_of(const analysis::OperatingPoint& p) {
  std::vector<Column> columns{{"t", "s", ColumnKind::time, "t"}};
  for (const auto& [column, value] : p.values) columns.push_back(column);
  Table table(std::move(columns));
  const std::span<double> row = table.append();
  row[0] = p.t;
  for (std::size_t k = 0; k < p.values.size(); ++k) row[k + 1] = p.values[k].second;
  return table;
}

}  // namespace

StartLinearisation at_start(const Model& model, const AtStartOptions& options) {
  const StopScope stoppable(options.watch.stop);
  StartLinearisation answer(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  StartLinearisation::Details details;
  details.dae = asked.dae;
  options.watch.check();
  details.point = analysis::linearise_at_start(asked.dae, options.outputs);
  const analysis::OperatingPoint& p = details.point;
  options.watch.check();
  details.portrait = frozen_portrait(p);
  for (const auto& [column, value] : p.values) answer.values.push_back({column.name, value});
  answer.linear = plain(p.linear);
  answer.poles = values_of(p.poles);
  if (details.portrait.input_output) answer.zeros = values_of(details.portrait.input_output->zeros);
  options.watch.check();
  if (options.directions) details.directions = directions_of(details.portrait);
  if (options.response) {
    details.response = response_of(p.linear, *options.response, options.nyquist);
    answer.response = response_table(p.linear, details.response->values);
  }
  answer.verdict = fmt::format("Linearised at the start values, in motion; of the frozen poles {}.",
                               rightmost_text(p));
  answer.details_ = std::make_shared<const StartLinearisation::Details>(std::move(details));
  return answer;
}

std::string StartLinearisation::summary() const {
  const analysis::OperatingPoint& p = details_->point;
  std::string text =
      fmt::format("{}: linearised at the start values, in motion\n  values   {}\n  frozen poles\n",
                  title, values_text(p));
  text += spectrum_text(p.poles) + frozen_zeros_text(details_->portrait);
  if (details_->directions)
    text += directions_text(*details_->directions, details_->portrait, *details_->dae);
  if (details_->response) text += response_text(*details_->response, p.linear, p.poles);
  return text;
}

Json StartLinearisation::json() const {
  const analysis::OperatingPoint& p = details_->point;
  ordered_json json = to_json(p);
  if (details_->portrait.input_output)
    json["zeros"] = to_json(details_->portrait.input_output->zeros);
  if (details_->directions)
    json["zero_directions"] = directions_json(*details_->directions, p.linear);
  if (details_->response) json["response"] = response_json(*details_->response, p.linear, p.poles);
  return {std::move(json)};
}

std::vector<Fact> StartLinearisation::facts() const {
  std::vector<Fact> facts;
  for (const auto& [name, value] : values)
    facts.push_back({name, fmt::format("{:.10g}", value), value});
  return facts;
}

void StartLinearisation::illustrate(emit::Report& page) const {
  page.drawing = emit::draw(*details_->dae->model, row_of(details_->point));
  emit::Chart map = empty_pole_zero_map("Frozen poles");
  add_spectrum(page, map, details_->point.poles, "poles", "cross");
  page.charts.push_back(std::move(map));
}

}  // namespace task
}  // namespace daedal
