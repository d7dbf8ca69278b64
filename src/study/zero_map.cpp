// Zeros along a path of parameters: where the answer changes, the best point.
#include "count_doubts.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/spectrum.hpp"
#include "zero_path.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

struct ZeroPathMap::Details {
  VaryOptions asked;
  ZeroPath path;
  analysis::ZeroMap map;
};

namespace {

ordered_json values_json(const ZeroPath& path, double s) {
  ordered_json json = ordered_json::object();
  for (const analysis::VariedParameter& p : path.parameters) json[path.name(p)] = p.at(s);
  return json;
}

ordered_json point_json(const ZeroPath& path, const analysis::ZeroMapPoint& point) {
  ordered_json json{{"parameters", values_json(path, point.s)}, {"found", point.found}};
  if (!point.found) return json;
  json["phase"] = analysis::phase_word(point.margin.side);
  json["acceptable"] = point.acceptable;
  json["zeros"] = ordered_json::array();
  for (const analysis::Cluster& c : point.zeros.clusters)
    json["zeros"].push_back({{"real", c.mean.real()},
                             {"imaginary", c.mean.imag()},
                             {"multiplicity", c.multiplicity},
                             {"error", c.error}});
  if (point.doubt) json["doubt"] = task::to_json(task::plain(*point.doubt));
  return json;
}

/// One row for each zero of each point.
Table table_of(const ZeroPath& path, const analysis::ZeroMap& map) {
  std::vector<Column> columns;
  for (const analysis::VariedParameter& p : path.parameters)
    columns.push_back({path.name(p), path.dae->model->symbols[p.symbol].unit});
  for (const char* name : {"real", "imaginary"}) columns.push_back({name, "1/s"});
  columns.push_back({"multiplicity", ""});
  columns.push_back({in_doubt, ""});
  Table table(std::move(columns));
  for (const analysis::ZeroMapPoint& point : map.points)
    for (const analysis::Cluster& c : point.zeros.clusters) {
      const std::span<double> row = table.append();
      std::size_t next = 0;
      for (const analysis::VariedParameter& p : path.parameters) row[next++] = p.at(point.s);
      row[next++] = c.mean.real();
      row[next++] = c.mean.imag();
      row[next++] = c.multiplicity;
      row[next] = point.doubt ? 1 : 0;
    }
  return table;
}

/// "  in doubt: 3 or 2 zeros".
std::string readings(const analysis::CountDoubt& doubt) {
  if (!doubt.other) return fmt::format("  {}", in_doubt);
  return fmt::format("  {}: {} or {} zeros", in_doubt, doubt.finite, *doubt.other);
}

void add_points(std::string& text, const ZeroPath& path, const analysis::ZeroMap& map) {
  text += "\n";
  for (const analysis::VariedParameter& p : path.parameters)
    text += fmt::format("  {:>12}", path.name(p));
  text += fmt::format("   {:<18} rightmost zero [1/s]\n", "phase");
  for (const analysis::ZeroMapPoint& point : map.points) {
    for (const analysis::VariedParameter& p : path.parameters)
      text += fmt::format("  {:>12.6g}", p.at(point.s));
    text += fmt::format(
        "   {:<18} {}{}\n", point.found ? analysis::phase_word(point.margin.side) : "not there",
        point.found && point.zeros.finite() > 0 ? zero_text(point.margin.worst) : "",
        point.doubt ? readings(*point.doubt) : "");
  }
  text += "\n";
}

void add_answer(std::string& text, const ZeroPath& path, const analysis::ZeroMap& map,
                const VaryOptions& asked) {
  const std::string bound =
      asked.margin > 0 ? fmt::format("right of {:g} 1/s", -asked.margin) : "right of the axis";
  for (const analysis::Crossing& c : map.crossings)
    text += fmt::format("  change   at {}: zeros {} {} from there on, at first {}{}\n",
                        text_at(path, path.parameters, c.s, 8),
                        c.acceptable_before ? "lie" : "no longer lie", bound, zero_text(c.zero),
                        c.doubt ? readings(*c.doubt) : "");
  if (!map.best) {
    text += fmt::format("  best     none: zeros {} all along\n", bound);
    return;
  }
  text += fmt::format("  best     {}: {}{}{}\n", text_at(path, path.parameters, map.best->s, 6),
                      analysis::phase_word(map.best->margin.side),
                      map.crossings.empty() ? ""
                                            : fmt::format(", {:g} % of the way before a change",
                                                          100 * analysis::ZeroMapOptions().reserve),
                      map.best->doubt ? readings(*map.best->doubt) : "");
  if (!asked.redefine.empty() && asked.vary.empty())
    text += fmt::format("  next     invert with  `redefine = {}` `weight = {:.6g}`\n",
                        asked.redefine, map.best->s);
}

ZeroPathPoint plain(const ZeroPath& path, const analysis::ZeroMapPoint& point) {
  return {numbers_at(path, path.parameters, point.s),
          point.found,
          point.acceptable,
          point.found ? analysis::phase_word(point.margin.side) : "",
          values_of(point.zeros),
          point.doubt ? std::optional(task::plain(*point.doubt)) : std::nullopt};
}

std::string verdict_of(const ZeroPath& path, const analysis::ZeroMap& map) {
  const std::string way = fmt::format("from {} to {}", text_at(path, path.parameters, 0, 6),
                                      text_at(path, path.parameters, 1, 6));
  if (!map.best) return fmt::format("No zeros are acceptable {}.", way);
  return fmt::format("{} {}; best {}.",
                     map.crossings.empty() ? "The zeros stay acceptable"
                                           : "The zeros become acceptable or cease to be",
                     way, text_at(path, path.parameters, map.best->s, 6));
}

}  // namespace

