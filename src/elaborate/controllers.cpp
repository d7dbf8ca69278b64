// Controllers that act: their samples beside the equations of the mechanism, or, without a clock, as part of them.
//
// A controller is elaborated like a part whose names come after those of the mechanism. What it knows of the mechanism is
// what it measures; without a `measure` line it knows every state exactly. Parameters have the values of the model that it assumes (Designer), whatever those of the plant are.
#include "daedal/language/parse.hpp"
#include "daedal/laws/laws.hpp"
#include "elaborate/elaborator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedal::model {

using expr::Expr;
using expr::Leaf;

namespace {

std::vector<const syntax::Controller*> controllers_of(const syntax::Model& model) {
  std::vector<const syntax::Controller*> found;
  for (const syntax::Statement& statement : model.statements)
    if (const auto* controller = std::get_if<syntax::Controller>(&statement.node))
      found.push_back(controller);
  return found;
}

/// u, or the entries of [u, v].
std::vector<syntax::ExpressionPtr> targets_of(const syntax::Command& command) {
  const auto* list = std::get_if<syntax::Matrix>(&command.target->node);
  if (list == nullptr || list->rows.size() != 1) return {command.target};
  return list->rows[0];
}

/// What is measured: x of  lowpass(x + noise(1e-3), 0.01).
const syntax::Expression* quantity_in(const syntax::Expression& measured) {
  const syntax::Expression* at = &measured;
  for (;;) {
    const auto* chain = std::get_if<syntax::Chain>(&at->node);
    const auto* call = std::get_if<syntax::Call>(&at->node);
    const std::vector<std::string>& laws = ControllerLaws::names();
    if (chain != nullptr)
      at = chain->first.get();
    else if (call != nullptr && !call->arguments.empty() &&
             std::find(laws.begin(), laws.end(), call->function) != laws.end())
      at = call->arguments[0].value.get();
    else
      return at;
  }
}

double seconds(const std::string& unit) { return unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1; }

}  // namespace

// ---- which act, and what they command

void Elaborator::choose_controllers() {
  const std::vector<const syntax::Controller*> all = controllers_of(*top_->model);
  for (const syntax::Controller* controller : all) {
    const std::string& name = controller->block->name;
    auto& names = model_.controller_names;
    if (std::find(names.begin(), names.end(), name) != names.end())
      report({controller->block->place, fmt::format("there are two controllers '{}'", name), {}});
    names.push_back(name);
  }
  for (const std::string& asked : asked_controllers_) {
    const auto known = std::find_if(all.begin(), all.end(), [&](const syntax::Controller* c) {
      return c->block->name == asked;
    });
    if (known == all.end())
      throw ModelError({Severity::error,
                        top_->model->place,
                        fmt::format("model '{}' has no controller '{}'", model_.name, asked),
                        {},
                        did_you_mean_or_list(asked, model_.controller_names)});
    auto active = std::make_unique<ActiveController>();
    active->text = *known;
    const syntax::Model& block = *active->text->block;
    active->made.name = block.name;
    active->made.doc = block.doc;
    active->made.place = block.place;
    for (const syntax::Statement& statement : block.statements)
      if (const auto* command = std::get_if<syntax::Command>(&statement.node))
        for (const syntax::ExpressionPtr& target : targets_of(*command)) {
          const std::string input = print(*target);
          const ActiveController* const other = commanding(input);
          const bool is_new = active->inputs.insert(input).second;
          if (other != nullptr || !is_new)
            report({target->place, fmt::format("'{}' is commanded twice", input),
                    other != nullptr ? fmt::format("controller '{}' commands it", other->made.name)
                                     : ""});
        }
    controllers_.push_back(std::move(active));
    ActiveController& added = *controllers_.back();
    guarded(*top_, [&] {
      if (added.text->period == nullptr) return;
      const Scope scope{top_.get(), fmt::format("the period of controller '{}'", block.name),
                        nullptr};
      const double period = evaluator_.number(*added.text->period, scope, "a period");
      added.made.period = period * seconds(added.text->unit);
      if (!(added.made.period > 0))
        fault(added.text->period->place,
              fmt::format("the period of controller '{}' is {} s", block.name,
                          number_text(added.made.period)),
              "the time between samples is above 0; without  every  the controller is continuous");
    });
  }
}

