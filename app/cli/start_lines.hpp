// Start values that moved, for people and for programs.
#pragma once

#include "daedal/model/model.hpp"
#include "daedal/solve/consistent.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace daedal::cli {

/// "start    2 values moved to satisfy the constraints, 1 of them stated:", and which, those that are stated first.
void add_start(std::string& text, const model::Model& model, const solve::ConsistentPoint& start);
/// [{name, from, to, stated}]
nlohmann::ordered_json start_moves_json(const model::Model& model,
                                        const solve::ConsistentPoint& start);

}  // namespace daedal::cli
