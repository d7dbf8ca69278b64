#include "kinematic_words.hpp"

#include "daedal/expr/graph.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

std::vector<std::string> motors_of(const KinematicQuestion& q) {
  if (!q.motors.empty()) return q.kinematics.resolve(q.motors);
  const model::Model& m = *q.asked.model;
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

std::vector<std::string> outputs_of(const KinematicQuestion& q) {
  if (!q.outputs.empty()) return q.kinematics.resolve(q.outputs);
  std::vector<std::string> names;
  for (const model::NamedValue& output : q.asked.model->outputs) names.push_back(output.name);
  try {
    return q.kinematics.resolve(names);
  } catch (const ModelError&) {
    return {};  // outputs that are velocities have no place in kinematics
  }
}

std::vector<analysis::NamedSet> sets_of(const KinematicQuestion& q,
                                        const std::vector<double>& values) {
  std::vector<analysis::NamedSet> sets;
  const auto dof = static_cast<std::size_t>(q.kinematics.degrees_of_freedom(values));
  if (const auto names = outputs_of(q); names.size() == dof) sets.push_back({"outputs", names});
  if (const auto names = motors_of(q); names.size() == dof) sets.push_back({"motors", names});
  return sets;
}

const char* kind_of(const std::string& set) {
  return set == "outputs" ? "first kind: the outputs lose a direction"
                          : "second kind: locked motors do not hold it";
}

analysis::Pose pose_with(const KinematicQuestion& q, const std::vector<NamedNumber>& given) {
  std::vector<analysis::Given> values;
  for (const NamedNumber& one : given) values.push_back({one.name, one.value});
  analysis::Pose pose = q.kinematics.pose(values, q.kinematics.start());
  if (!pose.found)
    fault(q.asked.model->place,
          fmt::format("model '{}': no pose near the start values with what is given",
                      q.asked.model->name),
          fmt::format(
              "'{}' is left at {:.3g} of its size; is it out of reach? Start values nearer to "
              "it choose the branch",
              pose.worst, pose.residual));
  return pose;
}

std::vector<NamedNumber> coordinates_of(const derive::Dae& dae, const std::vector<double>& values) {
  std::vector<NamedNumber> result;
  for (const expr::SymbolId s : dae.mechanics.coordinates)
    result.push_back({dae.model->symbols[s].name, values[s]});
  return result;
}

std::string coordinates_text(const std::vector<NamedNumber>& coordinates) {
  std::string text;
  int written = 0;
  for (const NamedNumber& one : coordinates) {
    if (++written > 9) return text + ", ...";
    const double value = std::abs(one.value) < 1e-13 ? 0 : one.value;  // rounding of a root
    text += fmt::format("{}{} = {:.10g}", written == 1 ? "" : ", ", one.name, value);
  }
  return text;
}

ordered_json to_json(const std::vector<NamedNumber>& numbers) {
  ordered_json json;
  for (const NamedNumber& one : numbers) json[one.name] = one.value;
  return json;
}

namespace {

const char* word(analysis::PathEvent::Kind kind) {
  switch (kind) {
    case analysis::PathEvent::Kind::turn:
      return "turn";
    case analysis::PathEvent::Kind::singular:
      return "singular";
    case analysis::PathEvent::Kind::unreachable:
      return "end of reach";
  }
  return "";
}

std::string event_text(const analysis::PathEvent& e) {
  if (e.kind == analysis::PathEvent::Kind::turn) return fmt::format("{} turns", e.name);
  if (e.kind == analysis::PathEvent::Kind::unreachable) return "the line leads no further";
  return fmt::format("singular, {}", kind_of(e.name));
}

}  // namespace

std::vector<PoseEvent> plain(const derive::Dae& dae,
                             const std::vector<analysis::PathEvent>& events) {
  std::vector<PoseEvent> result;
  for (const analysis::PathEvent& e : events)
    result.push_back({word(e.kind), e.name, event_text(e), e.along, coordinates_of(dae, e.values)});
  return result;
}

ordered_json to_json(const std::vector<PoseEvent>& events) {
  auto json = ordered_json::array();
  for (const PoseEvent& e : events)
    json.push_back({{"kind", e.kind},
                    {"name", e.name},
                    {"along", e.along},
                    {"coordinates", to_json(e.coordinates)}});
  return json;
}

emit::TextTable events_table(const std::vector<PoseEvent>& events, std::size_t most) {
  emit::TextTable table{"Turns and singular poses", {"what", "pose"}, {}};
  for (std::size_t k = 0; k < std::min(events.size(), most); ++k)
    table.rows.push_back({events[k].what, coordinates_text(events[k].coordinates)});
  return table;
}

}  // namespace task
}  // namespace daedal
