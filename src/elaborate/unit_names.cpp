// What names mean to the check of units: stated dimensions, unknown ones, and those of formulas.
#include "daedal/expr/graph.hpp"
#include "daedal/model/functions.hpp"
#include "elaborate/unit_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::model {

namespace {

constexpr std::size_t most_own_units = 16;  // entries of an array that have one each

}  // namespace

long example_index(long k, long first, long last) {
  constexpr long ends = 4;
  if (last - first < static_cast<long>(most_own_units)) return k;
  if (k - first < ends || last - k < ends) return k;
  return first + (last - first) / 2;
}

std::vector<long> examples(long first, long last) {
  std::vector<long> list;
  for (long k = first; k <= last; ++k) {
    const long example = example_index(k, first, last);
    if (list.empty() || list.back() < example) list.push_back(example);
    if (example < k) k = std::max(k, last - 4);
  }
  return list;
}

UnitValue UnitCheck::unknown_scalar() {
  UnitValue value;
  value.kind = UnitValue::Kind::scalar;
  value.entries = {equations_.unknown()};
  return value;
}

UnitValue UnitCheck::loose_scalar() {
  UnitValue value = unknown_scalar();
  value.bare = value.pure = true;
  return value;
}

UnitValue UnitCheck::unknown_of(const Value& shape) {
  UnitValue value;
  value.kind = shape.is_scalar()   ? UnitValue::Kind::scalar
               : shape.is_vector() ? UnitValue::Kind::vector
                                   : UnitValue::Kind::matrix;
  value.rows = shape.shape.rows;
  value.columns = shape.shape.columns;
  const std::size_t own = value.size() <= most_own_units ? value.size() : 1;
  for (std::size_t i = 0; i < std::max<std::size_t>(own, 1); ++i)
    value.entries.push_back(equations_.unknown());
  return value;
}

/// A scalar that fits any shape; anything where there is no unit, or none that is one.
UnitValue UnitCheck::of_unit(const std::string& text, const Place&) {
  UnitValue value;
  if (text.empty()) return value;
  const std::optional<Unit> unit = parse_unit(text);
  if (!unit) return value;
  value.kind = UnitValue::Kind::scalar;
  value.entries = {{unit->dimension, {}}};
  return value;
}

// ---- names

UnitMeaning UnitCheck::named(Instance& instance, Entry& entry, const Place& place) {
  UnitMeaning meaning{{}, nullptr, &instance, &entry};
  if (entry.kind == NameKind::size) {
    meaning.value = unknown_scalar();
    meaning.value.number = UnitValue::Number::plain;
    if (const Value* value = entry.thing.value();
        value != nullptr && value->is_scalar() && graph_.is_constant(value->entries[0]))
      meaning.value.now = graph_.constant_value(value->entries[0]);
    return meaning;
  }
  if (Instance* part = entry.thing.part()) {
    meaning.part = part;
    return meaning;
  }
  if (entry.thing.array() != nullptr) {
    meaning.is_array = true;
    return meaning;
  }
  if (const auto known = values_.find(&entry); known != values_.end()) {
    meaning.value = known->second;
    return meaning;
  }
  if (const auto* item = std::get_if<const syntax::Declaration*>(&entry.definition)) {
    meaning.value = declared(instance, entry, **item);
    return meaning;
  }
  constexpr int deepest = 60;
  if (depth_ > deepest) return meaning;  // names are checked before those that mention them
  ++depth_;
  if (const auto* output = std::get_if<const syntax::Output*>(&entry.definition)) {
    const UnitScope scope{&instance, fmt::format("output '{}'", entry.name), nullptr};
    meaning.value = value(*(*output)->value, scope);
    values_[&entry] = meaning.value;
  } else if (const auto* lets = std::get_if<std::vector<const syntax::Let*>>(&entry.definition);
             lets != nullptr && entry.kind == NameKind::let) {
    meaning.value = let_value(instance, entry, *lets->front(), nullptr);
    values_[&entry] = meaning.value;
  } else if (const auto* line = std::get_if<const syntax::Relation*>(&entry.definition)) {
    if ((*line)->kind == syntax::RelationKind::constraint) {
      meaning.value = multiplier(instance, entry, 0);
      values_[&entry] = meaning.value;
    }
  }
  --depth_;
  (void)place;
  return meaning;
}

/// A parameter, coordinate, variable, input or signal.
UnitValue UnitCheck::declared(Instance&, Entry& entry, const syntax::Declaration& item) {
  const Value* shape = entry.thing.value();
  if (shape == nullptr) return {};
  UnitValue result = unknown_of(*shape);
  if (const UnitValue stated = of_unit(item.unit, item.unit_place); !stated.is_anything())
    result.entries = stated.entries;
  result.anchored = entry.kind == NameKind::parameter;
  values_[&entry] = result;
  return result;
}

