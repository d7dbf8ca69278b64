// Inputs and signals: functions of time.
#include "daedal/expr/calculus.hpp"
#include "model/elaborator.hpp"
#include "model/natural_spline.hpp"
#include "model/signal_file.hpp"

#include <fmt/format.h>

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
                              const Shape& shape) {
  const std::string name = instance.prefix + item.name;
  if (const Override* given = overridden(inputs_, name))
    return overridden_input(name, *given, shape);
  if (item.value == nullptr) return {algebra_.number(0), item.place};
  const Scope scope{&instance, fmt::format("input '{}'", item.name), nullptr};
  return {evaluator_.value(*item.value, scope), item.value->place};
}

/// The text is a formula in the names of the whole model, or "@file.csv".
Given Elaborator::overridden_input(const std::string& name, const Override& given,
                                   const Shape& shape) {
  if (given.text.starts_with("@")) return {input_from_file(name, given.text.substr(1), shape), {}};
  const std::string what = "--input " + name;
  const syntax::ExpressionPtr formula = parse_override(given.text, what);
  return {evaluator_.value(*formula, {top_.get(), what, nullptr, given.command_line}),
          formula->place};
}

/// Every entry takes the column of its name. A file with as many columns as there are entries needs
/// no names.
Value Elaborator::input_from_file(const std::string& name, const std::string& path,
                                  const Shape& shape) {
  const SignalFile file(path, {});
  const Expr time = algebra_.time().entries[0];
  Value result{shape, {}};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::string entry = name + shape.suffix(i);
    const bool in_order = file.columns() == shape.size() && !file.has(entry);
    const std::size_t column = in_order ? i : file.find(entry);
    result.entries.push_back(file.spline(*graph_, column, time, default_spline_smoothness));
  }
  return result;
}

Thing Elaborator::define_input(Instance& instance, const syntax::Declaration& item) {
  const std::string name = instance.prefix + item.name;
  const Shape shape = declared_shape(instance, item);
  if (const auto given = instance.given.find(item.name); given != instance.given.end()) {
    return {Thing::Role::plain,
            Value{shape, broadcast(given->second.value, shape, given->second.place,
                                   fmt::format("input '{}'", name))}};
  }
  const Given given = input_value(instance, item, shape);
  const std::vector<Expr> values =
      broadcast(given.value, shape, given.place, fmt::format("input '{}'", name));
  Value result{shape, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string entry = name + shape.suffix(i);
    Given one{Value::scalar(values[i]), given.place};
    if (const Override* own = shape == Shape::scalar() ? nullptr : overridden(inputs_, entry))
      one = overridden_input(entry, *own, Shape::scalar());
    const std::string what = fmt::format("input '{}'", entry);
    const Expr value = require_scalar(one.value, one.place, what);
    require_known_in_time(value, one.place, what);
    const expr::SymbolId symbol =
        new_symbol({entry, SymbolKind::input, item.unit, item.doc, item.place, 0, 1});
    model_.inputs.push_back({symbol, value});
    result.entries.push_back(graph_->leaf({symbol, 0}));
  }
  return {Thing::Role::plain, std::move(result)};
}

Thing Elaborator::define_signal(Instance& instance, const syntax::Declaration& item) {
  const std::string what = fmt::format("signal '{}'", item.name);
  if (item.value == nullptr)
    fault(item.place, what + " has no value", fmt::format("write  signal {} = sin(t)", item.name));
  const Value value = evaluator_.value(*item.value, {&instance, what, nullptr});
  const Shape shape = item.dimensions.empty() ? value.shape : declared_shape(instance, item);
  Value result{shape, broadcast(value, shape, item.value->place, what)};
  for (const Expr e : result.entries) require_known_in_time(e, item.value->place, what);
  return {Thing::Role::plain, std::move(result)};
}

}  // namespace daedal::model
