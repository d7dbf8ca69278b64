#include "elaborate/unit_check.hpp"

#include "daedal/language/parse.hpp"
#include "elaborate/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace daedal::model {

namespace {

constexpr long most_work = 2'000'000;  // nodes of formulas: about a second

UnitValue scalar_of(const Dimension& dimension) {
  UnitValue value;
  value.kind = UnitValue::Kind::scalar;
  value.entries = {{dimension, {}}};
  return value;
}

bool states_a_unit(const syntax::Model& model) {
  return std::any_of(model.statements.begin(), model.statements.end(), [](const auto& statement) {
    if (const auto* declare = std::get_if<syntax::Declare>(&statement.node))
      return std::any_of(declare->items.begin(), declare->items.end(),
                         [](const auto& item) { return !item.unit.empty(); });
    if (const auto* let = std::get_if<syntax::Let>(&statement.node)) return !let->unit.empty();
    if (const auto* output = std::get_if<syntax::Output>(&statement.node))
      return !output->unit.empty();
    return false;
  });
}

bool states_a_unit(const Instance& instance) {
  return states_a_unit(*instance.model) ||
         std::any_of(instance.parts.begin(), instance.parts.end(), [](const auto& part) {
           return !Elements::all().holds(part->model->place) && states_a_unit(*part);
         });
}

}  // namespace

UnitCheck::UnitCheck(Model& model, const expr::Graph& graph, Instance& top,
                     const std::vector<Instance*>& controllers,
                     const std::vector<std::pair<Instance*, Entry*>>& names, Report report)
    : model_(model),
      graph_(graph),
      top_(top),
      controllers_(controllers),
      names_(names),
      report_(std::move(report)),
      work_left_(most_work) {
  for (std::size_t c = 0; c < model_.constraints.size(); ++c)
    constraints_.emplace(model_.constraints[c].multiplier, c);
}

/// A model that states no unit is in whatever units its author has in mind, and nothing is checked.
void UnitCheck::run() {
  pair_with_examples(top_, top_);
  for (Instance* controller : controllers_) pair_with_examples(*controller, *controller);
  const bool stated = std::any_of(controllers_.begin(), controllers_.end(),
                                  [](const Instance* c) { return states_a_unit(*c); });
  if (stated || states_a_unit(top_)) {
    for (Instance* controller : controllers_) know_channels(*controller);
    for (const auto& [instance, entry] : names_)
      if (example_of_.at(instance) == instance) check_name(*instance, *entry);
    std::vector<Instance*> open(controllers_.rbegin(), controllers_.rend());
    open.push_back(&top_);
    while (!open.empty()) {
      Instance& instance = *open.back();
      open.pop_back();
      if (example_of_.at(&instance) != &instance) continue;
      check_statements(instance);
      for (auto part = instance.parts.rbegin(); part != instance.parts.rend(); ++part)
        open.push_back(part->get());
    }
    fill_units();
  }
  list_units();
}

/// Parts in the middle of a long array are like one of them.
void UnitCheck::pair_with_examples(Instance& instance, Instance& example) {
  example_of_[&instance] = &example;
  for (const auto& part : instance.parts) {
    Instance* like = part.get();
    if (const auto known = example.names.find(part->made_by->name); known != example.names.end()) {
      const Thing& thing = known->second.thing;
      if (thing.part() != nullptr) like = thing.part();
      if (const Array* array = thing.array(); array != nullptr && !array->entries.empty()) {
        const long k = example_index(part->index, array->entries.begin()->first,
                                     array->entries.rbegin()->first);
        const auto found = array->entries.find(k);
        if (found != array->entries.end() && found->second.part() != nullptr)
          like = found->second.part();
      }
    }
    pair_with_examples(*part, like->model == part->model ? *like : *part);
  }
}

// ---- names

