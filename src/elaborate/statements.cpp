// Statements that have no name of their own: energies, loads, start values, limits, pictures.
#include "daedal/expr/graph.hpp"
#include "elaborate/elaborator.hpp"
#include "elaborate/picture.hpp"
#include "elaborate/stated_starts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

using expr::Expr;
using expr::Leaf;

void Elaborator::expand(const syntax::Statement& statement, const Scope& scope) {
  std::visit([&](const auto& node) { expand(node, statement.place, scope); }, statement.node);
}

/// The meaning of a name of the scope's instance; a name that could not be registered was reported.
const Thing& Elaborator::named(const std::string& name, const Place& place, const Scope& scope) {
  const auto known = scope.instance->names.find(name);
  if (known == scope.instance->names.end()) follow_up_fault();
  return resolve(*scope.instance, known->second, place);
}

// ---- definitions: unused ones are resolved now, so that their faults are reported

void Elaborator::expand(const syntax::Declare& declare, const Place&, const Scope& scope) {
  for (const syntax::Declaration& item : declare.items)
    guarded(*scope.instance, [&] { named(item.name, item.place, scope); });
}

void Elaborator::expand(const syntax::Let& let, const Place&, const Scope& scope) {
  named(let.name, let.place, scope);
}

void Elaborator::expand(const syntax::Part& part, const Place&, const Scope& scope) {
  named(part.name, part.place, scope);
}

void Elaborator::expand(const syntax::Output& output, const Place&, const Scope& scope) {
  const Value* value = named(output.name, output.place, scope).value();
  if (value == nullptr) follow_up_fault();  // the name is already in use, which was reported
  const DeclaredUnit unit = declared_unit(output.unit, output.unit_place);
  for (std::size_t i = 0; i < value->entries.size(); ++i) {
    model_.outputs.push_back({scope.instance->prefix + output.name + value->shape.suffix(i),
                              value->entries[i], unit.si, output.doc, output.place});
  }
}

void Elaborator::expand(const syntax::For& loop, const Place&, const Scope& scope) {
  evaluator_.loop(loop.binder, scope, [&](long, const Scope& inner) { expand(*loop.body, inner); });
}

// ---- energies

/// Energies stay lists of terms, sums written out term by term, so that terms of one shape can
/// share a kernel.
void Elaborator::collect_terms(const syntax::Expression& e, bool negative, const Scope& scope,
                               std::vector<EnergyTerm>& terms) {
  if (const auto* negate = std::get_if<syntax::Negate>(&e.node)) {
    collect_terms(*negate->operand, !negative, scope, terms);
    return;
  }
  const auto* chain = std::get_if<syntax::Chain>(&e.node);
  const bool additive = chain != nullptr && (chain->rest[0].first == syntax::ChainOp::add ||
                                             chain->rest[0].first == syntax::ChainOp::subtract);
  if (additive) {
    collect_terms(*chain->first, negative, scope, terms);
    for (const auto& [op, operand] : chain->rest)
      collect_terms(*operand, negative != (op == syntax::ChainOp::subtract), scope, terms);
    return;
  }
  if (const auto* sum = std::get_if<syntax::Sum>(&e.node)) {
    evaluator_.loop(sum->binder, scope, [&](long, const Scope& inner) {
      collect_terms(*sum->body, negative, inner, terms);
    });
    return;
  }
  const Expr value = evaluator_.scalar(e, scope, scope.context);
  if (!graph_->is_constant(value))
    terms.push_back({negative ? graph_->neg(value) : value, e.place});
}

/// Energies depend on positions, velocities, time, inputs and variables.
void Elaborator::check_energy(const EnergyTerm& term, syntax::EnergyKind kind,
                              const std::string& context) const {
  const bool potential = kind == syntax::EnergyKind::potential;
  const Expr roots[] = {term.value};
  for (const Leaf& leaf : expr::leaves(*graph_, roots)) {
    const Symbol& symbol = model_.symbols[leaf.symbol];
    if (symbol.kind == SymbolKind::multiplier) {
      fault(term.place, fmt::format("{} contains {}", context, describe(symbol)),
            "a force that depends on a reaction is written as a force");
    }
    if (symbol.is_position() && leaf.order > (potential ? 0 : 1)) {
      fault(term.place, fmt::format("{} contains {}", context, name_of(symbol, leaf.order)),
            potential ? "a potential energy depends on positions and time"
                      : "it depends on positions, velocities and time");
    }
  }
}

