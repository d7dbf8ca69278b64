// Which names a model has, and how they are resolved.
#include "elaborate/elaborator.hpp"
#include "elaborate/mentions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

namespace {

/// What one name costs, in operations: memory above all. Bounds parts that double in every model.
constexpr std::size_t cost_of_name = 50;

NameKind kind_of(syntax::DeclarationKind kind) {
  switch (kind) {
    case syntax::DeclarationKind::size:
      return NameKind::size;
    case syntax::DeclarationKind::parameter:
      return NameKind::parameter;
    case syntax::DeclarationKind::coordinate:
      return NameKind::coordinate;
    case syntax::DeclarationKind::variable:
      return NameKind::variable;
    case syntax::DeclarationKind::input:
      return NameKind::input;
    case syntax::DeclarationKind::signal:
      return NameKind::signal;
  }
  return NameKind::let;
}

NameKind kind_of(syntax::RelationKind kind) {
  switch (kind) {
    case syntax::RelationKind::constraint:
      return NameKind::constraint;
    case syntax::RelationKind::equation:
      return NameKind::equation;
    case syntax::RelationKind::servo:
      return NameKind::servo;
  }
  return NameKind::equation;
}

bool is_array(const syntax::Let& let) { return let.at != nullptr || let.binder.has_value(); }

}  // namespace

// ---- registering

void Elaborator::register_names(Instance& instance) {
  for (const syntax::Statement& statement : instance.model->statements) {
    if (const auto* declare = std::get_if<syntax::Declare>(&statement.node)) {
      register_declarations(instance, *declare);
    } else if (const auto* let = std::get_if<syntax::Let>(&statement.node)) {
      register_let(instance, *let);
    } else if (const auto* relation = std::get_if<syntax::Relation>(&statement.node)) {
      if (!relation->name.empty()) {
        register_name(instance, relation->name, relation->place, kind_of(relation->kind), relation);
      }
    } else if (const auto* output = std::get_if<syntax::Output>(&statement.node)) {
      register_name(instance, output->name, output->place, NameKind::output, output);
    } else if (const auto* part = std::get_if<syntax::Part>(&statement.node)) {
      register_name(instance, part->name, part->place, NameKind::part, part);
    }
  }
}

void Elaborator::register_declarations(Instance& instance, const syntax::Declare& declare) {
  for (const syntax::Declaration& item : declare.items)
    register_name(instance, item.name, item.place, kind_of(declare.kind), &item);
}

void Elaborator::register_let(Instance& instance, const syntax::Let& let) {
  const auto known = instance.names.find(let.name);
  if (known != instance.names.end() && known->second.kind == NameKind::let && is_array(let)) {
    auto& pieces = std::get<std::vector<const syntax::Let*>>(known->second.definition);
    if (is_array(*pieces.front())) {
      pieces.push_back(&let);
      return;
    }
  }
  register_name(instance, let.name, let.place, let.function ? NameKind::function : NameKind::let,
                std::vector<const syntax::Let*>{&let});
}

void Elaborator::register_name(Instance& instance, const std::string& name, const Place& place,
                               NameKind kind, Definition definition) {
  algebra_.charge(cost_of_name, place);
  if (name == "t" || name == "pi") {
    report({place,
            fmt::format("'{}' is {} and cannot be {}", name, name == "t" ? "time" : "the number pi",
                        with_article(kind)),
            {}});
    return;
  }
  Entry entry;
  entry.kind = kind;
  entry.place = place;
  entry.definition = std::move(definition);
  const auto [known, is_new] = instance.names.try_emplace(name, std::move(entry));
  known->second.name = known->first;
  if (is_new) return;
  report({place, fmt::format("'{}' is declared twice", name),
          fmt::format("it is {} on line {}", with_article(known->second.kind),
                      known->second.place.line)});
}

// ---- resolving

/// Resolves the names that a definition mentions before the definition itself, without recursion:
/// definitions may refer to each other over thousands of steps.
const Thing& Elaborator::resolve(Instance& instance, Entry& entry, const Place& use) {
  if (entry.state != Entry::State::waiting && entry.state != Entry::State::scheduled)
    return settled(entry, use);
  std::vector<Entry*> pending{&entry};
  while (!pending.empty()) {
    Entry& next = *pending.back();
    if (next.state == Entry::State::waiting) {
      next.state = Entry::State::scheduled;
      const std::size_t before = pending.size();
      for (const std::string& name : mentions(next.definition)) {
        const auto known = instance.names.find(name);
        if (known != instance.names.end() && known->second.state == Entry::State::waiting)
          pending.push_back(&known->second);
      }
      std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(before), pending.end());
      continue;
    }
    pending.pop_back();
    if (next.state == Entry::State::scheduled) define(instance, next);
  }
  return settled(entry, use);
}

