// Sizes, parameters, coordinates and variables: names that become numbers or symbols.
#include "elaborate/elaborator.hpp"
#include "elaborate/stated_starts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::model {

using expr::Expr;

Thing Elaborator::define_declaration(Instance& instance, NameKind kind,
                                     const syntax::Declaration& item) {
  const bool unknown = kind == NameKind::coordinate || kind == NameKind::variable;
  if (!unknown && item.fixed)
    fault(item.place, with_article(kind) + " cannot be fixed",
          "start values of coordinates and variables can");
  if (!unknown && kind != NameKind::input && !item.options.empty())
    fault(item.options[0].place, with_article(kind) + " has no options");
  switch (kind) {
    case NameKind::size:
      return define_size(instance, item);
    case NameKind::parameter:
      return define_parameter(instance, item);
    case NameKind::input:
      return define_input(instance, item);
    case NameKind::signal:
      return define_signal(instance, item);
    default:
      return define_unknown(
          instance, kind == NameKind::coordinate ? SymbolKind::coordinate : SymbolKind::variable,
          item);
  }
}

expr::SymbolId Elaborator::new_symbol(Symbol symbol) {
  const Limits& limits = algebra_.limits();
  if (static_cast<long>(model_.symbols.size()) > limits.entries)
    fault(symbol.place, fmt::format("a model has at most {} quantities", limits.entries));
  model_.symbols.push_back(std::move(symbol));
  return static_cast<expr::SymbolId>(model_.symbols.size() - 1);
}

/// Shape of name, name[1..N] or name[1..N, 1..M].
Shape Elaborator::declared_shape(Instance& instance, const syntax::Declaration& item) {
  if (item.dimensions.empty()) return Shape::scalar();
  if (item.dimensions.size() > 2) {
    fault(item.place, fmt::format("'{}' has {} dimensions; one or two are possible", item.name,
                                  item.dimensions.size()));
  }
  const Scope scope{&instance, fmt::format("the size of '{}'", item.name), nullptr};
  std::uint32_t lengths[2] = {1, 1};
  double entries = 1;
  for (std::size_t i = 0; i < item.dimensions.size(); ++i) {
    const syntax::Expression& dimension = *item.dimensions[i];
    const auto* range = std::get_if<syntax::Range>(&dimension.node);
    const long first =
        range != nullptr ? evaluator_.integer(*range->first, scope, "the start of a range") : 1;
    if (first != 1) {
      const long last = evaluator_.integer(*range->last, scope, "the end of a range");
      const bool entries_there = last >= first && item.dimensions.size() == 1;
      fault(dimension.place, fmt::format("the entries of '{}' are counted from 1", item.name),
            entries_there ? fmt::format("write  {}[1..{}]; a let-array may start at any integer",
                                        item.name, last - first + 1)
                          : "let-arrays may start at any integer");
    }
    const long last = evaluator_.integer(range != nullptr ? *range->last : dimension, scope,
                                         "the end of a range");
    entries *= static_cast<double>(std::max(last, 0L));
    if (entries > static_cast<double>(algebra_.limits().entries)) {
      fault(dimension.place, fmt::format("'{}' would have {:.0f} entries; a model has at most {}",
                                         item.name, entries, algebra_.limits().entries));
    }
    lengths[i] = static_cast<std::uint32_t>(std::max(last, 0L));
  }
  return item.dimensions.size() == 1 ? Shape::vector(lengths[0])
                                     : Shape::matrix(lengths[0], lengths[1]);
}

// ---- what the command line gives

const Elaborator::Override* Elaborator::overridden(OverrideTable& table, const std::string& name) {
  const auto given = table.find(name);
  if (given == table.end()) return nullptr;
  given->second.used = true;
  return &given->second;
}

syntax::ExpressionPtr Elaborator::parse_override(const std::string& text, const std::string& what) {
  Diagnostics faults;
  syntax::ExpressionPtr e =
      model::parse_expression(std::make_shared<SourceFile>(what, text), faults);
  for (const Diagnostic& diagnostic : faults.list())
    report({diagnostic.place, diagnostic.message, diagnostic.help});
  if (e == nullptr || faults.has_errors()) follow_up_fault();
  return e;
}

// ---- sizes

Thing Elaborator::define_size(Instance& instance, const syntax::Declaration& item) {
  if (!item.dimensions.empty()) fault(item.place, "a size is one number");
  const std::string name = instance.prefix + item.name;
  const std::string what = fmt::format("size '{}'", name);
  const Scope scope{&instance, what, nullptr};
  long value = 0;
  if (const Override* own = overridden(parameters_, name)) {
    value = evaluator_.integer(*parse_override(own->text, own->option + " " + name), scope, what);
  } else if (const auto given = instance.given.find(item.name); given != instance.given.end()) {
    value = evaluator_.integer(given->second.value, given->second.place, what);
  } else if (item.value != nullptr) {
    value = evaluator_.integer(*item.value, scope, what);
  } else if (instance.parent != nullptr) {
    fault(instance.use,
          fmt::format("size '{}' of model '{}' has no value", item.name, instance.model->name),
          fmt::format("give one:  {} = ...", item.name));
  } else {
    fault(item.place, fmt::format("size '{}' has no value", name),
          fmt::format("give one here, or with  `parameters = {}=4`", name));
  }
  model_.sizes[name] = value;
  return {Thing::Role::plain, algebra_.number(static_cast<double>(value))};
}

// ---- parameters