ActiveController* Elaborator::commanding(const std::string& input) {
  for (const auto& controller : controllers_)
    if (controller->inputs.contains(input)) return controller.get();
  return nullptr;
}

std::vector<std::string> Elaborator::inputs_commanded_by(const std::string& controller) const {
  std::vector<std::string> inputs;
  for (const syntax::Controller* stated : controllers_of(*top_->model))
    if (stated->block->name == controller)
      for (const syntax::Statement& statement : stated->block->statements)
        if (const auto* command = std::get_if<syntax::Command>(&statement.node))
          for (const syntax::ExpressionPtr& target : targets_of(*command))
            inputs.push_back(print(*target));
  return inputs;
}

ActiveController& Elaborator::acting(const Scope& scope) {
  for (const auto& controller : controllers_)
    if (controller->instance.get() == scope.instance) return *controller;
  fault(scope.instance->use, "this is used outside a controller");
}

// ---- elaboration

void Elaborator::add_controllers() {
  for (const auto& controller : controllers_) {
    const syntax::Model& block = *controller->text->block;
    guarded(*top_, [&] {
      controller->instance = instantiate(block, nullptr, block.name + ".", block.place);
      controller->instance->around = top_.get();
      controller->instance->directory = top_->directory;
      controller->instance->depth = 1;
      for (const syntax::Statement& statement : block.statements)
        if (const auto* state = std::get_if<syntax::State>(&statement.node))
          declare_state(*controller, *state);
      declare_symbols(*controller->instance);
    });
    if (controller->instance == nullptr) continue;
    const Scope scope{controller->instance.get(), {}, nullptr};
    const auto stage_of = [](const syntax::Statement& statement) {
      return std::holds_alternative<syntax::Measure>(statement.node)   ? 0
             : std::holds_alternative<syntax::Observe>(statement.node) ? 1
                                                                       : 2;
    };
    guarded(*controller->instance, [&] {
      for (const syntax::Statement& statement : block.statements)
        if (const auto* command = std::get_if<syntax::Command>(&statement.node))
          for (const Expr input : commanded_by(*controller, *command))
            controller->commanded.push_back(model_.symbols[graph_->leaf_of(input).symbol].name);
    });
    const auto expand_stage = [&](int stage) {
      for (const syntax::Statement& statement : block.statements)
        if (stage_of(statement) == stage)
          if (!guarded(*controller->instance, [&] { expand(statement, scope); }))
            controller->measuring = controller->ideal = false;  // in the midst of a measurement
    };
    const std::size_t own_outputs = model_.outputs.size();
    expand_stage(0);  // sensors act on the mechanism itself
    const std::size_t equations = model_.equations.size(), events = model_.events.size(),
                      outputs = model_.outputs.size();
    expand_stage(1);
    expand_stage(2);
    guarded(*controller->instance, [&] {
      const auto limit = [&](Expr& e, const Place& place) { e = known_to(*controller, e, place); };
      for (std::size_t k = equations; k < model_.equations.size(); ++k)
        limit(model_.equations[k].residual, model_.equations[k].place);
      for (std::size_t k = events; k < model_.events.size(); ++k) {
        limit(model_.events[k].condition, model_.events[k].place);
        for (EventAction& action : model_.events[k].actions)
          for (Expr& value : action.values) limit(value, action.place);
      }
      for (std::size_t k = outputs; k < model_.outputs.size(); ++k)
        limit(model_.outputs[k].value, model_.outputs[k].place);
      finish(*controller);
      start_blocks(*controller);
    });
    for (std::size_t k = own_outputs; k < model_.outputs.size(); ++k)
      model_.outputs[k].controller = controller->made.name;
    model_.controllers.push_back(controller->made);
  }
}

/// Of a state or a block with memory: what it is held in.
expr::SymbolId Elaborator::held_symbol(ActiveController& controller, const std::string& name,
                                       double start, const Place& place) {
  return new_symbol(
      {controller.made.name + "." + name, SymbolKind::parameter, "", "", place, start, 1, true});
}

