// The same run with one controller after the other.
#include "daedal/task/compare.hpp"
#include "daedal/task/options.hpp"
#include "experiment_options.hpp"
#include "figures_of_merit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

Simulation run_with(const Model& model, const std::string& controller,
                    const CompareControllersOptions& asked, const Watch& watch) {
  const StopScope stoppable(watch.stop);
  LoadOptions load = model.options();
  load.controllers = {controller};
  SimulateOptions options = asked.simulate;
  Model loop = model.with(load);
  if (!asked.experiment.empty()) {
    const model::Experiment experiment = find_experiment(loop, asked.experiment);
    if (experiment.command != "simulate")
      fault(
          experiment.place,
          fmt::format("experiment '{}' does not simulate: controllers are compared in simulations",
                      experiment.name));
    options = simulate_options_of(experiment, loop, {.history = false});
    options.backend = asked.simulate.backend;
    if (asked.simulate.until) options.until = asked.simulate.until;
    if (asked.simulate.every) options.every = asked.simulate.every;
    loop = loop.in(experiment);
  }
  options.watch = watch;
  return simulate(loop, options);
}

/// Nothing where it was interrupted.
std::optional<Simulation> finished_run(const Model& model, const std::string& controller,
                                       const CompareControllersOptions& asked, const Watch& watch) {
  try {
    Simulation run = run_with(model, controller, asked, watch);
    if (!run.interrupted) return run;
  } catch (const Interrupted&) {  // before its first row
  }
  return std::nullopt;
}

std::string unit_in(const Table& table, const std::string& column) {
  const auto found = table.find(column);
  return found ? table.columns()[*found].unit : "";
}

/// Outputs and inputs that figures speak of, in the order of the first run that has them.
std::vector<std::string> compared_columns(const ControllerComparison& comparison) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const auto& run : comparison.runs)
    for (const OutputFigures& f : run->figures->outputs) add(f.output);
  for (const auto& run : comparison.runs)
    for (const InputFigures& f : run->figures->inputs) add(f.input);
  return names;
}

/// Rows at the times of the longest run. Events and samples of one run are no rows of the others: of each run the last row up to a
/// time counts.
Table joined(const ControllerComparison& comparison) {
  const std::vector<std::string> names = compared_columns(comparison);
  std::vector<Column> columns{{"t", "s"}};
  const Table* longest = nullptr;
  for (const auto& run : comparison.runs)
    if (longest == nullptr || run->trajectory.table.rows() > longest->rows())
      longest = &run->trajectory.table;
  for (const std::string& name : names)
    for (std::size_t k = 0; k < comparison.runs.size(); ++k)
      columns.push_back({fmt::format("{}, {}", name, comparison.controllers[k]),
                         unit_in(comparison.runs[k]->trajectory.table, name)});
  Table rows(std::move(columns));
  if (longest == nullptr) return rows;
  rows.reserve(longest->rows());
  std::vector<std::size_t> at(comparison.runs.size(), 0);
  for (std::size_t r = 0; r < longest->rows(); ++r) {
    const double t = longest->at(r, 0);
    const std::span<double> row = rows.append();
    row[0] = t;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Table& table = comparison.runs[k]->trajectory.table;
      while (at[k] + 1 < table.rows() && table.at(at[k] + 1, 0) <= t) ++at[k];
      const bool over = table.rows() == 0 || t > table.at(table.rows() - 1, 0);
      for (std::size_t n = 0; n < names.size(); ++n) {
        const auto column = table.find(names[n]);
        row[1 + n * at.size() + k] =
            over || !column ? std::numeric_limits<double>::quiet_NaN() : table.at(at[k], *column);
      }
    }
  }
  return rows;
}

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

/// A row for each output and controller, then for each input and controller.
std::vector<std::vector<std::string>> output_rows(const ControllerComparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : compared_columns(comparison))
    for (std::size_t k = 0; k < comparison.runs.size(); ++k)
      for (const OutputFigures& f : comparison.runs[k]->figures->outputs)
        if (f.output == name)
          rows.push_back(
              {f.output + (f.unit.empty() ? "" : " [" + f.unit + "]"), comparison.controllers[k],
               number_text(f.settling_5), number_text(f.settling_2),
               number_text(f.overshoot ? std::optional(100 * *f.overshoot) : f.overshoot),
               number_text(f.rms), number_text(f.peak), number_text(f.lag)});
  return rows;
}

std::vector<std::vector<std::string>> input_rows(const ControllerComparison& comparison) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : compared_columns(comparison))
    for (std::size_t k = 0; k < comparison.runs.size(); ++k)
      for (const InputFigures& f : comparison.runs[k]->figures->inputs)
        if (f.input == name)
          rows.push_back({f.input + (f.unit.empty() ? "" : " [" + f.unit + "]"),
                          comparison.controllers[k], number_text(f.peak), number_text(f.variation),
                          number_text(f.limited)});
  return rows;
}

const std::vector<std::string> output_head{"output",        "controller",    "5 % from [s]",
                                           "2 % from [s]",  "overshoot [%]", "rms error",
                                           "largest error", "lag [s]"};
const std::vector<std::string> input_head{"input", "controller", "largest", "total variation",
                                          "at a limit [s]"};

