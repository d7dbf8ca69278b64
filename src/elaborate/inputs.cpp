// Inputs and signals: functions of time.
#include "daedal/expr/graph.hpp"
#include "daedal/model/natural_spline.hpp"
#include "daedal/model/signal_file.hpp"
#include "elaborate/elaborator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

using expr::Expr;

void Elaborator::require_known_in_time(Expr e, const Place& place, const std::string& what) const {
  const Expr roots[] = {e};
  for (const expr::Leaf& leaf : expr::leaves(*graph_, roots)) {
    const Symbol& symbol = model_.symbols[leaf.symbol];
    if (symbol.kind == SymbolKind::time || symbol.kind == SymbolKind::parameter) continue;
    fault(place,
          fmt::format("{} must be made of t and parameters, not of {}", what, describe(symbol)),
          "feedback is written as a force or an equation");
  }
}

/// From the command line, else the default, else 0.
Given Elaborator::input_value(Instance& instance, const syntax::Declaration& item,
                              const Shape& shape, const DeclaredUnit& unit) {
  const std::string name = instance.prefix + item.name;
  if (const Override* given = overridden(inputs_, name))
    return overridden_input(name, *given, shape, unit);
  if (item.value == nullptr) return {algebra_.number(0), item.place};
  const Scope scope{&instance, fmt::format("input '{}'", item.name), nullptr};
  return {evaluator_.value(*item.value, scope), item.value->place};
}

/// The text is a formula in the names of the whole model, or "@file.csv".
Given Elaborator::overridden_input(const std::string& name, const Override& given,
                                   const Shape& shape, const DeclaredUnit& unit) {
  if (given.text.starts_with("@")) return input_from_file(name, given.text.substr(1), shape, unit);
  const std::string what = input_option_ + " " + name;
  if (const syntax::ExpressionPtr e = parse_override(given.text, what);
      const Entry* own = needs_itself(e, {top_.get(), what, nullptr}))
    fault(e->place,
          fmt::format("input '{}' must be made of t and parameters, not of the {} '{}'", name,
                      text(own->kind), own->name),
          fmt::format("feedback is a controller:  controller feedback  and  command {} = {}", name,
                      given.text));
  return override_value(given.text, what, {top_.get(), what, nullptr, given.command_line}, name,
                        unit);
}

/// Every entry takes the column of its name. A file with as many columns as there are entries needs
/// no names. Numbers are in the unit that stands beside that name, else in the declared one.
Given Elaborator::input_from_file(const std::string& name, const std::string& path,
                                  const Shape& shape, const DeclaredUnit& unit) {
  const SignalFile file(path, {});
  const Expr time = algebra_.time().entries[0];
  Value result{shape, {}};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string entry = name + shape.suffix(i);
    const bool in_order = file.columns() == shape.size() && !file.has(entry);
    const std::size_t column = in_order ? i : file.find(entry);
    std::vector<Expr> entry_value{file.spline(*graph_, column, time, default_spline_smoothness)};
    const std::optional<Unit>& own = file.unit(column);
    if (!own)
      convert_given(entry_value, unit);
    else if (unit.unit && own->dimension != unit.unit->dimension)
      fault({}, fmt::format("the signal file '{}' has '{}' in {}, and it is declared in {}", path,
                            entry, own->si, unit.si));
    result.entries.push_back(entry_value.front());
  }
  Given given{std::move(result), {}};
  given.in_si = true;
  return given;
}

