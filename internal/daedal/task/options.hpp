// Options in words: read here for all tasks, experiments and front ends.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/model/model.hpp"
#include "daedal/task/choice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// Throws ModelError with one message.
[[noreturn]] void fault(const Place& place, std::string message, std::string help = {});

/// One number. Throws ModelError for anything else.
double number_of(const model::Option& option);
/// "on" or "off". Throws ModelError for anything else.
bool is_on(const model::Option& option);
/// Which of several words. Throws ModelError that gives their meaning for any other.
std::size_t which_word(const model::Option& option, const std::vector<std::string>& words,
                       const std::string& meaning);

/// The method that was chosen, rk45 when none was, with the tolerance and step given beside it.
solve::Method method_of(const Choice<solve::Method>& choice, std::optional<double> tolerance,
                        std::optional<double> step);
/// The formulation that was chosen, projection when none was.
formulate::Formulation formulation_of(const Choice<formulate::Formulation>& choice,
                                      const derive::Dae& dae);

/// [s]: between rows, 0 when it was left to the run. Throws ModelError unless it is above 0.
double every_of(std::optional<double> every);

/// End of a run [s]: given, or of the first experiment, or the last joint of the servo motions, or 10.
double end_time(std::optional<double> until, const formulate::Problem& problem);
/// The same for an inversion, where the desired motion comes before the experiments.
double end_of_motion(std::optional<double> until, const formulate::Problem& problem);

}  // namespace task
}  // namespace daedal
