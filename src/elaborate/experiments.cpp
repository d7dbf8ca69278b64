// Experiments: a command with its options, and the signals it gives to inputs.
#include "daedal/language/parse.hpp"
#include "daedal/model/functions.hpp"
#include "daedal/model/model.hpp"
#include "elaborate/elaborator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace daedal::model {

void Elaborator::expand(const syntax::Experiment& experiment, const Place&, const Scope& outer) {
  if (outer.instance->depth > 0) return;  // a part's experiments apply to the part alone
  for (const Experiment& other : model_.experiments) {
    if (other.name == experiment.name) {
      fault(experiment.place, fmt::format("there are two experiments '{}'", experiment.name),
            fmt::format("the other is on line {}", other.place.line));
    }
  }
  const auto& call = std::get<syntax::Call>(experiment.call->node);
  const Scope scope = outer.in(fmt::format("experiment '{}'", experiment.name));
  Experiment made;
  made.name = experiment.name;
  made.doc = experiment.doc;
  made.command = call.function;
  made.place = experiment.place;
  const auto numbers = [&](const syntax::Expression& e) {
    std::vector<double> values;
    for (const expr::Expr entry : evaluator_.value(e, scope).entries)
      values.push_back(evaluator_.number(entry, e.place, "an option"));
    return values;
  };
  const auto is_word = [&](const std::string& name) {
    return !scope.instance->names.contains(name) && !is_builtin(name) && name != "pi" &&
           name != "t";
  };
  for (const syntax::Argument& argument : call.arguments) {
    if (argument.name.empty()) {
      add_experiment_values(made, argument, numbers);
    } else if (argument.name == "controller") {
      made.controllers = named_controllers(argument);
    } else if (!add_experiment_input(made, argument, scope)) {
      made.options.push_back(read_option(argument, numbers, is_word));
    }
  }
  if (!made.plant.empty() && made.controllers.empty())
    fault(experiment.place, "plant(...) without a controller",
          "the values of the model are options of the experiment:  m = 21");
  for (const syntax::Argument& argument : call.arguments)
    if (const auto* of = std::get_if<syntax::Call>(&argument.value->node);
        argument.name.empty() && of != nullptr && of->function == "plant")
      for (const syntax::Argument& value : of->arguments) require_of_plant(value);
  for (const std::string& controller : made.controllers)
    for (const std::string& input : inputs_commanded_by(controller))
      for (const auto& [given, signal] : made.inputs)
        if (given == input || given.starts_with(input + "[") || input.starts_with(given + "["))
          fault(experiment.place,
                fmt::format("input '{}' has a signal, and controller '{}' commands it", given,
                            controller),
                "leave out one of them");
  model_.experiments.push_back(std::move(made));
}

/// plant(m = 21), initial(x_T = 11.5): numbers now, so that they may contain the parameters of the model.
void Elaborator::add_experiment_values(
    Experiment& experiment, const syntax::Argument& argument,
    const std::function<std::vector<double>(const syntax::Expression&)>& numbers) {
  const auto* call = std::get_if<syntax::Call>(&argument.value->node);
  const bool is_plant = call != nullptr && call->function == "plant";
  if (!is_plant && (call == nullptr || call->function != "initial"))
    fault(argument.place, "the options of an experiment have names", "write  until = 20");
  for (const syntax::Argument& value : call->arguments) {
    if (value.name.empty())
      fault(value.place, fmt::format("the values of {} have names", call->function),
            is_plant ? "write  plant(m = 21)" : "write  initial(x = 0.1, x' = 0)");
    const std::vector<double> entries = numbers(*value.value);
    const bool own_unit = std::holds_alternative<syntax::Quantity>(value.value->node);
    (is_plant ? experiment.plant : experiment.starts)[value.name] =
        is_plant && own_unit  ? print(*value.value)  // a number alone would be in the declared one
        : entries.size() == 1 ? fmt::format("{}", entries[0])
                              : fmt::format("[{}]", fmt::join(entries, ", "));
  }
}

/// Parameters of controllers are not there yet.
void Elaborator::require_of_plant(const syntax::Argument& value) const {
  const auto is_asked = [&](const std::string& known) {
    return known == value.name || known.starts_with(value.name + "[");
  };
  std::vector<std::string> candidates;
  for (const Symbol& symbol : model_.symbols)
    if (symbol.kind == SymbolKind::parameter && !symbol.held) candidates.push_back(symbol.name);
  for (const auto& [size, number] : model_.sizes) candidates.push_back(size);
  const bool of_controller = std::ranges::any_of(
      model_.controller_names,
      [&](const std::string& controller) { return value.name.starts_with(controller + "."); });
  if (!of_controller && std::ranges::none_of(candidates, is_asked))
    fault(value.place,
          fmt::format("model '{}' has no parameter or size '{}'", model_.name, value.name),
          did_you_mean_or_list(value.name, std::move(candidates)));
}

/// controller = tracking, or [slow, fast]
std::vector<std::string> Elaborator::named_controllers(const syntax::Argument& argument) {
  std::vector<syntax::ExpressionPtr> names{argument.value};
  if (const auto* list = std::get_if<syntax::Matrix>(&argument.value->node);
      list != nullptr && list->rows.size() == 1)
    names = list->rows[0];
  std::vector<std::string> controllers;
  for (const syntax::ExpressionPtr& name : names) {
    const auto* word = std::get_if<syntax::Name>(&name->node);
    const std::vector<std::string>& known = model_.controller_names;
    if (word == nullptr || std::find(known.begin(), known.end(), word->value) == known.end())
      fault(name->place,
            known.empty()
                ? fmt::format("model '{}' has no controllers", model_.name)
                : fmt::format("model '{}' has no controller '{}'", model_.name, print(*name)),
            known.empty() ? "" : did_you_mean_or_list(print(*name), known));
    controllers.push_back(word->value);
  }
  return controllers;
}

/// A signal for an input is checked now and read again when the experiment runs.
bool Elaborator::add_experiment_input(Experiment& experiment, const syntax::Argument& argument,
                                      const Scope& scope) {
  const auto is_input = [&](const Symbol& symbol) {
    return symbol.kind == SymbolKind::input &&
           (symbol.name == argument.name || symbol.name.starts_with(argument.name + "["));
  };
  const auto known = scope.instance->names.find(argument.name);
  if (known != scope.instance->names.end() && known->second.state == Entry::State::failed)
    follow_up_fault();
  // in the run of another experiment
  if (commanding(argument.name) != nullptr) return true;
  if (std::none_of(model_.symbols.begin(), model_.symbols.end(), is_input)) return false;
  const syntax::ExpressionPtr input = parse_override(argument.name, argument.name);
  const Shape shape = evaluator_.value(*input, scope).shape;
  const std::string what = fmt::format("input '{}'", argument.name);
  const Value signal = evaluator_.value(*argument.value, scope);
  for (const expr::Expr e : broadcast(signal, shape, argument.value->place, what))
    require_known_in_time(e, argument.value->place, what);
  experiment.inputs[argument.name] = print(*argument.value);
  return true;
}

}  // namespace daedal::model
