#include "zero_map.hpp"

#include "daedal/analyse/portrait.hpp"
#include "daedal/analyse/zero_map.hpp"
#include "daedal/base/utf8.hpp"
#include "daedal/emit/csv.hpp"
#include "json_answer.hpp"
#include "progress_line.hpp"
#include "question_page.hpp"
#include "request.hpp"
#include "zero_path.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace daedal::cli {

namespace {

using daedal::analyse::Cluster;
using daedal::analyse::Crossing;
using daedal::analyse::VariedParameter;
using daedal::analyse::ZeroMap;
using daedal::analyse::ZeroMapPoint;
using nlohmann::ordered_json;

ordered_json values_json(const ZeroPath& path, double s) {
  ordered_json json = ordered_json::object();
  for (const VariedParameter& p : path.parameters) json[path.name(p)] = p.at(s);
  return json;
}

ordered_json point_json(const ZeroPath& path, const ZeroMapPoint& point) {
  ordered_json json{{"parameters", values_json(path, point.s)}, {"found", point.found}};
  if (!point.found) return json;
  json["phase"] = daedal::analyse::phase_word(point.margin.side);
  json["acceptable"] = point.acceptable;
  json["zeros"] = ordered_json::array();
  for (const Cluster& c : point.zeros.clusters)
    json["zeros"].push_back({{"real", c.mean.real()},
                             {"imaginary", c.mean.imag()},
                             {"multiplicity", c.multiplicity},
                             {"error", c.error}});
  return json;
}

ordered_json to_json(const ZeroPath& path, const ZeroMap& map, double margin) {
  ordered_json json{{"model", path.dae->model->name}, {"margin", margin}};
  json["points"] = ordered_json::array();
  for (const ZeroMapPoint& point : map.points) json["points"].push_back(point_json(path, point));
  json["crossings"] = ordered_json::array();
  for (const Crossing& c : map.crossings)
    json["crossings"].push_back({{"parameters", values_json(path, c.s)},
                                 {"acceptable_before", c.acceptable_before},
                                 {"zero", {c.zero.mean.real(), c.zero.mean.imag()}}});
  if (map.best) json["best"] = point_json(path, *map.best);
  return json;
}

/// One row for each zero of each point.
Table table_of(const ZeroPath& path, const ZeroMap& map) {
  std::vector<Column> columns;
  for (const VariedParameter& p : path.parameters)
    columns.push_back({path.name(p), path.dae->model->symbols[p.symbol].unit});
  for (const char* name : {"real", "imaginary"}) columns.push_back({name, "1/s"});
  columns.push_back({"multiplicity", ""});
  Table table(std::move(columns));
  for (const ZeroMapPoint& point : map.points)
    for (const Cluster& c : point.zeros.clusters) {
      const std::span<double> row = table.append();
      std::size_t next = 0;
      for (const VariedParameter& p : path.parameters) row[next++] = p.at(point.s);
      row[next++] = c.mean.real();
      row[next++] = c.mean.imag();
      row[next] = c.multiplicity;
    }
  return table;
}

void print_points(const ZeroPath& path, const ZeroMap& map) {
  fmt::print("\n");
  for (const VariedParameter& p : path.parameters) fmt::print("  {:>12}", path.name(p));
  fmt::print("   {:<18} rightmost zero [1/s]\n", "phase");
  for (const ZeroMapPoint& point : map.points) {
    for (const VariedParameter& p : path.parameters) fmt::print("  {:>12.6g}", p.at(point.s));
    fmt::print("   {:<18} {}\n",
               point.found ? daedal::analyse::phase_word(point.margin.side) : "not there",
               point.found && point.zeros.finite() > 0 ? zero_text(point.margin.worst) : "");
  }
  fmt::print("\n");
}

void print_answer(const ZeroPath& path, const ZeroMap& map, const Arguments& a,
                  const daedal::analyse::ZeroMapOptions& options) {
  const std::string bound =
      options.margin > 0 ? fmt::format("right of {:g} 1/s", -options.margin) : "right of the axis";
  for (const Crossing& c : map.crossings)
    fmt::print("  change   at {}: zeros {} {} from there on, at first {}\n",
               text_at(path, path.parameters, c.s, 8),
               c.acceptable_before ? "lie" : "no longer lie", bound, zero_text(c.zero));
  if (!map.best) {
    fmt::print("  best     none: zeros {} all along\n", bound);
    return;
  }
  fmt::print("  best     {}: {}{}\n", text_at(path, path.parameters, map.best->s, 6),
             daedal::analyse::phase_word(map.best->margin.side),
             map.crossings.empty()
                 ? ""
                 : fmt::format(", {:g} % of the way before a change", 100 * options.reserve));
  if (!a.redefine.empty() && a.vary.empty())
    fmt::print("  next     daedal invert {} --redefine {} --weight {:.6g}\n", a.file, a.redefine,
               map.best->s);
}

/// Real parts of the zeros over the way, and the zeros in their plane.
void write_zero_page(const Loaded& loaded, const ZeroPath& path, const ZeroMap& map,
                     const Arguments& a) {
  emit::Report page = report_of(loaded, a, loaded.model->name);
  page.verdict =
      map.best
          ? fmt::format("{} from {} to {}; best {}.",
                        map.crossings.empty() ? "The zeros stay acceptable"
                                              : "The zeros become acceptable or cease to be",
                        text_at(path, path.parameters, 0, 6), text_at(path, path.parameters, 1, 6),
                        text_at(path, path.parameters, map.best->s, 6))
          : fmt::format("No zeros are acceptable from {} to {}.",
                        text_at(path, path.parameters, 0, 6), text_at(path, path.parameters, 1, 6));
  page.tone = map.best ? emit::Tone::good : emit::Tone::doubtful;
  for (const Crossing& c : map.crossings)
    page.facts.emplace_back(
        "change", fmt::format("at {}: rightmost zero {}", text_at(path, path.parameters, c.s, 8),
                              zero_text(c.zero)));
  const VariedParameter& first = path.parameters.front();
  emit::Chart parts{"Real parts of the zeros",
                    path.name(first),
                    "real part [1/s]",
                    path.parameters.size() > 1 ? "the other parameters move with it" : "",
                    false,
                    false,
                    false,
                    {}};
  emit::Chart plane = empty_pole_zero_map("Zeros on their way");
  emit::ChartSeries over{"zeros", {}, {}, {}, "dot", false},
      all = over,
      start{"zeros at " + text_at(path, path.parameters, 0, 4), {}, {}, {}, "ring", false};
  for (const ZeroMapPoint& point : map.points)
    for (const Cluster& c : point.zeros.clusters) {
      const std::string label = text_at(path, path.parameters, point.s, 6) + ": " + zero_text(c);
      const auto add = [&](emit::ChartSeries& series, double x, double y) {
        series.x.push_back(x), series.y.push_back(y), series.labels.push_back(label);
      };
      add(over, first.at(point.s), c.mean.real());
      add(all, c.mean.real(), c.mean.imag());
      if (&point == &map.points.front()) add(start, c.mean.real(), c.mean.imag());
    }
  parts.series = {std::move(over)};
  plane.series = {std::move(all), std::move(start)};
  page.charts = {std::move(parts), std::move(plane)};
  write_report(page, a.report, a.json || a.csv == "-");
}

}  // namespace