std::string table_text(const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < head.size(); ++c) {
    widths.push_back(head[c].size());
    for (const auto& row : rows) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string words;
    for (std::size_t c = 0; c < cells.size(); ++c)
      words += c < 2 ? fmt::format("  {:<{}}", cells[c], widths[c])
                     : fmt::format("  {:>{}}", cells[c], widths[c]);
    text += words + "\n";
  };
  line(head);
  for (const auto& row : rows) line(row);
  return text;
}

/// Which controller keeps the outputs closest to their references, by the sum of the root mean squares over their scales.
std::string verdict_on(const ControllerComparison& comparison) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < comparison.runs.size(); ++k) {
    if (!comparison.runs[k]->holds) continue;
    double sum = 0;
    for (const OutputFigures& f : comparison.runs[k]->figures->outputs)
      sum += f.scale > 0 ? f.rms / f.scale : 0;
    if (sum < least) least = sum, best = k;
  }
  if (least == std::numeric_limits<double>::infinity())
    return "None of the runs came to an end that can be trusted.";
  return fmt::format(
      "{} controllers on the same run: '{}' has the least error over all outputs (root "
      "mean square by the change of the reference).",
      comparison.runs.size(), comparison.controllers[best]);
}

}  // namespace

ControllerComparison compare_controllers(const Model& model,
                                         const CompareControllersOptions& asked) {
  if (asked.controllers.empty()) fault({}, "no controllers to compare");
  ControllerComparison result(model);
  result.experiment = asked.experiment;
  result.title = title_of(model, asked.experiment);
  const auto parts = static_cast<double>(asked.controllers.size());
  for (std::size_t k = 0; k < asked.controllers.size(); ++k) {
    const std::string& name = asked.controllers[k];
    const auto part = static_cast<double>(k);
    std::optional<Simulation> run =
        finished_run(model, name, asked,
                     asked.simulate.watch.part(part / parts, (part + 1) / parts, name + ": "));
    if (!run) {
      result.interrupted = true;
      break;
    }
    if (!run->holds && result.reason.empty())
      result.reason = fmt::format("controller '{}': {}", name, run->verdict);
    for (const Diagnostic& warning : run->warnings)
      if (std::ranges::none_of(result.warnings, [&](const Diagnostic& known) {
            return known.message == warning.message;
          }))
        result.warnings.push_back(warning);
    result.controllers.push_back(name);
    result.runs.push_back(std::make_shared<const Simulation>(std::move(*run)));
  }
  if (result.interrupted)
    result.reason = fmt::format("interrupted: {} of {} controllers are done", result.runs.size(),
                                asked.controllers.size());
  result.holds = result.reason.empty();
  result.rows = joined(result);
  result.verdict = result.reason.empty() ? verdict_on(result) : result.reason;
  result.tone = result.reason.empty() ? emit::Tone::good : emit::Tone::bad;
  return result;
}

std::string ControllerComparison::summary() const {
  std::string text = fmt::format("{}: {}\n", title, fmt::join(controllers, ", "));
  text += table_text(output_head, output_rows(*this));
  const auto inputs = input_rows(*this);
  if (!inputs.empty()) text += table_text(input_head, inputs);
  return text + verdict + "\n";
}

Json ControllerComparison::json() const {
  nlohmann::ordered_json json{{"model", model.name()}};
  if (!experiment.empty()) json["experiment"] = experiment;
  json["status"] = interrupted ? "interrupted" : holds ? "completed" : "stopped";
  if (!reason.empty()) json["reason"] = phrased(reason);
  json["controllers"] = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < runs.size(); ++k) {
    nlohmann::ordered_json one{{"controller", controllers[k]},
                               {"status", status_name(runs[k]->trajectory)}};
    if (!runs[k]->reason.empty()) one["reason"] = phrased(runs[k]->reason);
    one["figures_of_merit"] = figures_json(*runs[k]->figures, runs[k]->trajectory.controls);
    json["controllers"].push_back(std::move(one));
  }
  return {std::move(json)};
}

void ControllerComparison::illustrate(emit::Report& page) const {
  page.rows = &rows;
  if (runs.empty()) return;
  const auto desired =
      std::make_shared<const Table>(emit::desired_outputs(*runs.front()->mechanism.model, rows));
  page.kept.push_back(desired);
  const auto holds_input = [&](std::size_t run, const std::string& name) {
    return std::ranges::any_of(
        runs[run]->trajectory.controls, [&](const solve::ControlRecord& control) {
          return std::ranges::any_of(control.commands, [&](const solve::CommandRecord& command) {
            return command.input == name;
          });
        });
  };
  for (const std::string& name : compared_columns(*this)) {
    emit::TimePlot plot{name, "", "", false, {}};
    for (std::size_t k = 0; k < runs.size(); ++k)
      if (const auto column = rows.find(fmt::format("{}, {}", name, controllers[k]))) {
        plot.unit = rows.columns()[*column].unit;
        plot.curves.push_back({controllers[k], "", &rows, *column, false, holds_input(k, name)});
      }
    if (const auto column = desired->find(name))
      plot.curves.push_back(
          {"desired", "what the servo line prescribes", desired.get(), *column, true});
    page.plots.push_back(std::move(plot));
  }
  page.tables.push_back({"Outputs", output_head, output_rows(*this)});
  page.tables.push_back({"Commanded inputs", input_head, input_rows(*this)});
}

}  // namespace task
}  // namespace daedal
