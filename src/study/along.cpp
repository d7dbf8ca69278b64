// Linearised along a simulated motion.
#include "daedal/emit/report.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "operating_point.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

struct MotionLinearisation::Details {
  std::shared_ptr<const model::Model> model;
  std::vector<analysis::OperatingPoint> points;
};

namespace {

Table table_of(const std::vector<analysis::OperatingPoint>& points) {
  std::vector<Column> columns{{"t", "s", ColumnKind::time, "t"}};
  for (const auto& [column, value] : points[0].values) columns.push_back(column);
  columns.push_back({"rightmost pole, real", "1/s"});
  columns.push_back({"rightmost pole, imaginary", "1/s"});
  Table table(std::move(columns));
  for (const analysis::OperatingPoint& p : points) {
    const std::span<double> row = table.append();
    row[0] = p.t;
    for (std::size_t k = 0; k < p.values.size(); ++k) row[k + 1] = p.values[k].second;
    const bool none = p.poles.clusters.empty();
    row[row.size() - 2] = none ? std::nan("") : p.poles.clusters[0].mean.real();
    row[row.size() - 1] = none ? std::nan("") : p.poles.clusters[0].mean.imag();
  }
  return table;
}

}  // namespace

MotionLinearisation along(const Model& model, const AlongOptions& asked_for) {
  const StopScope stoppable(asked_for.watch.stop);
  const Grid& times = asked_for.times;
  if (!(times.first >= 0) || !(times.last > times.first) || times.count < 2)
    fault({},
          fmt::format("`along = {:g}:{:g}:{}`: not a range of times", times.first, times.last,
                      times.count),
          "0 <= first < last in s, and 2 of them at least");
  MotionLinearisation answer(model);
  const Asked asked = asked_of(model, asked_for.redundant_constraints, asked_for.outputs);
  answer.warnings = asked.warnings;
  analysis::AlongOptions options;
  options.first = times.first, options.last = times.last, options.count = times.count;
  options.outputs = asked_for.outputs;
  options.watch = asked_for.watch;
  std::vector<analysis::OperatingPoint> points = analysis::linearise_along(asked.dae, options);
  for (const analysis::OperatingPoint& p : points) answer.poles.push_back(values_of(p.poles));
  answer.points = table_of(points);
  answer.verdict = fmt::format(
      "Linearised at {} times of the motion from {:g} s to {:g} s; of the frozen poles at the "
      "beginning {}, at the end {}.",
      points.size(), points.front().t, points.back().t, rightmost_text(points.front()),
      rightmost_text(points.back()));
  answer.details_ = std::make_shared<const MotionLinearisation::Details>(
      MotionLinearisation::Details{asked.model, std::move(points)});
  return answer;
}

std::string MotionLinearisation::summary() const {
  std::string text = fmt::format("{}: linearised along its motion\n  {:>10}  {:<34} {}\n", title,
                                 "t [s]", "rightmost frozen pole [1/s]", "values");
  for (const analysis::OperatingPoint& p : details_->points)
    text += fmt::format(
        "  {:>10.6g}  {:<34} {}\n", p.t,
        p.poles.clusters.empty() ? "none" : analysis::text_of(p.poles.clusters[0], true, 8),
        values_text(p));
  return text;
}

Json MotionLinearisation::json() const {
  ordered_json json{{"model", model.name()}, {"points", ordered_json::array()}};
  for (const analysis::OperatingPoint& p : details_->points) json["points"].push_back(to_json(p));
  return {std::move(json)};
}

void MotionLinearisation::illustrate(emit::Report& page) const {
  const std::vector<analysis::OperatingPoint>& all = details_->points;
  add_plots(page, points, "Along the motion");
  page.drawing = emit::draw(*details_->model, points);
  emit::ChartSeries every{"poles", {}, {}, {}, "dot", false},
      first{fmt::format("poles at t = {:g} s", all.front().t), {}, {}, {}, "cross", false};
  for (const analysis::OperatingPoint& p : all)
    for (const analysis::Cluster& c : p.poles.clusters)
      for (emit::ChartSeries* series : {&every, &first}) {
        if (series == &first && &p != &all.front()) continue;
        series->x.push_back(analysis::shown(c).real());
        series->y.push_back(analysis::shown(c).imag());
        series->labels.push_back(fmt::format("t = {:.6g} s: {}", p.t, analysis::text_of(c)));
      }
  emit::Chart map = empty_pole_zero_map("Frozen poles on their way");
  for (const analysis::OperatingPoint& p : all)
    for (const analysis::Cluster& c : p.poles.clusters)
      keep_rounding_small(map, c.mean, doubt_of(c));
  map.series = {std::move(every), std::move(first)};
  page.charts.push_back(std::move(map));
}

}  // namespace task
}  // namespace daedal
