// What a loop tolerates: words, JSON, a table of the page.
#pragma once

#include "daedal/control/loop_margins.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/study/analyse.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace daedal {
inline namespace task {

InputMargins plain(const std::string& input, const feedback::LoopMargins& margins);

/// "stable with its gain times 0.5 and more, 60 deg more lag (0.1 s at 10 rad/s)".
std::string margin_text(const InputMargins& margins);
nlohmann::ordered_json margins_json(const std::vector<InputMargins>& margins);
emit::TextTable margins_table(const std::vector<InputMargins>& margins);

}  // namespace task
}  // namespace daedal