/// With a stated unit the let has that, and its formula must agree.
UnitValue UnitCheck::let_value(Instance& instance, Entry& entry, const syntax::Let& let,
                               const UnitLocal* locals) {
  const UnitScope scope{&instance, fmt::format("let '{}'", entry.name), locals};
  UnitValue found = value(*let.value, scope);
  if (found.number != UnitValue::Number::no) {  // a name for a number is a parameter without unit
    found.number = UnitValue::Number::any;
    found.bare = found.pure = false;
    found.anchored = true;
  }
  const UnitValue stated = of_unit(let.unit, let.unit_place);
  if (stated.is_anything()) return found;
  if (const auto wrong = equate(stated, found, let.value->place)) {
    fail({let.value->place,
          fmt::format("'{}' is stated in {}, its value is in {}", entry.name, text(stated.at(0)),
                      text(found.at(*wrong))),
          "",
          {let.value.get()}},
         scope);
  }
  if (found.is_anything()) return stated;
  found.entries = stated.entries;
  return found;
}

/// P[k]: entries of a long array in the middle of it are alike.
UnitMeaning UnitCheck::entry_of_array(Instance& home, Entry& entry, long k) {
  UnitMeaning meaning{{}, nullptr, &home, &entry};
  const auto& all = entry.thing.array()->entries;
  if (all.empty() || !all.contains(k)) return meaning;
  const long example = example_index(k, all.begin()->first, all.rbegin()->first);
  const auto like = all.find(example);
  const Thing& thing = like != all.end() ? like->second : all.at(k);
  if (Instance* part = all.at(k).part()) {
    meaning.part = example_of_.contains(part) ? example_of_.at(part) : part;
    return meaning;
  }
  const Value* shape = thing.value();
  if (shape == nullptr || all.at(k).value() == nullptr || shape->shape != all.at(k).value()->shape)
    return meaning;
  const auto key = std::make_pair(static_cast<const Entry*>(&entry), example);
  if (const auto known = entries_.find(key); known != entries_.end()) {
    meaning.value = known->second;
    return meaning;
  }
  if (std::holds_alternative<const syntax::Relation*>(entry.definition)) {
    meaning.value = multiplier(home, entry, example);
    entries_[key] = meaning.value;
    return meaning;
  }
  const auto* lets = std::get_if<std::vector<const syntax::Let*>>(&entry.definition);
  if (lets == nullptr || depth_ > 60) return meaning;
  meaning.value = unknown_of(*shape);
  entries_[key] = meaning.value;  // P[k-1] in the middle of a long array is P[k]
  ++depth_;
  for (const syntax::Let* let : *lets) {
    const UnitScope scope{&home, fmt::format("let '{}'", entry.name), nullptr};
    UnitLocal index;
    if (let->at != nullptr) {
      if (number(*let->at, scope) != static_cast<double>(example)) continue;
    } else {
      const auto from = number(*let->binder->first, scope), to = number(*let->binder->last, scope);
      if (!from || !to || static_cast<double>(example) < *from ||
          static_cast<double>(example) > *to)
        continue;
      index.name = let->binder->name;
      index.meaning.value = unknown_scalar();
      index.meaning.value.number = UnitValue::Number::plain;
      index.meaning.value.now = static_cast<double>(example);
    }
    const UnitValue found = let_value(home, entry, *let, let->at != nullptr ? nullptr : &index);
    if (const auto wrong = equate(meaning.value, found, let->value->place))
      fail({let->value->place,
            fmt::format("'{}[{}]' is in {}, those before it in {}", entry.name, example,
                        text(found.at(*wrong)), text(meaning.value.at(*wrong))),
            "",
            {let->value.get()}},
           scope);
    entries_[key].anchored = meaning.value.anchored = found.anchored;
    break;
  }
  --depth_;
  return meaning;
}

// ---- multipliers

/// M q'' + ... = G^T lambda: on position level lambda has the unit J/[c], on velocity level W/[c].
UnitValue UnitCheck::multiplier(Instance& home, Entry& entry, long k) {
  const auto& line = *std::get<const syntax::Relation*>(entry.definition);
  const Thing& thing =
      entry.thing.array() != nullptr ? entry.thing.array()->entries.at(k) : entry.thing;
  UnitLocal index;
  UnitScope scope{&home, fmt::format("constraint '{}'", entry.name), nullptr};
  if (line.binder) {
    index.name = line.binder->name;
    index.meaning.value = unknown_scalar();
    index.meaning.value.number = UnitValue::Number::plain;
    index.meaning.value.now = static_cast<double>(k);
    scope.locals = &index;
  }
  UnitValue result = relation(line, scope);
  const Value* multipliers = thing.value();
  if (multipliers == nullptr || multipliers->entries.empty()) return {};
  bool velocity = false;
  const auto row = constraints_.find(graph_.leaf_of(multipliers->entries[0]).symbol);
  if (row != constraints_.end()) {
    const expr::Expr residual = model_.constraints[row->second].residual;
    for (const expr::Leaf& leaf : expr::leaves(graph_, std::span(&residual, 1)))
      velocity = velocity || (leaf.order > 0 && model_.symbols[leaf.symbol].is_position());
  }
  const DimensionTerm work{velocity ? dimensions::power : dimensions::energy, {}};
  for (DimensionTerm& own : result.entries) own = work / own;
  result.number = UnitValue::Number::no;
  return result;
}

