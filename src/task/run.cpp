#include "daedal/language/parse.hpp"
#include "daedal/task/choice.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/simulate.hpp"
#include "experiment_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

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

/// An option of an experiment, as it is written.
struct Written {
  std::string name, value;
  Place place;
};

template <class Options>
Diagnostic no_such_option(const std::string& experiment, const std::string& command,
                          const Written& option) {
  std::vector<std::string> names;
  for (const Word<Options>& word : words<Options>()) names.emplace_back(word.name);
  const std::string near = nearest_name(option.name, names);
  std::string other = meant_by(option.name);
  if (std::find(names.begin(), names.end(), other) == names.end()) other.clear();
  if (!other.empty() && !option.value.empty()) other += " = " + option.value;
  return {Severity::error,
          option.place,
          fmt::format("experiment '{}': {} has no option and the model no input or parameter '{}'",
                      experiment, command, option.name),
          {},
          !other.empty() ? fmt::format("write  {}", other)
          : near.empty() ? fmt::format("options: {}, and the inputs, parameters and sizes",
                                       fmt::join(names, ", "))
                         : fmt::format("did you mean '{}'?", near)};
}

Diagnostic no_such_command(const std::string& experiment, const std::string& command,
                           const Place& place) {
  const std::string near = nearest_name(command, {"simulate", "invert"});
  return {Severity::error,
          place,
          fmt::format("experiment '{}' can be simulate or invert, not '{}'", experiment, command),
          {},
          near.empty() ? "other questions, such as `analyse()`, are not experiments"
                       : fmt::format("did you mean '{}'?", near)};
}

/// Parameters among the options were taken by Model::in.
template <class Options>
Options options_of(const model::Experiment& experiment, const Model& model,
                   const RunOptions& asked) {
  Options options;
  for (const model::Option& option : experiment.options)
    if (!set(options, option) && !model.takes_parameter(option))
      throw ModelError(no_such_option<Options>(experiment.name, experiment.command,
                                               {option.name, option.text, option.name_place}));
  options.experiment = experiment.name;
  options.history = asked.history;
  options.backend = asked.backend;
  options.watch = asked.watch;
  return options;
}

template <class Options>
bool is_word(std::string_view name) {
  const auto all = words<Options>();
  return std::any_of(all.begin(), all.end(),
                     [&](const Word<Options>& word) { return word.name == name; });
}

/// Of the statements of a model: every name that an option may give a value to, and members of parts.
bool may_take(const model::syntax::Model& model, const std::string& name) {
  if (name == "controller" || name.find_first_of(".[") != name.npos) return true;
  for (const model::syntax::Statement& statement : model.statements)
    if (const auto* list = std::get_if<model::syntax::Declare>(&statement.node))
      for (const model::syntax::Declaration& item : list->items)
        if (item.name == name) return true;
  return false;
}

}  // namespace

std::vector<Diagnostic> experiment_faults(const model::Library& library, const std::string& name) {
  std::vector<Diagnostic> faults;
  const model::syntax::Model* chosen = nullptr;
  for (const model::syntax::File& file : library.files)
    for (const model::syntax::Model& model : file.models)
      if (name.empty() ? &file == &library.files.back() : model.name == name) chosen = &model;
  if (chosen == nullptr) return faults;
  for (const model::syntax::Statement& statement : chosen->statements) {
    const auto* experiment = std::get_if<model::syntax::Experiment>(&statement.node);
    if (experiment == nullptr) continue;
    const auto* call = std::get_if<model::syntax::Call>(&experiment->call->node);
    if (call == nullptr) continue;
    const bool inverts = call->function == "invert";
    if (!inverts && call->function != "simulate") {
      faults.push_back(no_such_command(experiment->name, call->function, experiment->place));
      continue;
    }
    for (const model::syntax::Argument& argument : call->arguments) {
      const bool known = argument.name.empty() || may_take(*chosen, argument.name) ||
                         (inverts ? is_word<InvertOptions>(argument.name)
                                  : is_word<SimulateOptions>(argument.name));
      if (known) continue;
      const Written option{argument.name, model::print(*argument.value), argument.place};
      faults.push_back(
          inverts ? no_such_option<InvertOptions>(experiment->name, call->function, option)
                  : no_such_option<SimulateOptions>(experiment->name, call->function, option));
    }
  }
  return faults;
}

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
  throw ModelError(no_such_command(e.name, e.command, e.place));
}

std::vector<std::shared_ptr<const Answer>> run(const Model& model, const RunOptions& options) {
  std::vector<std::shared_ptr<const Answer>> answers;
  for (const model::Experiment& e : model.experiments())
    answers.push_back(run(model, e.name, options));
  return answers;
}

}  // namespace task
}  // namespace daedal