void Elaborator::expand(const syntax::Energy& energy, const Place& place, const Scope& outer) {
  static constexpr const char* words[] = {"the kinetic energy", "the potential energy",
                                          "the dissipation"};
  std::vector<EnergyTerm>* lists[] = {&model_.kinetic, &model_.potential, &model_.dissipation};
  const auto kind = static_cast<std::size_t>(energy.kind);
  const Scope scope = outer.in(words[kind]);
  std::vector<EnergyTerm> terms;
  collect_terms(*energy.value, false, scope, terms);
  for (const EnergyTerm& term : terms) {
    check_energy(term, energy.kind, scope.context);
    lists[kind]->push_back({term.value, seen(*scope.instance, place)});
  }
}

// ---- loads

void Elaborator::expand(const syntax::Load& load, const Place& place, const Scope& outer) {
  const bool torque = load.kind == syntax::LoadKind::about;
  const Scope scope = outer.in(torque ? "a torque" : "a force");
  const Value force = evaluator_.value(*load.load, scope);
  const Value target = evaluator_.value(*load.target, scope);
  if (force.shape != target.shape) {
    fault(place,
          fmt::format("{} is {}, what it acts on {}", scope.context, force.shape.text(),
                      target.shape.text()),
          torque ? "a torque acts about an angle, as in  torque u about phi"
                 : "a force has as many entries as what it acts on: F on x, [F, 0] at [x, y]");
  }
  if (load.kind == syntax::LoadKind::on) {
    for (const Expr e : target.entries) {
      const expr::SymbolId coordinate = require_coordinate(
          e, load.target->place, "a force",
          "use  force F at P  for a point and  torque tau about angle  for an angle");
      forces_on_.emplace_back(coordinate, place);
    }
  }
  for (const Leaf& leaf : expr::leaves(*graph_, target.entries)) {
    const Symbol& symbol = model_.symbols[leaf.symbol];
    if (symbol.is_position() && leaf.order > 0) {
      fault(load.target->place, fmt::format("{} acts on a position, which cannot contain {}",
                                            scope.context, name_of(symbol, leaf.order)));
    }
  }
  for (std::size_t i = 0; i < force.entries.size(); ++i)
    model_.loads.push_back({force.entries[i], target.entries[i], seen(*scope.instance, place)});
}

// ---- start values

/// The unknowns (or their derivatives) that `value` consists of.
std::vector<Leaf> Elaborator::unknowns_of(const Value& value, const Place& place,
                                          const std::string& what) const {
  std::vector<Leaf> leaves;
  for (const Expr e : value.entries) {
    const bool leaf = graph_->node(e).op == expr::Op::leaf;
    const Symbol& symbol = model_.symbols[leaf ? graph_->leaf_of(e).symbol : expr::time_symbol];
    if (!leaf || symbol.kind == SymbolKind::time || symbol.kind == SymbolKind::parameter ||
        symbol.kind == SymbolKind::input || symbol.kind == SymbolKind::lifted) {
      fault(place, fmt::format("{} must be a coordinate, a variable or a derivative of one{}", what,
                               leaf ? ", not " + describe(symbol) : ""));
    }
    leaves.push_back(graph_->leaf_of(e));
  }
  return leaves;
}

/// The outer model takes precedence: depth 0 is the model that runs.
void Elaborator::add_start(const StartValue& start, int depth) {
  const auto [origin, is_new] =
      start_origins_.try_emplace(start.leaf, StartOrigin{model_.starts.size(), depth});
  if (is_new) {
    model_.starts.push_back(start);
    return;
  }
  StartOrigin& known = origin->second;
  if (known.depth == depth) {
    fault(start.place,
          fmt::format("the start value of '{}' is given twice",
                      name_of(model_.symbols[start.leaf.symbol], start.leaf.order)),
          fmt::format("it is given on line {}", model_.starts[known.index].place.line));
  }
  if (known.depth < depth) return;
  known.depth = depth;
  model_.starts[known.index] = start;
}

void Elaborator::expand(const syntax::Initial& initial, const Place&, const Scope& outer) {
  const Scope scope = outer.in("initial");
  for (const syntax::InitialItem& item : initial.items) {
    const Value target = evaluator_.value(*item.target, scope);
    const std::vector<Leaf> leaves =
        unknowns_of(target, item.target->place, "what has a start value");
    const std::vector<Expr> values =
        broadcast(evaluator_.value(*item.value, scope), target.shape, item.value->place,
                  fmt::format("'{}'", print(*item.target)));
    warn_of_unit(item, leaves, values);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const std::string name = name_of(model_.symbols[leaves[i].symbol], leaves[i].order);
      const bool stated = item.fixed || is_stated(*scope.instance, item.value, leaves[i].order,
                                                  in_table(parameters_));
      StartValue start{leaves[i], 0, item.fixed, seen(*scope.instance, item.target->place)};
      start.stated = stated;
      if (is_made_of_lower_derivatives(values[i], leaves[i].order))
        start.formula = values[i];
      else
        start.value = evaluator_.number(values[i], item.value->place,
                                        fmt::format("the start value of '{}'", name));
      add_start(start, scope.instance->depth);
    }
  }
}