void UnitCheck::check_name(Instance& instance, Entry& entry) {
  const bool own = !Elements::all().holds(entry.place);  // elements are in SI and checked by tests
  if (const auto* part = std::get_if<const syntax::Part*>(&entry.definition)) {
    check_arguments(instance, **part);
    return;
  }
  if (!own && entry.kind != NameKind::constraint && entry.kind != NameKind::coordinate) return;
  if (const auto* item = std::get_if<const syntax::Declaration*>(&entry.definition)) {
    check_declaration(instance, entry, **item);
    return;
  }
  if (const auto* line = std::get_if<const syntax::Relation*>(&entry.definition);
      line != nullptr && entry.kind != NameKind::constraint) {
    const UnitScope scope{&instance, fmt::format("{} '{}'", model::text(entry.kind), entry.name),
                          nullptr};
    if ((*line)->binder)
      loop(*(*line)->binder, scope, [&](long, const UnitScope& inner) { relation(**line, inner); });
    else
      relation(**line, scope);
    return;
  }
  const UnitMeaning found = named(instance, entry, entry.place);
  if (found.is_array)
    for (const long k : examples(
             entry.thing.array()->entries.empty() ? 0 : entry.thing.array()->entries.begin()->first,
             entry.thing.array()->entries.empty() ? -1
                                                  : entry.thing.array()->entries.rbegin()->first))
      entry_of_array(instance, entry, k);
  if (const auto* output = std::get_if<const syntax::Output*>(&entry.definition)) {
    const UnitValue stated = of_unit((*output)->unit, (*output)->unit_place);
    if (const auto wrong = equate(stated, found.value, (*output)->value->place)) {
      const UnitScope scope{&instance, {}, nullptr};
      fail({(*output)->value->place,
            fmt::format("output '{}' is stated in {}, its value is in {}", entry.name,
                        text(stated.at(0)), text(found.value.at(*wrong))),
            "",
            {(*output)->value.get()}},
           scope);
    }
  }
}

/// A default has the unit of its name; numbers beside a unit have been converted.
void UnitCheck::check_declaration(Instance& instance, Entry& entry,
                                  const syntax::Declaration& item) {
  const UnitMeaning meaning = named(instance, entry, entry.place);
  if (item.value == nullptr || meaning.value.is_anything() || instance.given.contains(item.name))
    return;
  const UnitScope scope{&instance, fmt::format("{} '{}'", model::text(entry.kind), entry.name),
                        nullptr};
  const UnitValue found = value(*item.value, scope);
  if (const auto wrong = equate(meaning.value, found, item.value->place)) {
    fail({item.value->place,
          fmt::format("{} is in {}, its value in {}", scope.context, text(meaning.value.at(*wrong)),
                      text(found.at(*wrong))),
          "",
          {item.value.get()}},
         scope);
  }
}

void UnitCheck::check_arguments(Instance& instance, const syntax::Part& part) {
  const auto& call = std::get<syntax::Call>(part.call->node);
  const UnitScope scope{&instance, fmt::format("part '{}'", part.name), nullptr};
  const auto known = instance.names.find(part.name);
  if (known == instance.names.end()) return;
  if (Instance* made = known->second.thing.part()) {
    check_arguments(*made, call, scope);
    return;
  }
  const Array* array = known->second.thing.array();
  if (array == nullptr || !part.binder) return;
  loop(*part.binder, scope, [&](long k, const UnitScope& inner) {
    const auto made = array->entries.find(k);
    if (made != array->entries.end() && made->second.part() != nullptr)
      check_arguments(*made->second.part(), call, inner);
  });
}

void UnitCheck::check_arguments(Instance& part, const syntax::Call& call, const UnitScope& scope) {
  for (const syntax::Argument& argument : call.arguments) {
    const auto known = part.names.find(argument.name);
    if (known == part.names.end() || known->second.kind == NameKind::size ||
        known->second.thing.part() != nullptr)
      continue;
    const UnitValue wanted = named(part, known->second, argument.place).value;
    const UnitValue found = meaning(*argument.value, scope).value;
    if (wanted.is_anything() || found.is_anything()) continue;
    const auto wrong = equate(wanted, found, argument.value->place);
    if (!wrong) continue;
    fail({argument.value->place,
          fmt::format("'{}' of '{}' is in {}, its value in {}", argument.name, call.function,
                      text(wanted.at(*wrong)), text(found.at(*wrong))),
          "",
          {argument.value.get()}},
         scope);
  }
}

