// Parts: models inside models.
#include "daedal/language/parse.hpp"
#include "daedal/model/other_languages.hpp"
#include "elaborate/elaborator.hpp"
#include "elaborate/elements.hpp"
#include "elaborate/mentions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace daedal::model {

Thing Elaborator::define_part(Instance& instance, const syntax::Part& part) {
  const auto& call = std::get<syntax::Call>(part.call->node);
  const Scope scope{&instance, fmt::format("part '{}'", part.name), nullptr};
  if (!part.binder) {
    const syntax::Model& model = model_of_part(part, call, scope);
    Instance* made = make_part(model, call, part.name, scope);
    made->made_by = &part;
    return {Thing::Role::plain, made};
  }
  const auto array = std::make_shared<Array>();
  evaluator_.loop(*part.binder, scope, [&](long k, const Scope& inner) {
    const syntax::Model& model = model_of_part(part, call, inner);
    Instance* made = make_part(model, call, fmt::format("{}[{}]", part.name, k), inner);
    made->made_by = &part;
    made->index = k;
    array->entries.emplace(k, Thing{Thing::Role::plain, made});
  });
  return {Thing::Role::plain, std::shared_ptr<const Array>(array)};
}

/// A model of the user's, else an element; elements are made of elements alone, and a model, which
/// cannot contain itself, may have the name of an element it is made of.
const syntax::Model& Elaborator::model_of_part(const syntax::Part& part, const syntax::Call& call,
                                               const Scope& scope) {
  refuse_foreign_ground(part, call, scope);
  const bool in_element = Elements::all().holds(part.place);
  const auto known = models_.find(call.function);
  const bool itself = known != models_.end() && known->second == scope.instance->model;
  const bool element = Elements::all().known(call.function);
  if (known != models_.end() && !in_element && !(itself && element)) return *known->second;
  if (element) return element_of_part(call, scope);
  std::vector<std::string> names;
  for (const auto& [name, model] : models_) names.push_back(name);
  for (const std::string& name : Elements::all().names()) names.push_back(name);
  static constexpr std::array helpers = {"ancf_axis",     "ancf_element", "ancf_node",
                                         "cable_element", "cable_node",   "five_points",
                                         "relative_turn", "triad"};
  std::vector<std::string> elements = Elements::all().names();
  std::erase_if(elements, [](const std::string& name) {
    return std::find(helpers.begin(), helpers.end(), name) != helpers.end();
  });
  std::string help = did_you_mean(nearest_name(call.function, names));
  if (const std::string own = help_for_element(call.function); !own.empty()) help = own;
  fault(call.function_place,
        fmt::format("unknown model '{}' in part '{}'", call.function, part.name),
        help.empty() ? fmt::format("elements are {}; models of other files come with  import "
                                   "\"file.daedal\"",
                                   fmt::join(elements, ", "))
                     : help);
}

namespace {

/// The function of the model around a part that an argument names, or nullptr.
const syntax::Let* function_named(const syntax::Expression& e, const Scope& scope) {
  const auto* name = std::get_if<syntax::Name>(&e.node);
  if (name == nullptr || scope.local(name->value) != nullptr) return nullptr;
  const auto known = scope.instance->names.find(name->value);
  return known == scope.instance->names.end() ? nullptr : known->second.function();
}

}  // namespace

/// A parameter may be given a part or a function; it then denotes that.
Given Elaborator::given_by(const syntax::Expression& e, NameKind kind, const Scope& scope) {
  if (std::holds_alternative<syntax::Quantity>(e.node))
    return {evaluator_.value(e, scope), e.place, nullptr, {}, true};
  if (kind != NameKind::parameter) return {evaluator_.value(e, scope), e.place};
  if (const syntax::Let* function = function_named(e, scope))
    return {{}, e.place, nullptr, {function, scope.instance}};
  Thing thing = evaluator_.thing(e, scope);
  if (thing.part() != nullptr) return {{}, e.place, thing.part()};
  if (thing.function() != nullptr) return {{}, e.place, nullptr, *thing.function()};
  if (auto* value = std::get_if<Value>(&thing.what)) return {std::move(*value), e.place};
  return {evaluator_.value(e, scope), e.place};  // states that it is an array, or returns
}