ZeroPathMap vary(const Model& model, const VaryOptions& options) {
  const StopScope stoppable(options.watch.stop);
  ZeroPathMap answer(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  ZeroPath path = path_of(asked, options, options.redefine);
  analysis::ZeroMap map = zero_map(*path.dae, path.parameters, zero_map_options(options));
  for (const analysis::ZeroMapPoint& point : map.points)
    answer.points.push_back(plain(path, point));
  for (const analysis::Crossing& c : map.crossings)
    answer.changes.push_back(numbers_at(path, path.parameters, c.s));
  if (map.best) answer.best = plain(path, *map.best);
  answer.rows = table_of(path, map);
  answer.holds = map.best.has_value();
  answer.verdict = verdict_of(path, map);
  answer.tone = answer.holds ? emit::Tone::good : emit::Tone::doubtful;
  DoubtfulPoints doubtful;
  for (const analysis::ZeroMapPoint& point : map.points)
    if (point.doubt)
      doubtful.add(text_at(path, path.parameters, point.s, 6), {task::plain(*point.doubt)});
  doubtful.warn(answer, map.points.size());
  answer.details_ = std::make_shared<const ZeroPathMap::Details>(
      ZeroPathMap::Details{options, std::move(path), std::move(map)});
  return answer;
}

std::string ZeroPathMap::summary() const {
  const auto& [asked, path, map] = *details_;
  std::string text =
      fmt::format("{}: zeros from {} to {}\n", title, text_at(path, path.parameters, 0, 6),
                  text_at(path, path.parameters, 1, 6));
  add_points(text, path, map);
  add_answer(text, path, map, asked);
  return text;
}

Json ZeroPathMap::json() const {
  const auto& [asked, path, map] = *details_;
  ordered_json json{{"model", path.dae->model->name}, {"margin", asked.margin}};
  json["points"] = ordered_json::array();
  for (const analysis::ZeroMapPoint& point : map.points)
    json["points"].push_back(point_json(path, point));
  json["crossings"] = ordered_json::array();
  for (const analysis::Crossing& c : map.crossings) {
    json["crossings"].push_back({{"parameters", values_json(path, c.s)},
                                 {"acceptable_before", c.acceptable_before},
                                 {"zero", {c.zero.mean.real(), c.zero.mean.imag()}}});
    if (c.doubt) json["crossings"].back()["doubt"] = task::to_json(task::plain(*c.doubt));
  }
  if (map.best) json["best"] = point_json(path, *map.best);
  return {std::move(json)};
}

/// Real parts of the zeros over the way, and the zeros in their plane.
void ZeroPathMap::illustrate(emit::Report& page) const {
  const auto& [asked, path, map] = *details_;
  for (const analysis::Crossing& c : map.crossings)
    page.facts.emplace_back(
        "change", fmt::format("at {}: rightmost zero {}{}", text_at(path, path.parameters, c.s, 8),
                              zero_text(c.zero), c.doubt ? readings(*c.doubt) : ""));
  const analysis::VariedParameter& first = path.parameters.front();
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
  for (const analysis::ZeroMapPoint& point : map.points)
    for (const analysis::Cluster& c : point.zeros.clusters) {
      const std::string label = text_at(path, path.parameters, point.s, 6) + ": " + zero_text(c) +
                                (point.doubt ? readings(*point.doubt) : "");
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
}

}  // namespace task
}  // namespace daedal