// ---- statements

UnitValue UnitCheck::relation(const syntax::Relation& relation, const UnitScope& scope) {
  const UnitValue left = value(*relation.left, scope), right = value(*relation.right, scope);
  if (left.is_anything() || left.clock)
    return right;  // x = t: as 2*t, a function of time fits anything
  if (right.is_anything() || right.clock || Elements::all().holds(relation.place)) return left;
  const Place& place = relation.right->place;
  if (const auto wrong = equate(left, right, place)) {
    fail({place,
          fmt::format("the sides of {} are in {} and {}", scope.context, text(left.at(*wrong)),
                      text(right.at(*wrong))),
          "",
          {relation.left.get(), relation.right.get()}},
         scope);
  }
  return left.entries.size() >= right.entries.size() ? left : right;
}

void UnitCheck::check_statements(Instance& instance) {
  if (Elements::all().holds(instance.model->place)) return;
  const UnitScope scope{&instance, {}, nullptr};
  for (const syntax::Statement& statement : instance.model->statements) check(statement, scope);
}

void UnitCheck::check(const syntax::Statement& statement, const UnitScope& scope) {
  if (const auto* energy = std::get_if<syntax::Energy>(&statement.node)) check(*energy, scope);
  if (const auto* load = std::get_if<syntax::Load>(&statement.node)) check(*load, scope);
  if (const auto* drive = std::get_if<syntax::Drive>(&statement.node)) check(*drive, scope);
  if (const auto* initial = std::get_if<syntax::Initial>(&statement.node)) check(*initial, scope);
  if (const auto* limit = std::get_if<syntax::Limit>(&statement.node)) check(*limit, scope);
  if (const auto* event = std::get_if<syntax::Event>(&statement.node)) check(*event, scope);
  if (const auto* draw = std::get_if<syntax::Draw>(&statement.node)) check(*draw, scope);
  if (const auto* run = std::get_if<syntax::Experiment>(&statement.node)) check(*run, scope);
  if (const auto* measure = std::get_if<syntax::Measure>(&statement.node)) check(*measure, scope);
  if (const auto* state = std::get_if<syntax::State>(&statement.node)) check(*state, scope);
  if (const auto* command = std::get_if<syntax::Command>(&statement.node)) check(*command, scope);
  if (const auto* line = std::get_if<syntax::Relation>(&statement.node);
      line != nullptr && line->name.empty()) {
    static constexpr const char* words[] = {"constraint", "equation", "servo"};
    const char* kind = words[static_cast<std::size_t>(line->kind)];
    relation(*line, scope.in(fmt::format("the {} on line {}", kind, line->place.line)));
  }
  if (const auto* loop_over = std::get_if<syntax::For>(&statement.node))
    loop(loop_over->binder, scope,
         [&](long, const UnitScope& inner) { check(*loop_over->body, inner); });
}

void UnitCheck::check(const syntax::Energy& energy, const UnitScope& scope) {
  static constexpr const char* words[] = {"the kinetic energy", "the potential energy",
                                          "the dissipation"};
  check_energy(
      *energy.value,
      energy.kind == syntax::EnergyKind::dissipation ? dimensions::power : dimensions::energy,
      scope.in(words[static_cast<std::size_t>(energy.kind)]));
}

