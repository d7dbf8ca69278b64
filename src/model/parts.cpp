// Parts: models inside models.
#include "model/elaborator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

Thing Elaborator::define_part(Instance& instance, const syntax::Part& part) {
  const auto& call = std::get<syntax::Call>(part.call->node);
  const syntax::Model& model = model_of_part(part, call);
  const Scope scope{&instance, fmt::format("part '{}'", part.name), nullptr};
  if (!part.binder) return {Thing::Role::plain, make_part(model, call, part.name, scope)};
  const auto array = std::make_shared<Array>();
  evaluator_.loop(*part.binder, scope, [&](long k, const Scope& inner) {
    Instance* made = make_part(model, call, fmt::format("{}[{}]", part.name, k), inner);
    array->entries.emplace(k, Thing{Thing::Role::plain, made});
  });
  return {Thing::Role::plain, std::shared_ptr<const Array>(array)};
}

const syntax::Model& Elaborator::model_of_part(const syntax::Part& part,
                                               const syntax::Call& call) const {
  if (const auto known = models_.find(call.function); known != models_.end()) return *known->second;
  if (call.function == "ancf_beam") {
    fault(call.function_place, "the element 'ancf_beam' is not solved yet by this version",
          "see docs/status.md");
  }
  std::vector<std::string> names;
  for (const auto& [name, model] : models_) names.push_back(name);
  const std::string help = did_you_mean(nearest_name(call.function, names));
  fault(call.function_place,
        fmt::format("unknown model '{}' in part '{}'", call.function, part.name),
        help.empty() ? "models of other files come with  import \"file.daedal\"" : help);
}

/// The arguments are values in the scope around the part.
Instance* Elaborator::make_part(const syntax::Model& model, const syntax::Call& call,
                                const std::string& name, const Scope& scope) {
  Instance& outer = *scope.instance;
  std::unique_ptr<Instance> part =
      instantiate(model, &outer, outer.prefix + name + ".", call.function_place);
  for (const syntax::Argument& argument : call.arguments) {
    if (argument.name.empty())
      fault(argument.place, "the arguments of a part have names", "write  name = value");
    const auto known = part->names.find(argument.name);
    const NameKind kind = known == part->names.end() ? NameKind::let : known->second.kind;
    if (kind != NameKind::parameter && kind != NameKind::size && kind != NameKind::input) {
      std::vector<std::string> candidates;
      for (const auto& [other, entry] : part->names)
        if (entry.kind == NameKind::parameter || entry.kind == NameKind::size)
          candidates.push_back(other);
      std::sort(candidates.begin(), candidates.end());
      fault(argument.place,
            fmt::format("model '{}' has no parameter '{}'", model.name, argument.name),
            did_you_mean(nearest_name(argument.name, candidates)));
    }
    part->given[argument.name] = {evaluator_.value(*argument.value, scope), argument.value->place};
  }
  outer.parts.push_back(std::move(part));
  Instance* made = outer.parts.back().get();
  declare_symbols(*made);
  return made;
}

}  // namespace daedal::model
