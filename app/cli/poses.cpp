// daedal analyse --pose, --path, --limits, --box: kinematics.
#include "daedal/analyse/kinematics.hpp"
#include "daedal/base/table.hpp"
#include "json_answer.hpp"
#include "progress_line.hpp"
#include "question_page.hpp"
#include "questions.hpp"
#include "ranges.hpp"
#include "request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::cli {

namespace {

using daedal::analyse::Compensation;
using daedal::analyse::Given;
using daedal::analyse::Kinematics;
using daedal::analyse::NamedSet;
using daedal::analyse::PathEvent;
using daedal::analyse::Pose;
using nlohmann::ordered_json;

std::vector<Given> givens(const char* option, const std::string& text) {
  std::vector<Given> result;
  for (const auto& [name, value] : read_values(option, split_list(text)))
    result.push_back({name, value});
  return result;
}

/// Coordinates that inputs push directly: the motors, where --motors does not name them.
std::vector<std::string> motors_of(const Question& q, const Kinematics& k) {
  if (!q.arguments.questions.motors.empty()) return k.resolve(q.arguments.questions.motors);
  const model::Model& m = *q.loaded.model;
  std::vector<std::string> names;
  const auto add = [&](expr::SymbolId s) {
    if (std::find(names.begin(), names.end(), m.symbols[s].name) == names.end())
      names.push_back(m.symbols[s].name);
  };
  for (const model::VirtualWork& load : m.loads) {
    const std::vector<expr::Leaf> force = expr::leaves(*m.graph, std::vector{load.force}),
                                  place = expr::leaves(*m.graph, std::vector{load.displacement});
    const bool input = std::any_of(force.begin(), force.end(), [&](const expr::Leaf& leaf) {
      return m.symbols[leaf.symbol].kind == model::SymbolKind::input;
    });
    if (input && place.size() == 1 &&
        m.symbols[place[0].symbol].kind == model::SymbolKind::coordinate)
      add(place[0].symbol);
  }
  for (const model::Drive& drive : m.drives) add(drive.coordinate);
  return names;
}

std::vector<std::string> outputs_of(const Question& q, const Kinematics& k) {
  if (!q.arguments.outputs.empty()) return k.resolve(q.arguments.outputs);
  std::vector<std::string> names;
  for (const model::NamedValue& output : q.loaded.model->outputs) names.push_back(output.name);
  try {
    return k.resolve(names);
  } catch (const ModelError&) {
    return {};  // outputs that are velocities have no place in kinematics
  }
}

/// Motors and outputs, where they are as many as the mechanism has degrees of freedom.
std::vector<NamedSet> sets_of(const Question& q, const Kinematics& k,
                              const std::vector<double>& values) {
  std::vector<NamedSet> sets;
  const auto dof = static_cast<std::size_t>(k.degrees_of_freedom(values));
  if (const auto names = outputs_of(q, k); names.size() == dof) sets.push_back({"outputs", names});
  if (const auto names = motors_of(q, k); names.size() == dof) sets.push_back({"motors", names});
  return sets;
}

const char* kind_of(const NamedSet& set) {
  return set.name == "outputs" ? "first kind: the outputs lose a direction"
                               : "second kind: locked motors do not hold it";
}

std::string coordinates_text(const Question& q, const std::vector<double>& values) {
  std::string text;
  int shown = 0;
  for (const expr::SymbolId s : q.loaded.dae->mechanics.coordinates) {
    if (++shown > 9) return text + ", ...";
    const double value = std::abs(values[s]) < 1e-13 ? 0 : values[s];  // rounding of a root
    text += fmt::format("{}{} = {:.10g}", shown == 1 ? "" : ", ", q.loaded.model->symbols[s].name,
                        value);
  }
  return text;
}
ordered_json coordinates_json(const Question& q, const std::vector<double>& values) {
  ordered_json json;
  for (const expr::SymbolId s : q.loaded.dae->mechanics.coordinates)
    json[q.loaded.model->symbols[s].name] = values[s];
  return json;
}

Pose checked(const Question& q, const Kinematics& k, const std::vector<Given>& given) {
  Pose pose = k.pose(given, k.start());
  if (!pose.found)
    fault(q.loaded.model->place,
          fmt::format("model '{}': no pose near the start values with what is given",
                      q.loaded.model->name),
          fmt::format(
              "'{}' is left at {:.3g} of its size; is it out of reach? Start values nearer to "
              "it choose the branch",
              pose.worst, pose.residual));
  return pose;
}

void print_jacobian(const Question& q, const Kinematics& k, const std::vector<double>& values) {
  const std::vector<std::string> outputs = outputs_of(q, k), motors = motors_of(q, k);
  if (outputs.empty() || motors.empty()) return;
  const Eigen::MatrixXd j = k.jacobian(outputs, motors, values);
  fmt::print("  jacobian   of {} by {}\n", fmt::join(outputs, ", "), fmt::join(motors, ", "));
  for (Eigen::Index i = 0; i < j.rows(); ++i) {
    std::string line;
    for (Eigen::Index c = 0; c < j.cols(); ++c) line += fmt::format(" {:>14.8g}", j(i, c));
    fmt::print("            {}\n", line);
  }
}

/// Label and text.
std::pair<std::string, std::string> compensation_fact(const Compensation& c) {
  std::string text;
  for (const auto& [name, value] : c.inputs)
    text += fmt::format("{}{} = {:.10g}", text.empty() ? "" : ", ", name, value);
  if (c.holds) return {"held by", text};
  return {"not held", fmt::format("by any inputs: '{}' is left with {:.6g}", c.worst, c.residual)};
}

/// What there is to say about a pose, under its labels.
std::vector<std::pair<std::string, std::string>> pose_facts(const Question& q, const Kinematics& k,
                                                            const Pose& pose,
                                                            const std::vector<NamedSet>& sets,
                                                            const Compensation& compensation) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"pose", coordinates_text(q, pose.values)}};
  std::string outputs;
  for (const std::string& name : outputs_of(q, k))
    outputs += fmt::format("{}{} = {:.10g}", outputs.empty() ? "" : ", ", name,
                           k.value(name, pose.values));
  if (!outputs.empty()) facts.emplace_back("outputs", outputs);
  facts.emplace_back("found", fmt::format("in {} iteration{} from the start values",
                                          pose.iterations, pose.iterations == 1 ? "" : "s"));
  for (const NamedSet& set : sets)
    facts.emplace_back(
        "distance",
        fmt::format("from a singular pose of the {}: smallest singular value {:.4g}", kind_of(set),
                    k.determination(set.quantities, pose.values).smallest_singular_value));
  if (!compensation.inputs.empty()) facts.push_back(compensation_fact(compensation));
  return facts;
}