/// Term by term, so that a wrong one is named.
void UnitCheck::check_energy(const syntax::Expression& e, const Dimension& wanted,
                             const UnitScope& scope) {
  if (const auto* negate = std::get_if<syntax::Negate>(&e.node))
    return check_energy(*negate->operand, wanted, scope);
  if (const auto* sum = std::get_if<syntax::Sum>(&e.node))
    return loop(sum->binder, scope,
                [&](long, const UnitScope& inner) { check_energy(*sum->body, wanted, inner); });
  const auto* chain = std::get_if<syntax::Chain>(&e.node);
  if (chain != nullptr && (chain->rest[0].first == syntax::ChainOp::add ||
                           chain->rest[0].first == syntax::ChainOp::subtract)) {
    check_energy(*chain->first, wanted, scope);
    for (const auto& [op, operand] : chain->rest) check_energy(*operand, wanted, scope);
    return;
  }
  const Normalised formula(*this, e, scope);
  const UnitValue found = value(e, scope);
  if (!equate(found, scalar_of(wanted), e.place)) return;
  const bool power = wanted == dimensions::power;
  fail({e.place,
        fmt::format("{} is in {}, not in {}", scope.context, text(found.at(0)), unit_text(wanted)),
        power ? "half of the dissipated power:  dissipation d/2*x'^2" : "",
        {&e}},
       scope);
}

void UnitCheck::check(const syntax::Load& load, const UnitScope& outer) {
  const bool torque = load.kind == syntax::LoadKind::about;
  const UnitScope scope = outer.in(torque ? "the torque" : "the force");
  const Normalised formula(*this, *load.load, scope);
  const UnitValue force = value(*load.load, scope), target = value(*load.target, scope);
  if (force.is_anything() || target.is_anything()) return;
  UnitValue wanted = target;
  for (DimensionTerm& own : wanted.entries) own = DimensionTerm{dimensions::energy, {}} / own;
  const auto wrong = equate(force, wanted, load.load->place);
  if (!wrong) return;
  static constexpr const char* words[] = {"on", "at", "about"};
  fail({load.load->place,
        fmt::format("{} {} '{}' is in {}, not in {}", scope.context,
                    words[static_cast<std::size_t>(load.kind)], print(*load.target),
                    text(force.at(*wrong), true), text(wanted.at(*wrong), true)),
        fmt::format("force times displacement is J, and '{}' is in {}", print(*load.target),
                    text(target.at(*wrong))),
        {load.load.get(), load.target.get()}},
       scope);
}

void UnitCheck::check(const syntax::Drive& drive, const UnitScope& outer) {
  const UnitScope scope = outer.in("drive");
  const UnitValue target = value(*drive.target, scope), input = value(*drive.input, scope);
  if (target.is_anything()) return;
  UnitValue wanted = target;
  const bool velocity = drive.law == "velocity";
  if (velocity)
    for (DimensionTerm& own : wanted.entries) own = own / DimensionTerm{dimensions::time, {}};
  if (const auto wrong = equate(wanted, input, drive.input->place))
    fail({drive.input->place,
          fmt::format("'{}' is in {}, the {} of '{}' in {}", print(*drive.input),
                      text(input.at(*wrong)), velocity ? "velocity" : "position",
                      print(*drive.target), text(wanted.at(*wrong))),
          "",
          {drive.input.get(), drive.target.get()}},
         scope);
  for (const syntax::Argument& option : drive.options) {
    const Dimension dimension = option.name == "lag"     ? dimensions::time
                                : option.name == "omega" ? dimensions::time.to_the(-1)
                                                         : dimensions::none;
    const UnitValue found = value(*option.value, scope);
    if (equate(scalar_of(dimension), found, option.value->place))
      fail({option.value->place,
            fmt::format("{} of a drive is in {}, not in {}", option.name, unit_text(dimension),
                        text(found.at(0))),
            "",
            {option.value.get()}},
           scope);
  }
}

void UnitCheck::check(const syntax::Initial& initial, const UnitScope& outer) {
  const UnitScope scope = outer.in("initial");
  for (const syntax::InitialItem& item : initial.items) {
    const UnitValue target = value(*item.target, scope), found = value(*item.value, scope);
    if (const auto wrong = equate(target, found, item.value->place))
      fail({item.value->place,
            fmt::format("'{}' is in {}, its start value in {}", print(*item.target),
                        text(target.at(*wrong)), text(found.at(*wrong))),
            "",
            {item.value.get()}},
           scope);
  }
}

