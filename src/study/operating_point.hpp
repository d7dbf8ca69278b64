// A point of a motion, linearised: for people and for programs.
#pragma once

#include "daedal/analyse/operating_point.hpp"
#include "daedal/task/json.hpp"

#include <string>

namespace daedal {
inline namespace task {

nlohmann::ordered_json to_json(const analysis::OperatingPoint& point);
/// "x = 0.1, x' = 2", the first six.
std::string values_text(const analysis::OperatingPoint& point);
/// "the rightmost is -1 1/s"
std::string rightmost_text(const analysis::OperatingPoint& point);

}  // namespace task
}  // namespace daedal