ordered_json pose_json(const Question& q, const Kinematics& k, const Pose& pose,
                       const std::vector<NamedSet>& sets, const Compensation& compensation,
                       const std::vector<Pose>& branches) {
  ordered_json json{{"model", q.loaded.model->name},
                    {"iterations", pose.iterations},
                    {"coordinates", coordinates_json(q, pose.values)}};
  const auto outputs = outputs_of(q, k), motors = motors_of(q, k);
  for (const std::string& name : outputs) json["outputs"][name] = k.value(name, pose.values);
  if (!outputs.empty() && !motors.empty())
    json["jacobian"] = {{"of", outputs},
                        {"by", motors},
                        {"value", cli::to_json(k.jacobian(outputs, motors, pose.values))}};
  for (const NamedSet& set : sets)
    json["smallest_singular_value"][set.name] =
        k.determination(set.quantities, pose.values).smallest_singular_value;
  json["held"] = compensation.holds;
  for (const auto& [name, value] : compensation.inputs) json["inputs"][name] = value;
  for (const Pose& other : branches) json["branches"].push_back(coordinates_json(q, other.values));
  return json;
}

}  // namespace

int answer_pose(const Question& q) {
  const Kinematics k(q.loaded.dae);
  const std::vector<Given> given = givens("--pose", q.arguments.questions.pose);
  const Pose pose = checked(q, k, given);
  const std::vector<NamedSet> sets = sets_of(q, k, pose.values);
  const Compensation compensation = k.gravity_compensation(pose.values);
  std::vector<Pose> branches;
  if (q.arguments.questions.branches) branches = k.branches(given, k.start());
  const auto facts = pose_facts(q, k, pose, sets, compensation);
  if (q.arguments.json) {
    print_json(q.arguments, pose_json(q, k, pose, sets, compensation, branches));
  } else {
    const int freedom = k.degrees_of_freedom(pose.values);
    fmt::print("{}: {} degree{} of freedom\n", q.loaded.model->name, freedom,
               freedom == 1 ? "" : "s");
    for (const auto& [label, text] : facts) fmt::print("  {:<10} {}\n", label, text);
    print_jacobian(q, k, pose.values);
    for (std::size_t b = 0; b < branches.size(); ++b)
      fmt::print("  branch {:<3} {}\n", b + 1, coordinates_text(q, branches[b].values));
  }
  if (!q.arguments.report.empty())
    write_pose_page(q, k, pose, facts, branches, outputs_of(q, k), motors_of(q, k));
  return 0;
}

