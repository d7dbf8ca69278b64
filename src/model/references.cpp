// Names, members and entries: x, arm[2].tip, P[k-1][2], q[1..3], rod.force.
#include "daedal/base/diagnostic.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/model/evaluator.hpp"
#include "daedal/model/functions.hpp"
#include "daedal/model/other_languages.hpp"
#include "model/level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <tuple>

namespace daedal::model {

using expr::Expr;

/// A named thing is used in place: copying an array for each of its entries would make loops
/// quadratic.
class Evaluator::Found {
 public:
  explicit Found(const Thing& in_place) : in_place_(&in_place) {}
  Found(Thing::Role role, Value value) : made_{role, std::move(value)} {}
  const Thing& operator*() const { return in_place_ != nullptr ? *in_place_ : made_; }
  const Thing* operator->() const { return &**this; }

 private:
  const Thing* in_place_ = nullptr;
  Thing made_;
};

namespace {

/// A member to name where a part is used as a value: its first coordinate, if it has one.
std::string first_coordinate(const Instance& part) {
  const Entry* first = nullptr;
  for (const auto& [name, entry] : part.names)
    if (entry.kind == NameKind::coordinate &&
        (first == nullptr || std::tie(entry.place.line, entry.place.column) <
                                 std::tie(first->place.line, first->place.column)))
      first = &entry;
  return first != nullptr ? std::string(first->name) : "x";
}

const Value& require_value(const Thing& thing, const syntax::Expression& e) {
  if (const Value* value = thing.value()) return *value;
  const std::string name = print(e);
  if (thing.part() != nullptr)
    fault(
        e.place, fmt::format("'{}' is a part, not a value", name),
        fmt::format("take a quantity of it, as in  {}.{}", name, first_coordinate(*thing.part())));
  if (thing.array() != nullptr)
    fault(e.place, fmt::format("'{}' is an array, not a value", name),
          fmt::format("take one entry, as in  {}[1]", name));
  if (thing.function() != nullptr)
    fault(e.place, fmt::format("'{}' is a function and needs arguments", name),
          fmt::format("write  {}(...)", name));
  fault(e.place, fmt::format("'{}' has no value", name), "equations have names, but no values");
}

/// x of x_dot, xdot and dx, where the model has an x; else nothing.
std::string differentiated(std::string_view name, const Instance& instance) {
  const auto known = [&](std::string_view of) {
    return instance.names.contains(std::string(of)) ? std::string(of) : std::string();
  };
  for (const std::string_view ending : {"_dot", "dot"})
    if (name.ends_with(ending)) return known(name.substr(0, name.size() - ending.size()));
  return name.starts_with("d") ? known(name.substr(1)) : std::string();
}

/// The positions [first, end) along one dimension, from 0.
struct Slice {
  std::uint32_t first = 0, end = 0;
  bool range = false;  // 2..3 rather than 2
};

}  // namespace

Evaluator::Found Evaluator::find(const syntax::Expression& e, const Scope& scope) {
  if (scope.instance->around != nullptr)
    if (const Value* value = surroundings_.measured(e, scope))
      return Found(Thing::Role::plain, *value);
  if (const auto* name = std::get_if<syntax::Name>(&e.node))
    return find_name(e, name->value, scope);
  if (const auto* member = std::get_if<syntax::Member>(&e.node))
    return find_member(e, *member, scope);
  if (const auto* index = std::get_if<syntax::Index>(&e.node)) return find_entry(e, *index, scope);
  return Found(Thing::Role::plain, value(e, scope));
}

Thing Evaluator::thing(const syntax::Expression& e, const Scope& scope) {
  const Level level(level_, e.place);
  return *find(e, scope);
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Name&, const Scope& scope) {
  return require_value(*find(e, scope), e);
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Index&, const Scope& scope) {
  return require_value(*find(e, scope), e);
}

Value Evaluator::evaluate(const syntax::Expression& e, const syntax::Member&, const Scope& scope) {
  return require_value(*find(e, scope), e);
}

// ---- names

Evaluator::Found Evaluator::find_name(const syntax::Expression& e, const std::string& name,
                                      const Scope& scope) {
  if (const Thing* local = scope.local(name)) return Found(*local);
  const auto known = scope.instance->names.find(name);
  if (known != scope.instance->names.end() && known->second.function() == nullptr)
    return Found(surroundings_.resolve(*scope.instance, known->second, e.place));
  if (Instance* around = scope.instance->around; around != nullptr)
    if (const auto outer = around->names.find(name);
        outer != around->names.end() && outer->second.function() == nullptr)
      return Found(surroundings_.resolve(*around, outer->second, e.place));
  if (name == "t") return Found(Thing::Role::plain, algebra_.time());
  if (name == "pi") return Found(Thing::Role::plain, algebra_.number(std::numbers::pi));
  if (known != scope.instance->names.end() || is_builtin(name) || name == "der" || name == "sum") {
    fault(e.place, fmt::format("'{}' is a function and needs arguments", name),
          fmt::format("write  {}(...)", name));
  }
  unknown_name(name, e.place, scope);
}

void Evaluator::unknown_name(const std::string& name, const Place& place,
                             const Scope& scope) const {
  std::vector<std::string> candidates{"t", "pi"};
  for (const Local* local = scope.locals; local != nullptr; local = local->outer)
    candidates.emplace_back(local->name);
  for (const Instance* at = scope.instance; at != nullptr; at = at->around)
    for (const auto& [other, entry] : at->names) candidates.push_back(other);
  std::sort(candidates.begin(), candidates.end());
  const std::string near = nearest_name(name, candidates);
  std::string help = did_you_mean(near);
  if (const auto it = scope.instance->names.find(near); it != scope.instance->names.end()) {
    help = fmt::format("did you mean '{}' ({}, line {})?", near, text(it->second.kind),
                       it->second.place.line);
  }
  if (const std::string of = differentiated(name, *scope.instance); !of.empty())
    help = fmt::format("the derivative of '{0}' is written  {0}'", of);
  if (near.empty() || near == "pi")
    if (const std::string own = help_for_name(name); !own.empty()) help = own;
  if (help.empty())
    help = fmt::format("declare it:  parameter {0} = ..., coordinate {0}  or  let {0} = ...", name);
  fault(
      place,
      fmt::format("unknown name '{}'{}", name, scope.context.empty() ? "" : " in " + scope.context),
      std::move(help));
}

// ---- members

/// np.sin(x), math.pi: `used` is the function or number.
void Evaluator::refuse_foreign_module(const syntax::Expression& module, const syntax::Expression& e,
                                      const std::string& used, const Scope& scope) const {
  if (!is_foreign_module(module)) return;
  const std::string name = print(module);
  if (scope.local(name) != nullptr || scope.instance->names.contains(name)) return;
  std::string plain = print(e);
  plain.erase(0, plain.find('.') + 1);
  const bool known = is_builtin(used) || used == "pi";
  fault(module.place, fmt::format("'{}' is no part, and functions need no prefix", name),
        known ? fmt::format("write  {}", plain)
              : "functions and numbers stand alone:  sin(x), sqrt(x), pi");
}

Evaluator::Found Evaluator::find_member(const syntax::Expression& e, const syntax::Member& node,
                                        const Scope& scope) {
  refuse_foreign_module(*node.base, e, node.name, scope);
  if (scope.instance->around != nullptr)
    if (std::optional<Value> law = surroundings_.law(e, scope))
      return Found(Thing::Role::plain, *std::move(law));
  const Found base = find(*node.base, scope);
  if (Instance* part = base->part()) {
    const auto known = part->names.find(node.name);
    if (known != part->names.end())
      return Found(surroundings_.resolve(*part, known->second, e.place));
    std::vector<std::string> candidates;
    for (const auto& [name, entry] : part->names) candidates.push_back(name);
    fault(e.place, fmt::format("model '{}' has no '{}'", part->model->name, node.name),
          did_you_mean_or_list(node.name, std::move(candidates)));
  }
  if (node.name != "force") {
    const std::string own = help_for_member(print(*node.base), node.name);
    fault(
        e.place, fmt::format("'{}' has no member '{}'", print(*node.base), node.name),
        own.empty() ? "parts have members; constraints and driven coordinates have '.force'" : own);
  }
  require_value(*base, *node.base);
  return Found(Thing::Role::plain, force_of(*base, e.place));
}

/// The reaction of a constraint is -lambda, work-conjugate to its left-hand side; the force of a
/// drive is an unknown of its own.
Value Evaluator::force_of(const Thing& thing, const Place& place) {
  const Value& value = *thing.value();
  if (thing.role == Thing::Role::multiplier) return algebra_.negate(value, place);
  if (thing.role != Thing::Role::coordinate)
    fault(place, "only constraints and driven coordinates have a force");
  expr::Graph& graph = algebra_.graph();
  Value result{value.shape, {}};
  for (const Expr e : value.entries) {
    const expr::SymbolId coordinate = graph.leaf_of(e).symbol;
    result.entries.push_back(graph.leaf({surroundings_.drive_force(coordinate, place), 0}));
  }
  return result;
}

// ---- entries

Evaluator::Found Evaluator::find_entry(const syntax::Expression& e, const syntax::Index& node,
                                       const Scope& scope) {
  const Found base = find(*node.base, scope);
  const Array* array = base->array();
  if (array == nullptr) {
    return Found(base->role, entries_of(require_value(*base, *node.base), e, node, scope));
  }
  const std::string name = print(*node.base);
  if (node.indices.size() != 1) {
    fault(e.place, fmt::format("'{}' takes one index", name),
          fmt::format("write  {}[k][i]  for entry i of {}[k]", name, name));
  }
  const long k = integer(*node.indices[0], scope, "an index");
  const auto found = array->entries.find(k);
  if (found != array->entries.end()) return Found(found->second);
  fault(e.place, fmt::format("'{}' has no entry {}", name, k),
        array->entries.empty()
            ? "it has no entries yet"
            : fmt::format("it has entries {} to {}", array->entries.begin()->first,
                          array->entries.rbegin()->first));
}

/// A matrix with one index gives rows: A[2] is a vector, A[1..2] a matrix.
Value Evaluator::entries_of(const Value& value, const syntax::Expression& e,
                            const syntax::Index& node, const Scope& scope) {
  const auto slice = [&](const syntax::Expression& index, std::uint32_t length) {
    const auto* range = std::get_if<syntax::Range>(&index.node);
    const long first = integer(range != nullptr ? *range->first : index, scope, "an index");
    const long last = range != nullptr ? integer(*range->last, scope, "an index") : first;
    if (range != nullptr && last < first) return Slice{0, 0, true};
    if (first < 1 || last > static_cast<long>(length)) {
      fault(index.place,
            fmt::format("index {} is outside 1..{} of '{}'", first < 1 ? first : last, length,
                        print(*node.base)),
            first < 1 ? "the first entry has the index 1" : "");
    }
    return Slice{static_cast<std::uint32_t>(first - 1), static_cast<std::uint32_t>(last),
                 range != nullptr};
  };
  const std::size_t dimensions = value.is_scalar() ? 0 : value.is_vector() ? 1 : 2;
  if (dimensions == 0)
    fault(e.place, fmt::format("'{}' is a number and has no entries", print(*node.base)));
  if (node.indices.size() > dimensions) {
    fault(e.place, fmt::format("'{}' is {} and does not take {} indices", print(*node.base),
                               value.shape.text(), node.indices.size()));
  }
  const Slice rows = slice(*node.indices[0], value.shape.rows);
  const Slice columns = node.indices.size() == 2 ? slice(*node.indices[1], value.shape.columns)
                                                 : Slice{0, value.shape.columns, dimensions == 2};
  std::vector<Expr> picked;
  for (std::uint32_t i = rows.first; i < rows.end; ++i)
    for (std::uint32_t j = columns.first; j < columns.end; ++j) picked.push_back(value(i, j));
  algebra_.charge(picked.size(), e.place);
  if (!rows.range && !columns.range) return Value::scalar(picked[0]);
  if (!rows.range || !columns.range) return Value::vector(std::move(picked));
  return {Shape::matrix(rows.end - rows.first, columns.end - columns.first), std::move(picked)};
}

}  // namespace daedal::model