/// Numbers without a unit are in SI, which who declared mm may not expect.
void Elaborator::warn_of_unit(const syntax::InitialItem& item, const std::vector<Leaf>& leaves,
                              const std::vector<Expr>& values) {
  if (std::holds_alternative<syntax::Quantity>(item.value->node)) return;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto declared = declared_in_.find(leaves[i].symbol);
    if (declared == declared_in_.end() || !is_bare(values[i]) || graph_->is_constant(values[i], 0))
      continue;
    const int order = leaves[i].order;
    const std::string per_time = order == 0 ? "" : order == 1 ? "/s" : fmt::format("/s^{}", order);
    const Symbol& symbol = model_.symbols[leaves[i].symbol];
    diagnostics_.warning(item.value->place,
                         fmt::format("the start value of '{}' is in {}, and '{}' is declared in {}",
                                     name_of(symbol, order), derivative_unit(symbol.unit, order),
                                     symbol.name, declared->second),
                         fmt::format("state its unit:  initial {} = {} [{}{}]", print(*item.target),
                                     print(*item.value), declared->second, per_time));
    return;
  }
}

/// Whether a start value of that order of derivative contains unknowns, and only in lower orders.
bool Elaborator::is_made_of_lower_derivatives(Expr value, int order) const {
  const Expr roots[] = {value};
  bool unknowns = false;
  for (const Leaf& leaf : expr::leaves(*graph_, roots)) {
    const SymbolKind kind = model_.symbols[leaf.symbol].kind;
    if (kind == SymbolKind::parameter) continue;
    if ((kind != SymbolKind::coordinate && kind != SymbolKind::variable) || leaf.order >= order)
      return false;
    unknowns = true;
  }
  return unknowns;
}

/// At the start values, lower derivatives before higher ones.
void Elaborator::evaluate_start_formulas() {
  std::map<Leaf, double> known;
  std::vector<StartValue*> open;
  for (StartValue& start : model_.starts)
    if (start.formula)
      open.push_back(&start);
    else
      known[start.leaf] = start.value;
  std::stable_sort(open.begin(), open.end(), [](const StartValue* a, const StartValue* b) {
    return a->leaf.order < b->leaf.order;
  });
  for (StartValue* start : open) {
    const Expr roots[] = {*start->formula};
    start->value = expr::evaluate(*graph_, roots, [&](Leaf leaf) {
      if (model_.symbols[leaf.symbol].kind == SymbolKind::parameter)
        return model_.symbols[leaf.symbol].value;
      const auto found = known.find(leaf);
      return found == known.end() ? 0.0 : found->second;
    })[0];
    known[start->leaf] = start->value;
  }
}

// ---- limits and pictures

void Elaborator::expand(const syntax::Limit& limit, const Place&, const Scope& outer) {
  const Scope scope = outer.in("limit");
  for (const syntax::LimitItem& item : limit.items) {
    const Value value = evaluator_.value(*item.value, scope);
    const Expr low = evaluator_.scalar(*item.low, scope, "a bound");
    const Expr high = evaluator_.scalar(*item.high, scope, "a bound");
    const bool numbers = graph_->is_constant(low) && graph_->is_constant(high);
    if (numbers && !(graph_->constant_value(low) <= graph_->constant_value(high))) {
      fault(item.low->place,
            fmt::format("the lower bound {} is above the upper bound {}",
                        graph_->constant_value(low), graph_->constant_value(high)));
    }
    const std::string text = scope.instance->prefix + print(*item.value);
    for (std::size_t i = 0; i < value.entries.size(); ++i) {
      model_.limits.push_back(
          {text + value.shape.suffix(i), value.entries[i], low, high, item.value->place});
    }
  }
}

void Elaborator::expand(const syntax::Draw& draw, const Place&, const Scope& outer) {
  const Scope scope = outer.in("draw");
  for (const syntax::DrawItem& item : draw.items) {
    check_shape(item);
    DrawItem made;
    made.shape = item.shape;
    made.place = item.place;
    for (const syntax::ExpressionPtr& point : item.points) {
      const Value value = evaluator_.value(*point, scope);
      if (value.shape != Shape::vector(2) && value.shape != Shape::vector(3)) {
        fault(point->place,
              fmt::format("a point is a vector of 2 or 3, not {}", value.shape.text()),
              "write  [x, y], y upwards, or [x, y, z], z upwards");
      }
      made.points.push_back(value.entries);
    }
    for (const syntax::Argument& option : item.options) {
      if (const auto* text = std::get_if<syntax::Text>(&option.value->node))
        made.texts.emplace(option.name, text->value);
      else
        made.options.emplace(option.name, evaluator_.scalar(*option.value, scope, option.name));
    }
    model_.drawing.push_back(std::move(made));
  }
}

}  // namespace daedal::model
