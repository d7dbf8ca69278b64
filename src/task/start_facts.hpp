// Start values that moved, for people and for programs.
#pragma once

#include "daedal/model/model.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/answer.hpp"
#include "daedal/task/json.hpp"

#include <vector>

namespace daedal {
inline namespace task {

/// "2 values moved to satisfy the constraints, 1 of them stated:", and which, those that are stated first. At rest or at an
/// equilibrium this is said, too.
void add_start(std::vector<Fact>& facts, const model::Model& model,
               const solve::ConsistentPoint& start,
               solve::StartValues values = solve::StartValues::consistent);
/// [{name, from, to, stated}]
nlohmann::ordered_json start_moves_json(const model::Model& model,
                                        const solve::ConsistentPoint& start);

}  // namespace task
}  // namespace daedal
