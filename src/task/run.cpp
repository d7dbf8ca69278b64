#include "daedal/task/choice.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/simulate.hpp"
#include "experiment_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace daedal {
inline namespace task {

namespace {

/// Options as other programs name them.
std::string meant_by(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"tend", "until"},        {"t_end", "until"},
      {"tstop", "until"},       {"t_stop", "until"},
      {"stop_time", "until"},   {"stopTime", "until"},
      {"StopTime", "until"},    {"end_time", "until"},
      {"end", "until"},         {"tf", "until"},
      {"tfinal", "until"},      {"t_final", "until"},
      {"duration", "until"},    {"T", "until"},
      {"time", "until"},        {"dt", "every"},
      {"interval", "every"},    {"Interval", "every"},
      {"output_step", "every"}, {"solver", "method"},
      {"integrator", "method"}, {"tol", "tolerance"},
      {"rtol", "tolerance"},    {"atol", "tolerance"},
      {"reltol", "tolerance"},  {"RelTol", "tolerance"},
      {"abstol", "tolerance"},  {"h", "step"},
      {"max_step", "step"},     {"initial", "start"}};
  const auto* found = std::find_if(std::begin(others), std::end(others),
                                   [&](const auto& o) { return o.first == name; });
  return found == std::end(others) ? std::string() : std::string(found->second);
}

/// "until = 10" for tend = 10.
std::string renamed(const model::Option& option, const std::string& name) {
  return option.text.empty() ? name : fmt::format("{} = {}", name, option.text);
}

template <class Options>
[[noreturn]] void no_such_option(const model::Experiment& experiment, const model::Option& option) {
  std::vector<std::string> names;
  for (const Word<Options>& word : words<Options>()) names.emplace_back(word.name);
  const std::string near = nearest_name(option.name, names);
  std::string other = meant_by(option.name);
  if (std::find(names.begin(), names.end(), other) == names.end()) other.clear();
  fault(option.name_place,
        fmt::format("experiment '{}': {} has no option and the model no input or parameter '{}'",
                    experiment.name, experiment.command, option.name),
        !other.empty() ? fmt::format("write  {}", renamed(option, other))
        : near.empty() ? fmt::format("options: {}, and the inputs, parameters and sizes",
                                     fmt::join(names, ", "))
                       : fmt::format("did you mean '{}'?", near));
}

/// Parameters among the options were taken by Model::in.
template <class Options>
Options options_of(const model::Experiment& experiment, const Model& model,
                   const RunOptions& asked) {
  Options options;
  for (const model::Option& option : experiment.options)
    if (!set(options, option) && !model.takes_parameter(option))
      no_such_option<Options>(experiment, option);
  options.experiment = experiment.name;
  options.history = asked.history;
  options.backend = asked.backend;
  options.watch = asked.watch;
  return options;
}

}  // namespace

SimulateOptions simulate_options_of(const model::Experiment& experiment, const Model& model,
                                    const RunOptions& asked) {
  return options_of<SimulateOptions>(experiment, model, asked);
}

const model::Experiment& find_experiment(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  for (const model::Experiment& e : model.experiments()) {
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  const std::string near = nearest_name(name, names);
  fault({}, fmt::format("model '{}' has no experiment '{}'", model.name(), name),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

std::shared_ptr<const Answer> run(const Model& model, const std::string& name,
                                  const RunOptions& asked) {
  const StopScope stoppable(asked.watch.stop);
  const model::Experiment& e = find_experiment(model, name);
  if (e.command == "simulate") {
    const auto options = options_of<SimulateOptions>(e, model, asked);
    return std::make_shared<const Simulation>(simulate(model.in(e), options));
  }
  if (e.command == "invert") {
    const auto options = options_of<InvertOptions>(e, model, asked);
    return std::make_shared<const Inversion>(invert(model.in(e), options));
  }
  const std::string near = nearest_name(e.command, {"simulate", "invert"});
  fault(e.place,
        fmt::format("experiment '{}' can be simulate or invert, not '{}'", e.name, e.command),
        near.empty() ? "other questions, such as `analyse()`, are not experiments"
                     : fmt::format("did you mean '{}'?", near));
}

std::vector<std::shared_ptr<const Answer>> run(const Model& model, const RunOptions& options) {
  std::vector<std::shared_ptr<const Answer>> answers;
  for (const model::Experiment& e : model.experiments())
    answers.push_back(run(model, e.name, options));
  return answers;
}

}  // namespace task
}  // namespace daedal
