// Motors, outputs and poses of a mechanism, by name.
#pragma once

#include "daedal/analyse/kinematics.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// The mechanism of one question about poses.
struct KinematicQuestion {
  const Asked& asked;
  const analysis::Kinematics& kinematics;
  const std::vector<std::string>& motors;   // as asked for
  const std::vector<std::string>& outputs;  // as asked for
};

/// Coordinates that inputs push directly, where motors are not named.
std::vector<std::string> motors_of(const KinematicQuestion& q);
/// All outputs that are made of coordinates, where none are named.
std::vector<std::string> outputs_of(const KinematicQuestion& q);
/// Motors and outputs, where they are as many as the mechanism has degrees of freedom.
std::vector<analysis::NamedSet> sets_of(const KinematicQuestion& q,
                                        const std::vector<double>& values);
/// "first kind: the outputs lose a direction"
const char* kind_of(const std::string& set);

/// The pose with these values. Throws ModelError when there is none near the start values.
analysis::Pose pose_with(const KinematicQuestion& q, const std::vector<NamedNumber>& given);

std::vector<NamedNumber> coordinates_of(const derive::Dae& dae, const std::vector<double>& values);
/// "x = 0.1, y = 0.3", the first nine.
std::string coordinates_text(const std::vector<NamedNumber>& coordinates);
nlohmann::ordered_json to_json(const std::vector<NamedNumber>& numbers);  // {name: value}

std::vector<PoseEvent> plain(const derive::Dae& dae,
                             const std::vector<analysis::PathEvent>& events);
nlohmann::ordered_json to_json(const std::vector<PoseEvent>& events);
emit::TextTable events_table(const std::vector<PoseEvent>& events, std::size_t most);

}  // namespace task
}  // namespace daedal
