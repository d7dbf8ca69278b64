#include "margins.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

InputMargins plain(const std::string& input, const feedback::LoopMargins& m) {
  return {input,   m.lowest_gain, m.highest_gain,     m.phase,  m.phase_at,
          m.delay, m.delay_at,    m.sensitivity_peak, m.peak_at};
}

std::string margin_text(const InputMargins& m) {
  std::string text = "stable with its gain times ";
  if (m.lowest_gain && m.highest_gain)
    text += fmt::format("{:.4g} to {:.4g}", *m.lowest_gain, *m.highest_gain);
  else if (m.lowest_gain)
    text += fmt::format("{:.4g} and more", *m.lowest_gain);
  else if (m.highest_gain)
    text += fmt::format("0 to {:.4g}", *m.highest_gain);
  else
    text += "any number from 0";
  if (m.phase)
    text += fmt::format(", {:.4g} deg {} lag", std::abs(*m.phase), *m.phase < 0 ? "less" : "more");
  if (m.delay) text += fmt::format(", {:.3g} s of delay ({:.4g} rad/s)", *m.delay, *m.delay_at);
  return text;
}

ordered_json margins_json(const std::vector<InputMargins>& margins) {
  ordered_json json = ordered_json::array();
  for (const InputMargins& m : margins) {
    ordered_json one{{"input", m.input}};
    const auto add = [&](const char* name, const std::optional<double>& value) {
      if (value) one[name] = *value;
    };
    add("lowest_gain", m.lowest_gain);
    add("highest_gain", m.highest_gain);
    add("phase", m.phase);
    add("phase_at", m.phase_at);
    add("delay", m.delay);
    add("delay_at", m.delay_at);
    one["sensitivity_peak"] = m.sensitivity_peak;
    one["peak_at"] = m.peak_at;
    json.push_back(std::move(one));
  }
  return json;
}

emit::TextTable margins_table(const std::vector<InputMargins>& margins) {
  emit::TextTable table{"What the loop tolerates", {"input", "", "largest sensitivity"}, {}};
  for (const InputMargins& m : margins)
    table.rows.push_back({m.input, margin_text(m),
                          fmt::format("{:.4g} at {:.4g} rad/s", m.sensitivity_peak, m.peak_at)});
  return table;
}

}  // namespace task
}  // namespace daedal