void Elaborator::declare_state(ActiveController& controller, const syntax::State& state) {
  if (!is_clocked(controller))
    report({state.place,
            fmt::format("controller '{}' has no clock, so state '{}' has no next value",
                        controller.made.name, state.name),
            fmt::format("give the controller a clock,  every 10 ms,  or write  variable {0} = ...  "
                        "and  equation {0}' = ...",
                        state.name)});
  const Scope scope{top_.get(), fmt::format("state '{}'", state.name), nullptr};
  const double start = evaluator_.number(*state.start, scope, "a start value");
  const expr::SymbolId symbol = held_symbol(controller, state.name, start, state.place);
  controller.channels[state.name] = Value::scalar(graph_->leaf({symbol, 0}));
  controller.made.states.push_back({symbol, graph_->leaf({symbol, 0}), state.next->place});
}

void Elaborator::expand(const syntax::State& state, const Place&, const Scope& outer) {
  ActiveController& controller = acting(outer);
  const auto held = controller.channels.find(state.name);
  if (held == controller.channels.end()) follow_up_fault();
  const Scope scope = outer.in(fmt::format("state '{}'", state.name));
  const expr::SymbolId symbol = graph_->leaf_of(held->second.entries[0]).symbol;
  const Expr next = evaluator_.scalar(*state.next, scope, "a state");  // blocks in it add states
  for (Update& update : controller.made.states)
    if (update.symbol == symbol) update.value = next;
}

void Elaborator::expand(const syntax::Measure& measure, const Place&, const Scope& outer) {
  ActiveController& controller = acting(outer);
  const Scope scope = outer.in("measure");
  controller.measures = true;
  for (const syntax::Measurement& item : measure.items) {
    const syntax::Expression* const quantity = quantity_in(*item.value);
    const std::string name = item.name.empty() ? print(*quantity) : item.name;
    controller.faulty.insert(name);
    controller.measuring = true;
    controller.item_noise.clear();
    controller.item_fresh = 0;
    controller.item_filtered.clear();
    controller.ideal = true;
    const Value pure = evaluator_.value(*item.value, scope);
    const bool is_plain = pure.entries == evaluator_.value(*quantity, scope).entries;
    controller.ideal = false;
    const Value value = evaluator_.value(*item.value, scope);
    controller.measuring = false;
    const std::string text = print(*quantity);
    const auto declared = top_->names.find(text.substr(0, text.find('[')));
    const bool is_output =
        is_plain && declared != top_->names.end() && declared->second.kind == NameKind::output;
    if (item.name.empty() && !is_plain)
      fault(item.place, "a measurement that is computed needs a name",
            fmt::format("write  measure s = {}", print(*item.value)));
    Value seen = value;
    if (is_clocked(controller))
      for (std::size_t i = 0; i < value.entries.size(); ++i) {
        const std::string entry = name + value.shape.suffix(i);
        const expr::SymbolId symbol = held_symbol(controller, entry, 0, item.place);
        controller.made.measured.push_back({symbol, value.entries[i], item.place});
        seen.entries[i] = graph_->leaf({symbol, 0});
        if (pure.shape != value.shape) continue;
        Seen known{entry, pure.entries[i],       symbol,
                   {},    controller.item_fresh, controller.item_filtered,
                   {}};
        if (is_output) known.output = text + value.shape.suffix(i);
        for (const Value& noise : controller.item_noise)
          known.noise.push_back(noise.entries[noise.entries.size() == 1 ? 0 : i]);
        controller.seen.push_back(std::move(known));
      }
    if (!is_clocked(controller) && (!item.name.empty() || value.entries != pure.entries))
      for (std::size_t i = 0; i < value.entries.size(); ++i)
        seen.entries[i] = measured_variable(controller, name + value.shape.suffix(i),
                                            value.entries[i], item.place);
    controller.faulty.erase(name);
    if (!controller.channels.emplace(name, seen).second)
      fault(item.place, fmt::format("'{}' is measured twice", name),
            fmt::format("name one of them:  measure {}2 = ...", name));
    // a state measured as it is, or with the other sign, as the force of a constraint is
    if (item.name.empty() && pure.shape == seen.shape)
      for (std::size_t i = 0; i < pure.entries.size(); ++i) {
        const expr::Node& node = graph_->node(pure.entries[i]);
        if (node.op == expr::Op::leaf)
          controller.known[graph_->leaf_of(pure.entries[i])] = seen.entries[i];
        else if (node.op == expr::Op::neg && graph_->node(Expr{node.a}).op == expr::Op::leaf)
          controller.known[graph_->leaf_of(Expr{node.a})] = graph_->neg(seen.entries[i]);
      }
  }
}

