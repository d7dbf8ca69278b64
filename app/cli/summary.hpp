// A simulation's result for people and for programs.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/solve/simulate.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace daedal::cli {

struct Result {
  formulate::Problem problem;
  solve::ConsistentPoint start;
  solve::Trajectory trajectory;
  solve::SimulateOptions options;
  std::vector<std::string> conversions;  // of the equations, in words
};

/// Title, then lines of a word and what there is to say about it.
std::string summary_text(const Result& result, const std::string& title);
nlohmann::ordered_json to_json(const Result& result, const std::string& experiment);

}  // namespace daedal::cli