void UnitCheck::check(const syntax::Limit& limit, const UnitScope& outer) {
  const UnitScope scope = outer.in("limit");
  for (const syntax::LimitItem& item : limit.items) {
    const UnitValue limited = value(*item.value, scope);
    for (const syntax::ExpressionPtr& bound : {item.low, item.high}) {
      const UnitValue found = value(*bound, scope);
      if (const auto wrong = equate(limited, found, bound->place))
        fail({bound->place,
              fmt::format("'{}' is in {}, its bound in {}", print(*item.value),
                          text(limited.at(*wrong)), text(found.at(*wrong))),
              "",
              {bound.get()}},
             scope);
    }
  }
}

void UnitCheck::check(const syntax::Event& event, const UnitScope& outer) {
  const UnitScope scope = outer.in(fmt::format("event '{}'", event.name));
  value(*event.condition, scope);
  for (const syntax::EventAction& action : event.actions) {
    if (action.kind != syntax::EventAction::Kind::set) continue;
    const UnitValue target = value(*action.target, scope), found = value(*action.value, scope);
    if (const auto wrong = equate(target, found, action.value->place))
      fail({action.value->place,
            fmt::format("'{}' is in {}, what it is set to in {}", print(*action.target),
                        text(target.at(*wrong)), text(found.at(*wrong))),
            "",
            {action.value.get()}},
           scope);
  }
}

/// Pictures are drawn in metres; an angle turns a box. They change no number, so a wrong one is only told.
void UnitCheck::check(const syntax::Draw& draw, const UnitScope& outer) {
  const UnitScope scope = outer.in("draw");
  for (const syntax::DrawItem& item : draw.items) {
    const auto drawn = [&](const syntax::Expression& e, const char* what, const Dimension& wanted) {
      const UnitValue found = value(e, scope);
      if (const auto wrong = equate(found, scalar_of(wanted), e.place))
        fail({e.place,
              fmt::format("{} '{}' is in {}, not in {}", what, print(e), text(found.at(*wrong)),
                          unit_text(wanted)),
              "pictures are drawn in m: divide by a length, or multiply by one",
              {&e},
              true},
             scope);
    };
    for (const syntax::ExpressionPtr& point : item.points)
      drawn(*point, "the point", dimensions::length);
    for (const syntax::Argument& option : item.options) {
      if (std::holds_alternative<syntax::Text>(option.value->node)) continue;
      const bool angle = option.name == "angle";
      drawn(*option.value, angle ? "the angle" : "the length",
            angle ? dimensions::none : dimensions::length);
    }
  }
}

/// Parameters and inputs have the units of their names, times are in s.
void UnitCheck::check(const syntax::Experiment& experiment, const UnitScope& outer) {
  static const std::set<std::string, std::less<>> times{"until", "every", "step", "min_step",
                                                        "max_step"};
  const UnitScope scope = outer.in(fmt::format("experiment '{}'", experiment.name));
  for (const syntax::Argument& option : std::get<syntax::Call>(experiment.call->node).arguments) {
    UnitValue wanted;
    if (const auto known = scope.instance->names.find(option.name);
        known != scope.instance->names.end() && known->second.kind != NameKind::size)
      wanted = named(*scope.instance, known->second, option.place).value;
    else if (times.contains(option.name))
      wanted = scalar_of(dimensions::time);
    if (wanted.is_anything()) continue;
    const UnitValue found = value(*option.value, scope);
    if (const auto wrong = equate(wanted, found, option.value->place))
      fail({option.value->place,
            fmt::format("'{}' of {} is in {}, not in {}", option.name, scope.context,
                        text(wanted.at(*wrong)), text(found.at(*wrong))),
            "",
            {option.value.get()}},
           scope);
  }
}

}  // namespace daedal::model