/// What a continuous controller computes where it measures is a variable: the controller knows it, and not what it is made of.
Expr Elaborator::measured_variable(ActiveController& controller, const std::string& name,
                                   Expr value, const Place& place) {
  const std::string own = controller.made.name + ".";
  if (graph_->node(value).op == expr::Op::leaf &&
      model_.symbols[graph_->leaf_of(value).symbol].name.starts_with(own))
    return value;  // of a filter
  const expr::SymbolId symbol = new_symbol({own + name, SymbolKind::variable, "", "", place, 0, 1});
  controller.starts.emplace_back(symbol, value);
  const Expr leaf = graph_->leaf({symbol, 0});
  model_.equations.push_back({"measurement " + own + name, graph_->sub(leaf, value), place});
  return leaf;
}

/// The inputs that a command is for.
std::vector<Expr> Elaborator::commanded_by(ActiveController& controller,
                                           const syntax::Command& command) {
  std::vector<Expr> inputs;
  controller.measuring = true;  // an input is itself
  for (const syntax::ExpressionPtr& target : targets_of(command)) {
    if (const auto* name = std::get_if<syntax::Name>(&target->node);
        name != nullptr && !top_->names.contains(name->value)) {
      std::vector<std::string> known;
      for (const Symbol& symbol : model_.symbols)
        if (symbol.kind == SymbolKind::input) known.push_back(symbol.name);
      fault(target->place, fmt::format("model '{}' has no input '{}'", model_.name, name->value),
            known.empty() ? "" : did_you_mean_or_list(name->value, known));
    }
    const Value value = evaluator_.value(*target, Scope{top_.get(), "command", nullptr});
    inputs.insert(inputs.end(), value.entries.begin(), value.entries.end());
  }
  controller.measuring = false;
  for (const Expr input : inputs) {
    const bool leaf = graph_->node(input).op == expr::Op::leaf && graph_->leaf_of(input).order == 0;
    const Symbol* const symbol = leaf ? &model_.symbols[graph_->leaf_of(input).symbol] : nullptr;
    const bool is_input =
        leaf && (symbol->kind == SymbolKind::input || symbol->kind == SymbolKind::variable) &&
        std::ranges::any_of(controller.inputs, [&](const std::string& i) {
          return symbol->name == i || symbol->name.starts_with(i + "[");
        });
    if (!is_input)
      fault(command.target->place,
            leaf ? fmt::format("a controller commands inputs, not {}", describe(*symbol))
                 : "a controller commands inputs",
            "write  command u = ...  or  command [u, v] = ...");
  }
  return inputs;
}

void Elaborator::expand(const syntax::Command& command, const Place&, const Scope& outer) {
  ActiveController& controller = acting(outer);
  const std::vector<Expr> inputs = commanded_by(controller, command);
  const Scope scope = outer.in(fmt::format("the command of '{}'", print(*command.target)));
  const Value value = evaluator_.value(*command.value, scope);
  const bool single = inputs.size() == 1 && value.entries.size() == 1;
  const Shape shape = inputs.size() == 1 ? Shape::scalar()
                                         : Shape::vector(static_cast<std::uint32_t>(inputs.size()));
  const std::vector<Expr> values = broadcast(single ? Value::scalar(value.entries[0]) : value,
                                             shape, command.value->place, scope.context);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    command_one(controller, inputs[i], values[i], command.value->place);
}