const Thing& Elaborator::settled(const Entry& entry, const Place& use) const {
  const bool growing = entry.state == Entry::State::running && entry.thing.array() != nullptr;
  if (entry.state == Entry::State::done || growing) return entry.thing;
  if (entry.state == Entry::State::failed) follow_up_fault();
  std::string circle;
  for (auto it = std::find(running_.begin(), running_.end(), &entry); it != running_.end(); ++it)
    circle += fmt::format("{} -> ", (*it)->name);
  fault(use, fmt::format("{} '{}' is defined in terms of itself", text(entry.kind), entry.name),
        circle + std::string(entry.name));
}

void Elaborator::define(Instance& instance, Entry& entry) {
  entry.state = Entry::State::running;
  running_.push_back(&entry);
  const bool good = guarded(instance, [&] { entry.thing = definition_of(instance, entry); });
  running_.pop_back();
  entry.state = good ? Entry::State::done : Entry::State::failed;
  if (good) done_.emplace_back(&instance, &entry);
}

Thing Elaborator::definition_of(Instance& instance, Entry& entry) {
  if (const auto* item = std::get_if<const syntax::Declaration*>(&entry.definition))
    return define_declaration(instance, entry.kind, **item);
  if (const auto* relation = std::get_if<const syntax::Relation*>(&entry.definition))
    return define_relation(instance, **relation);
  if (const auto* output = std::get_if<const syntax::Output*>(&entry.definition))
    return define_output(instance, **output);
  if (const auto* part = std::get_if<const syntax::Part*>(&entry.definition))
    return define_part(instance, **part);
  return entry.kind == NameKind::function ? Thing{} : define_let(instance, entry);
}

Thing Elaborator::define_let(Instance& instance, Entry& entry) {
  const auto& pieces = std::get<std::vector<const syntax::Let*>>(entry.definition);
  const syntax::Let& first = *pieces.front();
  const Scope scope{&instance, fmt::format("let '{}'", first.name), nullptr};
  const DeclaredUnit unit = declared_unit(first.unit, first.unit_place);
  if (!is_array(first)) {
    Thing thing = evaluator_.thing(*first.value, scope);
    if (auto* value = std::get_if<Value>(&thing.what)) {
      convert_declared(value->entries, first.name, unit, *first.value, first.unit_place);
      if (!instance.carries.empty() && first.name.starts_with("full_"))  // of a link (links.daedal)
        add_carried(instance, entry, *value);
    }
    return thing;
  }
  const auto array = std::make_shared<Array>();
  entry.thing = {Thing::Role::plain, std::shared_ptr<const Array>(array)};  // grows below
  const bool lifted = is_lifted(entry, scope);
  const auto add = [&](long k, const syntax::Let& piece, const Scope& inner) {
    Thing thing = evaluator_.thing(*piece.value, inner);
    if (auto* value = std::get_if<Value>(&thing.what))
      convert_declared(value->entries, piece.name, declared_unit(piece.unit, piece.unit_place),
                       *piece.value, piece.unit_place);
    if (lifted) lift(thing, fmt::format("{}{}[{}]", instance.prefix, piece.name, k), piece.place);
    if (!array->entries.emplace(k, std::move(thing)).second)
      fault(piece.place, fmt::format("'{}[{}]' is defined twice", piece.name, k));
  };
  for (const syntax::Let* piece : pieces) {
    if (piece->at != nullptr) {
      add(evaluator_.integer(*piece->at, scope, "an index"), *piece, scope);
    } else {
      evaluator_.loop(*piece->binder, scope,
                      [&](long k, const Scope& inner) { add(k, *piece, inner); });
    }
  }
  return entry.thing;
}

Thing Elaborator::define_output(Instance& instance, const syntax::Output& output) {
  const Scope scope{&instance, fmt::format("output '{}'", output.name), nullptr};
  return {Thing::Role::plain, evaluator_.value(*output.value, scope)};
}

}  // namespace daedal::model
