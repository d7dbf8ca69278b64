// Parts: models inside models.
#include "model/elaborator.hpp"
#include "model/elements.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

Thing Elaborator::define_part(Instance& instance, const syntax::Part& part) {
  const auto& call = std::get<syntax::Call>(part.call->node);
  const Scope scope{&instance, fmt::format("part '{}'", part.name), nullptr};
  if (!part.binder) {
    const syntax::Model& model = model_of_part(part, call, scope);
    return {Thing::Role::plain, make_part(model, call, part.name, scope)};
  }
  const auto array = std::make_shared<Array>();
  evaluator_.loop(*part.binder, scope, [&](long k, const Scope& inner) {
    const syntax::Model& model = model_of_part(part, call, inner);
    Instance* made = make_part(model, call, fmt::format("{}[{}]", part.name, k), inner);
    array->entries.emplace(k, Thing{Thing::Role::plain, made});
  });
  return {Thing::Role::plain, std::shared_ptr<const Array>(array)};
}

/// A model of the user's, else an element; elements are made of elements alone, and a model, which
/// cannot contain itself, may have the name of an element it is made of.
const syntax::Model& Elaborator::model_of_part(const syntax::Part& part, const syntax::Call& call,
                                               const Scope& scope) {
  const bool in_element = Elements::all().holds(part.place);
  const auto known = models_.find(call.function);
  const bool itself = known != models_.end() && known->second == scope.instance->model;
  const bool element = Elements::all().known(call.function);
  if (known != models_.end() && !in_element && !(itself && element)) return *known->second;
  if (element) return element_of_part(call, scope);
  std::vector<std::string> names;
  for (const auto& [name, model] : models_) names.push_back(name);
  for (const std::string& name : Elements::all().names()) names.push_back(name);
  const std::string help = did_you_mean(nearest_name(call.function, names));
  fault(call.function_place,
        fmt::format("unknown model '{}' in part '{}'", call.function, part.name),
        help.empty() ? "models of other files come with  import \"file.daedal\"" : help);
}

/// A parameter may be given a part; it then stands for it.
Given Elaborator::given_by(const syntax::Expression& e, NameKind kind, const Scope& scope) {
  if (kind != NameKind::parameter) return {evaluator_.value(e, scope), e.place};
  Thing thing = evaluator_.thing(e, scope);
  if (thing.part() != nullptr) return {{}, e.place, thing.part()};
  if (auto* value = std::get_if<Value>(&thing.what)) return {std::move(*value), e.place};
  return {evaluator_.value(e, scope), e.place};  // tells that it is an array, or nothing
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
    part->given[argument.name] = given_by(*argument.value, kind, scope);
  }
  if (element) {  // a faulty one tells nothing that follows from it
    declare_parameters(*part);
    check_element(*part);
  }
  outer.parts.push_back(std::move(part));
  Instance* made = outer.parts.back().get();
  declare_symbols(*made);
  return made;
}

}  // namespace daedal::model