void Elaborator::command_one(ActiveController& controller, Expr target, Expr value,
                             const Place& place) {
  const expr::SymbolId input = graph_->leaf_of(target).symbol;
  const std::string& name = model_.symbols[input].name;
  if (!is_clocked(controller)) {
    model_.equations.push_back({fmt::format("{} commands {}", controller.made.name, name),
                                graph_->sub(target, value), place});
    controller.made.commands.push_back({input, 0, value, 0, place});
    return;
  }
  Command made{input, 0, value, 0, place};
  if (graph_->node(value).op == expr::Op::leaf)
    if (const auto late = controller.late.find(graph_->leaf_of(value).symbol);
        late != controller.late.end()) {
      made.value = late->second.value;
      made.dead_time = late->second.time;
    }
  for (const InputDefault& given : model_.inputs)
    if (given.input == input) made.held = graph_->leaf_of(given.value).symbol;
  controller.made.commands.push_back(made);
}

void Elaborator::expand(const syntax::Observe& observe, const Place& place, const Scope& outer) {
  ActiveController& controller = acting(outer);
  const Scope scope = outer.in("observe");
  ControllerLaws(*this, controller, scope).observe(*observe.call, place);
}

/// What the controller computes at its samples, from what it knows.
void Elaborator::finish(ActiveController& controller) {
  Controller& made = controller.made;
  if (controller.inputs.empty())
    fault(made.place, fmt::format("controller '{}' commands nothing", made.name),
          "write  command u = ...");
  for (Solved& solved : made.solved)
    for (Expr& residual : solved.residuals) residual = known_to(controller, residual, solved.place);
  for (Update& update : made.states)
    update.value = known_to(controller, update.value, update.place);
  for (Command& command : made.commands)
    command.value = known_to(controller, command.value, command.place);
  for (const Command& command : made.commands)
    if (const auto kept = controller.issued.find(command.held); kept != controller.issued.end())
      for (std::size_t age = 0; age < kept->second.size(); ++age)
        made.states.push_back({graph_->leaf_of(kept->second[age]).symbol,
                               age == 0 ? command.value : kept->second[age - 1], command.place});
}

/// Continuous blocks begin at rest with what they are given at the start of the mechanism, as far as that is stated.
void Elaborator::start_blocks(ActiveController& controller) {
  std::map<Leaf, double> stated;
  for (const StartValue& start : model_.starts) stated[start.leaf] = start.value;
  for (const auto& [symbol, input] : controller.starts) {
    const Expr roots[] = {input};
    const double start = expr::evaluate(*graph_, roots, [&](Leaf leaf) {
      if (model_.symbols[leaf.symbol].kind == SymbolKind::parameter)
        return model_.symbols[leaf.symbol].value;
      const auto known = stated.find(leaf);
      return known == stated.end() ? 0.0 : known->second;
    })[0];
    stated[{symbol, 0}] = start;
    model_.starts.push_back(
        {.leaf = {symbol, 0}, .value = std::isfinite(start) ? start : 0, .stated = false});
  }
}

/// The expression with what the controller knows: measured values for states, its own values of parameters.
Expr Elaborator::known_to(const ActiveController& controller, Expr e, const Place& place) {
  const std::string own = controller.made.name + ".";
  const Expr roots[] = {e};
  const auto known = [&](Leaf leaf) -> std::optional<Expr> {
    const Symbol& symbol = model_.symbols[leaf.symbol];
    if (const auto late = controller.late.find(leaf.symbol); late != controller.late.end())
      fault(late->second.place, "a delay by a time applies to a whole command",
            "write  command u = delay(..., time = ...),  or delay by samples:  delay(x, 1)");
    if (symbol.name.starts_with(own)) return std::nullopt;
    switch (symbol.kind) {
      case SymbolKind::time:
        return std::nullopt;
      case SymbolKind::parameter: {
        if (symbol.held || designer_ == nullptr) return std::nullopt;
        const Model& believed = designer_->model();
        const expr::SymbolId same = believed.find(symbol.name);
        if (same == 0 || believed.symbols[same].value == symbol.value) return std::nullopt;
        return graph_->constant(believed.symbols[same].value);
      }
      default:
        break;
    }
    if (const auto it = controller.known.find(leaf); it != controller.known.end())
      return it->second;
    if (!controller.measures || symbol.kind == SymbolKind::input) return std::nullopt;
    const bool is_command = std::find(controller.commanded.begin(), controller.commanded.end(),
                                      symbol.name) != controller.commanded.end();
    if (is_command) return std::nullopt;
    fault(place,
          fmt::format("controller '{}' does not measure '{}'", controller.made.name,
                      name_of(symbol, leaf.order)),
          leaf.order > 0
              ? fmt::format("measure it, or differentiate what is measured:  derivative({}, "
                            "filter = 0.01)",
                            name_of(symbol, leaf.order - 1))
              : fmt::format("add it:  measure {}", symbol.name));
  };
  return expr::copy(*graph_, roots, *graph_, known)[0];
}

