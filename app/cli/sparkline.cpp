#include "sparkline.hpp"

#include "daedal/run/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace daedal::cli {

namespace {

constexpr std::size_t most_curves = 12;  // of a vector

/// x of "x" and of "x.force".
std::string_view without_force(std::string_view name) {
  constexpr std::string_view force = ".force";
  if (name.ends_with(force)) name.remove_suffix(force.size());
  return name;
}

/// phi and phi' mean all of phi[1], phi[2]' and so on; rod and rod.force the reaction of the constraint.
bool is_of(const Column& column, const std::string& name) {
  if (column.name == name) return true;
  if (column.opposite) {
    const std::string_view constraint = without_force(name);
    return column.symbol == constraint ||
           (column.symbol.starts_with(constraint) && column.symbol[constraint.size()] == '[' &&
            column.symbol.find(']') == column.symbol.size() - 1);
  }
  const std::size_t bare = name.find('\''), rates = name.size() - std::min(bare, name.size());
  const std::string stem = name.substr(0, bare) + "[";
  const std::size_t close = column.name.find(']');
  return column.name.starts_with(stem) && close != std::string::npos &&
         column.name.substr(close + 1) == std::string(rates, '\'');
}

struct Extremes {
  double low = NAN, high = NAN;
};

Extremes extremes_of(const std::vector<double>& values) {
  Extremes found;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    found.low = std::fmin(found.low, value);
    found.high = std::fmax(found.high, value);
  }
  return found;
}

}  // namespace

void check_plots(const std::vector<std::string>& names, const model::Model& m) {
  std::vector<Column> columns;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s) {
    const model::SymbolKind kind = m.symbols[s].kind;
    if (kind == model::SymbolKind::parameter || kind == model::SymbolKind::time) continue;
    columns.push_back(solve::column_of(m, {s, 0}));
    if (kind != model::SymbolKind::multiplier) columns.push_back(solve::column_of(m, {s, 1}));
  }
  for (const model::NamedValue& output : m.outputs) columns.push_back(solve::column_of(m, output));
  std::vector<std::string> known;
  for (const Column& column : columns) {
    known.push_back(column.name);
    if (!column.opposite) continue;
    const std::string whole = column.symbol.substr(0, column.symbol.find('['));  // of a vector
    known.insert(known.end(), {column.symbol, whole, whole + ".force"});
  }
  for (const std::string& name : names) {
    if (std::ranges::any_of(columns, [&](const Column& c) { return is_of(c, name); })) continue;
    const std::string near = nearest_name(name, known);
    throw ModelError(
        {Severity::error,
         m.place,
         fmt::format("--plot {}: model '{}' has no quantity of that name", name, m.name),
         {},
         near.empty() ? "names are those of the columns of --csv"
                      : fmt::format("did you mean '{}'?", near)});
  }
}

std::string sparkline(const std::vector<double>& values, std::size_t width) {
  static constexpr std::array heights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const Extremes all = extremes_of(values);
  const double middle = (all.low + all.high) / 2;
  width = std::min(width, values.size());
  std::string line;
  for (std::size_t k = 0; k < width; ++k) {
    double shown = NAN;
    for (std::size_t r = k * values.size() / width; r < (k + 1) * values.size() / width; ++r)
      if (std::isfinite(values[r]) && !(std::abs(values[r] - middle) <= std::abs(shown - middle)))
        shown = values[r];
    if (std::isnan(shown)) {
      line += ' ';
      continue;
    }
    const double share = all.high > all.low ? (shown - all.low) / (all.high - all.low) : 0.5;
    line += heights[std::min<std::size_t>(static_cast<std::size_t>(8 * share), 7)];
  }
  return line;
}

std::string plots_of(const std::vector<std::string>& names, const Table& table) {
  std::vector<std::size_t> chosen;
  std::size_t widest = 0, left_out = 0;
  for (const std::string& name : names) {
    std::size_t found = 0;
    for (std::size_t c = 0; c < table.width(); ++c) {
      if (!is_of(table.columns()[c], name)) continue;
      if (++found > most_curves) {
        ++left_out;
        continue;
      }
      chosen.push_back(c);
      widest = std::max(widest, table.columns()[c].name.size());
    }
  }
  std::string text;
  for (const std::size_t c : chosen) {
    const Column& column = table.columns()[c];
    const std::vector<double> values = table.column(c);
    const Extremes e = extremes_of(values);
    text += fmt::format("  {:<8} {:<{}}  {}  {:.6g} to {:.6g}{}\n", text.empty() ? "plot" : "",
                        column.name, widest, sparkline(values), e.low, e.high,
                        column.unit.empty() ? "" : " " + column.unit);
  }
  if (left_out > 0) text += fmt::format("           and {} more\n", left_out);
  return text;
}

}  // namespace daedal::cli
