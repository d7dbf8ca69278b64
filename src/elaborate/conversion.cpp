// Units of what is declared: numbers become SI on reading, and all later values are in SI.
//
//   parameter l = 500 [mm]     is 0.5 m
//   -p l=600                   is 600 mm: a number alone is in the declared unit
//   arm(l = 2*L)               is twice the length L: a quantity has its unit already
#include "daedal/expr/graph.hpp"
#include "elaborate/elaborator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace daedal::model {

using expr::Expr;

/// A text that is no unit is reported, and the name has none.
DeclaredUnit Elaborator::declared_unit(const std::string& text, const Place& place) {
  if (text.empty()) return {};
  UnitFault wrong;
  std::optional<Unit> unit = parse_unit(text, &wrong);
  if (unit) {
    std::string si = unit->is_si() ? text : unit->si;
    return {std::move(unit), std::move(si)};
  }
  Place at = place;
  at.column += static_cast<std::uint32_t>(std::min(wrong.at, text.size() - 1));
  at.length = static_cast<std::uint32_t>(std::max<std::size_t>(wrong.length, 1));
  report_unit({Severity::error, at, wrong.message, {}, wrong.help});
  return {std::nullopt, text};
}

/// Made of numbers, sizes and time alone, in whatever unit.
bool Elaborator::is_bare(Expr value) const {
  const std::vector<expr::Leaf> leaves = expr::leaves(*graph_, std::span(&value, 1));
  return std::all_of(leaves.begin(), leaves.end(),
                     [](expr::Leaf leaf) { return leaf.symbol == expr::time_symbol; });
}

Expr Elaborator::in_si(Expr value, const Unit& unit) {
  return graph_->div(graph_->mul(value, graph_->constant(unit.numerator)),
                     graph_->constant(unit.denominator));
}

/// What stands beside its unit. Formulas of quantities are in SI, and 2*L [mm] would say two things.
void Elaborator::convert_declared(std::vector<Expr>& values, const std::string& name,
                                  const DeclaredUnit& unit, const syntax::Expression& written,
                                  const Place& unit_place) {
  if (!unit.unit || unit.unit->is_si()) return;
  for (Expr& value : values) {
    if (!is_bare(value)) {
      fault(
          unit_place,
          fmt::format("a unit such as {} converts numbers, and the value of '{}' is a formula: {}",
                      unit_place.file->line(unit_place.line)
                          .substr(unit_place.column - 1, unit_place.length),
                      name, print(written)),
          fmt::format("formulas are in SI units: write [{}]", unit.si));
    }
    value = in_si(value, *unit.unit);
  }
}

/// What the command line or the model around a part gives.
void Elaborator::convert_given(std::vector<Expr>& values, const DeclaredUnit& unit) {
  if (!unit.unit || unit.unit->is_si()) return;
  for (Expr& value : values)
    if (is_bare(value)) value = in_si(value, *unit.unit);
}

namespace {

/// "500[mm]", "500 [mm]" or "500 mm" in two; the unit is empty where there is none.
struct WithUnit {
  std::string value, unit;
};

[[noreturn]] void refuse_unit(const std::string& unit, const std::string& what) {
  UnitFault wrong;
  parse_unit(unit, &wrong);
  fault({}, fmt::format("{}: {}", what, wrong.message), wrong.help);
}

WithUnit split_unit(const std::string& text, const std::string& what) {
  const auto is_unit = [](const std::string& unit) {
    return unit.find_first_not_of("0123456789") != std::string::npos && parse_unit(unit);
  };
  if (text.ends_with(']')) {
    const std::size_t open = text.rfind('[');
    if (open == std::string::npos || open == 0) return {text, {}};
    const std::string unit = text.substr(open + 1, text.size() - open - 2);
    const std::size_t end = text.find_last_not_of(' ', open - 1) + 1;
    if (is_unit(unit)) return {text.substr(0, end), unit};
    if (end > 0 && std::isdigit(static_cast<unsigned char>(text[end - 1])) != 0)
      refuse_unit(unit, what);
  } else if (const std::size_t blank = text.rfind(' '); blank != std::string::npos) {
    const std::string unit = text.substr(blank + 1);
    const char before = text[text.find_last_not_of(' ', blank)];
    const bool ends_value =
        std::string_view("0123456789.)]").find(before) != std::string_view::npos;
    if (ends_value && is_unit(unit)) return {text.substr(0, blank), unit};
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    if (ends_value && unit.size() > 1 && unit != "pi" && std::ranges::all_of(unit, is_letter))
      refuse_unit(unit, what);
  }
  return {text, {}};
}

}  // namespace

/// A text of the command line, whose number may have a unit of its own: -p l=0.6[m]. A text from a file has none.
Given Elaborator::override_value(const std::string& text, const std::string& what,
                                 const Scope& scope, const std::string& name,
                                 const DeclaredUnit& unit) {
  const WithUnit parts = split_unit(text, what);
  const syntax::ExpressionPtr e = parse_override(parts.value, what);
  Given given{evaluator_.value(*e, scope), e->place};
  if (parts.unit.empty()) return given;
  const Unit own = *parse_unit(parts.unit);
  if (unit.unit && unit.unit->dimension != own.dimension) {
    fault({}, fmt::format("{}: '{}' is in {}, the value in {}", what, name, unit.si, own.si),
          fmt::format("a unit of the same kind fits, as in  {}='1 {}'", name, unit.si));
  }
  for (Expr& value : given.value.entries) value = in_si(value, own);
  given.in_si = true;
  return given;
}

}  // namespace daedal::model
