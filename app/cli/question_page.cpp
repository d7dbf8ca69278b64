#include "question_page.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace daedal::cli {

using daedal::analyse::Cluster;
using daedal::analyse::Spectrum;

emit::Report question_page(const Question& q, std::string verdict) {
  emit::Report page = report_of(q.loaded, q.arguments, q.loaded.model->name);
  page.verdict = std::move(verdict);
  return page;
}

void write_page(const Question& q, const emit::Report& page) {
  const Arguments& a = q.arguments;
  write_report(page, a.report, a.json || a.csv == "-");
}

emit::Chart empty_pole_zero_map(std::string title) {
  return {
      std::move(title), "real part [1/s]", "imaginary part [rad/s]", "", false, false, true, {}};
}

void add_spectrum(emit::Report& page, emit::Chart& map, const Spectrum& s, const std::string& name,
                  const char* marker) {
  emit::ChartSeries series{name, {}, {}, {}, marker, false};
  emit::TextTable table{name, {"value [1/s]", "damping", "frequency [rad/s]", "multiplicity"}, {}};
  table.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  for (const Cluster& c : s.clusters) {
    series.x.push_back(c.mean.real());
    series.y.push_back(c.mean.imag());
    series.labels.push_back(daedal::analyse::text_of(c) +
                            (c.multiplicity > 1 ? fmt::format(", {} times", c.multiplicity) : ""));
    if (c.mean.imag() < 0) continue;  // told with its mirror image
    const double frequency = std::abs(c.mean);
    const double damping = std::abs(c.mean.real()) <= c.error ? 0 : -c.mean.real() / frequency;
    table.rows.push_back({daedal::analyse::text_of(c, true, 10),
                          frequency > c.error ? fmt::format("{:.4g}", damping) : "",
                          fmt::format("{:.6g}", frequency), fmt::format("{}", c.multiplicity)});
  }
  map.series.push_back(std::move(series));
  page.tables.push_back(std::move(table));
}

void add_plots(emit::Report& page, Table given, const std::string& title) {
  const auto table = std::make_shared<const Table>(std::move(given));
  page.kept.push_back(table);
  page.rows = table.get();
  std::map<std::string, emit::TimePlot> plots;  // by unit
  for (std::size_t c = 1; c < table->width(); ++c) {
    const Column& column = table->columns()[c];
    emit::TimePlot& plot = plots[column.unit];
    plot.title = title;
    plot.unit = column.unit;
    plot.curves.push_back({column.name, "", table.get(), c, false});
  }
  for (auto& [unit, plot] : plots) page.plots.push_back(std::move(plot));
}

Table rows_of(const model::Model& m, const std::vector<std::vector<double>>& poses) {
  std::vector<Column> columns{{"t", ""}};
  std::vector<expr::SymbolId> symbols;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s) {
    if (s == expr::time_symbol || m.symbols[s].kind == model::SymbolKind::parameter) continue;
    columns.push_back({m.symbols[s].name, m.symbols[s].unit});
    symbols.push_back(s);
  }
  Table table(std::move(columns));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const std::span<double> row = table.append();
    row[0] = static_cast<double>(k + 1);
    for (std::size_t c = 0; c < symbols.size(); ++c) row[c + 1] = poses[k][symbols[c]];
  }
  return table;
}

emit::TextTable matrix_table(std::string title, const std::vector<std::string>& columns,
                             const std::vector<std::string>& rows, const Eigen::MatrixXd& m) {
  emit::TextTable table{std::move(title), {""}, {}};
  table.head.insert(table.head.end(), columns.begin(), columns.end());
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    table.rows.push_back({rows[static_cast<std::size_t>(i)]});
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      table.rows.back().push_back(fmt::format("{:.8g}", m(i, j)));
  }
  return table;
}

}  // namespace daedal::cli
