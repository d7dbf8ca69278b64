// Poses over a box of values: where they exist, and singular poses between neighbours of its grid.
#include "daedal/task/options.hpp"
#include "kinematic_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

Table nodes_of(const std::vector<Range>& axes, const std::vector<analysis::NamedSet>& sets,
               const analysis::BoxOfPoses& box) {
  std::vector<Column> columns;
  for (const Range& axis : axes) columns.push_back({axis.name, ""});
  columns.push_back({"reachable", ""});
  for (const analysis::NamedSet& set : sets)
    columns.push_back({"smallest singular value of " + set.name, ""});
  Table table(std::move(columns));
  for (const analysis::BoxOfPoses::Node& node : box.nodes) {
    const std::span<double> row = table.append();
    std::copy(node.given.begin(), node.given.end(), row.begin());
    row[axes.size()] = node.reachable;
    for (std::size_t s = 0; s < sets.size(); ++s)
      row[axes.size() + 1 + s] = node.reachable ? node.smallest[s] : 0;
  }
  return table;
}

/// The nodes of the plane of the first two axes in which the others are in the middle.
bool in_middle_plane(const std::vector<Range>& axes, std::size_t node) {
  for (std::size_t k = axes.size(); k-- > 0;) {
    const auto count = static_cast<std::size_t>(axes[k].count);
    if (k > 1 && node % count != count / 2) return false;
    node /= count;
  }
  return true;
}

emit::Chart reach_chart(const PoseBox& box) {
  emit::Chart chart{"Reach", box.axes[0].name, box.axes[1].name, "", false, false, false, {}};
  if (box.axes.size() > 2) {
    chart.note = "in the middle of";
    for (std::size_t k = 2; k < box.axes.size(); ++k)
      chart.note += (k == 2 ? " " : ", ") + box.axes[k].name;
  }
  emit::ChartSeries within{"within reach", {}, {}, {}, "dot", false},
      beyond{"out of reach", {}, {}, {}, "cross", false};
  for (std::size_t n = 0; n < box.nodes.rows(); ++n) {
    if (!in_middle_plane(box.axes, n)) continue;
    emit::ChartSeries& series = box.nodes.at(n, box.axes.size()) != 0 ? within : beyond;
    series.x.push_back(box.nodes.at(n, 0));
    series.y.push_back(box.nodes.at(n, 1));
  }
  for (emit::ChartSeries* series : {&within, &beyond})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  return chart;
}

/// Over one axis: the columns beside it, as far as poses are within reach.
emit::Chart distance_chart(const PoseBox& box) {
  emit::Chart chart{"Distance from singular poses",
                    box.axes[0].name,
                    "smallest singular value",
                    "",
                    false,
                    false,
                    false,
                    {}};
  const std::string prefix = "smallest singular value of ";
  for (std::size_t c = 2; c < box.nodes.width(); ++c) {
    emit::ChartSeries series{
        box.nodes.columns()[c].name.substr(prefix.size()), {}, {}, {}, "dot", true};
    for (std::size_t n = 0; n < box.nodes.rows(); ++n) {
      if (box.nodes.at(n, 1) == 0) continue;
      series.x.push_back(box.nodes.at(n, 0));
      series.y.push_back(box.nodes.at(n, c));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

PoseBox box(const Model& model, const BoxOptions& options) {
  const StopScope stoppable(options.watch.stop);
  PoseBox answer(model);
  answer.axes = options.axes;
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  const analysis::Kinematics k(asked.dae);
  const KinematicQuestion q{asked, k, options.motors, options.outputs};
  std::vector<analysis::BoxAxis> axes;
  double nodes = 1;
  for (const Range& r : options.axes) {
    k.resolve({r.name});
    axes.push_back({r.name, r.first, r.last, r.count});
    nodes *= r.count;
  }
  if (nodes > 1e6)
    fault({}, fmt::format("`box`: {:.0f} poses are too many", nodes),
          "a million are enough: give smaller counts");
  const std::vector<double> start = k.pose({}, k.start()).values;
  const std::vector<analysis::NamedSet> sets = sets_of(q, start);
  const analysis::BoxOfPoses found = analysis::scan_box(k, start, axes, sets, options.watch);
  answer.reachable = static_cast<std::size_t>(
      std::count_if(found.nodes.begin(), found.nodes.end(),
                    [](const analysis::BoxOfPoses::Node& node) { return node.reachable; }));
  answer.nodes = nodes_of(answer.axes, sets, found);
  answer.singular = plain(*asked.dae, found.singular);
  answer.verdict = fmt::format(
      "{} of {} poses are within reach; {} between neighbours of the grid.", answer.reachable,
      answer.nodes.rows(),
      answer.singular.empty() ? "no singular pose"
                              : fmt::format("{} singular pose{}", answer.singular.size(),
                                            answer.singular.size() == 1 ? "" : "s"));
  return answer;
}

std::string PoseBox::summary() const {
  constexpr std::size_t shown_events = 20;
  std::string text =
      fmt::format("{}: {} of {} poses are within reach\n", title, reachable, nodes.rows());
  for (std::size_t e = 0; e < std::min(singular.size(), shown_events); ++e)
    text +=
        fmt::format("  {:<42} {}\n", singular[e].what, coordinates_text(singular[e].coordinates));
  if (singular.size() > shown_events)
    text +=
        fmt::format("  ... and {} more (JSON has all of them)\n", singular.size() - shown_events);
  if (singular.empty()) text += "  no singular pose between neighbours of the grid\n";
  return text;
}

Json PoseBox::json() const {
  return {{{"model", model.name()},
           {"nodes", nodes.rows()},
           {"reachable", reachable},
           {"singular", to_json(singular)}}};
}

void PoseBox::illustrate(emit::Report& page) const {
  constexpr std::size_t most_events = 200;
  page.charts.push_back(axes.size() == 1 ? distance_chart(*this) : reach_chart(*this));
  if (!singular.empty()) page.tables.push_back(events_table(singular, most_events));
  if (singular.size() > most_events)
    page.warnings.push_back(fmt::format("the first {} of {} singular poses; JSON has all of them",
                                        most_events, singular.size()));
}

}  // namespace task
}  // namespace daedal