/// The definition in progress that an expression leads to through the names it mentions; null: it can be evaluated now.
const Entry* Elaborator::needs_itself(const syntax::ExpressionPtr& e, const Scope& scope) const {
  std::vector<std::string> names = mentions(e);
  std::set<std::string> seen;
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    if (scope.local(name) != nullptr || !seen.insert(name).second) continue;
    const auto known = scope.instance->names.find(name);
    if (known == scope.instance->names.end()) continue;
    const Entry& entry = known->second;
    if (entry.state == Entry::State::running && entry.thing.array() == nullptr) return &entry;
    if (entry.state != Entry::State::waiting && entry.state != Entry::State::scheduled) continue;
    const std::vector<std::string> further = mentions(entry.definition);
    names.insert(names.end(), further.begin(), further.end());
  }
  return nullptr;
}

/// part a = cart(u = -a.x): the value is known once the part is there.
Given Elaborator::given_to_input(const syntax::ExpressionPtr& e, const Scope& scope) {
  if (needs_itself(e, scope) == nullptr) return given_by(*e, NameKind::input, scope);
  Given given{{}, e->place};
  auto later = std::make_shared<Postponed>();
  later->value = e;
  later->scope = scope;
  later->scope.locals = nullptr;
  for (const Local* local = scope.locals; local != nullptr; local = local->outer)
    later->locals.push_back(*local);
  given.later = std::move(later);
  return given;
}

/// a = ground: what is not attached to a body is attached to the ground.
void Elaborator::refuse_foreign_ground(const syntax::Part& part, const syntax::Call& call,
                                       const Scope& scope) const {
  for (const syntax::Argument& argument : call.arguments) {
    if (argument.name != "a" || !is_foreign_ground(*argument.value)) continue;
    const std::string name = print(*argument.value);
    if (scope.local(name) != nullptr || scope.instance->names.contains(name)) continue;
    std::string others;
    for (const syntax::Argument& other : call.arguments) {
      if (&other == &argument) continue;
      others += (others.empty() ? "" : ", ") + (other.name.empty() ? "" : other.name + " = ") +
                print(*other.value);
    }
    fault(argument.value->place, fmt::format("there is no part '{}'", name),
          fmt::format("without 'a' it is attached to the ground:  part {} = {}({})", part.name,
                      call.function, others));
  }
}

/// The arguments are values in the scope around the part.
Instance* Elaborator::make_part(const syntax::Model& model, const syntax::Call& call,
                                const std::string& name, const Scope& scope) {
  Instance& outer = *scope.instance;
  const bool element = Elements::all().holds(model.place);
  std::unique_ptr<Instance> part =
      instantiate(model, &outer, outer.prefix + name + ".", call.function_place);
  for (const syntax::Argument& argument : call.arguments) {
    if (argument.name.empty())
      fault(argument.place, "the arguments of a part have names", "write  name = value");
    if (element && argument.name == "dimension") continue;  // has chosen the element
    const auto known = part->names.find(argument.name);
    const NameKind kind = known == part->names.end() ? NameKind::let : known->second.kind;
    if (kind != NameKind::parameter && kind != NameKind::size && kind != NameKind::input) {
      std::vector<std::string> candidates;
      for (const auto& [other, entry] : part->names)
        if (entry.kind == NameKind::parameter || entry.kind == NameKind::size)
          candidates.push_back(other);
      fault(argument.place,
            fmt::format("model '{}' has no parameter '{}'", model.name, argument.name),
            did_you_mean_or_list(argument.name, std::move(candidates)));
    }
    part->given[argument.name] = kind == NameKind::input ? given_to_input(argument.value, scope)
                                                         : given_by(*argument.value, kind, scope);
  }
  if (Elements::all().is_link(model)) prepare_link(*part);
  if (element) {  // consequences of a faulty one are not reported
    declare_parameters(*part);
    check_element(*part);
  }
  outer.parts.push_back(std::move(part));
  Instance* made = outer.parts.back().get();
  if (made->carried_by != nullptr) made->carried_by->carries.push_back(made);
  declare_symbols(*made);
  return made;
}

}  // namespace daedal::model
