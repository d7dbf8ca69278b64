// How well a closed loop does, in numbers: docs/language/controllers.md#figures-of-merit.
#pragma once

#include "daedal/task/json.hpp"
#include "daedal/task/simulate.hpp"

#include <vector>

namespace daedal {
inline namespace task {

/// Of the outputs of the model, its coordinates where it has none, and of what its controllers command.
FiguresOfMerit figures_of_merit(const model::Model& model, const solve::Trajectory& trajectory,
                                Reference reference);

/// "0.2 m", "" where there is no number.
std::string with_unit(double value, const std::string& unit);
void add_figures(std::vector<Fact>& facts, const FiguresOfMerit& figures,
                 const std::vector<solve::ControlRecord>& controls);
nlohmann::ordered_json figures_json(const FiguresOfMerit& figures,
                                    const std::vector<solve::ControlRecord>& controls);

}  // namespace task
}  // namespace daedal