/// The first that exists: from the command line, from the model around the part, the default.
Given Elaborator::parameter_value(Instance& instance, const syntax::Declaration& item,
                                  const DeclaredUnit& unit) {
  const std::string name = instance.prefix + item.name;
  const Scope scope{&instance, fmt::format("parameter '{}'", item.name), nullptr};
  if (const Override* own = overridden(parameters_, name))
    return override_value(own->text, own->option + " " + name, scope, name, unit);
  if (const auto given = instance.given.find(item.name); given != instance.given.end())
    return given->second;
  if (item.value != nullptr) return given_by(*item.value, NameKind::parameter, scope);
  if (instance.parent != nullptr) {
    fault(instance.use,
          fmt::format("parameter '{}' of model '{}' has no value", item.name, instance.model->name),
          fmt::format("give one:  {} = ...", item.name));
  }
  fault(item.place, fmt::format("parameter '{}' has no value", name),
        fmt::format("give one here, or with  `parameters = {}=1`", name));
}

/// A number becomes a parameter; what the model around a part gives as an expression stays one, so
/// that a change of the outer parameters reaches the part.
Thing Elaborator::define_parameter(Instance& instance, const syntax::Declaration& item) {
  const std::string name = instance.prefix + item.name;
  const DeclaredUnit unit = declared_unit(item.unit, item.unit_place);
  const Given given = parameter_value(instance, item, unit);
  if (given.part != nullptr) return {Thing::Role::plain, given.part};
  if (given.function.let != nullptr) return {Thing::Role::plain, given.function};
  const Shape shape = item.dimensions.empty() ? given.value.shape : declared_shape(instance, item);
  std::vector<Expr> values =
      broadcast(given.value, shape, given.place, fmt::format("parameter '{}'", name));
  const bool from_outside = instance.given.contains(item.name);
  if (item.value != nullptr && given.place.file == item.value->place.file && !from_outside)
    convert_declared(values, item.name, unit, *item.value, item.unit_place);
  else if (!given.in_si)
    convert_given(values, unit);
  Value result{shape, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string entry = name + shape.suffix(i);
    const std::string what = fmt::format("parameter '{}'", entry);
    const Override* own =
        shape.size() > 0 && !shape.suffix(i).empty() ? overridden(parameters_, entry) : nullptr;
    double number = 0;
    if (own != nullptr) {
      const Scope scope{&instance, what, nullptr};
      const Given one = override_value(own->text, own->option + " " + entry, scope, entry, unit);
      std::vector<Expr> value{require_scalar(one.value, one.place, what)};
      if (!one.in_si) convert_given(value, unit);
      number = evaluator_.number(value[0], one.place, what);
    } else if (from_outside && !graph_->is_constant(values[i])) {
      result.entries.push_back(values[i]);
      continue;
    } else {
      number = evaluator_.number(values[i], given.place, what);
    }
    const expr::SymbolId symbol = new_symbol(
        {entry, SymbolKind::parameter, unit.si, item.doc, seen(instance, item.place), number, 1});
    result.entries.push_back(graph_->leaf({symbol, 0}));
  }
  return {Thing::Role::plain, std::move(result)};
}

// ---- coordinates and variables

/// In SI, as a number of the declared unit unless it has its own.
double Elaborator::nominal_of(const syntax::Declaration& item, const std::optional<Unit>& unit,
                              const Scope& scope) {
  double nominal = unit ? unit->to_si(1) : 1;
  for (const syntax::Argument& option : item.options) {
    if (option.name.empty()) {
      fault(option.place, fmt::format("'{}' takes no arguments", item.name),
            fmt::format("the start value is written  {} = ...", item.name));
    }
    if (option.name != "nominal") {
      fault(option.place, fmt::format("'{}' has no option '{}'", item.name, option.name),
            "the option is  nominal");
    }
    nominal = evaluator_.number(*option.value, scope, "nominal");
    if (unit && !std::holds_alternative<syntax::Quantity>(option.value->node))
      nominal = unit->to_si(nominal);
    if (!(nominal > 0)) {
      fault(option.value->place,
            fmt::format("nominal must be positive, not {}", number_text(nominal)));
    }
  }
  return nominal;
}

Thing Elaborator::define_unknown(Instance& instance, SymbolKind kind,
                                 const syntax::Declaration& item) {
  const std::string name = instance.prefix + item.name;
  const Scope scope{&instance, fmt::format("the declaration of '{}'", item.name), nullptr};
  const DeclaredUnit unit = declared_unit(item.unit, item.unit_place);
  const double nominal = nominal_of(item, unit.unit, scope);
  const Shape shape = declared_shape(instance, item);
  Value result{shape, {}};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const expr::SymbolId symbol = new_symbol(
        {name + shape.suffix(i), kind, unit.si, item.doc, seen(instance, item.place), 0, nominal});
    if (unit.unit && !unit.unit->is_si()) declared_in_[symbol] = item.unit;
    result.entries.push_back(graph_->leaf({symbol, 0}));
  }
  if (item.value != nullptr || item.fixed) {
    const Value given =
        item.value != nullptr ? evaluator_.value(*item.value, scope) : algebra_.number(0);
    const Place& place = item.value != nullptr ? item.value->place : item.place;
    std::vector<Expr> starts = broadcast(given, shape, place, fmt::format("'{}'", name));
    if (item.value != nullptr)
      convert_declared(starts, item.name, unit, *item.value, item.unit_place);
    const bool stated = item.fixed || is_stated(instance, item.value, 0, in_table(parameters_));
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const double start = evaluator_.number(
          starts[i], place, fmt::format("the start value of '{}'", name + shape.suffix(i)));
      // An `initial` line of the same model outranks it.
      add_start({.leaf = graph_->leaf_of(result.entries[i]),
                 .value = start,
                 .fixed = item.fixed,
                 .place = seen(instance, item.place),
                 .stated = stated},
                instance.depth + 1);
    }
  }
  return {kind == SymbolKind::coordinate ? Thing::Role::coordinate : Thing::Role::plain,
          std::move(result)};
}

}  // namespace daedal::model
