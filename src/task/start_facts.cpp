#include "start_facts.hpp"

#include "daedal/task/counts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal {
inline namespace task {

namespace {

bool is_stated_in(const model::Model& m, const std::string& name) {
  return std::any_of(m.starts.begin(), m.starts.end(), [&](const model::StartValue& start) {
    return start.stated && model::name_of(m.symbols[start.leaf.symbol], start.leaf.order) == name;
  });
}

}  // namespace

void add_start(std::vector<Fact>& facts, const model::Model& model,
               const solve::ConsistentPoint& start, solve::StartValues values) {
  constexpr std::size_t shown = 6;
  const bool equilibrium = values == solve::StartValues::equilibrium;
  if (values == solve::StartValues::rest)
    facts.push_back(
        {"start", "at rest: velocities are 0, as far as the constraints allow", {}, "", ""});
  if (equilibrium && start.moves.empty())
    facts.push_back({"start", "at the equilibrium that the start values are", 0.0, "", ""});
  if (start.moves.empty()) return;
  std::vector<solve::Move> moves = start.moves;
  const auto others = std::stable_partition(
      moves.begin(), moves.end(),
      [&](const solve::Move& move) { return is_stated_in(model, move.name); });
  const auto stated = others - moves.begin();
  std::string text =
      fmt::format("{} value{} moved to {}{}:", moves.size(), plural(moves.size()),
                  equilibrium ? "the nearest equilibrium" : "satisfy the constraints",
                  stated == 0 ? "" : fmt::format(", {} of them stated", stated));
  for (std::size_t i = 0; i < std::min(moves.size(), shown); ++i)
    text += fmt::format("\n  {} {:.6g} -> {:.10g}", moves[i].name, moves[i].from, moves[i].to);
  if (moves.size() > shown) text += fmt::format("\n  and {} more", moves.size() - shown);
  facts.push_back({"start", std::move(text), static_cast<double>(moves.size()), "", ""});
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

}  // namespace task
}  // namespace daedal
