// Experiments: a command with its options, and the signals it gives to inputs.
#include "daedal/model/option.hpp"
#include "model/elaborator.hpp"
#include "model/functions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

void Elaborator::expand(const syntax::Experiment& experiment, const Place&, const Scope& outer) {
  if (outer.instance->depth > 0) return;  // a part's experiments are asked of the part alone
  for (const Experiment& other : model_.experiments) {
    if (other.name == experiment.name) {
      fault(experiment.place, fmt::format("there are two experiments '{}'", experiment.name),
            fmt::format("the other is on line {}", other.place.line));
    }
  }
  const auto& call = std::get<syntax::Call>(experiment.call->node);
  const Scope scope = outer.in(fmt::format("experiment '{}'", experiment.name));
  Experiment made{experiment.name, experiment.doc, call.function, {}, experiment.place, {}};
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
    if (argument.name.empty())
      fault(argument.place, "the options of an experiment have names", "write  until = 20");
    if (!add_experiment_input(made, argument, scope))
      made.options.push_back(read_option(argument, numbers, is_word));
  }
  model_.experiments.push_back(std::move(made));
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