UnitValue UnitCheck::force_of(const UnitMeaning& meaning) {
  const bool coordinate = meaning.entry != nullptr && meaning.entry->kind == NameKind::coordinate;
  UnitValue result = meaning.value;
  result.anchored = false;
  if (coordinate)
    for (DimensionTerm& own : result.entries) own = DimensionTerm{dimensions::energy, {}} / own;
  return result;
}

// ---- references

UnitMeaning UnitCheck::meaning(const syntax::Expression& e, const UnitScope& scope) {
  if (const auto* name = std::get_if<syntax::Name>(&e.node)) {
    for (const UnitLocal* local = scope.locals; local != nullptr; local = local->outer)
      if (local->name == name->value) return local->meaning;
    if (const UnitValue* seen = channel(e, scope)) {
      UnitMeaning measured;
      measured.value = *seen;
      return measured;
    }
    for (Instance* at = scope.instance; at != nullptr; at = at->around)
      if (const auto known = at->names.find(name->value); known != at->names.end())
        return named(*at, known->second, e.place);
    UnitMeaning own;
    own.value = unknown_scalar();
    if (name->value == "t") {
      own.value.entries = {{dimensions::time, {}}};
      own.value.clock = true;
    }
    if (name->value == "pi") {
      own.value.number = UnitValue::Number::plain;
      own.value.now = std::acos(-1.0);
      own.value.bare = true;
    }
    return own;
  }
  if (const auto* node = std::get_if<syntax::Member>(&e.node)) return member(*node, scope, e.place);
  if (const auto* node = std::get_if<syntax::Index>(&e.node)) return entries(e, *node, scope);
  UnitMeaning own;
  own.value = value(e, scope);
  return own;
}

UnitMeaning UnitCheck::member(const syntax::Member& node, const UnitScope& scope,
                              const Place& place) {
  const UnitMeaning base = meaning(*node.base, scope);
  UnitMeaning result;
  if (base.part != nullptr) {
    Instance* part = base.part;
    if (const auto example = example_of_.find(part); example != example_of_.end())
      part = example->second;
    const auto known = part->names.find(node.name);
    return known == part->names.end() ? result : named(*part, known->second, place);
  }
  if (node.name == "force") result.value = force_of(base);
  return result;
}

UnitMeaning UnitCheck::entries(const syntax::Expression&, const syntax::Index& node,
                               const UnitScope& scope) {
  UnitMeaning base = meaning(*node.base, scope);
  if (base.is_array) {
    const std::optional<double> k =
        node.indices.size() == 1 ? number(*node.indices[0], scope) : std::nullopt;
    if (!k) return {};
    return entry_of_array(*base.home, *base.entry, static_cast<long>(*k));
  }
  UnitValue& whole = base.value;
  if (whole.is_anything() || whole.kind == UnitValue::Kind::scalar) return {};
  struct Slice {
    std::uint32_t first = 0, end = 0;
    bool range = false, known = true;
  };
  const auto slice = [&](const syntax::Expression& index, std::uint32_t length) {
    const auto* range = std::get_if<syntax::Range>(&index.node);
    const auto from = number(range != nullptr ? *range->first : index, scope);
    const auto to = range != nullptr ? number(*range->last, scope) : from;
    if (!from || !to || *from < 1 || *to > length) return Slice{0, 0, range != nullptr, false};
    return Slice{static_cast<std::uint32_t>(*from) - 1, static_cast<std::uint32_t>(*to),
                 range != nullptr, true};
  };
  const Slice rows = slice(*node.indices[0], whole.rows);
  const Slice columns = node.indices.size() == 2
                            ? slice(*node.indices[1], whole.columns)
                            : Slice{0, whole.columns, whole.kind == UnitValue::Kind::matrix, true};
  if (!rows.known || !columns.known || rows.end <= rows.first) return {};
  UnitMeaning result{{}, nullptr, base.home, base.entry};
  UnitValue& picked = result.value;
  picked.anchored = whole.anchored;
  picked.rows = rows.end - rows.first;
  picked.columns = columns.end - columns.first;
  picked.kind = rows.range && columns.range   ? UnitValue::Kind::matrix
                : rows.range || columns.range ? UnitValue::Kind::vector
                                              : UnitValue::Kind::scalar;
  if (!rows.range && columns.range) std::swap(picked.rows, picked.columns);
  if (whole.entries.size() == 1) {
    picked.entries = whole.entries;
    return result;
  }
  for (std::uint32_t i = rows.first; i < rows.end; ++i)
    for (std::uint32_t j = columns.first; j < columns.end; ++j)
      picked.entries.push_back(whole.at(std::size_t{i} * whole.columns + j));
  return result;
}

}  // namespace daedal::model
