#include "loop_plots.hpp"

#include "daedal/base/chi_square.hpp"
#include "daedal/model/command_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>

namespace daedal::emit {

namespace {

/// The column with the deviation of an estimate.
std::optional<std::size_t> deviation_of(const Table& table, const Column& estimate) {
  for (std::size_t c = 1; c < table.width(); ++c)
    if (const Column& column = table.columns()[c];
        column.kind == ColumnKind::deviation && column.controller == estimate.controller &&
        column.symbol == estimate.symbol && column.order == estimate.order)
      return c;
  return std::nullopt;
}

/// Columns of constants, one row for each row of the table.
std::shared_ptr<Table> constants(const Table& table, std::vector<Column> columns,
                                 const std::vector<double>& values) {
  auto made = std::make_shared<Table>(std::move(columns));
  made->reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) std::ranges::copy(values, made->append().begin());
  return made;
}

void add_state(Report& report, const model::Model& m, const Table& table, std::size_t column) {
  const Column& estimate = table.columns()[column];
  const auto spread = deviation_of(table, estimate);
  if (!spread) return;
  const std::string state = model::name_of(m.symbols[m.find(estimate.symbol)], estimate.order);
  auto band = std::make_shared<Table>(std::vector<Column>{{"low", ""}, {"high", ""}});
  band->reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double mean = table.at(r, column), reach = 3 * table.at(r, *spread);
    const std::span<double> row = band->append();
    row[0] = mean - reach;
    row[1] = mean + reach;
  }
  const auto truth = table.find(estimate.symbol, estimate.order);
  TimePlot plot{fmt::format("{} estimated by {}", state, estimate.controller),
                truth ? table.columns()[*truth].unit : "",
                "the band is the estimate with three of its standard deviations",
                false,
                {}};
  if (truth) plot.curves.push_back({state, "the state of the plant", &table, *truth});
  plot.curves.push_back({"estimate", "", &table, column, false, true});
  plot.curves.push_back({"- 3 sigma", "", band.get(), 0, false, true, "estimate"});
  plot.curves.push_back({"+ 3 sigma", "", band.get(), 1, false, true, "estimate"});
  report.plots.push_back(std::move(plot));
  report.kept.push_back(std::move(band));
}

/// The sum of the squares of m normalised innovations is chi-square distributed with m degrees of freedom where model and noise are
/// as the filter assumes; the column has it by m.
void add_innovation(Report& report, const model::Controller& controller, const Table& table,
                    std::size_t column) {
  const std::size_t count = controller.observation->measured.size();
  const auto m = static_cast<double>(count);
  const double low = base::chi_square_quantile(m, 0.025) / m,
               high = base::chi_square_quantile(m, 0.975) / m;
  auto bounds = constants(table, {{"low", ""}, {"high", ""}}, {low, high});
  std::size_t within = 0;
  for (std::size_t r = 0; r < table.rows(); ++r)
    within += table.at(r, column) >= low && table.at(r, column) <= high ? 1 : 0;
  TimePlot plot{fmt::format("Innovation of {}", controller.name),
                "",
                fmt::format("normalised and squared, 1 on average where model and noise are as the "
                            "filter assumes; {:.3g} % of the rows lie within the 95 % bounds",
                            100 * static_cast<double>(within) / static_cast<double>(table.rows())),
                false,
                {}};
  plot.curves.push_back({"innovation", "", &table, column, false, true});
  plot.curves.push_back({"2.5 %", "", bounds.get(), 0, true});
  plot.curves.push_back({"97.5 %", "", bounds.get(), 1, true});
  report.plots.push_back(std::move(plot));
  report.kept.push_back(std::move(bounds));
}

}  // namespace

bool is_commanded(const model::Model& m, expr::SymbolId input) {
  return std::ranges::any_of(m.controllers, [&](const model::Controller& controller) {
    return std::ranges::any_of(
        controller.commands, [&](const model::Command& command) { return command.input == input; });
  });
}

bool is_held(const model::Model& m, expr::SymbolId input) {
  return std::ranges::any_of(m.controllers, [&](const model::Controller& controller) {
    return controller.period > 0 &&
           std::ranges::any_of(controller.commands, [&](const model::Command& command) {
             return command.input == input;
           });
  });
}

void add_limits(Report& report, const model::Model& m, const Table& table, TimePlot& plot) {
  std::vector<TimeCurve> limits;
  for (const TimeCurve& curve : plot.curves)
    for (const model::Controller& controller : m.controllers)
      for (const model::Command& command : controller.commands) {
        if (m.symbols[command.input].name != curve.name) continue;
        const auto [low, high] = model::command_limits(m, controller, command);
        for (const auto& [value, word] : {std::pair(low, "least"), std::pair(high, "most")}) {
          if (!std::isfinite(value)) continue;
          auto line = constants(table, {{curve.name, ""}}, {value});
          limits.push_back({fmt::format("{} at {}", curve.name, word), "limit of the command",
                            line.get(), 0, true});
          report.kept.push_back(std::move(line));
        }
      }
  plot.curves.insert(plot.curves.end(), limits.begin(), limits.end());
}

void add_observers(Report& report, const model::Model& m, const Table& table) {
  for (std::size_t c = 1; c < table.width(); ++c) {
    const Column& column = table.columns()[c];
    if (column.kind == ColumnKind::estimate) add_state(report, m, table, c);
    if (column.kind != ColumnKind::innovation) continue;
    const auto controller =
        std::ranges::find(m.controllers, column.controller, &model::Controller::name);
    if (controller != m.controllers.end()) add_innovation(report, *controller, table, c);
  }
}

}  // namespace daedal::emit
