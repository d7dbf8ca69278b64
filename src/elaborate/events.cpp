// Events: a condition, and what happens when it turns true.
#include "elaborate/elaborator.hpp"

#include <fmt/format.h>

namespace daedal::model {

void Elaborator::expand(const syntax::Event& event, const Place&, const Scope& outer) {
  const Scope scope = outer.in(fmt::format("event '{}'", event.name));
  Event made{scope.instance->prefix + event.name,
             evaluator_.condition(*event.condition, scope),
             {},
             event.place};
  for (const Event& other : model_.events) {
    if (other.name == made.name) {
      fault(event.place, fmt::format("there are two events '{}'", event.name),
            fmt::format("the other is on line {}", other.place.line));
    }
  }
  for (const syntax::EventAction& action : event.actions)
    made.actions.push_back(event_action(action, scope));
  model_.events.push_back(std::move(made));
}

EventAction Elaborator::event_action(const syntax::EventAction& action, const Scope& scope) {
  EventAction made;
  made.kind = static_cast<EventAction::Kind>(action.kind);  // both: release, attach, set
  made.place = action.place;
  for (const syntax::Argument& option : action.options) {
    if (option.name != "restitution" || action.kind != syntax::EventAction::Kind::attach) {
      fault(option.place, fmt::format("this action has no option '{}'", option.name),
            "attach c (restitution = 0.5)  is the only one");
    }
    made.restitution = evaluator_.number(*option.value, scope, "restitution");
    if (!(made.restitution >= 0 && made.restitution <= 1)) {
      fault(
          option.value->place,
          fmt::format("restitution lies between 0 and 1, not at {}", number_text(made.restitution)),
          "1 reverses the velocity, 0 stops it; more would create energy");
    }
  }
  if (action.kind != syntax::EventAction::Kind::set) {
    collect_constraints(evaluator_.thing(*action.target, scope), action.target->place,
                        made.constraints);
    return made;
  }
  const Value target = evaluator_.value(*action.target, scope);
  made.targets = unknowns_of(target, action.target->place, "what is set");
  for (const expr::Leaf& leaf : made.targets) {
    if (model_.symbols[leaf.symbol].kind == SymbolKind::multiplier) {
      fault(action.target->place, fmt::format("{} follows from the motion and cannot be set",
                                              describe(model_.symbols[leaf.symbol])));
    }
  }
  made.values = broadcast(evaluator_.value(*action.value, scope), target.shape, action.value->place,
                          fmt::format("'{}'", print(*action.target)));
  return made;
}

/// A constraint, an entry of one, or a whole array of them.
void Elaborator::collect_constraints(const Thing& thing, const Place& place,
                                     std::vector<std::size_t>& constraints) const {
  if (const Array* array = thing.array()) {
    for (const auto& [k, entry] : array->entries) collect_constraints(entry, place, constraints);
    return;
  }
  if (thing.role != Thing::Role::multiplier)
    fault(place, "only a constraint can be released or attached");
  for (const expr::Expr e : thing.value()->entries)
    constraints.push_back(constraint_of_.at(graph_->leaf_of(e).symbol));
}

}  // namespace daedal::model
