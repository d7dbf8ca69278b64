// Plots of a trajectory over time: inputs and outputs, then the motion of the mechanism, then the accuracy.
#include "daedal/emit/report.hpp"
#include "loop_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>

namespace daedal::emit {

namespace {

namespace history = solve::history_column;

enum class Group : std::uint8_t { input, output, position, variable, velocity, force, momentum };

constexpr std::array titles{"Inputs",     "Outputs",           "Coordinates", "Variables",
                            "Velocities", "Constraint forces", "Momenta"};

Group group_of(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::coordinate:
      return Group::position;
    case ColumnKind::velocity:
    case ColumnKind::rate:
      return Group::velocity;
    case ColumnKind::force:
    case ColumnKind::tension:
      return Group::force;
    case ColumnKind::input:
      return Group::input;
    case ColumnKind::output:
      return Group::output;
    case ColumnKind::momentum:
      return Group::momentum;
    default:
      return Group::variable;
  }
}

std::string doc_of(const model::Model& m, const Column& column) {
  if (column.symbol.empty() && column.kind != ColumnKind::output) return "";
  if (column.kind != ColumnKind::output) return m.symbols[m.find(column.symbol)].doc;
  const auto output = std::ranges::find(m.outputs, column.name, &model::NamedValue::name);
  return output == m.outputs.end() ? "" : output->doc;
}

/// Curves of one kind and one unit share a plot.
using PlotKey = std::pair<Group, std::string>;

std::map<PlotKey, TimePlot> column_plots(const model::Model& m, const Table& table) {
  std::map<PlotKey, TimePlot> plots;
  for (std::size_t c = 1; c < table.width(); ++c) {
    const Column& column = table.columns()[c];
    if (column.is_of_observer()) continue;
    const expr::SymbolId symbol = m.find(column.symbol);
    const bool desired =
        column.kind == ColumnKind::input && symbol == 0;  // plotted with the outputs
    if (desired) continue;
    const bool commanded = column.order == 0 && symbol != 0 && is_commanded(m, symbol);
    const Group group = commanded ? Group::input : group_of(column.kind);
    TimePlot& plot = plots[{group, column.unit}];
    plot.title = titles[static_cast<std::size_t>(group)];
    plot.unit = column.unit;
    if (group == Group::force)
      plot.note = "minus the multipliers; a length that pulls has a positive force";
    const bool held = group == Group::input && is_held(m, symbol);
    plot.curves.push_back({column.name, doc_of(m, column), &table, c, false, held});
  }
  return plots;
}

/// |output - desired| at every row.
std::shared_ptr<Table> tracking_errors(const Table& table, const Table& desired) {
  auto errors = std::make_shared<Table>(desired.columns());
  errors->reserve(table.rows());
  std::vector<std::size_t> columns;
  for (const Column& column : desired.columns()) columns.push_back(*table.find(column.name));
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::span<double> row = errors->append();
    for (std::size_t c = 0; c < row.size(); ++c)
      row[c] = std::abs(table.at(r, columns[c]) - desired.at(r, c));
  }
  return errors;
}

/// What the servo lines ask for beside what came out, and the difference on its own.
TimePlot add_desired(Report& report, const model::Model& m, const Table& table,
                     std::map<PlotKey, TimePlot>& plots) {
  TimePlot difference{
      "Outputs less desired", "", "absolute values; exact zeros are passed over", true, {}};
  const auto desired = std::make_shared<Table>(desired_outputs(m, table));
  if (desired->width() == 0) return difference;
  const auto errors = tracking_errors(table, *desired);
  for (std::size_t c = 0; c < desired->width(); ++c) {
    const Column& column = desired->columns()[c];
    plots[{Group::output, column.unit}].curves.push_back(
        {column.name + " desired", "what the servo line prescribes", desired.get(), c, true});
    difference.curves.push_back({column.name, "", errors.get(), c, false});
    difference.unit = c == 0 || difference.unit == column.unit ? column.unit : "";
  }
  report.kept.insert(report.kept.end(), {desired, errors});
  return difference;
}

bool has_values(const Table& table, std::size_t column) {
  for (std::size_t r = 0; r < table.rows(); ++r)
    if (!std::isnan(table.at(r, column))) return true;
  return false;
}

TimePlot history_plot(const Table& table, std::string title, std::string unit, bool logarithmic,
                      const std::vector<std::string>& names) {
  TimePlot plot{std::move(title), std::move(unit), "", logarithmic, {}};
  for (const std::string& name : names)
    if (const auto column = table.find(name); column && has_values(table, *column))
      plot.curves.push_back({name, "", &table, *column, false});
  return plot;
}

std::vector<TimePlot> history_plots(const Table& table) {
  std::vector<std::string> levels;
  for (std::size_t c = 0; c < table.width(); ++c) levels.push_back(table.columns()[c].name);
  for (const char* own :
       {history::step, history::energy, history::kinetic, history::work, history::balance})
    std::erase(levels, own);
  TimePlot drift = history_plot(table, "Drift of the constraints", "", true, levels);
  drift.note =
      "largest residual on each level, in the units of the constraints; exact zeros are passed "
      "over";
  TimePlot steps = history_plot(table, "Length of the steps", "s", true, {history::step});
  steps.note = "how far each step goes in the time of the motion, not how long it took";
  return {
      drift,
      history_plot(table, "Energy", "J", false, {history::energy, history::kinetic, history::work}),
      history_plot(table, "Energy balance", "J", true, {history::balance}), steps};
}

}  // namespace

void add_trajectory(Report& report, const model::Model& m, const solve::Trajectory& trajectory) {
  const Table& table = trajectory.table;
  report.rows = &table;
  if (table.rows() == 0) return;
  report.drawing = draw(m, table);
  std::map<PlotKey, TimePlot> plots = column_plots(m, table);
  const TimePlot difference = add_desired(report, m, table, plots);
  for (auto& [key, plot] : plots)
    if (key.first == Group::input) add_limits(report, m, table, plot);
  for (auto& [key, plot] : plots) {
    if (key.first > Group::output && !difference.curves.empty() &&
        std::none_of(report.plots.begin(), report.plots.end(),
                     [&](const TimePlot& p) { return p.title == difference.title; }))
      report.plots.push_back(difference);
    report.plots.push_back(std::move(plot));
  }
  add_observers(report, m, table);
  for (TimePlot& plot : history_plots(trajectory.history))
    if (!plot.curves.empty()) report.plots.push_back(std::move(plot));
  for (const solve::FiredEvent& event : trajectory.events)
    report.events.emplace_back(event.name, event.t);
}

}  // namespace daedal::emit