Thing Elaborator::define_input(Instance& instance, const syntax::Declaration& item) {
  const std::string name = instance.prefix + item.name;
  const Shape shape = declared_shape(instance, item);
  const DeclaredUnit unit = declared_unit(item.unit, item.unit_place);
  if (const auto given = instance.given.find(item.name); given != instance.given.end()) {
    if (given->second.later != nullptr)
      return {Thing::Role::plain, fed_back(name, item, shape, unit, given->second)};
    Value outer{shape, broadcast(given->second.value, shape, given->second.place,
                                 fmt::format("input '{}'", name))};
    if (!given->second.in_si) convert_given(outer.entries, unit);
    return {Thing::Role::plain, std::move(outer)};
  }
  const double nominal =
      item.options.empty()
          ? 1
          : nominal_of(item, unit.unit,
                       {&instance, fmt::format("the declaration of '{}'", item.name), nullptr});
  const Given given = input_value(instance, item, shape, unit);
  std::vector<Expr> values =
      broadcast(given.value, shape, given.place, fmt::format("input '{}'", name));
  if (item.value != nullptr && given.place.file == item.value->place.file)
    convert_declared(values, item.name, unit, *item.value, item.unit_place);
  else if (!given.in_si)
    convert_given(values, unit);
  Value result{shape, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string entry = name + shape.suffix(i);
    Given one{Value::scalar(values[i]), given.place};
    if (const Override* own = shape == Shape::scalar() ? nullptr : overridden(inputs_, entry)) {
      one = overridden_input(entry, *own, Shape::scalar(), unit);
      if (!one.in_si) convert_given(one.value.entries, unit);
    }
    const std::string what = fmt::format("input '{}'", entry);
    const ActiveController* const controller =
        commanding(entry) != nullptr ? commanding(entry) : commanding(name);
    if (controller != nullptr)
      for (const std::string& signal : {entry, name})
        if (const auto own = inputs_.find(signal); own != inputs_.end() && own->second.command_line)
          fault(controller->made.place,
                fmt::format("controller '{}' commands '{}', which {} {} gives a signal",
                            controller->made.name, entry, own->second.option, signal),
                "leave out one of them");
    if (controller != nullptr && !is_clocked(*controller)) {  // the command is an equation for it
      result.entries.push_back(graph_->leaf(
          {new_symbol({entry, SymbolKind::variable, unit.si, item.doc, item.place, 0, 1}), 0}));
      continue;
    }
    Expr value = require_scalar(one.value, one.place, what);
    require_known_in_time(value, one.place, what);
    const expr::SymbolId symbol =
        new_symbol({entry, SymbolKind::input, unit.si, item.doc, item.place, 0, nominal});
    const bool is_held = std::ranges::find(held_inputs_, entry) != held_inputs_.end();
    if (controller != nullptr || is_held) {
      const std::string owner = is_held ? "held" : controller->made.name;
      const expr::SymbolId held =
          new_symbol({fmt::format("{}.{}", owner, entry), SymbolKind::parameter, unit.si,
                      "the command of a controller", item.place, 0, 1, true});
      value = graph_->leaf({held, 0});
    }
    model_.inputs.push_back({symbol, value});
    result.entries.push_back(graph_->leaf({symbol, 0}));
  }
  return {Thing::Role::plain, std::move(result)};
}

/// A variable with an equation of its own.
Value Elaborator::fed_back(const std::string& name, const syntax::Declaration& item,
                           const Shape& shape, const DeclaredUnit& unit, const Given& given) {
  Value result{shape, {}};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string entry = name + shape.suffix(i);
    if (const ActiveController* const controller =
            commanding(entry) != nullptr ? commanding(entry) : commanding(name))
      fault(given.place,
            fmt::format("controller '{}' commands '{}', which is given a value here",
                        controller->made.name, entry),
            "leave out one of them");
    result.entries.push_back(graph_->leaf(
        {new_symbol({entry, SymbolKind::variable, unit.si, item.doc, item.place, 0, 1}), 0}));
  }
  feedback_.push_back({result, name, unit, given.later});
  return result;
}

void Elaborator::add_feedback() {
  for (const Feedback& feedback : feedback_)
    guarded(*feedback.value->scope.instance, [&] {
      std::vector<Local> locals = feedback.value->locals;
      for (std::size_t k = 0; k + 1 < locals.size(); ++k) locals[k].outer = &locals[k + 1];
      const std::string what = fmt::format("input '{}'", feedback.name);
      Scope scope = feedback.value->scope.in(what);
      if (!locals.empty()) scope.locals = &locals[0];
      const syntax::Expression& written = *feedback.value->value;
      std::vector<Expr> values =
          broadcast(evaluator_.value(written, scope), feedback.input.shape, written.place, what);
      convert_given(values, feedback.unit);
      for (std::size_t i = 0; i < values.size(); ++i)
        model_.equations.push_back(
            {fmt::format("input {}{}", feedback.name, feedback.input.shape.suffix(i)),
             graph_->sub(feedback.input.entries[i], values[i]), written.place});
    });
}

Thing Elaborator::define_signal(Instance& instance, const syntax::Declaration& item) {
  const std::string what = fmt::format("signal '{}'", item.name);
  if (item.value == nullptr)
    fault(item.place, what + " has no value", fmt::format("write  signal {} = sin(t)", item.name));
  const Value value = evaluator_.value(*item.value, {&instance, what, nullptr});
  const Shape shape = item.dimensions.empty() ? value.shape : declared_shape(instance, item);
  Value result{shape, broadcast(value, shape, item.value->place, what)};
  convert_declared(result.entries, item.name, declared_unit(item.unit, item.unit_place),
                   *item.value, item.unit_place);
  for (const Expr e : result.entries) require_known_in_time(e, item.value->place, what);
  return {Thing::Role::plain, std::move(result)};
}

}  // namespace daedal::model
