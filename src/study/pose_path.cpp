// Poses on a line, or as far as the mechanism goes: what turns back, what is singular on the way.
#include "daedal/emit/report.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "kinematic_words.hpp"
#include "pose_rows.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal {
inline namespace task {

struct PosePath::Details {
  std::shared_ptr<const derive::Dae> dae;
  analysis::PathOfPoses path;
};

namespace {

/// The coordinates; under the number of the pose where it is wanted.
Table coordinate_rows(const derive::Dae& dae, const std::vector<std::vector<double>>& poses,
                      bool numbered) {
  std::vector<Column> columns;
  if (numbered) columns.push_back({"pose", ""});
  for (const expr::SymbolId s : dae.mechanics.coordinates)
    columns.push_back(solve::column_of(*dae.model, {s, 0}));
  Table table(std::move(columns));
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const std::span<double> row = table.append();
    std::size_t c = 0;
    if (numbered) row[c++] = static_cast<double>(k + 1);
    for (const expr::SymbolId s : dae.mechanics.coordinates) row[c++] = poses[k][s];
  }
  return table;
}

}  // namespace

void PosePath::take(std::shared_ptr<const Details> details) {
  const analysis::PathOfPoses& found = details->path;
  poses = coordinate_rows(*details->dae, found.poses, false);
  events = plain(*details->dae, found.events);
  closed = found.closed;
  reason = found.stopped;
  holds = found.stopped.empty();
  verdict = fmt::format(
      "{} poses{}; {}.{}", found.poses.size(), closed ? ", back at the first one" : "",
      events.empty() ? "nothing turns and nothing is singular on the way"
                     : fmt::format("something turns or is singular at {} of them", events.size()),
      holds ? "" : " Stopped: " + reason + ".");
  tone = holds ? emit::Tone::good : emit::Tone::doubtful;
  details_ = std::move(details);
}

PosePath path(const Model& model, const PathOptions& options) {
  const StopScope stoppable(options.watch.stop);
  PosePath answer(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  const analysis::Kinematics k(asked.dae);
  const KinematicQuestion q{asked, k, options.motors, options.outputs};
  analysis::PathOptions line;
  std::vector<NamedNumber> from;
  for (const Range& r : options.line) {
    from.push_back({r.name, r.first});
    line.from.push_back({r.name, r.first});
    line.to.push_back({r.name, r.last});
  }
  const std::vector<double> start = pose_with(q, from).values;
  line.sets = sets_of(q, start);
  options.watch.check();
  answer.take(std::make_shared<const PosePath::Details>(
      PosePath::Details{asked.dae, analysis::follow_poses(k, start, line)}));
  return answer;
}

PosePath limits(const Model& model, const LimitsOptions& options) {
  const StopScope stoppable(options.watch.stop);
  PosePath answer(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  const analysis::Kinematics k(asked.dae);
  const KinematicQuestion q{asked, k, options.motors, options.outputs};
  const std::vector<double> start = k.pose({}, k.start()).values;
  analysis::PathOptions way;
  if (!options.hold.empty())
    for (const std::string& name : k.resolve(options.hold))
      way.held.push_back({name, k.value(name, start)});
  if (const int left = k.degrees_of_freedom(start) - static_cast<int>(way.held.size()); left != 1)
    fault(asked.model->place,
          fmt::format("`limits`: model '{}' can move in {} directions", asked.model->name, left),
          "hold all but one:  `hold = NAMES`");
  for (const expr::SymbolId s : asked.dae->mechanics.coordinates)
    way.turning.push_back(asked.model->symbols[s].name);
  for (const std::string& name : outputs_of(q)) way.turning.push_back(name);
  way.sets = sets_of(q, start);
  options.watch.check();
  answer.take(std::make_shared<const PosePath::Details>(
      PosePath::Details{asked.dae, analysis::follow_poses(k, start, way)}));
  return answer;
}

std::string PosePath::summary() const {
  std::string text =
      fmt::format("{}: {} poses{}\n", title, poses.rows(), closed ? ", back at the first one" : "");
  for (const PoseEvent& e : events)
    text += fmt::format("  {:<42} {}\n", e.what, coordinates_text(e.coordinates));
  if (events.empty()) text += "  nothing turns and nothing is singular on the way\n";
  if (!reason.empty()) text += fmt::format("  stopped: {}\n", reason);
  return text;
}

Json PosePath::json() const {
  return {{{"model", model.name()},
           {"poses", poses.rows()},
           {"closed", closed},
           {"stopped", reason},
           {"events", to_json(events)}}};
}

void PosePath::illustrate(emit::Report& page) const {
  const model::Model& m = *details_->dae->model;
  page.counted = "pose";
  page.drawing = emit::draw(m, pose_rows(m, details_->path.poses));
  add_plots(page, coordinate_rows(*details_->dae, details_->path.poses, true), "Coordinates");
  if (!events.empty()) page.tables.push_back(events_table(events, events.size()));
}

}  // namespace task
}  // namespace daedal
