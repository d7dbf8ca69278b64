#include "count_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

CountInDoubt plain(const analysis::CountDoubt& doubt) {
  return {doubt.zeros, doubt.finite, doubt.other, doubt.value, doubt.margin, text_of(doubt)};
}

std::vector<CountInDoubt> plain(const std::vector<analysis::CountDoubt>& doubts) {
  std::vector<CountInDoubt> all;
  for (const analysis::CountDoubt& doubt : doubts) all.push_back(plain(doubt));
  return all;
}

ordered_json to_json(const CountInDoubt& doubt) {
  ordered_json json{{"of", doubt.zeros ? "zeros" : "poles"}, {"number", doubt.number}};
  if (doubt.other) {
    json["other_number"] = *doubt.other;
    json["singular_value"] = doubt.singular_value;
  }
  json["margin"] = doubt.margin;
  json["text"] = doubt.text;
  return json;
}

ordered_json to_json(const std::vector<CountInDoubt>& doubts) {
  auto json = ordered_json::array();
  for (const CountInDoubt& doubt : doubts) json.push_back(to_json(doubt));
  return json;
}

void DoubtfulPoints::add(const std::string& where, const std::vector<CountInDoubt>& doubts) {
  if (doubts.empty()) return;
  if (count_++ > 0) return;
  first_ = where;
  std::ranges::transform(doubts, std::back_inserter(texts_), &CountInDoubt::text);
}

void DoubtfulPoints::warn(Answer& answer, std::size_t points) const {
  if (count_ == 0) return;
  answer.warnings.push_back(
      {Severity::warning,
       {},
       fmt::format("model '{}': rounding decides on the number of poles or zeros at {} of {} "
                   "points, first at {}",
                   answer.model.name(), count_, points, first_),
       texts_,
       {}});
  if (answer.tone == emit::Tone::good) answer.tone = emit::Tone::doubtful;
}

}  // namespace task
}  // namespace daedal