int report_zero_map(const Loaded& loaded, const Arguments& a) {
  const ZeroPath path = path_of(loaded, a, a.redefine);
  daedal::analyse::ZeroMapOptions options;
  options.margin = a.margin.value_or(options.margin);
  options.samples = a.samples.value_or(options.samples);
  if (!(options.margin >= 0) || options.samples < 2 || options.samples > 10'000)
    fault({}, "--margin must not be negative, --samples at least 2 and at most 10000");
  if (!a.csv.empty()) emit::check_writable(a.csv);
  ProgressLine line;
  options.progress = line.sink();
  const ZeroMap map = zero_map(*path.dae, path.parameters, options);
  if (!a.csv.empty()) emit::write_csv(table_of(path, map), a.csv);
  if (a.json) {
    print_json(a, to_json(path, map, options.margin));
  } else if (a.csv != "-") {
    fmt::print("{}: zeros from {} to {}\n", loaded.model->name,
               text_at(path, path.parameters, 0, 6), text_at(path, path.parameters, 1, 6));
    print_points(path, map);
    print_answer(path, map, a, options);
    if (!a.csv.empty()) fmt::print("  wrote    {}: all zeros\n", visible(a.csv));
  }
  if (!a.report.empty()) write_zero_page(loaded, path, map, a);
  return map.best ? 0 : 1;
}

}  // namespace daedal::cli
