// Pages of daedal analyse --pose, --path, --limits, --box.
#include "question_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::cli {

namespace {

using daedal::analyse::BoxAxis;
using daedal::analyse::BoxOfPoses;
using daedal::analyse::Kinematics;
using daedal::analyse::NamedSet;
using daedal::analyse::PathOfPoses;
using daedal::analyse::Pose;

/// The coordinates alone, under the number of the pose.
Table coordinates_of(const Question& q, const std::vector<std::vector<double>>& poses) {
  std::vector<Column> columns{{"pose", ""}};
  const std::vector<expr::SymbolId>& coordinates = q.loaded.dae->mechanics.coordinates;
  for (const expr::SymbolId s : coordinates)
    columns.push_back({q.loaded.model->symbols[s].name, q.loaded.model->symbols[s].unit});
  Table table(std::move(columns));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const std::span<double> row = table.append();
    row[0] = static_cast<double>(k + 1);
    for (std::size_t c = 0; c < coordinates.size(); ++c) row[c + 1] = poses[k][coordinates[c]];
  }
  return table;
}

emit::TextTable events_table(const std::vector<ToldEvent>& events) {
  emit::TextTable table{"Turns and singular poses", {"what", "pose"}, {}};
  for (const ToldEvent& e : events) table.rows.push_back({e.what, e.where});
  return table;
}

/// The nodes of the plane of the first two axes in which the others are in the middle.
bool in_middle_plane(const std::vector<BoxAxis>& axes, std::size_t node) {
  for (std::size_t k = axes.size(); k-- > 0;) {
    const auto count = static_cast<std::size_t>(axes[k].count);
    if (k > 1 && node % count != count / 2) return false;
    node /= count;
  }
  return true;
}

emit::Chart reach_chart(const std::vector<BoxAxis>& axes, const BoxOfPoses& box) {
  emit::Chart chart{"Reach", axes[0].name, axes[1].name, "", false, false, false, {}};
  if (axes.size() > 2) {
    chart.note = "in the middle of";
    for (std::size_t k = 2; k < axes.size(); ++k)
      chart.note += (k == 2 ? " " : ", ") + axes[k].name;
  }
  emit::ChartSeries within{"within reach", {}, {}, {}, "dot", false},
      beyond{"out of reach", {}, {}, {}, "cross", false};
  for (std::size_t n = 0; n < box.nodes.size(); ++n) {
    if (!in_middle_plane(axes, n)) continue;
    emit::ChartSeries& series = box.nodes[n].reachable ? within : beyond;
    series.x.push_back(box.nodes[n].given[0]);
    series.y.push_back(box.nodes[n].given[1]);
  }
  for (emit::ChartSeries* series : {&within, &beyond})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  return chart;
}

emit::Chart distance_chart(const BoxAxis& axis, const std::vector<NamedSet>& sets,
                           const BoxOfPoses& box) {
  emit::Chart chart{"Distance from singular poses",
                    axis.name,
                    "smallest singular value",
                    "",
                    false,
                    false,
                    false,
                    {}};
  for (std::size_t s = 0; s < sets.size(); ++s) {
    emit::ChartSeries series{sets[s].name, {}, {}, {}, "dot", true};
    for (const BoxOfPoses::Node& node : box.nodes) {
      if (!node.reachable) continue;
      series.x.push_back(node.given[0]);
      series.y.push_back(node.smallest[s]);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

void write_pose_page(const Question& q, const Kinematics& k, const Pose& pose,
                     const std::vector<std::pair<std::string, std::string>>& facts,
                     const std::vector<Pose>& branches, const std::vector<std::string>& outputs,
                     const std::vector<std::string>& motors) {
  const int freedom = k.degrees_of_freedom(pose.values);
  emit::Report page = question_page(
      q, fmt::format("A pose with {} degree{} of freedom, found in {} iteration{}{}.", freedom,
                     freedom == 1 ? "" : "s", pose.iterations, pose.iterations == 1 ? "" : "s",
                     branches.size() > 1
                         ? fmt::format("; {} different poses have these values", branches.size())
                         : ""));
  page.facts = facts;
  page.drawing = emit::draw(*q.loaded.model, rows_of(*q.loaded.model, {pose.values}));
  if (!outputs.empty() && !motors.empty())
    page.tables.push_back(matrix_table("Jacobian of the outputs by the motors", motors, outputs,
                                       k.jacobian(outputs, motors, pose.values)));
  if (!branches.empty()) {
    emit::TextTable table{"Poses with these values", {"pose"}, {}};
    std::vector<std::vector<double>> values;
    for (const Pose& branch : branches) values.push_back(branch.values);
    const Table numbers = coordinates_of(q, values);
    for (std::size_t c = 1; c < numbers.width(); ++c)
      table.head.push_back(numbers.columns()[c].name);
    for (std::size_t r = 0; r < numbers.rows(); ++r) {
      table.rows.push_back({fmt::format("{}", r + 1)});
      for (std::size_t c = 1; c < numbers.width(); ++c)
        table.rows.back().push_back(fmt::format("{:.8g}", numbers.at(r, c)));
    }
    page.tables.push_back(std::move(table));
  }
  write_page(q, page);
}

void write_path_page(const Question& q, const PathOfPoses& path,
                     const std::vector<ToldEvent>& events) {
  emit::Report page = question_page(
      q, fmt::format(
             "{} poses{}; {}.{}", path.poses.size(), path.closed ? ", back at the first one" : "",
             events.empty()
                 ? "nothing turns and nothing is singular on the way"
                 : fmt::format("something turns or is singular at {} of them", events.size()),
             path.stopped.empty() ? "" : " Stopped: " + path.stopped + "."));
  page.tone = path.stopped.empty() ? emit::Tone::good : emit::Tone::doubtful;
  page.counted = "pose";
  page.drawing = emit::draw(*q.loaded.model, rows_of(*q.loaded.model, path.poses));
  add_plots(page, coordinates_of(q, path.poses), "Coordinates");
  if (!events.empty()) page.tables.push_back(events_table(events));
  write_page(q, page);
}

void write_box_page(const Question& q, const std::vector<BoxAxis>& axes,
                    const std::vector<NamedSet>& sets, const BoxOfPoses& box,
                    const std::vector<ToldEvent>& events) {
  const auto reachable = std::count_if(box.nodes.begin(), box.nodes.end(),
                                       [](const auto& node) { return node.reachable; });
  emit::Report page = question_page(
      q, fmt::format("{} of {} poses are within reach; {} between neighbours of the grid.",
                     reachable, box.nodes.size(),
                     events.empty() ? "no singular pose"
                                    : fmt::format("{} singular pose{}", events.size(),
                                                  events.size() == 1 ? "" : "s")));
  constexpr std::size_t most_events = 200;
  if (axes.size() == 1)
    page.charts.push_back(distance_chart(axes[0], sets, box));
  else
    page.charts.push_back(reach_chart(axes, box));
  if (!events.empty())
    page.tables.push_back(events_table(
        {events.begin(),
         events.begin() + static_cast<std::ptrdiff_t>(std::min(events.size(), most_events))}));
  if (events.size() > most_events)
    page.warnings.push_back(fmt::format("the first {} of {} singular poses; --json has all of them",
                                        most_events, events.size()));
  write_page(q, page);
}

}  // namespace daedal::cli
