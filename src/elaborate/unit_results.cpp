// What the check of units has found, in the model's symbols and in a list.
#include "elaborate/elements.hpp"
#include "elaborate/unit_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace daedal::model {

/// "" where nothing fixes it.
std::string UnitCheck::found_unit(const UnitValue& value, std::size_t i, bool force) const {
  if (value.entries.empty()) return {};
  const DimensionTerm term =
      equations_.solved(value.at(i < value.entries.size() ? i : value.entries.size() - 1));
  if (!term.is_known()) return {};
  return force ? force_unit_text(term.known) : unit_text(term.known);
}

/// Symbols and outputs that state no unit get the one that was found; numbers without one stay without.
void UnitCheck::fill_units() {
  const auto shown = [](const std::string& unit) { return unit == "1" ? std::string() : unit; };
  const auto fill = [&](const Value& own, const UnitValue& found, bool force) {
    for (std::size_t i = 0; i < own.entries.size(); ++i) {
      if (graph_.node(own.entries[i]).op != expr::Op::leaf) continue;
      const expr::Leaf leaf = graph_.leaf_of(own.entries[i]);
      Symbol& symbol = model_.symbols[leaf.symbol];
      if (leaf.order == 0 && symbol.unit.empty() && symbol.kind != SymbolKind::time)
        symbol.unit = shown(found_unit(found, i, force));
    }
  };
  std::map<std::string, UnitValue> outputs;  // by name
  for (const auto& [instance, entry] : names_) {
    Instance& example = *example_of_.at(instance);
    Entry& like = example.names.at(std::string(entry->name));
    const bool constraint = entry->kind == NameKind::constraint;
    if (const Value* own = entry->thing.value()) {
      if (entry->kind == NameKind::output)
        outputs[instance->prefix + std::string(entry->name)] = named(example, like, {}).value;
      else if (entry->kind != NameKind::size && entry->kind != NameKind::let)
        fill(*own, named(example, like, {}).value, constraint);
    } else if (const Array* array = entry->thing.array(); array != nullptr) {
      if (!constraint && entry->kind != NameKind::let) continue;
      for (const auto& [k, thing] : array->entries)
        if (const Value* value = thing.value(); value != nullptr && like.thing.array() != nullptr)
          fill(*value, entry_of_array(example, like, k).value, constraint);
    }
  }
  for (NamedValue& output : model_.outputs) {
    if (!output.unit.empty()) continue;
    const std::size_t bracket = output.name.rfind('[');
    auto found = outputs.find(output.name);
    std::size_t i = 0;
    if (found == outputs.end() && bracket != std::string::npos) {
      found = outputs.find(output.name.substr(0, bracket));
      i = static_cast<std::size_t>(std::max(0, std::atoi(output.name.c_str() + bracket + 1) - 1));
    }
    if (found != outputs.end()) output.unit = shown(found_unit(found->second, i, false));
  }
  for (const LiftedLet& let : model_.lifted)
    if (Symbol& force = model_.symbols[let.multiplier]; force.unit.empty())
      force.unit = conjugate_unit(model_.symbols[let.symbol].unit);
  for (const DriveForce& force : model_.drive_forces)
    if (Symbol& symbol = model_.symbols[force.symbol]; symbol.unit.empty())
      symbol.unit = conjugate_unit(model_.symbols[force.coordinate].unit);
}

/// One line for each name that has a value, and more where its entries differ.
void UnitCheck::list_units() {
  for (const auto& [instance, entry] : names_) {
    if ((Elements::all().holds(entry->place) && entry->kind != NameKind::constraint) ||
        entry->kind == NameKind::size || entry->kind == NameKind::part ||
        entry->kind == NameKind::function || entry->kind == NameKind::equation ||
        entry->kind == NameKind::servo)
      continue;
    Instance& example = *example_of_.at(instance);
    Entry& like = example.names.at(std::string(entry->name));
    const bool force = entry->kind == NameKind::constraint;
    const std::string name = instance->prefix + std::string(entry->name);
    std::string stated;
    if (const auto* item = std::get_if<const syntax::Declaration*>(&entry->definition))
      stated = (*item)->unit;
    else if (const auto* lets = std::get_if<std::vector<const syntax::Let*>>(&entry->definition))
      stated = lets->front()->unit;
    else if (const auto* output = std::get_if<const syntax::Output*>(&entry->definition))
      stated = (*output)->unit;
    UnitValue value;
    std::string range;
    if (const Value* own = entry->thing.value()) {
      value = named(example, like, {}).value;
      if (own->is_vector()) range = fmt::format("[1..{}]", own->shape.rows);
      if (own->is_matrix())
        range = fmt::format("[1..{}, 1..{}]", own->shape.rows, own->shape.columns);
    } else if (const Array* array = entry->thing.array();
               array != nullptr && !array->entries.empty()) {
      const auto& entries = array->entries;
      if (entries.begin()->second.part() != nullptr) continue;
      range = fmt::format("[{}..{}]", entries.begin()->first, entries.rbegin()->first);
      value = entry_of_array(example, like, entries.rbegin()->first).value;
    } else {
      continue;
    }
    std::vector<std::string> units;
    for (std::size_t i = 0; i < value.entries.size(); ++i)
      units.push_back(found_unit(value, i, force));
    const bool alike =
        std::adjacent_find(units.begin(), units.end(), std::not_equal_to<>()) == units.end();
    const auto unit = stated.empty() ? std::nullopt : parse_unit(stated);
    const auto add = [&, entry = entry](const std::string& full, const std::string& found) {
      model_.units.push_back({full, std::string(model::text(entry->kind)),
                              unit ? (unit->is_si() ? stated : unit->si) : found, unit.has_value(),
                              entry->place});
    };
    if (units.empty()) {
      add(name + range, "");
    } else if (alike || unit) {
      add(name + range, units[0]);
    } else {
      for (std::size_t i = 0; i < units.size(); ++i)
        add(fmt::format("{}[{}]", name, i + 1), units[i]);
    }
  }
  // in the order of the text, parts after the model around them
  const auto part = [](const UnitOfName& u) {  // "arm[2]." of "arm[2].q[1..3]"
    const std::string path = u.name.substr(0, u.name.find(".."));
    return path.substr(0, path.rfind('.') + 1);
  };
  std::stable_sort(model_.units.begin(), model_.units.end(),
                   [&](const UnitOfName& a, const UnitOfName& b) {
                     const std::string of_a = part(a), of_b = part(b);
                     const auto depth_a = std::count(of_a.begin(), of_a.end(), '.');
                     const auto depth_b = std::count(of_b.begin(), of_b.end(), '.');
                     return std::tie(depth_a, of_a, a.place.line, a.place.column) <
                            std::tie(depth_b, of_b, b.place.line, b.place.column);
                   });
}

}  // namespace daedal::model
