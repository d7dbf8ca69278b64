// How a model moves at its zeros while the outputs stay.
#pragma once

#include "daedal/analyse/portrait.hpp"
#include "daedal/analyse/zero_directions.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

std::vector<analysis::ZeroDirection> directions_of(const analysis::Portrait& portrait);

std::string directions_text(const std::vector<analysis::ZeroDirection>& directions,
                            const analysis::Portrait& portrait, const derive::Dae& dae);
nlohmann::ordered_json directions_json(const std::vector<analysis::ZeroDirection>& directions,
                                       const analysis::LinearModel& linear);

}  // namespace task
}  // namespace daedal
