#include "start_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::cli {

namespace {

bool is_stated_in(const model::Model& m, const std::string& name) {
  return std::any_of(m.starts.begin(), m.starts.end(), [&](const model::StartValue& start) {
    return start.place.known() &&
           model::name_of(m.symbols[start.leaf.symbol], start.leaf.order) == name;
  });
}

}  // namespace

void add_start(std::string& text, const model::Model& model, const solve::ConsistentPoint& start) {
  constexpr std::size_t shown = 6;
  if (start.moves.empty()) return;
  std::vector<solve::Move> moves = start.moves;
  const auto others = std::stable_partition(
      moves.begin(), moves.end(),
      [&](const solve::Move& move) { return is_stated_in(model, move.name); });
  const auto stated = others - moves.begin();
  text += fmt::format("  start    {} value{} moved to satisfy the constraints{}:\n", moves.size(),
                      moves.size() == 1 ? "" : "s",
                      stated == 0 ? "" : fmt::format(", {} of them stated", stated));
  for (std::size_t i = 0; i < std::min(moves.size(), shown); ++i)
    text += fmt::format("             {} {:.6g} -> {:.10g}\n", moves[i].name, moves[i].from,
                        moves[i].to);
  if (moves.size() > shown) text += fmt::format("             and {} more\n", moves.size() - shown);
}

nlohmann::ordered_json start_moves_json(const model::Model& model,
                                        const solve::ConsistentPoint& start) {
  auto json = nlohmann::ordered_json::array();
  for (const solve::Move& move : start.moves)
    json.push_back({{"name", move.name},
                    {"from", move.from},
                    {"to", move.to},
                    {"stated", is_stated_in(model, move.name)}});
  return json;
}

}  // namespace daedal::cli