const Value* Elaborator::measured(const syntax::Expression& quantity, const Scope& scope) {
  for (const auto& controller : controllers_) {
    if (controller->instance.get() != scope.instance) continue;
    if (const auto* name = std::get_if<syntax::Name>(&quantity.node))
      if (scope.local(name->value) != nullptr) return nullptr;
    const std::string text = print(quantity);
    if (controller->faulty.contains(text) && !controller->measuring) follow_up_fault();
    const auto known = controller->channels.find(text);
    return known == controller->channels.end() || controller->measuring ? nullptr : &known->second;
  }
  return nullptr;
}

std::optional<Value> Elaborator::law(const syntax::Expression& e, const Scope& scope) {
  for (const auto& controller : controllers_) {
    if (controller->instance.get() != scope.instance) continue;
    ControllerLaws laws(*this, *controller, scope);
    if (const auto* call = std::get_if<syntax::Call>(&e.node)) return laws.apply(e, *call);
    const auto& member = std::get<syntax::Member>(e.node);
    const auto* base = std::get_if<syntax::Name>(&member.base->node);
    if (base == nullptr || (base->value != "path" && base->value != "inverse") ||
        scope.instance->names.contains(base->value) || top_->names.contains(base->value))
      return std::nullopt;
    return base->value == "path" ? laws.path(e, member.name) : laws.inverse(e, member.name);
  }
  return std::nullopt;
}

void Elaborator::check_derivative(const Value& value, const Place& place) const {
  for (const Leaf& leaf : expr::leaves(*graph_, value.entries))
    if (const Symbol& symbol = model_.symbols[leaf.symbol]; symbol.held) {
      const std::string name = symbol.name.substr(symbol.name.find('.') + 1);
      fault(place, fmt::format("'{}' in a controller with a clock has no derivative", name),
            fmt::format("it changes at samples only; its rate is  derivative({}, filter = 0.01)",
                        name));
    }
}

/// In SI; none where its name has none.
DeclaredUnit Elaborator::unit_of(Leaf leaf) const {
  const std::string si = derivative_unit(model_.symbols[leaf.symbol].unit, leaf.order);
  return si.empty() ? DeclaredUnit{} : DeclaredUnit{parse_unit(si), si};
}

/// initial(x_T = 11.5): they outrank those of the model.
void Elaborator::add_asked_starts() {
  for (const auto& asked : asked_starts_) {
    guarded(*top_, [&] {
      const auto& [name, text] = asked;
      const std::string what = start_option_ + " " + name;
      const syntax::ExpressionPtr target = parse_override(name, what);
      const Scope scope{top_.get(), what, nullptr};
      const Value unknowns = evaluator_.value(*target, scope);
      const std::vector<Leaf> leaves =
          unknowns_of(unknowns, target->place, "what has a start value");
      const Given given = override_value(text, what, scope, name, unit_of(leaves.front()));
      const std::vector<Expr> values = broadcast(given.value, unknowns.shape, given.place, what);
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const double start = evaluator_.number(values[i], given.place, what);
        const auto same = [&](const StartValue& s) { return s.leaf == leaves[i]; };
        std::erase_if(model_.starts, same);
        model_.starts.push_back({leaves[i], start, false, target->place, std::nullopt});
      }
    });
  }
}

}  // namespace daedal::model