namespace {

const char* word(PathEvent::Kind kind) {
  switch (kind) {
    case PathEvent::Kind::turn:
      return "turn";
    case PathEvent::Kind::singular:
      return "singular";
    case PathEvent::Kind::unreachable:
      return "end of reach";
  }
  return "";
}

std::string event_text(const PathEvent& e, const std::vector<NamedSet>& sets) {
  if (e.kind == PathEvent::Kind::turn) return fmt::format("{} turns", e.name);
  if (e.kind == PathEvent::Kind::unreachable) return "the line leads no further";
  for (const NamedSet& set : sets)
    if (set.name == e.name) return fmt::format("singular, {}", kind_of(set));
  return e.name;
}

std::vector<ToldEvent> told_events(const Question& q, const std::vector<PathEvent>& events,
                                   const std::vector<NamedSet>& sets) {
  std::vector<ToldEvent> result;
  for (const PathEvent& e : events)
    result.push_back({event_text(e, sets), e.along, coordinates_text(q, e.values)});
  return result;
}

ordered_json to_json(const Question& q, const std::vector<PathEvent>& events) {
  auto json = ordered_json::array();
  for (const PathEvent& e : events)
    json.push_back({{"kind", word(e.kind)},
                    {"name", e.name},
                    {"along", e.along},
                    {"coordinates", coordinates_json(q, e.values)}});
  return json;
}

}  // namespace

int answer_path(const Question& q) {
  const Kinematics k(q.loaded.dae);
  daedal::analyse::PathOptions options;
  std::vector<double> start = k.pose({}, k.start()).values;
  if (!q.arguments.questions.path.empty()) {
    for (const Range& r : read_ranges("--path", q.arguments.questions.path, 2)) {
      options.from.push_back({r.name, r.first});
      options.to.push_back({r.name, r.last});
    }
    start = checked(q, k, options.from).values;
  } else {
    const int dof = k.degrees_of_freedom(start);
    if (!q.arguments.questions.hold.empty())
      for (const std::string& name : k.resolve(q.arguments.questions.hold))
        options.held.push_back({name, k.value(name, start)});
    if (const int left = dof - static_cast<int>(options.held.size()); left != 1)
      fault(
          q.loaded.model->place,
          fmt::format("--limits: model '{}' can move in {} directions", q.loaded.model->name, left),
          "hold all but one:  --hold NAMES");
    for (const expr::SymbolId s : q.loaded.dae->mechanics.coordinates)
      options.turning.push_back(q.loaded.model->symbols[s].name);
    for (const std::string& name : outputs_of(q, k)) options.turning.push_back(name);
  }
  options.sets = sets_of(q, k, start);
  const daedal::analyse::PathOfPoses path = daedal::analyse::follow_poses(k, start, options);
  if (q.arguments.json) {
    const ordered_json json{{"model", q.loaded.model->name},
                            {"poses", path.poses.size()},
                            {"closed", path.closed},
                            {"stopped", path.stopped},
                            {"events", to_json(q, path.events)}};
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: {} poses{}\n", q.loaded.model->name, path.poses.size(),
               path.closed ? ", back at the first one" : "");
    for (const PathEvent& e : path.events)
      fmt::print("  {:<42} {}\n", event_text(e, options.sets), coordinates_text(q, e.values));
    if (path.events.empty()) fmt::print("  nothing turns and nothing is singular on the way\n");
    if (!path.stopped.empty()) fmt::print("  stopped: {}\n", path.stopped);
  }
  std::vector<Column> columns;
  for (const expr::SymbolId s : q.loaded.dae->mechanics.coordinates)
    columns.push_back({q.loaded.model->symbols[s].name, q.loaded.model->symbols[s].unit});
  Table table(std::move(columns));
  for (const std::vector<double>& pose : path.poses) {
    std::span<double> row = table.append();
    for (std::size_t c = 0; c < row.size(); ++c)
      row[c] = pose[q.loaded.dae->mechanics.coordinates[c]];
  }
  write_table(table, q.arguments);
  if (!q.arguments.report.empty())
    write_path_page(q, path, told_events(q, path.events, options.sets));
  return path.stopped.empty() ? 0 : 1;
}

