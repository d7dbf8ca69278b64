#include "daedal/task/spectrum.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

/// Column by column; their number is given, as a matrix without rows does not know it.
constexpr std::size_t shown_clusters = 40;  // JSON holds all of them

/// Value, multiplicity, damping ratio, frequency; one line for a conjugate pair.
std::string spectrum_line(const analysis::Cluster& c) {
  std::string line = fmt::format("    {:<32}", analysis::text_of(c, true, 10));
  const double frequency = std::abs(c.mean);
  const bool zero = analysis::text_of(c) == "0";
  const double damping = std::abs(c.mean.real()) <= c.error ? 0 : -c.mean.real() / frequency;
  line += zero ? fmt::format("{:>9} {:>12}", "", "0")
               : fmt::format("{:>9.4g} {:>12.6g}", damping, frequency);
  if (c.multiplicity > 1) line += fmt::format("   {} times", c.multiplicity);
  if (c.multiplicity > 1 && c.spread > c.error / 10)
    line += fmt::format(", spread {:.0e}", c.spread);
  return line;
}

}  // namespace

std::vector<std::complex<double>> values_of(const analysis::Spectrum& spectrum) {
  std::vector<std::complex<double>> values;
  for (const analysis::Eigenvalue& one : spectrum.values) values.push_back(one.value);
  return values;
}

std::string spectrum_text(const analysis::Spectrum& s) {
  if (s.clusters.empty()) return "";
  std::string text = fmt::format("    {:<32}{:>9} {:>12}\n", "[1/s]", "damping", "rad/s");
  std::size_t lines = 0;
  for (const analysis::Cluster& c : s.clusters) {
    const bool complex = analysis::text_of(c, true).find('i') != std::string::npos;
    if (complex && c.mean.imag() < 0) continue;  // reported with its mirror image
    if (++lines <= shown_clusters) text += spectrum_line(c) + "\n";
  }
  if (lines > shown_clusters)
    text += fmt::format("    ... and {} more (JSON has all of them)\n", lines - shown_clusters);
  return text;
}

std::string complex_text(std::complex<double> z) {
  return z.imag() == 0 ? fmt::format("{:.6g}", z.real())
                       : fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0 ? '-' : '+',
                                     std::abs(z.imag()));
}

ordered_json to_json(const Eigen::MatrixXd& m) {
  auto rows = ordered_json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    auto row = ordered_json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(m(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json to_json(const analysis::Spectrum& s) {
  ordered_json json;
  json["regular"] = s.regular();
  json["finite"] = s.finite();
  json["infinite"] = s.infinite;
  if (std::isfinite(s.smallest_gap())) json["smallest_gap"] = s.smallest_gap();
  json["clusters"] = ordered_json::array();
  for (const analysis::Cluster& c : s.clusters)
    json["clusters"].push_back({{"real", c.mean.real()},
                                {"imaginary", c.mean.imag()},
                                {"multiplicity", c.multiplicity},
                                {"spread", c.spread},
                                {"error", c.error}});
  return json;
}

ordered_json to_json(const analysis::LinearModel& l) {
  return {{"variables", l.variables}, {"equations", l.equations}, {"inputs", l.inputs},
          {"outputs", l.outputs},     {"E", to_json(l.e)},        {"A", to_json(l.a)},
          {"B", to_json(l.b)},        {"C", to_json(l.c)},        {"D", to_json(l.d)}};
}

ordered_json complex_json(std::complex<double> z) { return {z.real(), z.imag()}; }

emit::Chart empty_pole_zero_map(std::string title) {
  return {
      std::move(title), "real part [1/s]", "imaginary part [rad/s]", "", false, false, true, {}};
}

void keep_rounding_small(emit::Chart& map, std::complex<double> value, double error) {
  // the error is a hundredth of the axis at most, and the value itself at most nine digits more than it
  const double least = std::max(100 * error, 1e-9 * std::abs(value));
  map.least_x = std::max(map.least_x, least);
  map.least_y = std::max(map.least_y, least);
}

void add_spectrum(emit::Report& page, emit::Chart& map, const analysis::Spectrum& s,
                  const std::string& name, const char* marker) {
  emit::ChartSeries series{name, {}, {}, {}, marker, false};
  double doubt = 0;  // the largest of those on the axis
  int on_axis = 0;
  emit::TextTable table{name, {"value [1/s]", "damping", "frequency [rad/s]", "multiplicity"}, {}};
  table.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  for (const analysis::Cluster& c : s.clusters) {
    const std::complex<double> at = analysis::shown(c);
    series.x.push_back(at.real());
    series.y.push_back(at.imag());
    series.labels.push_back(analysis::text_of(c) +
                            (c.multiplicity > 1 ? fmt::format(", {} times", c.multiplicity) : ""));
    keep_rounding_small(map, c.mean, doubt_of(c));
    if (at.real() == 0 && c.mean.real() != 0) {
      series.labels.back() +=
          fmt::format("; real part {:.1e}, error {:.0e}", c.mean.real(), doubt_of(c));
      doubt = std::max(doubt, doubt_of(c));
      on_axis += c.multiplicity;
    }
    if (c.mean.imag() < 0) continue;  // reported with its mirror image
    const double frequency = std::abs(c.mean);
    const double damping = std::abs(c.mean.real()) <= c.error ? 0 : -c.mean.real() / frequency;
    table.rows.push_back({analysis::text_of(c, true, 10),
                          frequency > c.error ? fmt::format("{:.4g}", damping) : "",
                          fmt::format("{:.6g}", frequency), fmt::format("{}", c.multiplicity)});
  }
  if (on_axis > 0)
    map.note += fmt::format(
        "{}{} of the {}: the real part is within its error ({:.0e} 1/s at most), drawn on the axis",
        map.note.empty() ? "" : "; ", on_axis, name, doubt);
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

}  // namespace task
}  // namespace daedal
