// Constraints, equations and servos.
#include "daedal/expr/graph.hpp"
#include "elaborate/elaborator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

using syntax::RelationKind;

namespace {

const char* word(RelationKind kind) {
  switch (kind) {
    case RelationKind::constraint:
      return "constraint";
    case RelationKind::equation:
      return "equation";
    case RelationKind::servo:
      return "servo";
  }
  return "";
}

}  // namespace

Thing Elaborator::define_relation(Instance& instance, const syntax::Relation& relation) {
  const auto context = [&](const std::string& name) {
    return fmt::format("{} '{}'", word(relation.kind), name);
  };
  const Scope scope{&instance, context(relation.name), nullptr};
  if (!relation.binder) return add_relation(relation, instance.prefix + relation.name, scope);
  const auto array = std::make_shared<Array>();
  evaluator_.loop(*relation.binder, scope, [&](long k, const Scope& inner) {
    const std::string name = fmt::format("{}[{}]", relation.name, k);
    Thing row = add_relation(relation, instance.prefix + name, inner.in(context(name)));
    array->entries.emplace(k, std::move(row));
  });
  return {Thing::Role::plain, std::shared_ptr<const Array>(array)};
}

void Elaborator::expand(const syntax::Relation& relation, const Place&, const Scope& scope) {
  if (!relation.name.empty()) {
    if (scope.locals != nullptr) {
      fault(relation.place,
            fmt::format("'{}' would be defined once for every pass of the loop", relation.name),
            fmt::format("give it an index of its own:  {}[k in 1..N]: ...", relation.name));
    }
    named(relation.name, relation.place, scope);
    return;
  }
  const char* kind = word(relation.kind);
  add_relation(relation, fmt::format("{}{}{}", scope.instance->prefix, kind, ++unnamed_relations_),
               scope.in(fmt::format("the {} on line {}", kind, relation.place.line)));
}

/// One row for each entry of left - right. A constraint's name denotes its multiplier; equations
/// and servos have no value.
Thing Elaborator::add_relation(const syntax::Relation& relation, const std::string& name,
                               const Scope& scope) {
  const Value left = evaluator_.value(*relation.left, scope);
  const Value right = evaluator_.value(*relation.right, scope);
  if (left.shape != right.shape) {
    fault(relation.place,
          fmt::format("the sides of {} differ: {} and {}", scope.context, left.shape.text(),
                      right.shape.text()),
          "both sides have as many entries; the length of a vector is norm(r)");
  }
  const Value residual = algebra_.subtract(left, right, relation.place);
  Value multipliers{residual.shape, {}};
  for (std::size_t i = 0; i < residual.entries.size(); ++i) {
    const std::string suffix = residual.shape.suffix(i);
    if (graph_->is_constant(residual.entries[i])) {
      fault(relation.place, fmt::format("{} contains no unknown{}: it says {} = 0", scope.context,
                                        suffix.empty() ? "" : " in entry " + suffix,
                                        number_text(graph_->constant_value(residual.entries[i]))));
    }
    Relation row{name + suffix, residual.entries[i], seen(*scope.instance, relation.place),
                 relation.nonlinear, 0};
    if (relation.kind == RelationKind::servo && is_function_of_time(right.entries[i])) {
      row.output = left.entries[i];
      row.desired = right.entries[i];
    }
    add_row(relation, std::move(row), multipliers);
  }
  if (relation.kind != RelationKind::constraint) return {};
  return {Thing::Role::multiplier, std::move(multipliers)};
}

bool Elaborator::is_function_of_time(expr::Expr e) const {
  const expr::Expr roots[] = {e};
  const std::vector<expr::Leaf> leaves = expr::leaves(*graph_, roots);
  return std::all_of(leaves.begin(), leaves.end(), [&](expr::Leaf leaf) {
    const SymbolKind kind = model_.symbols[leaf.symbol].kind;
    return kind == SymbolKind::time || kind == SymbolKind::parameter;
  });
}

void Elaborator::add_row(const syntax::Relation& relation, Relation row, Value& multipliers) {
  if (relation.kind != RelationKind::constraint) {
    (relation.kind == RelationKind::servo ? model_.servos : model_.equations)
        .push_back(std::move(row));
    return;
  }
  row.multiplier = new_symbol(
      {row.name, SymbolKind::multiplier, "", relation.doc, row.place, 0, 1, false, true});
  multipliers.entries.push_back(graph_->leaf({row.multiplier, 0}));
  constraint_of_.emplace(row.multiplier, model_.constraints.size());
  model_.constraints.push_back(std::move(row));
}

}  // namespace daedal::model
