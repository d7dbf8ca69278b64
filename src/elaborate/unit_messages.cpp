// What the check of units reports: both units, the formula, and where the names in it got theirs.
#include "daedal/language/parse.hpp"
#include "elaborate/elements.hpp"
#include "elaborate/unit_check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

std::string UnitCheck::text(const DimensionTerm& term, bool force) const {
  const DimensionTerm known = equations_.solved(term);
  std::string unit = force ? force_unit_text(known.known) : unit_text(known.known);
  return known.is_known() ? unit
         : unit == "1"    ? "an unknown unit"
                          : unit + " times an unknown unit";
}

/// The names in a formula, each with its unit: "'l' is in m (line 3)".
void UnitCheck::tell_origins(const syntax::Expression& e, const UnitScope& scope,
                             std::vector<std::string>& details) {
  constexpr std::size_t most = 6;
  const bool reference = std::holds_alternative<syntax::Name>(e.node) ||
                         std::holds_alternative<syntax::Member>(e.node) ||
                         std::holds_alternative<syntax::Index>(e.node);
  if (reference) {
    const UnitMeaning found = meaning(e, scope);
    if (found.part != nullptr || found.is_array || found.value.entries.empty() ||
        found.value.number != UnitValue::Number::no)
      return;
    const DimensionTerm& first = found.value.at(0);
    if (!equations_.solved(first).is_known()) return;
    const std::string name = print(e);
    std::string line = fmt::format("'{}' is in {}", name, text(first));
    if (name == "t") return;
    const Elements& elements = Elements::all();
    const Place by = equations_.origin(first);
    if (found.entry != nullptr && elements.holds(found.entry->place))
      line += fmt::format(" (of {})", found.home->model->name);
    else if (by.known() && by.line > 0 && !elements.holds(by))
      line += fmt::format(", found from line {}", by.line);
    else if (found.entry != nullptr && found.entry->place.known())
      line += fmt::format(" (line {})", found.entry->place.line);
    if (details.size() < most && std::find(details.begin(), details.end(), line) == details.end())
      details.push_back(std::move(line));
    return;
  }
  const auto tell = [&](const syntax::ExpressionPtr& inner) {
    if (inner != nullptr) tell_origins(*inner, scope, details);
  };
  if (const auto* chain = std::get_if<syntax::Chain>(&e.node)) {
    tell(chain->first);
    for (const auto& [op, operand] : chain->rest) tell(operand);
  } else if (const auto* power = std::get_if<syntax::Power>(&e.node)) {
    tell(power->base);
  } else if (const auto* negate = std::get_if<syntax::Negate>(&e.node)) {
    tell(negate->operand);
  } else if (const auto* derivative = std::get_if<syntax::Derivative>(&e.node)) {
    tell(derivative->base);
  } else if (const auto* quantity = std::get_if<syntax::Quantity>(&e.node)) {
    tell(quantity->value);
  } else if (const auto* matrix = std::get_if<syntax::Matrix>(&e.node)) {
    for (const auto& row : matrix->rows)
      for (const auto& cell : row) tell(cell);
  } else if (const auto* call = std::get_if<syntax::Call>(&e.node)) {
    for (const syntax::Argument& argument : call->arguments) tell(argument.value);
  }
}

/// An error, unless nothing that is stated is contradicted.
void UnitCheck::fail(const Contradiction& why, const UnitScope& scope) {
  const bool doubt = why.only_told || inferred_ || normalised_;
  const Severity severity = doubt ? Severity::warning : Severity::error;
  Diagnostic diagnostic{severity, why.place, why.message, {}, why.help};
  for (const syntax::Expression* e : why.about)
    if (e != nullptr) tell_origins(*e, scope, diagnostic.details);
  report_(*scope.instance, diagnostic);
}

std::optional<std::size_t> UnitCheck::equate(const UnitValue& a, const UnitValue& b,
                                             const Place& place) {
  if (a.entries.empty() || b.entries.empty() || a.bare || b.bare) return std::nullopt;
  const std::size_t count = std::max(a.entries.size(), b.entries.size());
  if (a.entries.size() != 1 && b.entries.size() != 1 && a.entries.size() != b.entries.size())
    return std::nullopt;  // shapes that the evaluation has refused, or does not know
  std::optional<std::size_t> wrong;
  for (std::size_t i = 0; i < count; ++i)
    if (!equations_.equate(a.at(i), b.at(i), place) && !wrong &&
        equations_.solved(a.at(i)).is_known() && equations_.solved(b.at(i)).is_known())
      wrong = i;  // x' = -x of an x without unit contradicts nothing that is stated
  if (wrong) contradict(a.at(*wrong), b.at(*wrong));
  return wrong;
}

/// A name without a unit that would need two of them may be a product with a factor 1 that is left out.
void UnitCheck::contradict(const DimensionTerm& a, const DimensionTerm& b) {
  inferred_ = !a.is_known() || !b.is_known();
}

/// Made of coordinates, variables and time alone, as -cos(phi) is: normalised, so that no unit of it is stated.
bool UnitCheck::leaves_out_a_factor(const syntax::Expression& e, const UnitScope& scope) {
  const auto made_of = [&](const syntax::Expression& inner) {
    return leaves_out_a_factor(inner, scope);
  };
  if (std::holds_alternative<syntax::Number>(e.node)) return true;
  if (std::holds_alternative<syntax::Name>(e.node) ||
      std::holds_alternative<syntax::Member>(e.node)) {
    const UnitMeaning found = meaning(e, scope);
    if (found.entry == nullptr)
      return found.value.number != UnitValue::Number::no || found.value.clock;
    if (found.entry->kind == NameKind::coordinate || found.entry->kind == NameKind::variable)
      return true;
    const auto* lets = std::get_if<std::vector<const syntax::Let*>>(&found.entry->definition);
    return lets != nullptr && found.entry->kind == NameKind::let && lets->size() == 1 &&
           lets->front()->unit.empty() && !found.is_array &&
           leaves_out_a_factor(*lets->front()->value, {found.home, {}, nullptr});
  }
  if (const auto* index = std::get_if<syntax::Index>(&e.node)) return made_of(*index->base);
  if (const auto* chain = std::get_if<syntax::Chain>(&e.node))
    return made_of(*chain->first) &&
           std::all_of(chain->rest.begin(), chain->rest.end(),
                       [&](const auto& next) { return made_of(*next.second); });
  if (const auto* power = std::get_if<syntax::Power>(&e.node))
    return made_of(*power->base) && made_of(*power->exponent);
  if (const auto* negate = std::get_if<syntax::Negate>(&e.node)) return made_of(*negate->operand);
  if (const auto* derivative = std::get_if<syntax::Derivative>(&e.node))
    return made_of(*derivative->base);
  if (const auto* matrix = std::get_if<syntax::Matrix>(&e.node))
    return std::all_of(matrix->rows.begin(), matrix->rows.end(), [&](const auto& row) {
      return std::all_of(row.begin(), row.end(), [&](const auto& cell) { return made_of(*cell); });
    });
  if (const auto* call = std::get_if<syntax::Call>(&e.node))
    return call->part == nullptr && !scope.instance->names.contains(call->function) &&
           std::all_of(call->arguments.begin(), call->arguments.end(),
                       [&](const syntax::Argument& a) { return made_of(*a.value); });
  return false;
}

}  // namespace daedal::model