int answer_box(const Question& q) {
  const Kinematics k(q.loaded.dae);
  std::vector<daedal::analyse::BoxAxis> axes;
  double nodes = 1;
  for (const Range& r : read_ranges("--box", q.arguments.questions.box, 11)) {
    k.resolve({r.name});
    axes.push_back({r.name, r.first, r.last, r.count});
    nodes *= r.count;
  }
  if (nodes > 1e6)
    fault({}, fmt::format("--box {}: {:.0f} poses are too many", q.arguments.questions.box, nodes),
          "a million are enough: give smaller counts");
  const std::vector<double> start = k.pose({}, k.start()).values;
  const std::vector<NamedSet> sets = sets_of(q, k, start);
  ProgressLine line;
  const daedal::analyse::BoxOfPoses box =
      daedal::analyse::scan_box(k, start, axes, sets, line.sink());
  const auto reachable = std::count_if(box.nodes.begin(), box.nodes.end(),
                                       [](const auto& node) { return node.reachable; });
  if (q.arguments.json) {
    ordered_json json{{"model", q.loaded.model->name},
                      {"nodes", box.nodes.size()},
                      {"reachable", reachable},
                      {"singular", to_json(q, box.singular)}};
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: {} of {} poses are within reach\n", q.loaded.model->name, reachable,
               box.nodes.size());
    for (std::size_t e = 0; e < std::min<std::size_t>(box.singular.size(), 20); ++e)
      fmt::print("  {:<42} {}\n", event_text(box.singular[e], sets),
                 coordinates_text(q, box.singular[e].values));
    if (box.singular.size() > 20)
      fmt::print("  ... and {} more (all of them with --json)\n", box.singular.size() - 20);
    if (box.singular.empty()) fmt::print("  no singular pose between neighbours of the grid\n");
  }
  std::vector<Column> columns;
  for (const auto& axis : axes) columns.push_back({axis.name, ""});
  columns.push_back({"reachable", ""});
  for (const NamedSet& set : sets)
    columns.push_back({"smallest singular value of " + set.name, ""});
  Table table(std::move(columns));
  for (const auto& node : box.nodes) {
    std::span<double> row = table.append();
    std::copy(node.given.begin(), node.given.end(), row.begin());
    row[axes.size()] = node.reachable;
    for (std::size_t s = 0; s < sets.size(); ++s)
      row[axes.size() + 1 + s] = node.reachable ? node.smallest[s] : 0;
  }
  write_table(table, q.arguments);
  if (!q.arguments.report.empty())
    write_box_page(q, axes, sets, box, told_events(q, box.singular, sets));
  return 0;
}

}  // namespace daedal::cli
